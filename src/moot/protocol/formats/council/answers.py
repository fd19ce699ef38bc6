"""The answers that a council asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from moot.protocol.answers import Answer, Schema, Unreadable
from moot.protocol.formats.council.questions import asks_same
from moot.protocol.formats.council.records import Field, Kind, RecordAnswer, form_field, texts
from moot.protocol.parsing import read_object
from moot.protocol.words import StepKind

LONGEST_REPLY = 1_000_000
"""Characters of the longest reply that is read: ten thousand questions are cut, not refused."""
LONGEST_QUESTION = 1000

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


class QuestionsAnswer(Answer, frozen=True, kw_only=True):
    """At most `most` questions, none of which asks what is `known`; an unreadable reply
    asks none."""

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
        new: list[str] = []
        for question in questions:
            if len(new) < self.most and not _is_among(question, (*self.known, *new)):
                new.append(question[:LONGEST_QUESTION])
        return {"questions": new}

    def fallback(self, reason: str) -> dict[str, Any]:
        return {"questions": [], "reason": reason}

    def shown(self, text: str, data: dict[str, Any] | None) -> str:
        if data is None or "reason" in data:
            return text
        return "\n".join(f"- {one}" for one in data["questions"]) or "No questions."


def _is_among(question: str, known: Iterable[str]) -> bool:
    return any(asks_same(question, one) for one in known)
