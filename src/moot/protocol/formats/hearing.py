"""The format `hearing`: a bench is asked about a debate that is over, as a debate of its own.

Ballots are cast in one stage, with one round for each look.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from moot.errors import InvalidInput
from moot.protocol.bench import asking, benches
from moot.protocol.bench.asking import STAGE, Bench
from moot.protocol.bench.stage import DECIDED, without
from moot.protocol.bench.telling import certificate, closed
from moot.protocol.hearing.case import Case, Hears, Said, Side
from moot.protocol.hearing.plan import MOST_REPEATS, Order, Plan
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
from moot.protocol.settings import Settings, StepRetries, frozen
from moot.protocol.state import DebateState
from moot.protocol.steps import Next, Step
from moot.protocol.values import Config, Participant, Temperature
from moot.protocol.vocabulary import FormatWord
from moot.protocol.words import Role

# --- the bench: its settings, who sits on it, what is refused -------------------------------------

ABOUT_WHAT = (
    "a hearing is about a debate that is over; ask for one with `moot judge ID`, or "
    "POST /api/debates/{id}/hearings"
)


class HearingSettings(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a hearing."""

    orders: Annotated[
        Literal["both", "one"],
        Meta(
            description="both: every judge votes twice, with the names exchanged. one: only once, "
            "which cannot tell a side from its name, so nothing is certified."
        ),
    ] = "both"
    repeats: Annotated[
        int,
        Meta(
            ge=0,
            le=MOST_REPEATS,
            description="How often each model votes in each order. 0: once, and twice more if the "
            "bench is nearly but not quite of one mind. People vote once in each order.",
        ),
    ] = 0
    allow_own: Annotated[
        bool, Meta(description="Let a judge's own model be among those that are judged.")
    ] = False
    # A judge that repeats itself to the letter tells nothing new.
    temperature_judge: Annotated[
        Temperature | None, Meta(description="How freely judges choose their words.")
    ] = 1.0
    step_retries: StepRetries = 1


DEFAULT_ROSTER = tuple(
    Participant(id=f"judge_{number}", name=f"Judge {number}", role=Role.JUDGE)
    for number in (1, 2, 3)
)
"""Three judges who are told nothing but the case, on whatever model is used for judges."""
EXAMPLE = Hears(
    debate="example",
    at=1,
    case=Case(
        topic="Why?",
        sides=(Side(id="ada", names=("Ada",)), Side(id="bo", names=("Bo",))),
        said=(Said(side="ada", text="Because."), Said(side="bo", text="Why not?")),
    ),
)
"""What a bench is asked about where nothing but the rules is tried."""


def settings_of(state: DebateState) -> HearingSettings:
    return state.settings_as(HearingSettings)


def cast_bench(participants: tuple[Participant, ...]) -> tuple[Participant, ...]:
    """One to nine judges. Raises InvalidInput."""
    if any(one.role is not Role.JUDGE for one in participants):
        message = "a hearing takes judges, and nobody else"
        raise InvalidInput(message, field="participants")
    benches.check_size(participants, field="participants")
    return participants


def check(config: Config) -> None:
    """Raises InvalidInput for a bench that may not judge that debate."""
    if config.hears is None:
        raise InvalidInput(ABOUT_WHAT, field="format")
    judges, field = config.participants, "participants"
    if not frozen(HearingSettings, config.settings).allow_own:
        what_helps = "choose another judge, or allow it with `allow_own` (`--allow-own`)"
        benches.check_own(judges, config.hears.case.sides, what_helps=what_helps, field=field)
    benches.check_twice(judges, repeats="`repeats`", field=field)


def plan_of(judges: tuple[Participant, ...], settings: HearingSettings) -> Plan:
    orders = (Order.ONE,) if settings.orders == "one" else tuple(Order)
    return benches.plan_of(judges, repeats=settings.repeats, orders=orders)


def heard(config: Config) -> Hears:
    """What the hearing is about. Raises InvalidInput if it is about nothing."""
    if config.hears is None:
        raise InvalidInput(ABOUT_WHAT, field="format")
    return config.hears


def bench_of(config: Config, settings: HearingSettings) -> Bench:
    return Bench(
        case=heard(config).case,
        plan=plan_of(config.participants, settings),
        judges=config.participants,
        max_tokens=settings.max_tokens,
    )


def _plan(config: Config) -> Plan:
    return plan_of(config.participants, frozen(HearingSettings, config.settings))


def most_calls(config: Config) -> int:
    """How many ballots there are if all looks are taken, people's included."""
    return benches.most_calls(_plan(config))


def first_calls(config: Config) -> int:
    """How many ballots are cast in any case."""
    return benches.first_calls(_plan(config))


def longest_chain(config: Config) -> int:
    return benches.longest_chain(_plan(config))


def cautions(config: Config) -> Iterator[str]:
    """What people should know about this bench beforehand."""
    sides = config.hears.case.sides if config.hears else ()
    yield from benches.cautions(config.participants, _plan(config), sides, repeats="--repeats 4")


# --- the format -----------------------------------------------------------------------------------

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
    default_roster: tuple[Participant, ...] = DEFAULT_ROSTER
    is_offered = False
    when_to_ask = ABOUT_WHAT
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
        return cast_bench(participants or self.default_roster)

    def exemplified(self, config: Config) -> Config:
        return msgspec.structs.replace(config, hears=EXAMPLE)

    def check(self, config: Config) -> None:
        check(config)

    def reads(self, config: Config) -> int:
        return sum(len(one.text) for one in heard(config).case.said)

    def cautions(self, config: Config) -> tuple[str, ...]:
        return tuple(cautions(config))

    def most_calls(self, config: Config) -> int:
        return most_calls(config)

    def longest_chain(self, config: Config) -> int:
        return longest_chain(config)

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
