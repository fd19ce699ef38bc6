"""Who takes part. What is left to chance is drawn here once, and recorded as draws.

The draws are hashes of the seed, not `random`: the same seed gives the same cast on every machine
and every version of Python, and leaving one draw out does not change the others.

Participants can be given by the name of a persona, with what is to be different about them. A
persona is looked up once, when a debate is made, and written out in full: what is recorded never
depends on a library that somebody can edit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from moot.definitions import personas
from moot.definitions.values import Cast, Definition, LibraryPersona, Pools
from moot.errors import InvalidInput, NotFound, joined
from moot.protocol.names import RESERVED, slug
from moot.protocol.registry import format_named
from moot.protocol.values import Draw, Participant, Persona, Sampling, Value
from moot.protocol.words import Role, Stance

# The largest whole number that every JSON reader keeps exactly; the seed is recorded in the log.
SEED_MAX = 2**53 - 1

POSITIONS = {
    Stance.PRO: "You believe that this premise is true, and you defend it: ",
    Stance.CON: "You believe that this premise is false, and you oppose it: ",
}
"""What a general persona defends, if there is a premise; if not, the topic decides (`sides`)."""

OWN_SEATS = (Role.DEBATER, Role.MEMBER)
"""The seat of somebody of whom only the name is given: the first of these that the format has."""


def cast(definition: Definition, *, seed: int, with_judge: bool = True) -> Cast:
    """The participants in speaking order. A given cast is taken as it is, and its seed is None."""
    if definition.participants:
        kept = (p for p in definition.participants if with_judge or p.role is not Role.JUDGE)
        return Cast(participants=tuple(kept))
    _check_seed(seed)
    pools = definition.pools or _default_pools(definition)
    if _is_moderated(definition):
        pools = msgspec.structs.replace(pools, moderators=_general(Role.MODERATOR))
    return _drawn(pools if with_judge else msgspec.structs.replace(pools, audience=()), seed)


def _check_seed(seed: int) -> None:
    if isinstance(seed, bool) or not 0 <= seed <= SEED_MAX:
        message = f"must be a whole number from 0 to {SEED_MAX}"
        raise InvalidInput(message, field="seed")


def _drawn(pools: Pools, seed: int) -> Cast:
    pro = _one(pools.pro, seed, "for")
    others = tuple(persona for persona in pools.con if persona.name != pro.name)
    con = _one(others, seed, "against")
    pair: list[Chair] = [(pro, Role.DEBATER, Stance.PRO), (con, Role.DEBATER, Stance.CON)]
    order = pair[::-1] if _number(seed, "order", 2) else pair
    draws = [_draw("for", pools.pro, [pro]), _draw("against", others, [con])]
    if pools.audience:
        judge = _one(pools.audience, seed, "audience")
        draws.append(_draw("audience", pools.audience, [judge]))
        order = [*order, (judge, Role.JUDGE, Stance.NONE)]
    draws.append(_draw("order", [pro, con], [persona for persona, _, _ in order[:2]]))
    if pools.moderators:
        moderator = _one(pools.moderators, seed, "moderator")
        draws.append(_draw("moderator", pools.moderators, [moderator]))
        order = [(moderator, Role.MODERATOR, Stance.NONE), *order]
    return Cast(participants=seat(order), seed=seed, draws=tuple(draws))


def reordered(participants: Sequence[Participant], seed: int) -> Cast:
    """The same cast; who opens is drawn as `cast` would draw it with that seed."""
    _check_seed(seed)
    pair = [one for one in participants if one.stance is not Stance.NONE]
    pro, con = sorted(pair, key=lambda one: one.stance is Stance.CON)
    first, second = (con, pro) if _number(seed, "order", 2) else (pro, con)
    chairs = iter((first, second))
    order = tuple(next(chairs) if one in pair else one for one in participants)
    drawn = Draw(name="order", options=(pro.name, con.name), chosen=(first.name, second.name))
    return Cast(participants=order, seed=seed, draws=(drawn,))


def _one(pool: Sequence[Persona], seed: int, label: str) -> Persona:
    return pool[_number(seed, label, len(pool))]


def _number(seed: int, label: str, count: int) -> int:
    digest = sha256(f"moot/{seed}/{label}".encode()).digest()
    return int.from_bytes(digest, "big") % count


def _draw(name: str, options: Sequence[Persona], chosen: Sequence[Persona]) -> Draw:
    return Draw(
        name=name,
        options=tuple(persona.name for persona in options),
        chosen=tuple(persona.name for persona in chosen),
    )


def _default_pools(definition: Definition) -> Pools:
    """The general personas. They have no position of their own, so they are told which to take."""
    debaters = _general(Role.DEBATER)
    return Pools(
        pro=tuple(_placed(persona, Stance.PRO, definition) for persona in debaters),
        con=tuple(_placed(persona, Stance.CON, definition) for persona in debaters),
        audience=() if _is_moderated(definition) else _general(Role.JUDGE),
    )


def _is_moderated(definition: Definition) -> bool:
    """Whether nobody is to win: then a moderator is drawn, and no judge."""
    return not format_named(definition.format).gives_verdict


def _general(role: Role) -> tuple[Persona, ...]:
    return tuple(entry.persona for entry in personas.general() if entry.role is role)


def _placed(persona: Persona, stance: Stance, definition: Definition) -> Persona:
    premise = definition.settings.get("premise")
    # Joined, never formatted: a premise may contain braces.
    position = POSITIONS[stance] + str(premise) if premise else ""
    return msgspec.structs.replace(persona, position=position)


Chair = tuple[Persona, Role, Stance]


def seat(chairs: Iterable[Chair]) -> tuple[Participant, ...]:
    """Participants made from personas, with ids from their names, in the given order."""
    seated: dict[str, Participant] = {}
    for persona, role, stance in chairs:
        made = slug(persona.name, seated)
        fields = msgspec.structs.asdict(persona)
        seated[made] = Participant(id=made, role=role, stance=stance, **fields)
    return tuple(seated.values())


def chair(entry: LibraryPersona, role: Role | None = None) -> Chair:
    """A chair for someone of the library, by default with the role that they are made for."""
    return entry.persona, role or entry.role, Stance.NONE


# --- given by name ---


class Named(Value, frozen=True, kw_only=True):
    """A persona by name, title or the beginning of either; other fields replace the persona's own.

    Without a `role`, a judge judges and a moderator moderates; everybody else takes the usual seat
    of the format. Without an `id`, one is made from the name.
    """

    persona: str
    id: str = ""
    role: Role | None = None
    stance: Stance = Stance.NONE
    name: str | None = None
    title: str | None = None
    model: str | None = None
    personality: str | None = None
    position: str | None = None
    instructions: str | None = None
    room_instructions: str | None = None
    judging_criteria: str | None = None
    color: str | None = None
    muted: bool = False
    sampling: Sampling = Sampling()

    @property
    def changes(self) -> dict[str, str]:
        """What replaces the persona's own."""
        found = ((name, getattr(self, name)) for name in OF_PERSONA)
        return {name: text for name, text in found if text is not None}


