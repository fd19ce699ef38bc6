"""Typed answers as tables of fields, and the answers a council asks for.

Schema, form, reading and showing of a typed answer come from one table. What a model leaves out
stays empty, and what it says in another shape is taken only where its meaning is plain. Nothing is
made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import msgspec

from moot.protocol.answers import Answer, OnUnreadable, Schema, Unreadable
from moot.protocol.echoes import ECHO
from moot.protocol.parsing import read_cut_object, read_number, read_object, words

LOWEST, HIGHEST = 0, 100
MOST_ENTRIES = 50
LONGEST_ENTRY = 4000
LONGEST_REPLY = 1_000_000
"""What a model may write at all: ten thousand questions are cut, not refused."""
LONGEST_QUESTION = 1000
FLAGS = MappingProxyType({"is_plain": "plain_text", "is_partial": "partial"})
"""What is said of a turn whose answer was taken as it was written, or as far as it came."""


class Kind(StrEnum):
    TEXT = "text"
    LIST = "list"
    NUMBER = "number"
    POINTS = "points"
    """Remarks of others: who made it, what it was, what was made of it and why."""


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
    a reply without any JSON is that field. `heading` stands above what people read."""

    name: str
    fields: tuple[Field, ...]
    main: str
    takes_plain: bool = False
    heading: str = ""

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
    def form(self) -> dict[str, Any]:
        return {"fields": [_form_field(field) for field in self.fields]}

    def flags(self, data: dict[str, Any] | None) -> tuple[str, ...]:
        found = data or {}
        return tuple(flag for name, flag in FLAGS.items() if found.get(name))

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        if not text.strip():
            return Unreadable("the reply was empty")
        found = read_object(text)
        data: dict[str, Any] = {}
        if isinstance(found, Unreadable):
            if self.takes_plain and not _tries_json(text):
                return self._as_plain(text)
            # Asking again would be cut off at the same length.
            cut = read_cut_object(text)
            if cut is None:
                return found
            found, data = cut, {"is_partial": True}
        for field in self.fields:
            value = _read(field, found.get(field.name))
            if isinstance(value, Unreadable):
                return value
            data[field.name] = value
        is_empty = not any(data[field.name] for field in self.fields)
        return Unreadable("there is nothing in it") if is_empty else data

    def _as_plain(self, text: str) -> dict[str, Any]:
        main = next(field for field in self.fields if field.name == self.main)
        taken = {self.main: text.strip()} if main.kind is Kind.TEXT else {}
        return {**self._nothing(), **taken, "is_plain": True}

    def given_up(self, text: str, why: Unreadable) -> OnUnreadable:
        """What was written badly is something to go on with. Nothing at all is not, and where
        others would have to go on with it, neither is the example."""
        is_nothing = not text.strip() or (self.takes_plain and why == ECHO)
        return OnUnreadable.FAIL if is_nothing else self.on_unreadable

    def fallback(self, reason: str) -> dict[str, Any]:
        """Nothing but why; whatever was written is the content of the turn."""
        return {**self._nothing(), "reason": reason}

    def _nothing(self) -> dict[str, Any]:
        empty = {field.name: EMPTY[field.kind] for field in self.fields}
        return {name: list(one) if isinstance(one, tuple) else one for name, one in empty.items()}

    def shown(self, text: str, data: dict[str, Any] | None) -> str:
        is_typed = data and "reason" not in data and not data.get("is_plain")
        body = "\n\n".join(_paragraphs(self, data)) if data and is_typed else text.strip()
        return f"{self.heading}\n\n{body}" if self.heading else body


def _form_field(field: Field) -> dict[str, Any]:
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
        value = ": ".join(str(part) for part in value.values() if isinstance(part, str | int))
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
    source = f"{entry['from']}: " if entry["from"] else ""
    reason = f" ({entry['why']})" if entry["why"] else ""
    return f"{source}{entry['point']}{reason}"


# --- what a council asks for ----------------------------------------------------------------------

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

EVALUATION = RecordAnswer(
    name="evaluation",
    main="reasons",
    fields=(
        # Reasons first: who has given the figure finds reasons for it.
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
        Field(name="trade_offs", label="Trade-offs", kind=Kind.LIST),
        Field(name="recommendations", label="Recommendations", kind=Kind.LIST),
        Field(name="unfulfilled_requirements", label="Unfulfilled requirements", kind=Kind.LIST),
        Field(name="open_questions", label="Open questions", kind=Kind.LIST),
        Field(name="dissent", label="Dissent", kind=Kind.LIST),
        Field(name="confidence", label="Confidence", kind=Kind.NUMBER),
    ),
)


