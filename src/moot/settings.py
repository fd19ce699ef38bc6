"""What the environment and the configuration file say, read once and checked. Keys of providers are
in none of these settings: the registry reads them where they are used, and nothing else ever sees
them.

Read by hand: pydantic-settings took a quarter of the time that a command needs to start.
"""

from __future__ import annotations

import json
import math
import os
import tomllib
from collections.abc import Callable, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any, Literal

import msgspec
from platformdirs import user_config_path, user_data_path

from moot.errors import InvalidInput
from moot.structs import ready


class Secret:
    """A text that no log and no traceback shows by accident."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "Secret('**********')"


class MootSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Each field but the first is an environment variable: `home` is `MOOT_HOME`, and so on.

    config_path     the configuration file: beside everything else if `home` was named, else where
                    the system wants such files
    token           what every request to the server must carry, if it is set
    secret          makes the ids of debates that are created with an Idempotency-Key; must be the
                    same for all servers on one database, each of which has its own by default
    allowed_hosts   names the server may be called by, besides those of loopback
    context_root    the directory below which files for debates are read; without it the command
                    line reads below the working directory, and the server reads none
    tracing         sends traces, as the standard OTEL variables do
    trace_content   puts what was said into the traces
    trusted_proxies addresses and networks of reverse proxies; only they are believed when they say
                    for whom they speak (X-Forwarded-For) and how they were reached (-Proto)
    grace_seconds   how long calls and requests under way may take to end at SIGTERM
    provider_patience_seconds   for debates that do not set their own
    max_connections without it, as many as the limit of open files allows

    The rest bounds what clients may do to the server; `docs/reference/limits.md` has all of them.
    Made by `load_settings`, which checks what it is given.
    """

    config_path: Path
    home: Path
    database_url: str = ""
    providers: Mapping[str, Mapping[str, Any]] = msgspec.field(default_factory=dict)
    token: Secret | None = None
    secret: Secret | None = None
    allowed_hosts: frozenset[str] = frozenset()
    context_root: Path | None = None
    tracing: bool | None = None
    trace_content: bool = False
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "WARNING"
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    grace_seconds: float = 10.0
    provider_patience_seconds: int | None = None
    max_connections: int | None = None
    max_viewers: int = 2000
    max_debates: int = 2000
    max_body_bytes: int = 1_000_000
    header_seconds: float = 10.0
    body_seconds: float = 30.0
    unread_seconds: float = 25.0
    creations_per_minute: int = 60
    questions_per_minute: int = 600
    model_tests_per_minute: int = 20

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

    @property
    def panels_path(self) -> Path:
        """Where the user's own panels are."""
        return self.home / "panels"

    def passed_on(self) -> dict[str, str]:
        """The settings as variables for a child process: those that may have come from elsewhere
        than the environment, which the child shares."""
        is_named = self.config_path.parent == self.home
        return {
            **({"MOOT_HOME": str(self.home)} if is_named else {}),
            "MOOT_DATABASE_URL": self.database_url,
            "MOOT_LOG_LEVEL": self.log_level,
        }


# --- how each is read: from a text of the environment, or from what a program passes --------------

BOUNDS: Mapping[str, tuple[float, float]] = {
    "grace_seconds": (0, 3600),
    "provider_patience_seconds": (0, 86_400),
    "max_connections": (16, 65_000),
    "max_viewers": (1, 65_000),
    "max_debates": (1, 100_000),
    "max_body_bytes": (10_000, 100_000_000),
    "header_seconds": (1, 300),
    "body_seconds": (1, 3600),
    "unread_seconds": (1, 3600),
    "creations_per_minute": (1, 100_000),
    "questions_per_minute": (1, 100_000),
    "model_tests_per_minute": (1, 10_000),
}
"""Least and most of each. Seconds that a process waits by itself need not be whole."""
_FRACTIONS = {"grace_seconds", "header_seconds", "body_seconds", "unread_seconds"}
_BOOLS = {
    **dict.fromkeys(("1", "true", "yes", "on", "y", "t"), True),
    **dict.fromkeys(("0", "false", "no", "off", "n", "f"), False),
}
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


