"""The judged duel: two debaters, `turns` statements, and a judge who scores each.

Every participant has its own growing history; what is private stays in it. The order of speakers is
in `order`, what each of them is asked in `steps`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice

import msgspec

from moot.protocol.bench.asking import STAGE as HEARING
from moot.protocol.bench.benches import apart, seated
from moot.protocol.bench.spoken import have_spoken, spoken
from moot.protocol.bench.stage import ROWS, Benched, row_to, stage_of
from moot.protocol.formats.duel.order import (
    EXCHANGE,
    OPENING,
    PLANNING,
    VERDICT,
    DuelOrder,
    DuelSettings,
    order_of,
)
from moot.protocol.formats.duel.steps import open_steps, verdict_steps
from moot.protocol.hearing.case import Case
from moot.protocol.machine import END, START, UPCOMING, Rounds, Stage, Transition
from moot.protocol.order import ALL_SAID, COMPLETE, ROUND_SAID
from moot.protocol.outcomes import Verdict
from moot.protocol.roster import pair_and_judge
from moot.protocol.settings import Settings, frozen, narrowed
from moot.protocol.state import DebateState
from moot.protocol.values import Config, Participant
from moot.protocol.vocabulary import FormatWord
from moot.protocol.words import Stance, StopReason


def _has_judge(state: DebateState) -> bool:
    return order_of(state).judge is not None and state.statements > 0


def _planned(state: DebateState) -> str | None:
    order = order_of(state)
    return "PLANNED" if order.has_planned(state, order.a) else None


def _said(state: DebateState) -> str | None:
    return order_of(state).emits(state)


def _judged(state: DebateState) -> str | None:
    return COMPLETE if order_of(state).verdict_keys["announce"] in state.turns else None


def _to_the_end(source: str, event: str) -> tuple[Transition, ...]:
    """To the verdict, if there is a judge and something to judge; else to the bench, if any."""
    return (
        Transition(source=source, event=event, target=VERDICT, guard=_has_judge),
        row_to(source, event, have_spoken),
        Transition(source=source, event=event, target=None),
    )


class Duel(Benched):
    name = "duel"
    about = "Two debaters argue in turn; a judge scores every statement and names a winner."
    when_to_use = "When a claim has two sides and you want to know which case is stronger."
    words: FormatWord | None = FormatWord(
        name="Two sides and a judge",
        end="“Paloma won, 8 to 7: she answered the night bus.”",
        asks="Who makes the stronger case?",
        roles=("debater", "judge"),
        length="turns",
        unit="statement",
        short=4,
        long=10,
        joins="against",
    )
    is_pair = True
    is_scored = True
    settings: type[Settings] = DuelSettings
    default_roster: tuple[Participant, ...] = ()
    stages: tuple[Stage, ...] = (
        Stage(
            name=PLANNING,
            about="Both debaters plan in private.",
            steps=open_steps,
            emits=_planned,
        ),
        Stage(
            name=OPENING,
            about="The first debater thinks, then opens.",
            steps=open_steps,
            emits=_said,
        ),
        Stage(
            name=EXCHANGE,
            about="The debaters answer each other; the judge scores every statement.",
            steps=open_steps,
            emits=_said,
        ),
        Stage(
            name=VERDICT,
            about="The judge deliberates, confirms the winner, records the scores and announces "
            "the verdict.",
            steps=verdict_steps,
            emits=_judged,
            closes=True,
        ),
        stage_of(spoken),
    )
    transitions: tuple[Transition, ...] = (
        Transition(source=None, event=START, target=PLANNING),
        Transition(source=PLANNING, event="PLANNED", target=OPENING),
        Transition(source=PLANNING, event=END, target=None),
        Transition(source=OPENING, event="OPENED", target=EXCHANGE),
        *_to_the_end(OPENING, ALL_SAID),
        *_to_the_end(OPENING, END),
        Transition(source=EXCHANGE, event=ROUND_SAID, target=EXCHANGE, rounds=Rounds.NEXT),
        *_to_the_end(EXCHANGE, ALL_SAID),
        *_to_the_end(EXCHANGE, END),
        row_to(VERDICT, COMPLETE, have_spoken),
        Transition(source=VERDICT, event=COMPLETE, target=None),
        *ROWS,
    )

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """Two debaters on opposite sides, and at most one judge; then the bench."""
        others, bench = apart(participants)
        roster = pair_and_judge(others, Stance.PRO)
        return seated(narrowed(settings, DuelSettings), roster, bench)

    def fold(self, config: Config, settings: Settings) -> DuelOrder:
        return DuelOrder(config, narrowed(settings, DuelSettings))

    def own_calls(self, config: Config) -> int:
        return self.fold(config, frozen(self.settings, config.settings)).most_calls()

    def own_chain(self, config: Config) -> int:
        return self.fold(config, frozen(self.settings, config.settings)).longest_chain()

    def owes(self, state: DebateState) -> bool:
        return order_of(state).due(state) is not None

    def reached(self, state: DebateState) -> StopReason | None:
        return StopReason.DONE if order_of(state).is_through(state) else None

    def can_be_heard(self, state: DebateState) -> bool:
        return have_spoken(state)

    def case(self, state: DebateState) -> Case | None:
        return spoken(state)

    def own_outcome(self, state: DebateState) -> Verdict | None:
        turn = state.turns.get(order_of(state).verdict_keys["announce"])
        return msgspec.convert(turn.said.data, Verdict) if turn else None

    def upcoming(self, state: DebateState, now: datetime) -> tuple[str, ...]:
        del now
        return tuple(islice(_speakers(state), UPCOMING))


def _speakers(state: DebateState) -> Iterator[str]:
    """Who is still to be heard in public: the debaters in turn, and the judge at the end."""
    order = order_of(state)
    if state.stage == HEARING:  # all are asked at once, and nobody speaks
        return
    yield from (statement.speaker.id for statement in order.coming(state))
    # A duel that is ended before anything was said has nothing to judge.
    if order.judge is not None and not (state.ending and not state.statements):
        yield order.judge.id
