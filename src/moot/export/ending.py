"""How a debate came out, arranged for reading, whatever kind of outcome it has.

What is missing is said to be missing; a winner with the lower score is shown as such, not swapped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

import msgspec

from moot.export.document import Document, Entry, Speaker
from moot.protocol import certificate_words, judge_words, outcome_words, vocabulary
from moot.protocol.outcomes import (
    Certificate,
    ExamReport,
    Outcome,
    OutcomeStatus,
    Solution,
    Summary,
    Verdict,
    certificate_in,
)
from moot.protocol.parsing import same_name
from moot.protocol.state import DebateState
from moot.protocol.words import StepKind, Visibility

Facts = tuple[tuple[str, str], ...]
TRUNCATED = "truncated"
"""The flag of a turn that was cut off at the length limit of its model."""
CUT = "The text was cut off at the length limit of its model."


class FinalScore(msgspec.Struct, frozen=True, kw_only=True):
    """`speaker` is None if nobody in the cast has that name."""

    name: str
    speaker: Speaker | None
    value: str


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome with its speakers. `announced` is the turn that tells it, if there is one."""

    title: str
    headline: str
    doubts: tuple[str, ...]
    text: str = ""
    """What was announced, or where nothing was, what the outcome itself says."""
    announced: Entry | None = None
    winner: Speaker | None = None
    is_upheld: bool | None = None
    scores: tuple[FinalScore, ...] = ()
    flag: str = ""
    """The gravest doubt in one word."""
    facts: Facts = ()
    bench: tuple[str, ...] = ()
    """What the debate's own bench came to, if it had one, in paragraphs."""
    ballots: Facts = ()

    @property
    def ruling(self) -> str:
        return "" if self.is_upheld is None else vocabulary.PREMISE[self.is_upheld]

    def is_told_in(self, entry: Entry) -> bool:
        """Whether that turn is the announcement, which is shown once, with the outcome."""
        return self.announced is not None and self.announced.turn.seq == entry.turn.seq


def ending(document: Document) -> Ending | None:
    """How the debate came out; None if it has no outcome: unfinished, canceled, or without a
    judge."""
    outcome = document.state.outcome
    if outcome is None:
        return None
    announced = _announced(document, outcome)
    told = Ending(
        title=outcome_words.title(outcome),
        headline=outcome_words.headline(outcome),
        doubts=tuple(_doubts(document.state, outcome)),
        announced=announced,
        text=announced.turn.said.content if announced else _own_text(outcome),
        bench=certificate_words.beside(outcome),
        ballots=_own_ballots(outcome),
    )
    match outcome:
        case Verdict():
            return _with_verdict(told, document, outcome)
        case Solution():
            return msgspec.structs.replace(told, facts=_solution_facts(document, outcome))
        case Certificate():
            return msgspec.structs.replace(told, facts=_ballots(outcome))
        case Summary() | ExamReport():
            return told
        case _:
            assert_never(outcome)


def _doubts(state: DebateState, outcome: Outcome) -> Iterator[str]:
    yield from outcome_words.doubts(outcome, has_open_cards=state.has_open_cards)
    yield from vocabulary.early(state.stop_reason)
    if is_cut(state):
        yield CUT


def is_cut(state: DebateState) -> bool:
    """Whether the text of the outcome was cut off at the length limit of its model."""
    if state.outcome is None:
        return False
    kind, text = _announcing(state.outcome), _own_text(state.outcome)
    said = (
        turn.said
        for turn in state.newest_first()
        if turn.said.visibility is Visibility.PUBLIC
        and (turn.said.kind is kind if kind else turn.said.content == text)
    )
    last = next(said, None)
    return last is not None and TRUNCATED in last.flags


def _own_text(outcome: Outcome) -> str:
    match outcome:
        case Verdict(reasoning=text) | Summary(summary=text):
            return text
        case Solution():
            return outcome_words.own_text(outcome)
        case Certificate():
            return "\n\n".join(certificate_words.lines(outcome))
        case ExamReport():
            return "\n\n".join(judge_words.exam_lines(outcome))
        case _:
            assert_never(outcome)


def _announced(document: Document, outcome: Outcome) -> Entry | None:
    kind = _announcing(outcome)
    for entry in reversed(document.transcript):
        said = entry.turn.said
        if said.kind is kind and said.visibility is Visibility.PUBLIC:
            return entry if said.content.strip() else None
    return None


def _announcing(outcome: Outcome) -> StepKind | None:
    match outcome:
        case Verdict():
            return StepKind.VERDICT
        case Summary():
            return StepKind.SUMMARIZE
        case Solution():
            return None  # what the judge wrote is a form; its fields are the solution
        case Certificate() | ExamReport():
            return None  # nobody announces it: it follows from the ballots
        case _:
            assert_never(outcome)


def _own_ballots(outcome: Outcome) -> Facts:
    """The ballots of the debate's own bench, which is shown beside the outcome."""
    told = None if isinstance(outcome, Certificate) else certificate_in(outcome)
    return _ballots(told) if told else ()


def _ballots(outcome: Certificate) -> Facts:
    """Each judge's ballots in both orders."""
    (_, *heads), *rows = certificate_words.table(outcome)
    return tuple(
        (name, "; ".join(f"{head}: {cell}" for head, cell in zip(heads, cells, strict=True)))
        for name, *cells in rows
    )


def _with_verdict(told: Ending, document: Document, outcome: Verdict) -> Ending:
    return msgspec.structs.replace(
        told,
        winner=_speaker(document, outcome.winner_id or outcome.winner or ""),
        is_upheld=outcome.premise_upheld,
        scores=tuple(
            _final(document, name, value) for name, value in (outcome.scores or {}).items()
        ),
        flag=_flag(outcome),
    )


def _flag(outcome: Verdict) -> str:
    if outcome.is_contested:
        return "contested"
    return "unreadable" if outcome.status is OutcomeStatus.UNREADABLE else ""


def _final(document: Document, name: str, value: float) -> FinalScore:
    speaker = _speaker(document, name)
    return FinalScore(name=speaker.name if speaker else name, speaker=speaker, value=f"{value:g}")


def _speaker(document: Document, name: str) -> Speaker | None:
    """The participant with that id or name."""
    if name in document.speakers:
        return document.speakers[name]
    return next((one for one in document.speakers.values() if same_name(name, one.name)), None)


def _solution_facts(document: Document, outcome: Solution) -> Facts:
    listed = {label: getattr(outcome, part) for part, label in outcome_words.parts(outcome).items()}
    absent = ", ".join(document.speaker(one).name for one in outcome.sat_out)
    confidence = "" if outcome.confidence is None else f"{outcome.confidence:g} of 100"
    rows = [
        ("Counted", "; ".join(outcome_words.counted(outcome))),
        *((label, "; ".join(texts)) for label, texts in listed.items()),
        ("Confidence", confidence),
        ("Decided by", str(outcome.decision.get("rule") or "")),
        ("Rounds", str(outcome.rounds or "")),
        ("Sat out", absent),
        ("Was debating worth it?", outcome_words.worth(outcome)),
    ]
    return tuple((label, text) for label, text in rows if text)
