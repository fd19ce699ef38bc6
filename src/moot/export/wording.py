"""The sentences that the readable documents share: status, spending, what to know of a turn.

Plain text: each document escapes it in its own way. Words for kinds, flags, reasons and statuses
are those of `protocol.vocabulary`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from moot.export.document import Document, Entry
from moot.protocol import vocabulary
from moot.protocol.visibility import veil_of
from moot.protocol.vocabulary import FLAGS, KINDS, REASONS, STATUSES, cost, written
from moot.protocol.words import Status

# Why a debate is not finished, said before anything else. {n} is the number of its statements, {s}
# the s of their plural, {end} what a reader would miss.
UNFINISHED = {
    Status.CREATED: "This debate has not begun.",
    Status.RUNNING: "This debate was still running when it was exported, after {n} statement{s}.",
    Status.WAITING: "This debate is waiting for a person, after {n} statement{s}.",
    Status.STOPPING: "This debate was being stopped when it was exported, after {n} statement{s}.",
    Status.STOPPED: "This debate was stopped after {n} statement{s} and can be resumed.",
    Status.FAILED: "This debate failed after {n} statement{s}.",
    Status.CANCELED: "This debate was canceled after {n} statement{s}.{end}",
}


VEILED = (
    "Plans, thoughts and scores are hidden until the debate is over, because a person takes part."
)
VEILED_ELSEWHERE = (
    "Plans, thoughts and scores are hidden until the debate that this one was forked from is over, "
    "because a person takes part there."
)


def provenance(document: Document) -> str:
    """Where the debate comes from, if it was not held here; else empty."""
    return vocabulary.provenance(document.state.config)


def unfinished(document: Document) -> str:
    """What is missing and why; empty for a debate that came to its end."""
    state = document.state
    sentence = UNFINISHED.get(state.status, "")
    sentence = sentence.format(
        n=state.statements,
        s="" if state.statements == 1 else "s",
        end=" There is no verdict." if document.wants_verdict else "",
    )
    if state.failure is not None and not document.is_public:
        sentence += f" The error: {one_line(state.failure.error)}"
    asked = {document.speaker(one.participant).name for one in state.questions.values()}
    sentence += f" Asked: {', '.join(sorted(asked))}." if asked else ""
    if not state.has_hidden:
        return sentence
    return f"{sentence} {VEILED if veil_of(state).is_drawn else VEILED_ELSEWHERE}".lstrip()


def status(document: Document) -> str:
    """`Completed (all rounds were played)`; without the reason where it says the same again."""
    status, reason = document.state.status, document.state.stop_reason
    cards = ", played with open cards" if document.state.has_open_cards else ""
    label = STATUSES[status].label + cards
    if reason is None or reason.value == status.value:
        return label
    return f"{label} ({REASONS[reason]})"


def kind(entry: Entry) -> str:
    """What the turn is called."""
    return KINDS[entry.turn.said.kind].noun


def reasoning(entry: Entry) -> str:
    """The heading above what was thought before a turn."""
    return f"private reasoning before this {kind(entry)}"


def notes(entry: Entry) -> list[str]:
    """What a reader must know about a turn: flags, tries, whether it went into prompts."""
    said = entry.turn.said
    found = [FLAGS.get(flag, flag) for flag in said.flags]
    if said.attempts > 1:
        found.append(f"attempt {said.attempts}")
    if entry.turn.is_pending:
        found.append("pending")
    elif not entry.turn.included:
        found.append("left out of the prompts")
    return found


def spending(document: Document) -> list[tuple[str, str]]:
    """Calls, tokens, cost and time, as label and figure."""
    state = document.state
    if vocabulary.is_sample(state.config):
        return [("Calls", vocabulary.NOTHING_ASKED)]
    usage = state.usage
    about = "about " if usage.is_estimated else ""
    return [
        ("Calls", f"{state.calls - state.unanswered:,}"),
        ("Tokens", f"{about}{usage.input_tokens:,} in, {written(usage)}"),
        ("Cost", cost(state)),
        ("Time", duration(state.timeline.runtime_s(state.updated_at))),
    ]


DRAWN: Mapping[str, str] = {
    "for": "Drawn to argue for",
    "against": "Drawn to argue against",
    "audience": "Drawn as the judge",
    "moderator": "Drawn as the moderator",
    "order": "Order, as drawn",
}
"""What readers are told of a draw, by the name of what it was drawn from."""


def draws(document: Document) -> list[tuple[str, str]]:
    """Each draw in words, and who was drawn; without draws for a chair that somebody else took."""
    config = document.state.config
    seated = {one.name for one in config.participants}
    made = [draw for draw in config.draws if seated.issuperset(draw.chosen)]
    return [(DRAWN.get(draw.name, f"Drawn: {draw.name}"), ", ".join(draw.chosen)) for draw in made]


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(hours, "h"), (minutes, "min"), (rest, "s")]
    return " ".join(f"{value} {unit}" for value, unit in parts if value) or "0 s"


def moment(at: datetime) -> str:
    return f"{at.day} {at:%B %Y, %H:%M} UTC"


def number(value: float) -> str:
    return f"{value:g}"


def one_line(text: str) -> str:
    return " ".join(text.split())


def version(document: Document) -> str:
    return f"Moot {document.state.config.moot_version}".strip()
