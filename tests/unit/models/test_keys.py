from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest

from moot.errors import InvalidInput
from moot.models import keys as module
from moot.models.keys import Keys, SystemRing

SECRET = "sk-CANARY-7"


class KeyringError(Exception): ...


class PasswordDeleteError(KeyringError): ...


class FakeLibrary(ModuleType):
    """The library `keyring`, as far as it is used."""

    errors = SimpleNamespace(KeyringError=KeyringError, PasswordDeleteError=PasswordDeleteError)

    def __init__(self, *, is_locked: bool = False) -> None:
        super().__init__("keyring")
        self.held: dict[tuple[str, str], str] = {}
        self.asked = 0
        self._is_locked = is_locked

    def get_password(self, service: str, name: str) -> str | None:
        self.asked += 1
        self._check()
        return self.held.get((service, name))

    def set_password(self, service: str, name: str, key: str) -> None:
        self._check()
        self.held[service, name] = key

    def delete_password(self, service: str, name: str) -> None:
        self._check()
        if self.held.pop((service, name), None) is None:
            raise PasswordDeleteError

    def _check(self) -> None:
        if self._is_locked:
            raise KeyringError(f"a backend may say anything, even {SECRET}")


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> FakeLibrary:
    return install(monkeypatch, FakeLibrary())


def install(monkeypatch: pytest.MonkeyPatch, library: FakeLibrary) -> FakeLibrary:
    monkeypatch.setitem(sys.modules, "keyring", library)
    monkeypatch.setitem(sys.modules, "keyring.errors", ModuleType("keyring.errors"))
    return library


def test_the_keyring_is_below_the_environment(library: FakeLibrary) -> None:
    library.held["moot", "A_KEY"] = SECRET
    keys = Keys({"B_KEY": "b"}, ["A_KEY"])
    assert keys["A_KEY"] == SECRET
    assert keys.is_from_ring("A_KEY")
    assert keys["B_KEY"] == "b"
    assert not keys.is_from_ring("B_KEY")
    assert set(keys) == {"A_KEY", "B_KEY"}
    assert len(keys) == 2
    wins = Keys({"A_KEY": "mine"}, ["A_KEY"])
    assert wins["A_KEY"] == "mine"
    assert not wins.is_from_ring("A_KEY")
    assert SECRET not in repr(keys)


def test_the_keyring_is_asked_once_and_only_for_what_is_kept(library: FakeLibrary) -> None:
    keys = Keys({"A_KEY": " "}, ["A_KEY"])
    assert keys.get("OTHER", "") == ""
    assert library.asked == 0
    assert keys["A_KEY"] == keys["A_KEY"] == ""
    assert library.asked == 1
    assert keys.trouble("A_KEY") == "the keyring no longer has it"


def test_a_keyring_that_does_not_work_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, FakeLibrary(is_locked=True))
    for ask in (
        lambda: SystemRing().get("A_KEY"),
        lambda: SystemRing().set("A_KEY", SECRET),
        lambda: SystemRing().delete("A_KEY"),
    ):
        with pytest.raises(InvalidInput, match="set the key in the environment") as caught:
            ask()
        assert SECRET not in str(caught.value)
    keys = Keys({}, ["A_KEY"])
    assert keys["A_KEY"] == ""
    assert keys.trouble("A_KEY").startswith("the system's keyring cannot be used")


def test_without_the_library_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> ModuleType:
        raise ImportError(name)

    monkeypatch.setattr(module, "import_module", missing)
    with pytest.raises(InvalidInput, match=r"pip install 'moot\[keyring\]'"):
        SystemRing().get("A_KEY")


def test_deleting_twice_is_no_error(library: FakeLibrary) -> None:
    ring = SystemRing()
    ring.set("A_KEY", SECRET)
    ring.delete("A_KEY")
    ring.delete("A_KEY")
    assert library.held == {}
