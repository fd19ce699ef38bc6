"""From YAML events to plain data.

No tags, no anchors, no aliases, no second document. The caps are checked event by event, before the
parser goes deeper: its time grows with the square of the depth, and an alias can name a million.
"""

from __future__ import annotations

from collections.abc import Iterator

from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from moot.definitions import scalars
from moot.definitions.document import Document, Loc, located
from moot.errors import InvalidInput

DEPTH_MAX = 20
NODES_MAX = 10_000
_SHOWN_MAX = 60


class Builder:
    """Reads one document from a parser's events; raises InvalidInput at the first thing refused."""

    def __init__(self, events: Iterator[Event], source: str | None) -> None:
        self._events = events
        self._source = source
        self._lines: dict[Loc, int] = {}
        self._nodes = 0

    def document(self) -> Document:
        next(self._events)  # the start of the stream
        if not isinstance(start := next(self._events), DocumentStartEvent):
            raise self._error(start, (), "is empty; a topic is the least it needs")
        data = self._value(next(self._events), ())
        next(self._events)  # the end of the document
        if not isinstance(extra := next(self._events), StreamEndEvent):
            raise self._error(extra, (), "has a second document; keep one per file, without `---`")
        return Document(data=data, source=self._source, lines=self._lines)

    def _value(self, event: Event, loc: Loc) -> object:
        self._check(event, loc)
        self._lines.setdefault(loc, _line(event))
        match event:
            case ScalarEvent():
                return self._scalar(event, loc)
            case SequenceStartEvent():
                return self._list(loc)
            case _:
                return self._mapping(loc)

    def _check(self, event: Event, loc: Loc) -> None:
        self._nodes += 1
        if self._nodes > NODES_MAX:
            raise self._error(event, loc, f"has more than {NODES_MAX} values")
        if len(loc) > DEPTH_MAX:
            raise self._error(event, (), f"is nested deeper than {DEPTH_MAX} levels")
        if isinstance(event, AliasEvent) or (isinstance(event, NodeEvent) and event.anchor):
            raise self._error(
                event, loc, "anchors (&) and aliases (*) are refused; repeat the text"
            )
        if getattr(event, "ctag", None) is not None:
            raise self._error(event, loc, "tags (!) are refused; put text with ! in quotes")

    def _scalar(self, event: ScalarEvent, loc: Loc) -> scalars.Scalar:
        try:
            return scalars.resolve(event.value, is_plain=event.implicit[0])
        except ValueError as error:
            raise self._error(event, loc, str(error)) from error

    def _list(self, loc: Loc) -> list[object]:
        items: list[object] = []
        while not isinstance(event := next(self._events), SequenceEndEvent):
            items.append(self._value(event, (*loc, len(items))))
        return items

    def _mapping(self, loc: Loc) -> dict[str, object]:
        entries: dict[str, object] = {}
        while not isinstance(event := next(self._events), MappingEndEvent):
            key = self._key(event, loc)
            if key in entries:
                first = self._lines[*loc, key]
                raise self._error(event, (*loc, key), f"is given twice, first on line {first}")
            self._lines[*loc, key] = _line(event)
            entries[key] = self._value(next(self._events), (*loc, key))
        return entries

    def _key(self, event: Event, loc: Loc) -> str:
        self._check(event, loc)
        if not isinstance(event, ScalarEvent):
            raise self._error(event, loc, "a key must be a single word")
        self._scalar(event, loc)
        key = str(event.value)
        if not key.isprintable() or not 0 < len(key) <= _SHOWN_MAX:
            raise self._error(event, loc, f"a key must be one line of 1 to {_SHOWN_MAX} characters")
        return key

    def _error(self, event: Event, loc: Loc, message: str) -> InvalidInput:
        return located(message, self._source, _line(event), loc)


def _line(event: Event) -> int:
    return int(event.start_mark.line) + 1
