"""Which ballots are cast, and after which of them somebody may stop and look.

Each judge votes in two orders, so that a judge who goes by the name or by what stands first votes
for both sides and certifies neither. The first look comes after one ballot in each order. If it is
neither clear nor hopeless then, every ballot is cast twice more, and the second look decides.
Whoever looks twice has two chances to be fooled: the levels of both looks together are five in a
hundred.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from math import ceil, comb

import msgspec

FIRST_LEVEL, SECOND_LEVEL, ONLY_LEVEL = 0.035, 0.015, 0.05
"""How often a debate that is judged by coin flips may pass a look."""
REPEATS = 3
"""Ballots of each judge in each order after the second look."""
MOST_REPEATS = 5
FUTILE = 2 / 3
"""A leader with no more than this share at the first look will hardly be certified at the next."""
MOST_JUDGES = 9


class Order(StrEnum):
    """Who has which neutral name: in the first order the side that is listed first is X."""

    ONE = "one"
    TWO = "two"


class Slot(msgspec.Struct, frozen=True):
    """One ballot that is to be cast."""

    look: int
    judge: str
    order: Order
    repeat: int

    @property
    def key(self) -> str:
        """The key of its step inside a hearing, without the stage."""
        return f"{self.look}/{self.judge}/{self.order}/{self.repeat}/vote"


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """What is known when somebody looks: the ballots up to that repeat, and the level."""

    number: int
    repeats: int
    level: float


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """`repeats` is 0 for two looks (see above), else that many ballots and one look at the end.

    `people` are those of the judges who are asked once in each order, whatever is repeated: people
    remember what they said, so a second ballot would tell nothing new.
    """

    judges: tuple[str, ...]
    orders: tuple[Order, ...] = (Order.ONE, Order.TWO)
    repeats: int = 0
    people: tuple[str, ...] = ()

    @property
    def looks(self) -> tuple[Look, ...]:
        if self.repeats:
            # With one judge all ballots are alike: what they say must be rarer by chance.
            level = ONLY_LEVEL if len(self.judges) > 1 else SECOND_LEVEL
            return (Look(number=1, repeats=self.repeats, level=level),)
        return (
            Look(number=1, repeats=1, level=FIRST_LEVEL),
            Look(number=2, repeats=REPEATS, level=SECOND_LEVEL),
        )

    def ballots(self, look: Look) -> int:
        """How many ballots have been cast by that look."""
        return len(self.orders) * sum(self._times(judge, look) for judge in self.judges)

    def _times(self, judge: str, look: Look) -> int:
        """How often that judge has been asked in each order by that look."""
        return 1 if judge in self.people else look.repeats

    def boundary(self, look: Look) -> int | None:
        """How many of these ballots a winner needs; None if all would not be enough."""
        return boundary(self.ballots(look), look.level)

    @property
    def can_certify(self) -> bool:
        """Whether any votes at all could make a certificate. One order cannot tell a side from its
        name."""
        is_both = len(self.orders) == len(Order)
        return is_both and any(self.boundary(look) is not None for look in self.looks)

    def slots(self, look: Look) -> Iterator[Slot]:
        """The ballots that are cast for a look, besides those of the looks before it."""
        before = max((one.repeats for one in self.looks if one.number < look.number), default=0)
        for repeat in range(before + 1, look.repeats + 1):
            asked = (one for one in self.judges if repeat <= self._times(one, look))
            for judge in asked:
                for order in self.orders:
                    yield Slot(look.number, judge, order, repeat)

    def is_futile(self, look: Look, leading: int) -> bool:
        """Whether a leader with that many ballots is too far from certain to go on asking."""
        return leading <= ceil(FUTILE * self.ballots(look))


def boundary(ballots: int, level: float) -> int | None:
    """The least number of equal votes among `ballots` that coin flips reach, for either side, no
    more often than `level`; None if even all of them are not rare enough."""
    found = None
    for votes in range(ballots, ballots // 2, -1):
        if chance(votes, ballots) > level:
            break
        found = votes
    return found


def chance(votes: int, ballots: int) -> float:
    """How often coin flips give one side or the other at least `votes` of `ballots`."""
    if 2 * votes <= ballots:
        return 1.0
    tail = sum(comb(ballots, number) for number in range(votes, ballots + 1))
    return float(2 * tail / 2**ballots)
