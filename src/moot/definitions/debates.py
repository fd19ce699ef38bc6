"""Debates by their file, by the name of a shipped one, or by a bare topic."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from moot.definitions import shipped as shipped_files
from moot.definitions.casting import cast
from moot.definitions.define import define
from moot.definitions.document import Document
from moot.definitions.values import Cast, Definition, Pools
from moot.definitions.yaml_file import read
from moot.errors import NotFound

__all__ = ["Cast", "Definition", "Pools", "cast", "from_topic", "is_name", "load", "shipped"]

_SUFFIXES = (".yaml", ".yml")


def load(path_or_name: str | Path, personas: Path | None = None) -> Definition:
    """The debate in that file, or the shipped one of that name; `personas` has the user's own.

    Raises NotFound, with the names that come close, or InvalidInput with file, line and field.
    """
    if path_or_name in shipped_files.names():
        return define(shipped_files.debate(str(path_or_name)))
    try:
        return define(read(Path(path_or_name)), personas)
    except NotFound as error:
        message = f"{error}; {_hint(Path(path_or_name).stem)}"
        raise NotFound(message) from None


def _hint(name: str) -> str:
    close = get_close_matches(name.lower(), shipped_files.names(), n=3)
    return "shipped with moot are: " + ", ".join(close or shipped_files.names())


def is_name(text: str) -> bool:
    """Whether `moot run TEXT` means a file or a shipped debate; any other text is a topic."""
    if text in shipped_files.names() or text.lower().endswith(_SUFFIXES):
        return True
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a path, or a NUL in it
        return False


def from_topic(
    topic: str,
    *,
    format: str = "duel",  # noqa: A002 - the word of the glossary
    settings: dict[str, Any] | None = None,
) -> Definition:
    """A debate on `topic` by the general personas; raises InvalidInput if the topic will not do."""
    return define(Document(data={"topic": topic, "format": format, "settings": settings or {}}))


@cache
def shipped() -> tuple[tuple[str, str, str], ...]:
    """Name, topic and premise of every shipped debate, by name."""
    found = ((name, load(name)) for name in shipped_files.names())
    return tuple((name, d.topic, str(d.settings.get("premise", ""))) for name, d in found)
