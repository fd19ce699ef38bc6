"""Who takes part. What is left to chance is drawn here once, and recorded as draws.

The draws are hashes of the seed, not `random`: the same seed gives the same cast on every machine
and every version of Python, and leaving one draw out does not change the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

import msgspec

from moot.definitions import personas
from moot.definitions.values import Cast, Definition, LibraryPersona, Pools
from moot.errors import InvalidInput
from moot.protocol.names import slug
from moot.protocol.registry import format_named
from moot.protocol.values import Draw, Participant, Persona
from moot.protocol.words import Role, Stance

# The largest whole number that every JSON reader keeps exactly; the seed is recorded in the log.
SEED_MAX = 2**53 - 1

POSITIONS = {
    Stance.PRO: "You believe that this premise is true, and you defend it: ",
    Stance.CON: "You believe that this premise is false, and you oppose it: ",
}
"""What a general persona defends, if there is a premise; if not, the topic decides (`sides`)."""


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
