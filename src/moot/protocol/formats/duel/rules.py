"""The judged duel: two debaters, `turns` statements, and a judge who scores each.

Every participant has its own growing history; what is private stays in it. The order of speakers is
in `order`, what each of them is asked in `steps` and `verdict`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice

import msgspec

from moot.protocol.formats.duel.order import (
    EXCHANGE,
    OPENING,
    PLANNING,
    VERDICT,
    DuelOrder,
    DuelSettings,
    order_of,
)
from moot.protocol.formats.duel.steps import open_steps
from moot.protocol.formats.duel.verdict import verdict_steps
from moot.protocol.machine import END, START, UPCOMING, Format, Rounds, Stage, Transition
from moot.protocol.order import ALL_SAID, COMPLETE, ROUND_SAID
from moot.protocol.outcomes import Verdict
from moot.protocol.roster import pair_and_judge
from moot.protocol.settings import Settings, frozen, narrowed
from moot.protocol.state import DebateState
from moot.protocol.values import Config, Participant
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


def _to_the_end(source: str, event: str) -> tuple[Transition, Transition]:
    """To the verdict, if there is anybody to judge anything."""
    return (
        Transition(source=source, event=event, target=VERDICT, guard=_has_judge),
        Transition(source=source, event=event, target=None),
    )


class Duel(Format):
    name = "duel"
    about = "Two debaters argue in turn; a judge scores every statement and names a winner."
    when_to_use = "When a claim has two sides and you want to know which case is stronger."
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
        Transition(source=VERDICT, event=COMPLETE, target=None),
    )

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """Two debaters on opposite sides, and at most one judge."""
        del settings
        return pair_and_judge(participants, Stance.PRO)

    def fold(self, config: Config, settings: Settings) -> DuelOrder:
        return DuelOrder(config, narrowed(settings, DuelSettings))

    def most_calls(self, config: Config) -> int:
        return self.fold(config, frozen(self.settings, config.settings)).most_calls()

    def longest_chain(self, config: Config) -> int:
        return self.fold(config, frozen(self.settings, config.settings)).longest_chain()

    def owes(self, state: DebateState) -> bool:
        return order_of(state).due(state) is not None

    def reached(self, state: DebateState) -> StopReason | None:
        return StopReason.DONE if order_of(state).is_through(state) else None

    def outcome(self, state: DebateState) -> Verdict | None:
        turn = state.turns.get(order_of(state).verdict_keys["announce"])
        return msgspec.convert(turn.said.data, Verdict) if turn else None

    def upcoming(self, state: DebateState, now: datetime) -> tuple[str, ...]:
        del now
        return tuple(islice(_speakers(state), UPCOMING))


def _speakers(state: DebateState) -> Iterator[str]:
    """Who is still to be heard in public: the debaters in turn, and the judge at the end."""
    order = order_of(state)
    yield from (statement.speaker.id for statement in order.coming(state))
    # A duel that is ended before anything was said has nothing to be judged.
    if order.judge is not None and not (state.ending and not state.statements):
        yield order.judge.id
