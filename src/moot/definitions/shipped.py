"""The files that come with Moot. A name is looked up in the listing and never becomes a path."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from moot.definitions.documents import Document, parse

_SUFFIX = ".yaml"


@cache
def names() -> tuple[str, ...]:
    """The names of the shipped debates, sorted."""
    return tuple(sorted(_files("debates")))


def debate(name: str) -> Document:
    """The shipped debate of that name, which must be one of `names()`."""
    return _parsed(_files("debates")[name], name)


def personas() -> list[Document]:
    """The general personas, a document per role, always in the same order."""
    found = _files("personas")
    return [_parsed(found[name], f"{name}.yaml") for name in sorted(found)]


def panels() -> dict[str, Document]:
    """The shipped panels by their names, always in the same order."""
    found = _files("panels")
    return {name: _parsed(found[name], f"{name}.yaml") for name in sorted(found)}


def panel_text(name: str) -> str:
    """The file of the shipped panel of that name, comments and all."""
    return _files("panels")[name].read_text(encoding="utf-8")


def teams() -> Document:
    return _parsed(_data() / "teams.yaml", "teams.yaml")


def exam() -> list[Document]:
    """The pairs of the exam for judges, a document per kind, always in the same order."""
    found = _files("exam")
    return [_parsed(found[name], f"{name}.yaml") for name in sorted(found)]


def _parsed(file: Traversable, name: str) -> Document:
    return parse(file.read_bytes(), f"{name} (shipped with moot)")


@cache
def _files(folder: str) -> dict[str, Traversable]:
    """The YAML files of a folder, by their names without the suffix."""
    entries = (_data() / folder).iterdir()
    return {
        entry.name.removesuffix(_SUFFIX): entry for entry in entries if entry.name.endswith(_SUFFIX)
    }


def _data() -> Traversable:
    return files("moot") / "data"