OF_PERSONA = (
    *("name", "title", "model", "personality", "position", "instructions", "room_instructions"),
    *("judging_criteria", "color"),
)


def written_out(
    people: Sequence[Participant | Named],
    format: str,  # noqa: A002 - the word of the glossary
    directory: Path | None = None,
) -> tuple[Participant, ...]:
    """Everybody in full; `directory` has the user's own personas, which come first.

    Raises InvalidInput with every name that means nobody, or more than one.
    """
    named = [one for one in people if isinstance(one, Named)]
    if not named:
        return tuple(one for one in people if isinstance(one, Participant))
    entries = personas.library(directory)
    if wrong := list(_missing(people, entries)):
        raise joined(wrong)
    taken = {one.id for one in people} | RESERVED
    made: list[Participant] = []
    for one in people:
        full = one if isinstance(one, Participant) else seated(one, entries, format, taken)
        taken.add(full.id)
        made.append(full)
    return tuple(made)


def _missing(
    people: Sequence[Participant | Named], entries: Sequence[LibraryPersona]
) -> Iterator[InvalidInput]:
    for index, one in enumerate(people):
        if isinstance(one, Named):
            try:
                personas.find_among(one.persona, entries)
            except NotFound as error:
                yield InvalidInput(str(error), field=f"participants.{index}.persona")


def seated(
    one: Named,
    entries: Sequence[LibraryPersona],
    format: str,  # noqa: A002 - the word of the glossary
    taken: set[str] | frozenset[str] = RESERVED,
) -> Participant:
    """The participant that is meant, with an id that is not `taken`. Raises NotFound."""
    found = personas.find_among(one.persona, entries)
    fields: dict[str, Any] = {**msgspec.structs.asdict(found.persona), **one.changes}
    return Participant(
        id=one.id or slug(fields["name"], taken),
        role=one.role or usual_role(format, found.role),
        stance=one.stance,
        muted=one.muted,
        sampling=one.sampling,
        **fields,
    )


def usual_role(
    format: str,  # noqa: A002 - the word of the glossary
    made_for: Role = Role.DEBATER,
) -> Role:
    """The role that a persona made for `made_for` has in that format. Raises NotFound."""
    roles = {one.role for one in format_named(format).default_roster}
    if roles == {Role.MEMBER}:  # a room, where everybody is a member whatever they are elsewhere
        return Role.MEMBER
    own = next((role for role in OWN_SEATS if role in roles), Role.DEBATER)
    return own if made_for in OWN_SEATS else made_for
