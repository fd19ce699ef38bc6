"""The format `exam`: every pair in both orders, all side by side, and the figures that follow.

The pairs are frozen in the configuration, so that an exam means the same for ever, whichever pairs
come with later versions. The judge is never told what is known of a pair.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from moot.errors import InvalidInput
from moot.protocol.bench.asking import Asked, ballot_step, is_counted
from moot.protocol.events import NoticePosted
from moot.protocol.hearing.case import Case, Said, Side, exchanged
from moot.protocol.hearing.exam import Exam, ExamAnswer, Examination, ExamPair, Kind, exam
from moot.protocol.hearing.plan import Order
from moot.protocol.judge_words import exam_lines
from moot.protocol.machine import (
    END,
    START,
    Format,
    Stage,
    Transition,
    walk,
)
from moot.protocol.outcomes import ExamReport
from moot.protocol.recovering import LEFT_OUT, Recovery, is_settled, missing, recovered, recoveries
from moot.protocol.settings import Settings, StepRetries
from moot.protocol.state import DebateState
from moot.protocol.steps import Next, Step
from moot.protocol.values import Config, Participant, Temperature
from moot.protocol.vocabulary import FormatWord
from moot.protocol.words import Role

STAGE = "exam"
ABOUT_WHOM = "an exam is for one judge; ask for one with `moot judges exam MODEL`"
ORDERS = tuple(Order)


class ExamSettings(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of an exam."""

    # As in a hearing, so that the exam tells how the judge does there.
    temperature_judge: Annotated[
        Temperature | None, Meta(description="How freely judges choose their words.")
    ] = 1.0
    step_retries: StepRetries = 1


def settings_of(state: DebateState) -> ExamSettings:
    return state.settings_as(ExamSettings)


class ExamStanding(msgspec.Struct, frozen=True, kw_only=True):
    """The figures so far, a line for each."""

    lines: tuple[str, ...]


class Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """One question of an exam: a pair in one order."""

    number: int
    pair: ExamPair
    order: Order

    @property
    def key(self) -> str:
        return f"{STAGE}/{self.pair.id}/{self.order}/vote"


def sheets(config: Config) -> Iterator[Sheet]:
    for number, pair in enumerate(examination(config).pairs):
        for order in ORDERS:
            yield Sheet(number=number, pair=pair, order=order)


def examination(config: Config) -> Examination:
    """What the judge is examined with. Raises InvalidInput if there is nothing."""
    if config.exam is None:
        raise InvalidInput(ABOUT_WHOM, field="format")
    return config.exam


# --- what is asked --------------------------------------------------------------------------------


def _asking(state: DebateState) -> tuple[Step, ...]:
    judge = state.config.participants[0]
    return tuple(
        ballot_step(
            state,
            Asked(
                key=one.key,
                case=one.pair.case,
                order=one.order,
                judge=judge,
                stage=STAGE,
                round=1,
                place=(one.number, ORDERS.index(one.order)),
                max_tokens=settings_of(state).max_tokens,
                names={},
            ),
        )
        for one in sheets(state.config)
        if not is_settled(state, one.key)
    )


def _answered(state: DebateState) -> str | None:
    return None if _asking(state) else "ANSWERED"


# --- what came of it ------------------------------------------------------------------------------


def answers(state: DebateState) -> Iterator[ExamAnswer]:
    """The answers that came; one that did not counts as unreadable once it is done without."""
    for one in sheets(state.config):
        turn = state.turn(one.key)
        if turn is None and not is_settled(state, one.key):
            continue
        data = (turn.said.data or {}) if turn is not None and is_counted(turn) else {}
        yield ExamAnswer(
            pair=one.pair.id,
            kind=one.pair.kind,
            order=one.order,
            winner=data.get("winner"),
            first=_first(one.pair.case, one.order),
            marked=one.pair.marked,
        )


