"""Who sits on a bench, what is refused beforehand, and how many ballots it can come to.

For hearings that are debates of their own, and for those that are the last stage of a debate. In a
last stage, the judges are named in the debate's settings, and are participants with role `bench`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from moot.errors import InvalidInput
from moot.protocol.answer_words import plural
from moot.protocol.bench.telling import is_kin, is_own, may_be_own
from moot.protocol.briefs import YOU
from moot.protocol.hearing.case import Side
from moot.protocol.hearing.families import bare
from moot.protocol.hearing.plan import MOST_JUDGES, Order, Plan
from moot.protocol.names import NAME_MAX, check_name, find_clash, slug
from moot.protocol.settings import ADAPTIVE, NO_HEARING, BenchSettings
from moot.protocol.values import Config, Participant
from moot.protocol.words import HUMAN, Role

ARGUING = (Role.DEBATER, Role.MEMBER)
"""The roles of those whom a bench can be asked to judge."""

Roster = tuple[Participant, ...]


# --- who sits there -------------------------------------------------------------------------------


def apart(participants: Roster) -> tuple[Roster, Roster]:
    """The participants who are not on the bench, and those who are."""
    others = tuple(one for one in participants if one.role is not Role.BENCH)
    return others, bench_in(participants)


def bench_in(participants: Roster) -> Roster:
    return tuple(one for one in participants if one.role is Role.BENCH)


def seated(settings: BenchSettings, roster: Roster, bench: Roster) -> Roster:
    """The roster followed by its bench: the judges who sit there already, or else one for each
    model that the settings name. Raises InvalidInput."""
    named = named_in(settings)
    _check_settings(settings, named)
    if not named:
        if bench:
            message = (
                "nobody can be on the bench whom the settings do not name; give the judges as "
                "`bench`, and `hearing`: adaptive"
            )
            raise InvalidInput(message, field="participants")
        return roster
    check_size(bench or named, field="settings.bench")
    judges = list(bench)
    for name in () if bench else named:
        if not is_model(name):
            message = f"{name!r} is no model; name judges as provider:name, or `human`"
            raise InvalidInput(message, field="settings.bench")
        judges.append(judge_of(name, Role.BENCH, (*roster, *judges)))
    return (*roster, *judges)


def named_in(settings: BenchSettings) -> tuple[str, ...]:
    return tuple(one.strip() for one in settings.bench if one.strip())


def _check_settings(settings: BenchSettings, named: Sequence[str]) -> None:
    if named and settings.hearing == NO_HEARING:
        message = (
            "there is a bench, and nothing to ask it; set `hearing` to adaptive, or leave `bench` "
            "out"
        )
        raise InvalidInput(message, field="settings.hearing")
    if not named and settings.hearing != NO_HEARING:
        message = (
            "there is a hearing, and nobody to ask; name the judges in `bench`, for example "
            "openai:gpt-6-luna,deepseek:deepseek-flash, or leave `hearing` out"
        )
        raise InvalidInput(message, field="settings.bench")


def check_size(bench: Sequence[object], *, field: str) -> None:
    if not 1 <= len(bench) <= MOST_JUDGES:
        message = f"a bench has 1 to {MOST_JUDGES} judges, not {len(bench)}"
        raise InvalidInput(message, field=field)


def is_model(name: str) -> bool:
    """Whether `name` stands for a model or a person; if not, it is the name of a persona."""
    return name == HUMAN or ":" in name


def judge_of(model: str, role: Role, others: Sequence[Participant]) -> Participant:
    """A judge who is told nothing but the case, named after its model."""
    names = [one.name for one in others]
    number = sum(one.role is role for one in others) + 1
    name = next(one for one in _called(model, number) if _is_free(one, names))
    return Participant(id=slug(name, {one.id for one in others}), name=name, role=role, model=model)


def _called(model: str, number: int) -> Sequence[str]:
    bare = YOU if model == HUMAN else (model.partition(":")[2] or model).rpartition("/")[2]
    whole = model.replace(":", " ").replace("/", " ")
    return (bare[:NAME_MAX], whole[:NAME_MAX], f"Judge {number}", f"Judge number {number}")


def _is_free(name: str, names: Sequence[str]) -> bool:
    try:
        check_name(name)
    except InvalidInput:
        return False
    return find_clash([*names, name]) is None


# --- what is refused ------------------------------------------------------------------------------


def check_own(judges: Roster, sides: Sequence[Side], *, what_helps: str, field: str) -> None:
    """Raises InvalidInput for a judge whose own model speaks for one of the sides."""
    for judge in judges:
        if own := " and ".join(one.name for one in sides if is_own(judge, one)):
            message = (
                f"{judge.model} speaks for {own}, and nobody judges their own case; {what_helps}"
            )
            raise InvalidInput(message, field=field)


def check_twice(judges: Roster, *, repeats: str, field: str) -> None:
    """Raises InvalidInput for a model that is on the bench twice and told the same both times."""
    seen: set[tuple[str, ...]] = set()
    for one in judges:
        told = (bare(one.model), one.personality, one.judging_criteria)
        if told in seen and not one.is_human:
            message = (
                f"{one.model} is on the bench twice, which makes no second opinion; name it once, "
                f"and ask for more {repeats} if you want to hear it again"
            )
            raise InvalidInput(message, field=field)
        seen.add(told)


def check(config: Config) -> None:
    """Raises InvalidInput for a bench that may not judge the debate whose last stage it is."""
    judges, field = bench_in(config.participants), "settings.bench"
    check_own(judges, arguing(config), what_helps="choose another judge", field=field)
    check_twice(judges, repeats="ballots with `hearing`: 2 to 5", field=field)


def arguing(config: Config) -> tuple[Side, ...]:
    """The sides that the bench of a debate will judge: each participant who argues is one."""
    return tuple(
        Side(id=one.id, names=(one.name,), models=(one.model,))
        for one in config.participants
        if one.role in ARGUING
    )


# --- what it is asked -----------------------------------------------------------------------------


def plan_of(judges: Roster, *, repeats: int, orders: tuple[Order, ...] = tuple(Order)) -> Plan:
    return Plan(
        judges=tuple(one.id for one in judges),
        people=tuple(one.id for one in judges if one.is_human),
        orders=orders,
        repeats=repeats,
    )


def planned(participants: Roster, settings: BenchSettings) -> Plan | None:
    """The ballots of the debate's own bench; None if it has none."""
    judges = bench_in(participants)
    if not judges or settings.hearing == NO_HEARING:
        return None
    repeats = 0 if settings.hearing == ADAPTIVE else int(settings.hearing)
    return plan_of(judges, repeats=repeats)


