"""A document of a format's own, as plain blocks: the format says what is in it, exports render it.

All text is as it was said or written, and untrusted: whoever renders a block escapes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum

import msgspec

from moot.protocol.state import DebateState, Turn


class Fact(StrEnum):
    """What every debate has and exports have words for."""

    DEBATE = "debate"
    STATUS = "status"
    CREATED = "created"
    UPDATED = "updated"


class Heading(msgspec.Struct, frozen=True):
    level: int
    text: str


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line: `label` in bold, `text`, or `aside` in italics."""

    label: str = ""
    text: str = ""
    aside: str = ""


class Said(msgspec.Struct, frozen=True):
    """Somebody's whole text."""

    text: str


class Stated(msgspec.Struct, frozen=True):
    """A turn: who said it, what a reader must know of it, and its text, folded away or not."""

    turn: Turn
    is_folded: bool = False


class Bullets(msgspec.Struct, frozen=True):
    texts: tuple[str, ...]


class Table(msgspec.Struct, frozen=True, kw_only=True):
    header: tuple[str, ...]
    rows: tuple[tuple[str | Fact, ...], ...]


class Facts(msgspec.Struct, frozen=True):
    """A list of labels and values."""

    rows: tuple[tuple[str, str | Fact], ...]


class Roster(msgspec.Struct, frozen=True):
    """Who took part; `notes` say what became of some of them, by id."""

    notes: Mapping[str, str]


class Unfinished(msgspec.Struct, frozen=True):
    """Why the debate is not finished, if it is not."""


class Spending(msgspec.Struct, frozen=True):
    """What it cost, and which models answered."""


Block = Heading | Line | Said | Stated | Bullets | Table | Facts | Roster | Unfinished | Spending
Write = Callable[[DebateState], Iterator[Block]]
"""Raises InvalidInput if there is nothing yet to write about."""