def _first(case: Case, order: Order) -> str:
    """The id of the side that is called X in that order."""
    return (case.sides if order is Order.ONE else exchanged(case.sides))[0].id


def report(state: DebateState) -> ExamReport:
    found: Exam = exam(answers(state))
    judge = state.config.participants[0]
    return ExamReport(
        judge=judge.name,
        model=judge.model,
        version=examination(state.config).version,
        is_finished=not _asking(state),
        exam=found,
        left_out=missing(state),
    )


def _without(state: DebateState, step: Step) -> NoticePosted:
    error = state.failures[step.key].error
    text = f"{step.key.split('/')[1]}: no answer ({error})"
    return NoticePosted(code=LEFT_OUT, text=text, participant=step.participant, about=step.key)


RECOVERY = Recovery(retries=lambda state: settings_of(state).step_retries, without=_without)
EXAMPLE = Examination(
    version="example",
    pairs=(
        ExamPair(
            id="example",
            kind=Kind.MIRRORED,
            case=Case(
                topic="Tea or coffee?",
                sides=(Side(id="first", names=()), Side(id="second", names=())),
                said=(Said(side="first", text="Tea."), Said(side="second", text="Coffee.")),
            ),
        ),
    ),
)
"""What an exam is tried with where nothing but its rules is tried."""


class ExamFormat(Format):
    name = "exam"
    about = "A judge is asked about short debates in which the answer is known."
    when_to_use = "Before you trust a new judge."
    words: FormatWord | None = FormatWord(
        name="An exam for a judge",
        end="“It finds the flaw in 85 % of its answers.”",
        asks="Can this judge be trusted?",
        roles=("judge",),
        length="step_retries",
        unit="retry",
        short=0,
        long=2,
        nick="An exam",
    )
    settings: type[Settings] = ExamSettings
    default_roster: tuple[Participant, ...] = (
        Participant(id="judge", name="Judge", role=Role.JUDGE),
    )
    is_offered = False
    when_to_ask = ABOUT_WHOM
    gives_verdict = False
    answers_itself = True
    view_type: type[msgspec.Struct] | None = ExamStanding
    stages: tuple[Stage, ...] = (
        Stage(
            name=STAGE,
            about="The judge votes on every pair in both orders of the names.",
            steps=_asking,
            emits=_answered,
        ),
    )
    transitions: tuple[Transition, ...] = (
        Transition(source=None, event=START, target=STAGE),
        Transition(source=STAGE, event="ANSWERED", target=None),
        Transition(source=STAGE, event=END, target=None),
        *recoveries(STAGE),
    )

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        del settings
        roster = participants or self.default_roster
        if len(roster) != 1 or roster[0].role is not Role.JUDGE:
            raise InvalidInput("an exam is for one judge, and nobody else", field="participants")
        if roster[0].is_human:
            raise InvalidInput("only models are examined", field="participants")
        return roster

    def exemplified(self, config: Config) -> Config:
        return msgspec.structs.replace(config, exam=EXAMPLE)

    def check(self, config: Config) -> None:
        examination(config)

    def most_calls(self, config: Config) -> int:
        return sum(1 for _ in sheets(config))

    def longest_chain(self, config: Config) -> int:
        del config
        return 1

    def reads(self, config: Config) -> int:
        pairs = examination(config).pairs
        texts = sum(len(one.text) for pair in pairs for one in pair.case.said)
        return texts // max(1, len(pairs))

    def next(self, state: DebateState, now: datetime) -> Next:
        del now
        return recovered(self, state, walk(self, state), RECOVERY)

    def upcoming(self, state: DebateState, now: datetime) -> tuple[str, ...]:
        """Nobody: everything is asked at once."""
        del state, now
        return ()

    def outcome(self, state: DebateState) -> ExamReport:
        return report(state)

    def view(self, state: DebateState) -> ExamStanding:
        found = state.outcome if isinstance(state.outcome, ExamReport) else report(state)
        return ExamStanding(lines=exam_lines(found))