def most_calls(plan: Plan | None) -> int:
    """The number of ballots if all looks are taken. People's ballots count too, as everywhere."""
    return plan.ballots(plan.looks[-1]) if plan else 0


def first_calls(plan: Plan) -> int:
    """The number of ballots that are cast in any case."""
    return plan.ballots(plan.looks[0])


def longest_chain(plan: Plan | None) -> int:
    """One call for each look, because all ballots of a look are cast side by side."""
    return len(plan.looks) if plan else 0


# --- what people should know beforehand -----------------------------------------------------------


def cautions(judges: Roster, plan: Plan, sides: Sequence[Side], *, repeats: str) -> Iterator[str]:
    """`repeats` is the setting that asks for four ballots of each judge in each order."""
    if not plan.can_certify:
        yield too_small(plan, repeats)
    yield from _kinship(judges, sides)
    models = [one.model for one in judges if not one.is_human]
    if len({bare(one) for one in models}) == 1 and len(models) > 1:
        yield f"All judges use {models[0]}: they share its errors, and may agree too easily."
    is_fixed = any(one.sampling.temperature == 0 or one.sampling.seed is not None for one in judges)
    if is_fixed and plan.looks[-1].repeats > 1:
        yield (
            "With a temperature of 0 or a sampling seed, a judge may repeat itself to the letter, "
            "and its repeats then tell nothing new."
        )


def too_small(plan: Plan, repeats: str) -> str:
    """Why that bench can certify nothing, and what would help."""
    if len(plan.orders) < len(Order):
        return (
            "With one order, nobody can tell whether a judge goes by the name: nothing will be "
            "certified. Ask in both orders."
        )
    judges = plural(len(plan.judges), "judge")
    most = plural(plan.ballots(plan.looks[-1]), "ballot")
    more = f"One judge alone needs eight ballots (`{repeats}`)"
    return (
        f"{judges} with {most} can certify nothing, whatever the ballots say: coin flips would be "
        f"of one mind too often. Ask more judges. {more}."
    )


def _kinship(judges: Roster, sides: Sequence[Side]) -> Iterator[str]:
    for judge in judges:
        own = [one.name for one in sides if is_own(judge, one)]
        kin = [one.name for one in sides if is_kin(judge, one) and one.name not in own]
        if own:
            yield f"{judge.model} judges its own case: it spoke for {' and '.join(own)}."
        elif kin:
            yield f"{judge.model} is of the same family as the model of {' and '.join(kin)}."
        if people := [one.name for one in sides if may_be_own(judge, one)]:
            yield f"{' and '.join(people)} is a person, too: nobody should judge their own case."
