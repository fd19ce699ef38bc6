"""The format `hearing`: ballots in one stage, one round for each look."""

from __future__ import annotations

from datetime import datetime

import msgspec

from moot.protocol.bench import asking
from moot.protocol.bench.asking import STAGE, Bench
from moot.protocol.bench.stage import DECIDED, without
from moot.protocol.bench.telling import certificate, closed
from moot.protocol.formats.hearing import order
from moot.protocol.formats.hearing.order import HearingSettings, bench_of, heard, settings_of
from moot.protocol.machine import (
    END,
    START,
    Format,
    Rounds,
    Stage,
    Transition,
    walk,
)
from moot.protocol.outcomes import Certificate
from moot.protocol.recovering import Recovery, recovered, recoveries
from moot.protocol.settings import Settings
from moot.protocol.state import DebateState
from moot.protocol.steps import Next, Step
from moot.protocol.values import Config, Participant
from moot.protocol.vocabulary import FormatWord

UNDECIDED = "UNDECIDED"


class HearingView(msgspec.Struct, frozen=True, kw_only=True):
    """What the ballots cast so far come to; `open` while more are to be cast."""

    certificate: Certificate


def _bench(state: DebateState) -> Bench:
    return bench_of(state.config, settings_of(state))


def _certificate(state: DebateState) -> Certificate:
    hears = heard(state.config)
    told = certificate(state, _bench(state), hears.verdict)
    return msgspec.structs.replace(told, debate=hears.debate, at=hears.at, prompt=hears.prompt)


def _told(state: DebateState) -> Certificate:
    """The certificate on record, if the hearing is over; else what the ballots come to so far."""
    return state.outcome if isinstance(state.outcome, Certificate) else _certificate(state)


def _voting(state: DebateState) -> tuple[Step, ...]:
    return tuple(one for one in asking.steps(state, _bench(state)) if one.round <= state.round)


def _voted(state: DebateState) -> str | None:
    look = asking.due_look(state, _bench(state))
    if look == 0:
        return DECIDED
    return UNDECIDED if look > state.round else None


RECOVERY = Recovery(retries=lambda state: settings_of(state).step_retries, without=without)


class Hearing(Format):
    name = "hearing"
    about = "A bench of judges votes on a debate that is over, under neutral names, in both orders."
    when_to_use = "When you want to know whether a verdict survives being asked again."
    words: FormatWord | None = FormatWord(
        name="A bench asked about a debate",
        end="“Stable: Paloma. Three judges, whichever name she had.”",
        asks="Would others say so, too?",
        roles=("judge",),
        length="repeats",
        unit="ballot",
        short=0,
        long=3,
        nick="A hearing",
    )
    settings: type[Settings] = HearingSettings
    default_roster: tuple[Participant, ...] = order.DEFAULT_ROSTER
    is_offered = False
    when_to_ask = order.ABOUT_WHAT
    answers_itself = True
    view_type: type[msgspec.Struct] | None = HearingView
    stages: tuple[Stage, ...] = (
        Stage(
            name=STAGE,
            about="Every judge votes in both orders of the names, and knows of no other judge.",
            steps=_voting,
            emits=_voted,
        ),
    )
    transitions: tuple[Transition, ...] = (
        Transition(source=None, event=START, target=STAGE),
        Transition(source=STAGE, event=UNDECIDED, target=STAGE, rounds=Rounds.NEXT),
        Transition(source=STAGE, event=DECIDED, target=None),
        Transition(source=STAGE, event=END, target=None),
        *recoveries(STAGE),
    )

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        del settings
        return order.cast_bench(participants or self.default_roster)

    def exemplified(self, config: Config) -> Config:
        return msgspec.structs.replace(config, hears=order.EXAMPLE)

    def check(self, config: Config) -> None:
        order.check(config)

    def reads(self, config: Config) -> int:
        return sum(len(one.text) for one in heard(config).case.said)

    def cautions(self, config: Config) -> tuple[str, ...]:
        return tuple(order.cautions(config))

    def most_calls(self, config: Config) -> int:
        return order.most_calls(config)

    def longest_chain(self, config: Config) -> int:
        return order.longest_chain(config)

    def next(self, state: DebateState, now: datetime) -> Next:
        del now
        return recovered(self, state, walk(self, state), RECOVERY)

    def upcoming(self, state: DebateState, now: datetime) -> tuple[str, ...]:
        """Nobody: all are asked at once, and nobody waits for anybody else."""
        del state, now
        return ()

    def outcome(self, state: DebateState) -> Certificate:
        return closed(_certificate(state))

    def certificate(self, state: DebateState) -> Certificate:
        return _told(state)

    def view(self, state: DebateState) -> HearingView:
        return HearingView(certificate=_told(state))
