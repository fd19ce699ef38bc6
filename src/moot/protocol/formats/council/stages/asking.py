"""Before the rounds: what members want to know, and what the user tells them."""

from __future__ import annotations

from collections.abc import Iterator

from moot.protocol.answers import Text
from moot.protocol.formats.council import briefing
from moot.protocol.formats.council.answers import (
    QuestionsAnswer,
)
from moot.protocol.formats.council.questions import (
    CLARIFICATION_INPUT,
    ask_key,
    asked_in,
    clarifications,
    has_asked,
    may_ask,
)
from moot.protocol.formats.council.seats import active, index_of
from moot.protocol.formats.council.stages.making import (
    QUESTIONS,
    member_step,
    still_open,
)
from moot.protocol.machine import END
from moot.protocol.state import DebateState
from moot.protocol.steps import Prompt, Step
from moot.protocol.words import USER, StepKind, View


def initialized(_state: DebateState) -> str:
    return "START"


def asking(state: DebateState) -> tuple[Step, ...]:
    return still_open(state, _asking(state)) if may_ask(state) else ()


def _asking(state: DebateState) -> Iterator[Step]:
    known = tuple(one.question for one in clarifications(state))
    most = int(state.config.settings["clarifications_max_per_agent"])
    for member in active(state):
        yield member_step(
            state,
            member,
            key=ask_key(state.round, member.id),
            kind=StepKind.ASK,
            place=(QUESTIONS, state.round, 0, index_of(state, member.id)),
            prompt=briefing.ask_prompt(state),
            view=View.BLANK,
            answer=QuestionsAnswer(most=most, known=known),
        )


def clarified(state: DebateState) -> str | None:
    if state.limits:
        return END
    if not may_ask(state):
        return "ALL_CLEAR"
    if not has_asked(state):
        return None
    return "QUESTIONS_PENDING" if any(asked_in(state, state.round)) else "ALL_CLEAR"


def answering(state: DebateState) -> tuple[Step, ...]:
    return still_open(state, _answering(state))


def _answering(state: DebateState) -> Iterator[Step]:
    for one in asked_in(state, state.round):
        yield Step(
            key=one.key,
            participant=USER,
            kind=StepKind.ANSWER,
            stage=CLARIFICATION_INPUT,
            round=state.round,
            place=(QUESTIONS, state.round, 1, index_of(state, one.member), one.number),
            prompt=Prompt("verbatim", {"text": one.question}),
            system=Prompt("verbatim", {"text": ""}),
            view=View.BLANK,
            answer=Text(),
            asker=one.member,
        )


def answered(state: DebateState) -> str | None:
    return None if answering(state) else "ANSWERS_SUBMITTED"
