"""What a file says, as plain data, and on which line it says it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from moot.errors import InvalidInput

Loc = tuple[str | int, ...]
"""The path to a value: keys and list positions, from the outside in."""

TOLD_MAX = 20
"""How many mistakes of one file are told at once."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """`lines` has the line of every key and list item; `()` is where the document begins."""

    data: Any
    source: str | None = None
    lines: Mapping[Loc, int] = {}

    def line(self, loc: Loc) -> int | None:
        """The line of the nearest thing at or around `loc` that the file really contains."""
        around = (loc[:size] for size in range(len(loc), -1, -1))
        return next((self.lines[near] for near in around if near in self.lines), None)

    def error(self, loc: Loc, message: str) -> InvalidInput:
        return located(message, self.source, self.line(loc), loc)


def located(message: str, source: str | None, line: int | None, loc: Loc = ()) -> InvalidInput:
    """The error that says where: `debates/mine.yaml:7: for.1.name: ...`."""
    field = ".".join(str(part) for part in loc) or None
    return InvalidInput(message, field=field, source=source, line=line)


def together(mistakes: Iterable[InvalidInput]) -> InvalidInput:
    """All of them as one error, in the order of their lines, one for each field."""
    by_field: dict[tuple[str | None, str | None], InvalidInput] = {}
    for mistake in mistakes:
        by_field.setdefault((mistake.source, mistake.field), mistake)
    first, *others = sorted(by_field.values(), key=lambda mistake: mistake.line or 0)
    told = others[: TOLD_MAX - 1]
    if len(others) > len(told):
        reason = f"and {len(others) - len(told)} more mistakes"
        told.append(located(reason, first.source, None))
    return InvalidInput(
        first.message,
        field=first.field,
        source=first.source,
        line=first.line,
        others=tuple(told),
    )
