"""How a debate that somebody asked for stands, in few words. Read from the log; decides nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from moot.engine.hearings import with_debate
from moot.errors import Refused
from moot.export import render
from moot.export.ending import is_cut
from moot.protocol import events as e
from moot.protocol.deciding import steps_to_come
from moot.protocol.log import fold
from moot.protocol.outcomes import Certificate, Outcome, certificate_in
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState
from moot.protocol.visibility import Veil
from moot.protocol.vocabulary import KINDS
from moot.protocol.words import Status, StopReason


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """`done` of at most `of` steps are recorded, and `now` says what is going on.

    `answer` is what the debate came to, in Markdown, and "" if there is nothing to be told yet.
    `questions` are open ones that people have to answer; `failure` is why it failed.
    """

    debate_id: str
    topic: str
    format: str
    status: Status
    done: int
    of: int
    now: str
    answer: str = ""
    outcome: Outcome | None = None
    questions: tuple[e.QuestionOpened, ...] = ()
    failure: str = ""
    stop_reason: StopReason | None = None
    cost_usd: float | None = None
    certificate: Certificate | None = None
    """What a bench said about it, if it was asked and the answer is told."""
    is_cut: bool = False
    """Whether the text of the answer ends where its model was not allowed to write on."""

    @property
    def is_over(self) -> bool:
        return self.status.is_terminal


def report(
    log: Sequence[e.Recorded],
    sources: Sequence[Veil],
    debate_id: str,
    now: datetime,
    *,
    as_: str = "answer",
    certificate: Certificate | None = None,
) -> Report:
    """Where the debate stands after that log; `as_` is the export that is its answer, and
    `certificate` what a bench said about it later."""
    state = fold(log)
    done, most = len(state.turns), format_named(state.config.format).most_calls(state.config)
    is_there = state.status is Status.COMPLETED
    answer = _answer(log, sources, debate_id, as_, certificate) if is_there else ""
    own = with_debate(debate_id, certificate_in(state.outcome))
    return Report(
        debate_id=debate_id,
        topic=state.config.topic,
        format=state.config.format,
        status=state.status,
        done=done,
        of=done if state.status.is_terminal else max(done, most),
        now=_now(state, now),
        answer=answer,
        outcome=state.outcome,
        questions=tuple(state.questions.values()),
        failure=state.failure.error if state.failure else "",
        stop_reason=state.stop_reason,
        cost_usd=state.usage.cost_usd,
        certificate=(certificate or own) if answer else None,
        is_cut=is_there and is_cut(state),
    )


def _answer(
    log: Sequence[e.Recorded],
    sources: Sequence[Veil],
    debate_id: str,
    as_: str,
    certificate: Certificate | None,
) -> str:
    try:
        text = render(log, as_, sources, debate_id=debate_id, certificate=certificate)
        return text.rstrip("\n")
    except Refused:  # without an outcome, or with one that may not be shown yet
        return ""


def _now(state: DebateState, now: datetime) -> str:
    """`Ada is writing a proposal`, and how many others are at work."""
    if state.status is not Status.RUNNING:
        return str(state.status)
    steps = steps_to_come(format_named(state.config.format), state, now)
    if not steps:
        return "starting"
    first = min(steps, key=lambda step: step.place)
    known = state.participants.get(first.participant)
    name = known.name if known else state.label_of(first.participant)
    told = f"{name} is {KINDS[first.kind].doing}"
    return f"{told}, and {len(steps) - 1} more at work" if len(steps) > 1 else told
