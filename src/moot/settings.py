"""What the environment says, read once and checked. Keys of providers are not here: the registry
reads them where they are used, and nothing else ever sees them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_data_path
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from moot.errors import InvalidInput


class MootSettings(BaseSettings):
    """Each field is an environment variable: `home` is `MOOT_HOME`, and so on.

    token           what every request to the server must carry, if it is set
    secret          makes the ids of debates that are created with an Idempotency-Key; must be the
                    same for all servers on one database, each of which has its own by default
    allowed_hosts   names the server may be called by, besides those of loopback
    context_root    the directory below which files for debates are read; without it the command
                    line reads below the working directory, and the server reads none
    tracing         sends traces, as the standard OTEL variables do
    trace_content   puts what was said into the traces
    """

    model_config = SettingsConfigDict(env_prefix="MOOT_", frozen=True, extra="ignore")

    home: Path = Field(default_factory=lambda: user_data_path("moot", appauthor=False))
    database_url: str = ""
    providers: Mapping[str, Mapping[str, Any]] = {}
    token: SecretStr | None = None
    secret: SecretStr | None = None
    allowed_hosts: Annotated[frozenset[str], NoDecode] = frozenset()
    context_root: Path | None = None
    tracing: bool | None = None
    trace_content: bool = False
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "WARNING"

    @field_validator("allowed_hosts", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        """As people write lists in an environment: separated by commas."""
        if isinstance(value, str):
            return frozenset(part.strip().lower() for part in value.split(",") if part.strip())
        return value

    @property
    def database_path(self) -> Path:
        """The embedded database, when no `database_url` names another."""
        return self.home / "moot.db"

    @property
    def secret_path(self) -> Path:
        """Where the server's own secret is kept, when `secret` names none."""
        return self.home / "secret"

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
