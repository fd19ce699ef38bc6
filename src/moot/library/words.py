"""Words of the glossary, which programs may write as plain text."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from moot.errors import InvalidInput

W = TypeVar("W", bound=StrEnum)


def one_of(words: type[W], given: W | str, field: str) -> W:
    """The word as a member of `words`. Raises InvalidInput, which names all there are."""
    try:
        return words(given)
    except ValueError:
        message = f"there is no {words.__name__.lower()} {given!r}; known: {', '.join(words)}"
        raise InvalidInput(message, field=field) from None
