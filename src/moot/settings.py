"""What the environment says, read once and checked. Keys of providers are not here: the registry
reads them where they are used, and nothing else ever sees them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from platformdirs import user_data_path
from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from moot.errors import InvalidInput


class MootSettings(BaseSettings):
    """`MOOT_HOME`, `MOOT_DATABASE_URL`, `MOOT_PROVIDERS`, `MOOT_LOG_LEVEL`."""

    model_config = SettingsConfigDict(env_prefix="MOOT_", frozen=True, extra="ignore")

    home: Path = Field(default_factory=lambda: user_data_path("moot", appauthor=False))
    database_url: str = ""
    providers: Mapping[str, Mapping[str, Any]] = {}
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "WARNING"

    @property
    def database_path(self) -> Path:
        """The embedded database, when no `database_url` names another."""
        return self.home / "moot.db"

    @property
    def personas_path(self) -> Path:
        """Where the user's own personas are."""
        return self.home / "personas"


def load_settings(**changes: Any) -> MootSettings:
    """The settings. Raises InvalidInput naming the environment variable that is wrong."""
    try:
        return MootSettings(**{key: value for key, value in changes.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = "MOOT_" + "_".join(str(part) for part in first["loc"]).upper()
        raise InvalidInput(first["msg"], field=name) from None


def environment() -> Mapping[str, str]:
    """The environment, for the registry of models."""
    return os.environ
