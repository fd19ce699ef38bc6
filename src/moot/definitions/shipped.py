"""The files that come with Moot. A name is looked up in the listing and never becomes a path."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from moot.definitions.document import Document
from moot.definitions.yaml_file import parse

_SUFFIX = ".yaml"


@cache
def names() -> tuple[str, ...]:
    """The names of the shipped debates, sorted."""
    return tuple(sorted(_debates()))


def debate(name: str) -> Document:
    """The shipped debate of that name, which must be one of `names()`."""
    return parse(_debates()[name].read_bytes(), f"{name} (shipped with moot)")


def personas() -> Document:
    return parse((_data() / "personas.yaml").read_bytes(), "personas.yaml (shipped with moot)")


@cache
def _debates() -> dict[str, Traversable]:
    entries = (_data() / "debates").iterdir()
    return {
        entry.name.removesuffix(_SUFFIX): entry for entry in entries if entry.name.endswith(_SUFFIX)
    }


def _data() -> Traversable:
    return files("moot") / "data"
