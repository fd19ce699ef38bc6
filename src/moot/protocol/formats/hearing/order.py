"""The settings of a hearing, who sits on its bench, and what is refused beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from moot.errors import InvalidInput
from moot.protocol.bench import benches
from moot.protocol.bench.asking import Bench
from moot.protocol.hearing.case import Case, Hears
from moot.protocol.hearing.neutral import Said, Side
from moot.protocol.hearing.plan import MOST_REPEATS, Order, Plan
from moot.protocol.settings import Settings, StepRetries, frozen
from moot.protocol.state import DebateState
from moot.protocol.values import Config, Participant, Temperature
from moot.protocol.words import Role

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
