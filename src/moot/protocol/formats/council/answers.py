"""The answers a council asks for."""

from __future__ import annotations

import re
from typing import Any

from moot.protocol.answers import Answer, Schema, Unreadable
from moot.protocol.formats.council.records import Field, Kind, RecordAnswer, texts
from moot.protocol.parsing import read_object, words

LONGEST_REPLY = 2_000_000
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

EVALUATION = RecordAnswer(
    name="evaluation",
    main="reasons",
    fields=(
        Field(name="confidence", label="Agreement", kind=Kind.NUMBER, required=True),
        Field(name="quality", label="Quality", kind=Kind.NUMBER, required=True),
        Field(name="reasons", label="Reasons", kind=Kind.TEXT),
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
            "properties": {name: shape, "reasons": {"type": "string"}},
            "required": [name, "reasons"],
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
