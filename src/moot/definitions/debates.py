"""Debates by their file, by the name of a shipped one, or by a bare topic."""

from __future__ import annotations

import os
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from moot.definitions import shipped as shipped_files
from moot.definitions.casting import cast
from moot.definitions.changes import between, changed, check_models
from moot.definitions.define import define
from moot.definitions.document import Document
from moot.definitions.values import Cast, Definition, Pools, Shipped
from moot.definitions.yaml_file import read
from moot.errors import NotFound

__all__ = [
    "Cast",
    "Definition",
    "Pools",
    "between",
    "cast",
    "changed",
    "check_models",
    "from_topic",
    "is_name",
    "load",
    "shipped",
]

_SUFFIXES = (".yaml", ".yml")
_SEPARATORS = {"/", os.sep}


def load(
    path_or_name: str | Path,
    personas: Path | None = None,
    *,
    format: str | None = None,  # noqa: A002 - the word of the glossary
) -> Definition:
    """The debate in that file, or the shipped one of that name; `personas` has the user's own.

    With a `format`, it is read as a debate of that format, whatever the file says.
    Raises NotFound, with the names that come close, or InvalidInput with file, line and field.
    """
    if path_or_name in shipped_files.names():
        return define(shipped_files.debate(str(path_or_name)), format=format)
    try:
        return define(read(Path(path_or_name)), personas, format=format)
    except NotFound as error:
        message = f"{error}; {_hint(Path(path_or_name).stem)}"
        raise NotFound(message) from None


def _hint(name: str) -> str:
    return "shipped with moot are: " + ", ".join(_close(name) or shipped_files.names())


def _close(name: str) -> list[str]:
    return get_close_matches(name.lower(), shipped_files.names(), n=3)


def is_name(text: str) -> bool:
    """Whether `moot run TEXT` means a file or a shipped debate; any other text is a topic.

    What only looks like one counts too: `load` refuses it, where a debate on a typing error would
    cost money.
    """
    if text.lower().endswith(_SUFFIXES) or _is_like_a_name(text):
        return True
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a path, or a NUL in it
        return False


def _is_like_a_name(text: str) -> bool:
    if not text or any(char.isspace() for char in text):
        return False
    return any(separator in text for separator in _SEPARATORS) or bool(_close(text))


def from_topic(
    topic: str,
    *,
    format: str = "duel",  # noqa: A002 - the word of the glossary
    settings: dict[str, Any] | None = None,
) -> Definition:
    """A debate on `topic` by the general personas; raises InvalidInput if the topic will not do."""
    return define(Document(data={"topic": topic, "format": format, "settings": settings or {}}))


@cache
def shipped() -> tuple[Shipped, ...]:
    """What `moot debates` tells of every shipped debate, by name."""
    found = ((name, load(name)) for name in shipped_files.names())
    return tuple(
        Shipped(
            name=name, format=d.format, topic=d.topic, premise=str(d.settings.get("premise", ""))
        )
        for name, d in found
    )
