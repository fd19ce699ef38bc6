"""The answers that a council asks for: tables of fields, from which everything else is made.

Schema, form, reading and showing of a typed answer come from one table. What a model leaves out
stays empty, and what it says in another shape is taken only where its meaning is plain. Nothing is
made up.

The data of a turn is what was answered; its content is what people read, with names where the
answer has only labels (see `seats`). Prompts are made of the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import msgspec

from moot.protocol.answers import ECHO, Answer, OnUnreadable, Schema, Unreadable
from moot.protocol.labelling import named
from moot.protocol.parsing import read_cut_object, read_number, read_object, words
from moot.protocol.speech import is_skip
from moot.protocol.words import StepKind

LOWEST, HIGHEST = 0, 100
MOST_ENTRIES = 50
LONGEST_ENTRY = 4000
PLAIN = "text"
"""Where a reply without any JSON is kept if no field of the answer can hold it."""
SKIP = Unreadable("it says SKIP, which is no answer here")
NOTHING = (ECHO, SKIP)
"""The reasons why a reply that is not empty says nothing all the same."""
FLAGS = MappingProxyType({"is_plain": "plain_text", "is_partial": "partial"})
"""What is said of a turn whose answer was taken as it was written, or as far as it came."""


class Kind(StrEnum):
    TEXT = "text"
    LIST = "list"
    NUMBER = "number"
    POINTS = "points"
    """Remarks of others: who made each one, what it was, and why it was accepted or not."""


class Field(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    label: str
    kind: Kind
    required: bool = False


_TEXT = {"type": "string"}
_POINT = {
    "type": "object",
    "properties": {"from": _TEXT, "point": _TEXT, "why": _TEXT},
    "required": ["from", "point", "why"],
    "additionalProperties": False,
}
SCHEMAS: Mapping[Kind, Mapping[str, Any]] = MappingProxyType(
    {
        Kind.TEXT: _TEXT,
        Kind.LIST: {"type": "array", "items": _TEXT},
        Kind.NUMBER: {"type": "number", "minimum": LOWEST, "maximum": HIGHEST},
        Kind.POINTS: {"type": "array", "items": _POINT},
    }
)
FORM_KINDS = {Kind.TEXT: "long_text", Kind.NUMBER: "number", Kind.LIST: "list", Kind.POINTS: "list"}
EMPTY: Mapping[Kind, Any] = MappingProxyType(
    {Kind.TEXT: "", Kind.LIST: (), Kind.NUMBER: None, Kind.POINTS: ()}
)


class RecordAnswer(Answer, frozen=True, kw_only=True):
    """An object with these fields. `main` is the field that carries the meaning; if `takes_plain`,
    a reply without any JSON is taken as that field. `heading` stands above what people read, and
    `names` has the names that they read behind the labels in it."""

    name: str
    fields: tuple[Field, ...]
    main: str
    takes_plain: bool = False
    heading: str = ""
    names: Mapping[str, str] = {}

    @property
    def schema(self) -> Schema:
        properties = {field.name: SCHEMAS[field.kind] for field in self.fields}
        body = {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
        return Schema(self.name, body)

    @property
    def form(self) -> dict[str, Any] | None:
        return {"fields": [form_field(field) for field in self.fields]}

    def flags(self, data: dict[str, Any] | None) -> tuple[str, ...]:
        found = data or {}
        return tuple(flag for name, flag in FLAGS.items() if found.get(name))

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        if not text.strip():
            return Unreadable("the reply was empty")
        if is_skip(text):
            return SKIP
        found = read_object(text)
        data: dict[str, Any] = {}
        if isinstance(found, Unreadable):
            if self.takes_plain and not _tries_json(text):
                return self._as_plain(text)
            # A second reply would be cut off at the same length.
            cut = read_cut_object(text)
            if cut is None:
                return found
            found, data = cut, {"is_partial": True}
        for field in self.fields:
            value = _read(field, found.get(field.name))
            if isinstance(value, Unreadable):
                return value
            data[field.name] = value
        return self._checked(data)

    def _checked(self, data: dict[str, Any]) -> dict[str, Any] | Unreadable:
        if is_skip(str(data[self.main])):
            return SKIP
        is_empty = not any(data[field.name] for field in self.fields)
        return Unreadable("there is nothing in it") if is_empty else data

    def _as_plain(self, text: str) -> dict[str, Any]:
        main = next(field for field in self.fields if field.name == self.main)
        taken = {self.main if main.kind is Kind.TEXT else PLAIN: text.strip()}
        return {**self._nothing(), **taken, "is_plain": True}

    def given_up(self, text: str, why: Unreadable) -> OnUnreadable:
        """A badly written reply is something to go on with. An empty one is not; nor is SKIP or a
        repetition of the prompt, where others would have to build on it."""
        is_nothing = not text.strip() or (self.takes_plain and why in NOTHING)
        return OnUnreadable.FAIL if is_nothing else self.on_unreadable

    def fallback(self, reason: str) -> dict[str, Any]:
        """Empty fields and the reason; whatever was written is the content of the turn."""
        return {**self._nothing(), "reason": reason}

    def _nothing(self) -> dict[str, Any]:
        empty = {field.name: EMPTY[field.kind] for field in self.fields}
        return {name: list(one) if isinstance(one, tuple) else one for name, one in empty.items()}

    def shown(self, text: str, data: dict[str, Any] | None) -> str:
        is_unread = not data or "reason" in data
        body = text.strip() if is_unread else named(self.told(data or {}), self.names)
        return f"{self.heading}\n\n{body}" if self.heading else body

    def told(self, data: Mapping[str, Any]) -> str:
        """What was answered, in words, with the labels it has."""
        if not data.get("is_plain"):
            return "\n\n".join(_paragraphs(self, data))
        text = str(data.get(PLAIN) or data.get(self.main) or "")
        return "\n\n".join((text, *_paragraphs(self, {**data, self.main: None})))

    def recalled(self, data: Mapping[str, Any]) -> str:
        """What was answered, in the form that was asked for; prose if it was given in prose."""
        if data.get("is_plain"):
            return self.told(data)
        return msgspec.json.encode({one.name: data.get(one.name) for one in self.fields}).decode()


def form_field(field: Field) -> dict[str, Any]:
    """The field as a person fills it in."""
    made = {
        "name": field.name,
        "label": field.label,
        "kind": FORM_KINDS[field.kind],
        "required": field.required,
    }
    if field.kind is Kind.NUMBER:
        made |= {"minimum": LOWEST, "maximum": HIGHEST}
    return made


def _tries_json(text: str) -> bool:
    """Whether it was meant to be JSON, so that asking again may help."""
    return text.lstrip().startswith(("{", "```")) or '{"' in text


# --- reading --------------------------------------------------------------------------------------


def _read(field: Field, value: object) -> Any:
    match field.kind:
        case Kind.TEXT:
            return _text(field, value)
        case Kind.NUMBER:
            number = read_number(value, lowest=LOWEST, highest=HIGHEST, name=field.name)
            return None if isinstance(number, Unreadable) and not field.required else number
        case Kind.LIST:
            return texts(field.name, value)
        case Kind.POINTS:
            return _points(field.name, value)


def _text(field: Field, value: object) -> str | Unreadable:
    if isinstance(value, list):  # paragraphs
        value = "\n".join(one for one in value if isinstance(one, str))
    if isinstance(value, str) and words(value[:LONGEST_ENTRY]):
        return value.strip()
    return Unreadable(f"{field.name} must be a text") if field.required else ""


def texts(name: str, value: object) -> list[str] | Unreadable:
    """A list of texts; one text is a list of one. Blank ones are left out, long ones cut."""
    entries = value if isinstance(value, list) else [] if value is None else [value]
    if not all(isinstance(one, str | int | float | dict) for one in entries):
        return Unreadable(f"{name} must be a list of texts")
    said = (_entry(one) for one in entries[:MOST_ENTRIES])
    return [one for one in said if one]


def _entry(value: object) -> str:
    if isinstance(value, dict):
        parts = [str(part) for part in value.values() if isinstance(part, str | int)]
        value = ": ".join((*map(unstopped, parts[:-1]), *parts[-1:]))
    text = " ".join(str(value).split())[:LONGEST_ENTRY]
    return text if words(text) else ""  # "..." says nothing


def _points(name: str, value: object) -> list[dict[str, str]] | Unreadable:
    entries = value if isinstance(value, list) else [] if value is None else [value]
    if not all(isinstance(one, str | dict) for one in entries):
        return Unreadable(f"{name} must be a list of objects with from, point and why")
    points = (_point(one) for one in entries[:MOST_ENTRIES])
    return [one for one in points if one["point"]]


def _point(value: object) -> dict[str, str]:
    given = value if isinstance(value, dict) else {"point": value}
    return {part: _entry(given.get(part) or "") for part in ("from", "point", "why")}


# --- showing --------------------------------------------------------------------------------------


def _paragraphs(answer: RecordAnswer, data: Mapping[str, Any]) -> Iterator[str]:
    for field in answer.fields:
        value = data.get(field.name)
        if value is None or value in ("", [], ()):
            continue
        if field.name == answer.main and field.kind is Kind.TEXT:
            yield str(value)
        elif field.kind in (Kind.LIST, Kind.POINTS):
            yield "\n".join((f"{field.label}:", *(f"- {_line(one)}" for one in value)))
        else:
            yield f"{field.label}: {value}"


def _line(entry: object) -> str:
    if not isinstance(entry, dict):
        return str(entry)
    source = f"{unstopped(entry['from'])}: " if entry["from"] else ""
    if not entry["why"]:
        return f"{source}{entry['point']}"
    return f"{source}{unstopped(entry['point'])} ({unstopped(entry['why'])})"


def unstopped(text: str) -> str:
    """The text without its full stop, for a place where the sentence goes on."""
    return text if text.endswith("..") else text.removesuffix(".")


# --- the answers that a council asks for ----------------------------------------------------------

PROPOSAL = RecordAnswer(
    name="proposal",
    main="proposal",
    takes_plain=True,
    fields=(
        Field(name="proposal", label="Proposal", kind=Kind.TEXT, required=True),
        Field(name="reasons", label="Reasons", kind=Kind.LIST),
        Field(name="risks", label="Risks", kind=Kind.LIST),
    ),
)

REFINEMENT = RecordAnswer(
    name="refinement",
    main="proposal",
    takes_plain=True,
    fields=(
        Field(name="proposal", label="Proposal", kind=Kind.TEXT, required=True),
        Field(name="accepted", label="Accepted", kind=Kind.POINTS),
        Field(name="rejected", label="Not accepted", kind=Kind.POINTS),
    ),
)


class Revision(RecordAnswer, frozen=True, kw_only=True):
    """A refinement by a person, who may leave the proposal empty to keep it as it is: `kept`."""

    kept: str

    @property
    def form(self) -> dict[str, Any] | None:
        fields = (msgspec.structs.replace(one, required=False) for one in self.fields)
        return {"fields": [form_field(one) for one in fields]}

    def is_passed_by(self, filled: dict[str, Any]) -> bool:
        return not any(filled.values())

    def written(self, filled: dict[str, Any]) -> str:
        return msgspec.json.encode({"proposal": self.kept, **filled}).decode()

    def flags(self, data: dict[str, Any] | None) -> tuple[str, ...]:
        """None: that a person wrote prose is nothing a reader must be told."""
        del data
        return ()


def revision(kept: str) -> Revision:
    same = {name: getattr(REFINEMENT, name) for name in ("name", "main", "takes_plain", "fields")}
    return Revision(**same, kept=kept)


EVALUATION = RecordAnswer(
    name="evaluation",
    main="reasons",
    fields=(
        # Reasons first: whoever has already given a figure finds reasons to suit it.
        Field(name="reasons", label="Reasons", kind=Kind.TEXT),
        Field(name="confidence", label="Agreement", kind=Kind.NUMBER, required=True),
        Field(name="quality", label="Quality", kind=Kind.NUMBER, required=True),
    ),
)

SOLUTION = RecordAnswer(
    name="solution",
    main="description",
    fields=(
        Field(name="description", label="Solution", kind=Kind.TEXT, required=True),
        Field(name="reasons", label="Why this", kind=Kind.LIST),
        Field(name="rejected", label="Rejected", kind=Kind.LIST),
        Field(name="trade_offs", label="Trade-offs", kind=Kind.LIST),
        Field(name="recommendations", label="Recommendations", kind=Kind.LIST),
        Field(name="unfulfilled_requirements", label="Unfulfilled requirements", kind=Kind.LIST),
        Field(name="open_questions", label="Open questions", kind=Kind.LIST),
        Field(name="dissent", label="Dissent", kind=Kind.LIST),
        Field(name="confidence", label="Confidence", kind=Kind.NUMBER),
    ),
)


CRITIQUE = RecordAnswer(
    name="critique",
    main="weaknesses",
    takes_plain=True,
    fields=(
        Field(name="strengths", label="Strengths", kind=Kind.LIST),
        Field(name="weaknesses", label="Weaknesses", kind=Kind.LIST),
        Field(name="suggestions", label="Suggestions", kind=Kind.LIST),
        Field(name="rating", label="Rating", kind=Kind.NUMBER),
    ),
)

POSITION = RecordAnswer(
    name="position",
    main="proposal",
    fields=(*PROPOSAL.fields, *(one for one in REFINEMENT.fields if one.kind is Kind.POINTS)),
)
"""A proposal with all that its author has said about it."""

RECORDS: Mapping[StepKind, RecordAnswer] = MappingProxyType(
    {
        StepKind.PROPOSE: PROPOSAL,
        StepKind.CRITIQUE: CRITIQUE,
        StepKind.REFINE: REFINEMENT,
        StepKind.EVALUATE: EVALUATION,
        StepKind.SYNTHESIZE: SOLUTION,
    }
)
"""The shape of each kind of turn that is a record."""
