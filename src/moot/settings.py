"""What the environment and the configuration file say, read once and checked. Keys of providers are
in neither of them: the registry reads them where they are used, and nothing else ever sees them."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from platformdirs import user_config_path, user_data_path
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
    grace_seconds   how long calls and requests under way may take to end at SIGTERM
    """

    model_config = SettingsConfigDict(env_prefix="MOOT_", frozen=True, extra="ignore")

    home: Path = Field(default_factory=lambda: user_data_path("moot", appauthor=False))
    database_url: str = ""
    providers: Annotated[Mapping[str, Mapping[str, Any]], NoDecode] = {}
    token: SecretStr | None = None
    secret: SecretStr | None = None
    allowed_hosts: Annotated[frozenset[str], NoDecode] = frozenset()
    context_root: Path | None = None
    tracing: bool | None = None
    trace_content: bool = False
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "WARNING"
    grace_seconds: float = Field(default=10.0, ge=0, le=3600)

    @field_validator("allowed_hosts", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        """As people write lists in an environment: separated by commas."""
        if isinstance(value, str):
            return frozenset(part.strip().lower() for part in value.split(",") if part.strip())
        return value

    @field_validator("providers", mode="before")
    @classmethod
    def _decode(cls, value: object) -> object:
        """Read here and not by the library, whose error names neither variable nor place."""
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value or "{}")
        except ValueError as error:
            message = f'is not JSON: {error}; write it as {{"NAME": {{"base_url": "https://..."}}}}'
            raise ValueError(message) from None

    @property
    def config_path(self) -> Path:
        """The configuration file: beside everything else if `home` was named, else where the
        system wants such files."""
        is_named = "home" in self.model_fields_set
        return (
            self.home if is_named else user_config_path("moot", appauthor=False)
        ) / "config.toml"

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
        message = first["msg"].removeprefix("Value error, ")
        raise InvalidInput(message, field=name) from None


class Configuration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The configuration file: what `moot models use` and `moot keys set` keep.

    model   used where nothing else names a model
    judge   the same for judges and moderators
    keys    the names of the keys in the system's keyring; never the keys
    """

    model: str = ""
    judge: str = ""
    keys: tuple[str, ...] = ()


def read_configuration(path: Path) -> Configuration:
    """What is kept there; nothing if there is no such file. Raises InvalidInput, naming it."""
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Configuration)
    except FileNotFoundError:
        return Configuration()
    except (OSError, ValueError, msgspec.ValidationError) as error:
        message = f"{error}; correct the file or delete it"
        raise InvalidInput(message, field=str(path)) from None


def write_configuration(path: Path, configuration: Configuration) -> None:
    """Keep it, readable for its owner only. Raises InvalidInput if it cannot be written."""
    said = {name: value for name, value in msgspec.structs.asdict(configuration).items() if value}
    # A JSON string, and a list of them, is TOML too.
    lines = [f"{name} = {json.dumps(value)}\n" for name, value in said.items()]
    text = "# Written by `moot models use` and `moot keys`. Keys are in the keyring, not here.\n"
    fresh = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(text + "".join(lines), encoding="utf-8")
        fresh.chmod(0o600)
        fresh.replace(path)  # whole or not at all
    except OSError as error:
        message = f"cannot be written: {error.strerror}"
        raise InvalidInput(message, field=str(path)) from None


def environment() -> Mapping[str, str]:
    """The environment, for the registry of models."""
    return os.environ
