"""Who sits on a bench, by name: models, people, personas, or a team."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from moot.definitions import teams
from moot.definitions.named import Named, written_out
from moot.errors import InvalidInput
from moot.models.names import is_known_bare
from moot.protocol.bench.benches import bench_in, check_size, is_model, judge_of, named_in
from moot.protocol.names import slug
from moot.protocol.settings import NO_HEARING, BenchSettings, Settings
from moot.protocol.values import Participant
from moot.protocol.words import Role
from moot.staging.request import Sources


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
