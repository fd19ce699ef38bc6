"""Who sits where, with which model and which wishes; and who sits on a bench.

Every function takes a roster, or the names of a bench (models, people, personas, or a team), and
returns another roster; nobody is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from moot.definitions import teams
from moot.definitions.casting import OWN_SEATS, Named, written_out
from moot.definitions.personas import pick
from moot.errors import InvalidInput
from moot.models.names import is_known_bare
from moot.protocol.bench.benches import bench_in, check_size, is_model, judge_of, named_in
from moot.protocol.names import slug
from moot.protocol.settings import NO_HEARING, SAMPLING, BenchSettings, Settings
from moot.protocol.values import Participant, Sampling
from moot.protocol.words import HUMAN, Role, Stance
from moot.staging.request import Me, ModelChoice, Sources, Wish


def check_judge_model(models: ModelChoice, form: str, roster: Sequence[Participant]) -> None:
    if models.judges and not any(one.role.is_judging and not _is_named(one) for one in roster):
        message = f"has no effect: this {form} has no judge and no moderator; leave it out"
        raise InvalidInput(message, field="judge_model")


def with_me(roster: tuple[Participant, ...], me: Me, *, is_bare: bool) -> tuple[Participant, ...]:
    """The roster with that person in it. Raises NotFound if there is no such chair."""
    name, wanted = me.name.strip(), me.seat.strip()
    is_own = wanted or me.is_own or (is_bare and _is_new(name, roster))
    if not is_own:
        return _replaced(roster, _taken(name, roster, of=_or_own), model=HUMAN)
    old = _taken(wanted, roster, of=_seat)
    others = {one.id for one in roster if one.id != old.id}
    # Their own words: nothing of the persona whose chair it was but the side it stands for.
    blank = dict.fromkeys(("title", "personality", "instructions", "judging_criteria"), "")
    fresh = {"id": slug(name, others), "name": name, "model": HUMAN, "sampling": Sampling()}
    return _replaced(roster, old, **blank, **fresh)


def _is_new(name: str, roster: Sequence[Participant]) -> bool:
    """Whether it is neither a role nor the name of somebody who is there."""
    known = {*Role, *(one.name.casefold() for one in roster), *(one.id for one in roster)}
    return name.casefold() not in known


def _seat(wanted: str, roster: Sequence[Participant]) -> list[Participant]:
    """All who sit where somebody wants to sit. Raises NotFound."""
    if not wanted:
        roles = next((one for one in OWN_SEATS if any(p.role is one for p in roster)), "")
        return [one for one in roster if one.role == roles] or list(roster)
    of_side = [one for one in roster if wanted.casefold() == one.stance != Stance.NONE]
    return of_side or _meant(wanted, roster)


def _taken(
    wanted: str,
    roster: Sequence[Participant],
    of: Callable[[str, Sequence[Participant]], list[Participant]],
) -> Participant:
    """The first of those found whose place no person has taken yet; else the first."""
    found = of(wanted, roster)
    return next((one for one in found if not one.is_human), found[0])


def _replaced(
    roster: tuple[Participant, ...], old: Participant, **changes: Any
) -> tuple[Participant, ...]:
    new = msgspec.structs.replace(old, **changes)
    return tuple(new if one is old else one for one in roster)


def with_models(roster: Sequence[Participant], choice: ModelChoice) -> tuple[Participant, ...]:
    single = by_id(choice.single, roster)
    return tuple(
        msgspec.structs.replace(one, model=single.get(one.id) or _model(one, choice))
        for one in roster
    )


def _is_named(one: Participant) -> bool:
    """Whether it is on the bench for its model, which no choice for everybody replaces."""
    return one.role is Role.BENCH and bool(one.model)


def _model(one: Participant, choice: ModelChoice) -> str:
    if one.is_human or _is_named(one):
        return one.model
    wanted = (choice.judges if one.role.is_judging else "") or choice.everyone
    return wanted or one.model or choice.usual


def by_id(models: Mapping[str, str], roster: Sequence[Participant]) -> dict[str, str]:
    ids = {one.id for one in roster}
    return {
        wanted if wanted in ids else _meant(wanted, roster)[0].id: model
        for wanted, model in models.items()
    }


_UNDER_OWN_NAME = "; to use a name of your own, say where you sit (`--as`, or `as` over HTTP)"


def _meant(wanted: str, roster: Sequence[Participant], hint: str = "") -> list[Participant]:
    """All who have the role of that name, or the one whose name it is. Raises NotFound."""
    in_role = [one for one in roster if one.role == wanted.strip().casefold()]
    by_id = [one for one in roster if one.id == wanted.strip()]
    roles = ", ".join(dict.fromkeys(one.role for one in roster))
    here = ", ".join(one.label for one in roster)
    advice = f"choose one of {here}, or a role: {roles}{hint}"
    return in_role or by_id or [pick(wanted, roster, kind="participant", advice=advice)]


def _or_own(wanted: str, roster: Sequence[Participant]) -> list[Participant]:
    return _meant(wanted, roster, _UNDER_OWN_NAME)


def with_wishes(roster: tuple[Participant, ...], wishes: Sequence[Wish]) -> tuple[Participant, ...]:
    """The roster with these wishes in place of what it was given; a wish for one beats a role's."""
    roles = set(Role)
    for wish in sorted(wishes, key=lambda wish: (bool(wish.who), wish.who.casefold() not in roles)):
        meant = {one.id for one in (_meant(wish.who, roster) if wish.who else roster)}
        # What is wished for the whole debate is a setting, and holds for whoever joins later too.
        value = {SAMPLING[wish.name]: wish.value if wish.who else None}
        roster = tuple(
            msgspec.structs.replace(one, sampling=msgspec.structs.replace(one.sampling, **value))
            if one.id in meant
            else one
            for one in roster
        )
    return roster


