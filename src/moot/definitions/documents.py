"""YAML files, read without trusting them: one regular UTF-8 file, capped while reading.

A document is plain data, and the line of every key in it, so that a mistake can be told with its
place. No tags, no anchors, no aliases, no second document; and scalars mean what the core schema of
YAML 1.2 says, nothing of YAML 1.1: `no`, `on` and `12:30` are text.
"""

from __future__ import annotations

import math
import os
import re
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
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
from ruamel.yaml.reader import ReaderError

from moot.errors import InvalidInput, NotFound

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
    """All mistakes as one error, in the order of their lines, one for each field."""
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


# --- bytes ----------------------------------------------------------------------------------------


BYTES_MAX = 1_000_000
TOPIC = "a topic is"


def read(path: Path, *, follow_links: bool = True, least: str = TOPIC) -> Document:
    """The file's document; raises NotFound if there is no file, InvalidInput if it is unusable.

    `least` says what a file needs at least, in the error for an empty one.
    """
    return parse(read_bytes(path, follow_links=follow_links), str(path), least=least)


def read_bytes(path: Path, *, follow_links: bool = True) -> bytes:
    """What is in the file, up to a byte more than `parse` takes."""
    descriptor = _opened(path, follow_links=follow_links)
    try:
        # On the descriptor, not the path: what was checked is what is read.
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            kind = "a directory" if stat.S_ISDIR(mode) else "not a regular file"
            reason = f"is {kind}; give the path of a YAML file"
            raise located(reason, str(path), None)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(BYTES_MAX + 1)
    finally:
        os.close(descriptor)


def _opened(path: Path, *, follow_links: bool) -> int:
    # Not blocking, or a named pipe would hold us before we can see what it is.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if not follow_links:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    try:
        return os.open(path, flags)
    except FileNotFoundError:
        reason = f"{path}: there is no such file"
        raise NotFound(reason) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput("cannot be opened: " + reason, source=str(path)) from error


def parse(raw: bytes, source: str | None, *, least: str = TOPIC) -> Document:
    """The one document in `raw`; raises InvalidInput with source, line and field."""
    if len(raw) > BYTES_MAX:
        raise located("is larger than 1 MB", source, None)
    text = _decoded(raw, source)
    try:
        return Builder(YAML(typ="safe", pure=True).parse(text), source).document(least)
    except (YAMLError, ValueError, OverflowError) as error:
        raise located(
            "is not YAML: " + _problem(error), source, _line_of_error(error, text)
        ) from error


def _decoded(raw: bytes, source: str | None) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise located("is not UTF-8; save it as UTF-8", source, line) from error


def _problem(error: Exception) -> str:
    match error:
        case ReaderError():
            return str(error.reason)
        case MarkedYAMLError():
            return ", ".join(str(part) for part in (error.context, error.problem) if part)
        case _:
            return str(error)


def _line_of_error(error: Exception, text: str) -> int | None:
    if isinstance(error, ReaderError):
        return text.count("\n", 0, error.position) + 1
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    return mark.line + 1 if mark else None


# --- from YAML events to plain data ---------------------------------------------------------------


DEPTH_MAX = 20
NODES_MAX = 10_000
_SHOWN_MAX = 60


class Builder:
    """Reads one document from a parser's events; raises InvalidInput at the first thing refused.

    The caps are checked event by event, before the parser goes deeper: its time grows with the
    square of the depth, and an alias can stand for a million values.
    """

    def __init__(self, events: Iterator[Event], source: str | None) -> None:
        self._events = events
        self._source = source
        self._lines: dict[Loc, int] = {}
        self._nodes = 0

    def document(self, least: str) -> Document:
        next(self._events)  # the start of the stream
        if not isinstance(start := next(self._events), DocumentStartEvent):
            raise self._error(start, (), f"is empty; {least} the least it needs")
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

    def _scalar(self, event: ScalarEvent, loc: Loc) -> Scalar:
        try:
            return resolve(event.value, is_plain=event.implicit[0])
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


# --- scalars --------------------------------------------------------------------------------------


Scalar = str | int | float | bool | None

_CONSTANTS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")

# The longest whole number that every database and every JSON reader keeps exactly.
_DIGITS_MAX = 15


def resolve(text: str, *, is_plain: bool) -> Scalar:
    """The value of a scalar; raises ValueError with a reason. Quoted and block text stays text."""
    check_text(text)
    if not is_plain:
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INT.fullmatch(text):
        return _whole(text)
    if _FLOAT.fullmatch(text) or _NOT_FINITE.fullmatch(text):
        return _finite(text)
    return text


def _whole(text: str) -> int:
    if len(text.lstrip("+-")) > _DIGITS_MAX:
        raise ValueError("a whole number has at most 15 digits")
    return int(text)


def _finite(text: str) -> float:
    number = math.inf if _NOT_FINITE.fullmatch(text) else float(text)
    if not math.isfinite(number):
        raise ValueError("a number must be finite")
    return number


def check_text(text: str) -> str:
    """The text itself; raises ValueError if it holds what databases and terminals choke on."""
    for char in text:
        if unicodedata.category(char) in {"Cc", "Cs"} and char not in "\n\t":
            reason = f"the text contains the control character U+{ord(char):04X}; remove it"
            raise ValueError(reason)
    return text
