"""What rosters of several formats have in common: sides, a judge nobody named, shared models."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from moot.errors import InvalidInput
from moot.protocol.names import find_clash, slug
from moot.protocol.values import Participant
from moot.protocol.words import HUMAN, SAMPLE_MODEL, Role, Stance

PAIR = 2


def pair_and_judge(
    participants: tuple[Participant, ...], stance: Stance
) -> tuple[Participant, ...]:
    """Two debaters on opposite sides and at most one judge, in that order.

    The debaters' own stances decide; if neither has one, the first is on `stance`.
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


def judge_beside(members: Sequence[Participant], called: Sequence[str]) -> Participant:
    """A judge where none was named, with the first of the names in `called` that clashes with no
    member's name."""
    names = [one.name for one in members]
    name = next(one for one in called if find_clash([*names, one]) is None)
    return Participant(id=slug("judge", {one.id for one in members}), name=name, role=Role.JUDGE)


def shared_model(participants: Sequence[Participant]) -> tuple[str, ...]:
    """A caution if all members have one model: they share its blind spots, whatever they are told
    to be."""
    members = [one for one in participants if one.role is Role.MEMBER]
    models = {one.model for one in members}
    model = models.pop() if len(models) == 1 and len(members) > 1 else ""
    if model in ("", HUMAN, SAMPLE_MODEL):
        return ()
    return (f"All members use {model}: they may agree too easily.",)
