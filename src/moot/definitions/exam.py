"""The exam for judges: short debates that come with Moot, in which the answer is known.

They were written for it by hand. What a judge is shown must never say which side is marked, or why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from moot.definitions import shipped
from moot.definitions.documents import Document, Loc
from moot.errors import InvalidInput
from moot.protocol.hearing.case import Case, Said, Side
from moot.protocol.hearing.exam import ExamPair, Kind
from moot.structs import ready

FIRST, SECOND = "first", "second"
"""The sides of a pair. The first opens, and the second has the last word."""
TURNS = (FIRST, SECOND, FIRST, SECOND)
_VERSION_LENGTH = 12

Text = Annotated[str, Meta(min_length=1, pattern=r"^\S(.*\S)?$")]
"""One line, which neither begins nor ends with a blank."""
SideId = Literal["first", "second"]


class SideSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A side as its file has it; `argues` is the text that follows the word "argues"."""

    id: SideId
    argues: Text


class StatementSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    side: SideId
    text: Text


class PairSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: Annotated[str, Meta(pattern=r"^[a-z]+(-[a-z]+)*$")]
    topic: Text
    sides: tuple[SideSpec, SideSpec]
    statements: tuple[StatementSpec, ...]
    marked: SideId | None = None
    why: Text


class KindSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole file. Its pairs are read one by one, so that a mistake is told with its pair."""

    kind: Kind
    pairs: Annotated[list[dict[str, Any]], Meta(min_length=1)]


ready(KindSpec, PairSpec)


@cache
def pairs() -> tuple[ExamPair, ...]:
    """All pairs, by kind and then in the order of their file. Raises InvalidInput if one of them is
    broken, and says which."""
    return read(shipped.exam())


@cache
def version() -> str:
    """The same for two judges only if they had the same exam: figures of different versions must
    never be mixed."""
    return version_of(pairs())


def version_of(some: Sequence[ExamPair]) -> str:
    """A short hash of all that judges are shown and all that their answers are compared with; `why`
    is not in it."""
    asked = [msgspec.structs.replace(one, why="") for one in some]
    return sha256(msgspec.json.encode(asked)).hexdigest()[:_VERSION_LENGTH]


def read(documents: Sequence[Document]) -> tuple[ExamPair, ...]:
    """The pairs of these files; raises InvalidInput that names the pair."""
    found: dict[str, ExamPair] = {}
    for document in documents:
        for loc, pair in _pairs(document):
            if pair.id in found:
                raise document.error(loc, f"{pair.id}: there is another pair with this id")
            found[pair.id] = pair
    return tuple(found.values())


def _pairs(document: Document) -> Iterator[tuple[Loc, ExamPair]]:
    try:
        spec = msgspec.convert(document.data, KindSpec)
    except msgspec.ValidationError as error:
        raise document.error((), str(error)) from error
    for index, entry in enumerate(spec.pairs):
        loc = ("pairs", index)
        yield loc, _pair(spec.kind, entry, loc, document)


def _pair(kind: Kind, entry: dict[str, Any], loc: Loc, document: Document) -> ExamPair:
    def wrong(reason: str) -> InvalidInput:
        return document.error(loc, f"{entry.get('id', 'a pair without an id')}: {reason}")

    try:
        spec = msgspec.convert(entry, PairSpec)
    except msgspec.ValidationError as error:
        raise wrong(str(error)) from error
    if reason := _mistake(kind, spec):
        raise wrong(reason)
    case = Case(
        topic=spec.topic,
        # The sides have no names: a name would be replaced wherever a statement has that word.
        sides=tuple(Side(id=one.id, names=(), argues=one.argues) for one in spec.sides),
        said=tuple(Said(side=one.side, text=one.text) for one in spec.statements),
    )
    return ExamPair(id=spec.id, kind=kind, case=case, marked=spec.marked, why=spec.why)


def _mistake(kind: Kind, spec: PairSpec) -> str:
    """What is wrong with a pair whose fields are right one by one; "" if nothing is."""
    if tuple(one.id for one in spec.sides) != (FIRST, SECOND):
        return f"its sides must be {FIRST} and {SECOND}, in this order"
    if tuple(one.side for one in spec.statements) != TURNS:
        return f"its sides must speak in turn: {', '.join(TURNS)}"
    if kind is Kind.MIRRORED and spec.marked:
        return "no side of a mirrored pair can be marked"
    if kind is not Kind.MIRRORED and not spec.marked:
        return f"marked must say which side is the {kind} one"
    return ""
