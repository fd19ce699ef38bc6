"""What a council decided, as a decision record: context, options, decision, consequences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from moot.errors import InvalidInput
from moot.export import wording
from moot.export.as_report import chosen, clarified, problem
from moot.export.council import Council, read_council
from moot.export.markdown import after_label, bullets, plain, said
from moot.protocol.events import Recorded

CONSEQUENCES = {
    "trade_offs": "Trade-offs",
    "recommendations": "What to do",
    "unfulfilled_requirements": "Not fulfilled",
}
LEFT = {"open_questions": "Open questions", "dissent": "Dissent"}


def as_decision_record(log: Sequence[Recorded], debate_id: str) -> str:
    """Raises InvalidInput if the debate is no council, or has decided nothing."""
    council = read_council(log, debate_id, what="a decision record")
    if not council.description:
        message = "this council has decided nothing yet; export a report of it"
        raise InvalidInput(message, field="as")
    parts = [
        *_front(council),
        *_context(council),
        *_options(council),
        *_decision(council),
        *_consequences(council),
    ]
    return "\n\n".join(parts) + "\n"


def _front(council: Council) -> Iterator[str]:
    document = council.document
    # Who only answered questions, or left a note, has decided nothing.
    deciders = [one.name for one in council.state.config.participants]
    yield f"# {plain(document.topic)}"
    yield "\n".join(
        [
            f"- Date: {wording.moment(council.state.updated_at)}",
            f"- Status: {after_label(wording.status(document))}",
            f"- Deciders: {after_label(', '.join(deciders))}",
            f"- Confidence: {council.confidence}",
            f"- Debate: {after_label(document.id)}",
        ]
    )


def _context(council: Council) -> Iterator[str]:
    yield "## Context"
    _heading, *rest = problem(council)
    yield from rest
    for part in clarified(council):
        yield part.replace("## ", "### ", 1) if part == "## Clarifications" else part


def _options(council: Council) -> Iterator[str]:
    yield "## Options"
    for member in council.members:
        if (entry := council.final(member)) is not None:
            yield f"### The proposal of {after_label(entry.speaker.name)}"
            yield said(entry.turn.said.content)


def _decision(council: Council) -> Iterator[str]:
    yield "## Decision"
    yield plain(chosen(council))
    yield said(council.description)


def _consequences(council: Council) -> Iterator[str]:
    if any(map(council.part, CONSEQUENCES)):
        yield "## Consequences"
    for name, title in CONSEQUENCES.items():
        if found := council.part(name):
            yield f"### {title}"
            yield bullets(found)
    for name, title in LEFT.items():
        if found := council.part(name):
            yield f"## {title}"
            yield bullets(found)
