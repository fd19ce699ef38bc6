"""What a bench is asked about: one debate by its sides and what they said, as it stood then.

It is frozen in the configuration of a hearing, so nothing here may ever get another meaning: fields
are only added, with a default.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import msgspec

from moot.protocol.hearing.neutral import SIDES, Names, Pair, Said, Side, labels, pair_for
from moot.protocol.hearing.plan import Order
from moot.protocol.quoting import quotations

PROPOSAL = "Proposal"


class Case(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`sides` argued about the topic, and `said` is what they said, in its order; with
    `are_proposals`, each side is a proposal and has one text. `pair` is what two sides are called;
    `judged_by` are the models that judged the debate itself, which no ballot is told.
    """

    topic: str
    premise: str = ""
    sides: tuple[Side, ...]
    said: tuple[Said, ...]
    are_proposals: bool = False
    pair: Pair = SIDES
    judged_by: tuple[str, ...] = ()

    def texts(self) -> Iterator[str]:
        """Everything in the case that a judge reads."""
        yield self.topic
        yield self.premise
        yield from (one.argues for one in self.sides)
        yield from (one.text for one in self.said)

    def names(self, order: Order) -> dict[str, str]:
        """What a ballot in that order calls each side, by its id: `X`, or `Proposal A`."""
        noun = f"{PROPOSAL} " if self.are_proposals else ""
        return {
            side: f"{noun}{label}" for side, label in labels(self.sides, order, self.pair).items()
        }

    def neutral_in(self, text: str, order: Order) -> str:
        """The text with the names of that order."""
        return _names(self).replaced(text, self.names(order))

    def read_in(self, order: Order) -> str:
        """All that was said, as a ballot in that order reads it; proposals by their letters."""
        names = self.names(order)
        told = [(names[one.side], self.neutral_in(one.text, order)) for one in self.said]
        return quotations(sorted(told) if self.are_proposals else told)

    def sides_in(self, order: Order) -> str:
        """A line for each side that says what it argues, X first; "" if that is not known."""
        names = self.names(order)
        told = ((names[one.id], self.neutral_in(one.argues, order)) for one in self.sides)
        known = sorted((name, argues) for name, argues in told if argues)
        return "\n".join(f"- {name} argues {argues}" for name, argues in known)


def lettered(case: Case) -> Case:
    """The case with a pair of letters that does not occur in its texts."""
    return msgspec.structs.replace(case, pair=pair_for(case.texts()))


@lru_cache(maxsize=32)
def _names(case: Case) -> Names:
    """Found once for a case, because every ballot is made of the same texts."""
    return Names(case.sides, case.texts())


class Hears(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which debate a hearing is about, as it stood after event `at`.

    `verdict` is whom its own outcome names: the id of a side, TIE, or None if it names nobody. It
    is shown beside what the bench says, and no judge is told of it.
    """

    debate: str
    at: int
    case: Case
    verdict: str | None = None
    prompt: int = 1
    """The version of what judges are asked: answers to different versions cannot be compared."""
