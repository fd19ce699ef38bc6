"""A debate under neutral names, in both orders, as a ballot is cast on it.

Two sides are X and Y, and X is always listed first; in the second order the names are exchanged,
and nothing else. Proposals are A, B, C, and in the second order each of them has another letter:
of three in reverse, the middle one would keep its own, and a judge who likes the middle would seem
to be of one mind. What this cannot cancel is time: who opened, and who had the last word.
Exchanging statements would put answers before what they answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from string import ascii_uppercase

import msgspec

from moot.protocol.hearing.plan import Order

SIDES = ("X", "Y")
_LEAST_NAME = 3
"""Letters of a part of a name that is replaced where it stands alone."""


class Side(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who is voted on: somebody who argued, or the author of a proposal. All names of a team.

    `argues` is what they argue, as it follows that word, if that is known; `models` are those that
    spoke for them, `human` for people.
    """

    id: str
    names: tuple[str, ...]
    argues: str = ""
    models: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As people read it."""
        return " and ".join(self.names)


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """A statement, or a proposal: whose it is, and the words."""

    side: str
    text: str


def labels(sides: Sequence[Side], order: Order) -> dict[str, str]:
    """The neutral name of each side by its id, in that order."""
    given = SIDES if len(sides) == len(SIDES) else tuple(ascii_uppercase)
    seats = sides if order is Order.ONE else exchanged(sides)
    return {side.id: label for side, label in zip(seats, given, strict=False)}


def exchanged(sides: Sequence[Side]) -> Sequence[Side]:
    """In another order, nobody where they were: reversed, or turned by half if they are odd."""
    if len(sides) % 2 == 0:
        return tuple(reversed(sides))
    half = (len(sides) + 1) // 2
    return (*sides[half:], *sides[:half])


def neutral(text: str, sides: Sequence[Side], order: Order) -> str:
    """The text with neutral names in place of everybody's, as whole names and whatever their case;
    a part of a name only as it is written, and only if nobody else shares it."""
    by_id = labels(sides, order)
    whole = {name: by_id[side.id] for side in sides for name in side.names}
    text = _replaced(text, whole, re.IGNORECASE)
    return _replaced(text, _parts(sides, by_id))


def _parts(sides: Sequence[Side], by_id: Mapping[str, str]) -> dict[str, str]:
    owners: dict[str, set[str]] = {}
    for side in sides:
        for name in side.names:
            for part in name.split():
                owners.setdefault(part, set()).add(side.id)
    return {
        part: by_id[next(iter(ids))]
        for part, ids in owners.items()
        if len(ids) == 1 and len(part) >= _LEAST_NAME and part[0].isupper()
    }


def _replaced(text: str, names: Mapping[str, str], flags: int = 0) -> str:
    """Longest names first, so that no name is found inside another's."""
    if not names:
        return text
    found = {name.casefold() if flags else name: label for name, label in names.items()}
    among = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    pattern = re.compile(rf"(?<!\w)(?:{among})(?!\w)", flags)
    return pattern.sub(lambda match: found[match[0].casefold() if flags else match[0]], text)
