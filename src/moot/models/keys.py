"""Where providers' keys are: in the environment or, failing that, in the system's keyring.

Keys are named by their variable, such as OPENAI_API_KEY, in either place. A keyring cannot be asked
what it holds, so the names of what was put there are kept in the configuration file; the keys
themselves never leave the keyring but for the provider they belong to. Nothing here logs, prints
or raises a key.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from importlib import import_module
from typing import Any, Protocol

from moot.errors import InvalidInput

SERVICE = "moot"
"""Under this name the keyring files our keys."""
INSTALL = "pip install 'moot[keyring]'"


class Ring(Protocol):
    """What Moot needs of a keyring. Each method raises InvalidInput if no keyring works here."""

    def get(self, name: str) -> str:
        """The key of that name; "" if there is none."""

    def set(self, name: str, key: str) -> None: ...

    def delete(self, name: str) -> None:
        """Forget it; nothing happens if it is not there."""


class SystemRing:
    """The keyring of the operating system, by the library `keyring`, imported when it is needed."""

    def get(self, name: str) -> str:
        """See `Ring`."""
        keyring = _library()
        try:
            return str(keyring.get_password(SERVICE, name) or "")
        except keyring.errors.KeyringError as error:
            raise _unusable(error) from None

    def set(self, name: str, key: str) -> None:
        """See `Ring`."""
        keyring = _library()
        try:
            keyring.set_password(SERVICE, name, key)
        except keyring.errors.KeyringError as error:
            raise _unusable(error) from None

    def delete(self, name: str) -> None:
        """See `Ring`."""
        keyring = _library()
        try:
            keyring.delete_password(SERVICE, name)
        except keyring.errors.PasswordDeleteError:
            return
        except keyring.errors.KeyringError as error:
            raise _unusable(error) from None


class Keys(Mapping[str, str]):
    """The environment and, behind it, the keyring. `kept` are the names of the keys in the keyring.

    The keyring is opened when the first of those is asked for. If it cannot be read, its keys are
    missing, and `trouble` says why.
    """

    def __init__(
        self, environment: Mapping[str, str], kept: Collection[str] = (), ring: Ring | None = None
    ) -> None:
        self._environment = environment
        self._kept = frozenset(kept)
        self._ring = ring or SystemRing()
        self._read: dict[str, str] = {}
        self._trouble: dict[str, str] = {}

    def trouble(self, name: str) -> str:
        """Why the key of that name, which should be in the keyring, could not be read, or ""."""
        return self._trouble.get(name, "")

    def is_from_ring(self, name: str) -> bool:
        """Whether the key of that name comes from the keyring."""
        return not self._environment.get(name, "").strip() and bool(self.get(name, "").strip())

    def __getitem__(self, name: str) -> str:
        # A variable that is set, even to something wrong, is what the user says now.
        if name not in self._kept or self._environment.get(name, "").strip():
            return self._environment[name]
        if name not in self._read:
            self._read[name] = self._from_ring(name)
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter({*self._environment, *self._kept})

    def __len__(self) -> int:
        return len({*self._environment, *self._kept})

    def __repr__(self) -> str:
        """Without any value: reprs end up in logs."""
        return f"Keys(kept={sorted(self._kept)})"

    def _from_ring(self, name: str) -> str:
        try:
            key = self._ring.get(name)
        except InvalidInput as error:
            self._trouble[name] = error.message
            return ""
        if not key.strip():
            self._trouble[name] = "the keyring no longer has it"
        return key


def _library() -> Any:
    try:
        # An extra, and slow to import.
        library = import_module("keyring")
        import_module("keyring.errors")
    except ImportError:
        message = f"the library for the system's keyring is not installed: {INSTALL}"
        raise InvalidInput(message) from None
    return library


def _unusable(error: Exception) -> InvalidInput:
    # Only the type of the error: a backend's message may contain anything.
    problem = (
        f"the system's keyring cannot be used ({type(error).__name__}); unlock or install one"
        " (on Linux a desktop's own, such as GNOME Keyring or KWallet), or set the key in the"
        " environment instead"
    )
    return InvalidInput(problem)
