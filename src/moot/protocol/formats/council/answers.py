"""The answers that a council asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from moot.protocol.answers import Answer, Schema, Unreadable
from moot.protocol.formats.council.labels import PROPOSAL as PROPOSAL_LABEL, named
from moot.protocol.formats.council.records import Field, Kind, RecordAnswer, form_field, texts
from moot.protocol.formats.council.sameness import asks_same
from moot.protocol.parsing import read_object
from moot.protocol.words import StepKind

LONGEST_REPLY = 1_000_000
"""What a model may write at all: ten thousand questions are cut, not refused."""
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
        """People write prose, and nobody has to be told so."""
        del data
        return ()


def revision(kept: str) -> Revision:
    same = {name: getattr(REFINEMENT, name) for name in ("name", "main", "takes_plain", "fields")}
    return Revision(**same, kept=kept)


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
    """At most `most` questions, none of which asks what is `known`. Unreadable is none."""

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


class BallotAnswer(Answer, frozen=True, kw_only=True):
    """The labels of proposals: the one chosen, or with `is_ranked` all of them, the best first.
    `names` are whom people read behind the labels."""

    labels: tuple[str, ...]
    is_ranked: bool = False
    names: Mapping[str, str] = {}

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
        names = {f"{PROPOSAL_LABEL} {label}": name for label, name in self.names.items()}
        ballot = " > ".join(f"{PROPOSAL_LABEL} {label}" for label in data["ranking"])
        return named(f"{ballot}\n\n{data['reasons']}".strip(), names)