# --- benches, by name ---


def judges(
    bench: Sequence[str],
    role: Role,
    sources: Sources,
    *,
    form: str,
    beside: Sequence[Participant] = (),
    field: str = "bench",
) -> tuple[Participant, ...]:
    """The judges that are meant; `beside` are the others who take part. Raises InvalidInput."""
    if len(bench) == 1 and (team := _team(bench[0])):
        bench = team
    check_size(bench, field=field)
    made: list[Participant] = []
    for one in bench:
        others = (*beside, *made)
        made.append(
            judge_of(one, role, others)
            if is_model(one) or is_known_bare(one)
            else _persona(one, role, others, sources, form=form, field=field)
        )
    return tuple(made)


def own_judges(
    settings: Settings, roster: Sequence[Participant], sources: Sources, *, form: str
) -> tuple[Participant, ...]:
    """The bench that a debate is to end with; nobody if it sits there already, or there is none."""
    if not isinstance(settings, BenchSettings) or settings.hearing == NO_HEARING:
        return ()
    named = named_in(settings)
    if not named or bench_in(tuple(roster)):
        return ()
    return judges(named, Role.BENCH, sources, form=form, beside=roster, field="settings.bench")


def _persona(
    name: str,
    role: Role,
    others: Sequence[Participant],
    sources: Sources,
    *,
    form: str,
    field: str,
) -> Participant:
    named = Named(persona=name, role=role)
    try:
        (found,) = written_out([named], form, sources.personas)
    except InvalidInput as error:
        told = error.message.rstrip("?")
        message = f"{told}; a judge is a model, as provider:name, `human`, or a persona"
        raise InvalidInput(message, field=field) from None
    taken = {one.id for one in others}
    if found.id not in taken:
        return found
    return msgspec.structs.replace(found, id=slug(found.name, taken))


def _team(name: str) -> tuple[str, ...]:
    """Who is in the team of that name; nobody if there is none."""
    return next((one.members for one in teams.teams() if one.name == name.casefold()), ())
