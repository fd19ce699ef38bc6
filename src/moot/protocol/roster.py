"""What rosters of several formats have in common."""

from __future__ import annotations

import msgspec

from moot.errors import InvalidInput
from moot.protocol.values import Participant
from moot.protocol.words import Role, Stance

PAIR = 2


def pair_and_judge(
    participants: tuple[Participant, ...], stance: Stance
) -> tuple[Participant, ...]:
    """Two debaters on opposite sides and at most one judge, in that order.

    The sides are as they say themselves; if neither does, the first is on `stance`.
    Raises InvalidInput if anybody is missing, too many, or both are on the same side.
    """
    debaters = [one for one in participants if one.role is Role.DEBATER]
    judges = [one for one in participants if one.role is Role.JUDGE]
    if len(debaters) != PAIR or len(judges) > 1 or PAIR + len(judges) < len(participants):
        message = "this format takes two debaters and at most one judge, and nobody else"
        raise InvalidInput(message, field="participants")
    return (*_opposed(debaters[0], debaters[1], stance), *judges)


def _opposed(a: Participant, b: Participant, stance: Stance) -> tuple[Participant, Participant]:
    if a.stance is not Stance.NONE:
        stance = a.stance
    elif b.stance is not Stance.NONE:
        stance = b.stance.opposite
    if b.stance not in (Stance.NONE, stance.opposite):
        message = (
            f"{a.name} and {b.name} are on the same side; make one of them pro and the other con"
        )
        raise InvalidInput(message, field="participants")
    replace = msgspec.structs.replace
    return replace(a, stance=stance), replace(b, stance=stance.opposite)