def critique_of(name: str) -> RecordAnswer:
    """The critique of the proposal of somebody called `name`."""
    return RecordAnswer(
        name="critique",
        main="weaknesses",
        takes_plain=True,
        heading=f"On the proposal of {name}:",
        fields=(
            Field(name="strengths", label="Strengths", kind=Kind.LIST),
            Field(name="weaknesses", label="Weaknesses", kind=Kind.LIST),
            Field(name="suggestions", label="Suggestions", kind=Kind.LIST),
            Field(name="rating", label="Rating", kind=Kind.NUMBER),
        ),
    )


class QuestionsAnswer(Answer, frozen=True, kw_only=True):
    """At most `most` questions, none of which is in `known`. Unreadable is none."""

    most: int
    known: tuple[str, ...] = ()

    @property
    def schema(self) -> Schema:
        questions = {"type": "array", "items": {"type": "string"}, "maxItems": self.most}
        body = {
            "type": "object",
            "properties": {"questions": questions},
            "required": ["questions"],
            "additionalProperties": False,
        }
        return Schema("questions", body)

    @property
    def form(self) -> dict[str, Any]:
        field = {"name": "questions", "label": "Questions", "kind": "list", "required": False}
        return {"fields": [field]}

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        found = read_object(text, LONGEST_REPLY)
        if isinstance(found, Unreadable):
            return found
        questions = texts("questions", found.get("questions"))
        if isinstance(questions, Unreadable):
            return questions
        seen = {words(one) for one in self.known}
        new = {words(one): one[:LONGEST_QUESTION] for one in questions if words(one) not in seen}
        return {"questions": list(new.values())[: self.most]}

    def fallback(self, reason: str) -> dict[str, Any]:
        return {"questions": [], "reason": reason}

    def shown(self, text: str, data: dict[str, Any] | None) -> str:
        if data is None or "reason" in data:
            return text
        return "\n".join(f"- {one}" for one in data["questions"]) or "No questions."


class BallotAnswer(Answer, frozen=True, kw_only=True):
    """The labels of proposals: the one chosen, or with `is_ranked` all of them, the best first."""

    labels: tuple[str, ...]
    is_ranked: bool = False

    @property
    def schema(self) -> Schema:
        label = {"type": "string", "enum": list(self.labels)}
        most = len(self.labels)
        ranking = {"type": "array", "items": label, "minItems": most, "maxItems": most}
        name, shape = ("ranking", ranking) if self.is_ranked else ("choice", label)
        body = {
            "type": "object",
            "properties": {"reasons": {"type": "string"}, name: shape},
            "required": ["reasons", name],
            "additionalProperties": False,
        }
        return Schema("ballot", body)

    @property
    def form(self) -> dict[str, Any]:
        choices = [{"value": one, "label": f"Proposal {one}"} for one in self.labels]
        ballot = (
            {"name": "ranking", "label": "All letters, the best first", "kind": "list"}
            if self.is_ranked
            else {"name": "choice", "label": "Choice", "kind": "choice", "choices": choices}
        )
        reasons = {"name": "reasons", "label": "Reasons", "kind": "long_text", "required": False}
        return {"fields": [{**ballot, "required": True}, reasons]}

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        found = read_object(text)
        if isinstance(found, Unreadable):
            return found
        given = found.get("ranking") if self.is_ranked else [found.get("choice")]
        ranking = [self._label(one) for one in given] if isinstance(given, list) else []
        wanted = len(self.labels) if self.is_ranked else 1
        chosen = [one for one in dict.fromkeys(ranking) if one is not None]
        if len(chosen) != wanted or len(ranking) != wanted:
            which = "ranking must have each of" if self.is_ranked else "choice must be one of"
            return Unreadable(f"{which} {', '.join(self.labels)}" + " once" * self.is_ranked)
        reasons = found.get("reasons")
        return {"ranking": chosen, "reasons": reasons if isinstance(reasons, str) else ""}

    def _label(self, given: object) -> str | None:
        """`B`, `b`, `Proposal B`."""
        if not isinstance(given, str):
            return None
        bare = re.sub(r"^proposal\s+", "", given.strip().strip(".'\"[]"), flags=re.IGNORECASE)
        return next((one for one in self.labels if one == bare.upper()), None)

    def fallback(self, reason: str) -> dict[str, Any]:
        """A spoilt ballot counts for nobody."""
        return {"ranking": [], "reasons": "", "reason": reason}

    def shown(self, text: str, data: dict[str, Any] | None) -> str:
        if data is None or "reason" in data:
            return text
        ballot = " > ".join(data["ranking"])
        return f"{ballot}\n\n{data['reasons']}".strip()