def _number(name: str) -> Callable[[Any], float]:
    least, most = BOUNDS[name]
    kind, noun = (float, "a number") if name in _FRACTIONS else (int, "a whole number")

    def read(given: Any) -> float:
        try:
            number = kind(given)
        except (TypeError, ValueError):
            number = math.nan
        if not least <= number <= most:
            message = f"must be {noun} from {least:g} to {most:g}, not {given!r}"
            raise ValueError(message)
        return number

    return read


def _truth(given: Any) -> bool:
    found = _BOOLS.get(str(given).strip().lower())
    if found is None:
        message = f"must be true or false, not {given!r}"
        raise ValueError(message)
    return found


def _level(given: Any) -> str:
    if given not in _LEVELS:
        message = f"must be one of {', '.join(_LEVELS)}, not {given!r}"
        raise ValueError(message)
    return str(given)


def _hosts(given: Any) -> frozenset[str]:
    return frozenset(part.lower() for part in _parts(given))


def _networks(given: Any) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(_network(part) for part in _parts(given))


def _parts(given: Any) -> list[str]:
    """The parts of a list as people write it in a variable: separated by commas."""
    parts = given.split(",") if isinstance(given, str) else map(str, given)
    return [part.strip() for part in parts if part.strip()]


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError as error:
        message = f"{error}; write addresses or networks with commas between, as 10.0.0.7, fd00::/8"
        raise ValueError(message) from None


def _providers(given: Any) -> Mapping[str, Mapping[str, Any]]:
    how = 'write it as {"NAME": {"base_url": "https://..."}}'
    try:
        found = json.loads(given or "{}") if isinstance(given, str) else given
    except ValueError as error:
        message = f"is not JSON: {error}; {how}"
        raise ValueError(message) from None
    if not isinstance(found, Mapping) or not all(
        isinstance(row, Mapping) for row in found.values()
    ):
        message = f"must be a dictionary of dictionaries; {how}"
        raise ValueError(message)
    return found


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "home": Path,
    "database_url": str,
    "providers": _providers,
    "token": Secret,
    "secret": Secret,
    "allowed_hosts": _hosts,
    "context_root": Path,
    "tracing": _truth,
    "trace_content": _truth,
    "log_level": _level,
    "trusted_proxies": _networks,
    **{name: _number(name) for name in BOUNDS},
}
VARIABLES = {name: f"MOOT_{name.upper()}" for name in _READERS}
"""The settings by name, and the environment variable of each."""


def load_settings(**changes: Any) -> MootSettings:
    """The settings. Raises InvalidInput naming the environment variable that is wrong.

    A variable that is set to nothing counts as not set, except where a number is wanted.
    """
    given = {name: os.environ[variable] for name, variable in VARIABLES.items() if _is_set(name)}
    given |= {name: value for name, value in changes.items() if value is not None}
    found = {name: _read(name, value) for name, value in given.items()}
    is_named = "home" in found
    home = found.pop("home") if is_named else user_data_path("moot", appauthor=False)
    folder = home if is_named else user_config_path("moot", appauthor=False)
    return MootSettings(home=home, config_path=folder / "config.toml", **found)


def _is_set(name: str) -> bool:
    value = os.environ.get(VARIABLES[name])
    return bool(value) or (value is not None and name in BOUNDS)


def _read(name: str, value: Any) -> Any:
    try:
        return _READERS[name](value)
    except ValueError as error:
        raise InvalidInput(str(error), field=VARIABLES[name]) from None


class Configuration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The configuration file: what `moot models use` and `moot keys set` keep.

    model   used where nothing else names a model
    judge   the same for judges and moderators
    keys    the names of the keys in the system's keyring; never the keys
    """

    model: str = ""
    judge: str = ""
    keys: tuple[str, ...] = ()


ready(Configuration)


def read_configuration(path: Path) -> Configuration:
    """The configuration in that file; empty if there is none. Raises InvalidInput, naming it."""
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
