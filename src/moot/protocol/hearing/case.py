"""What a bench is asked about: one debate by its sides and what they said, as it stood then.

It is frozen in the configuration of a hearing, so nothing here may ever get another meaning: fields
are only added, with a default.
"""

from __future__ import annotations

import msgspec

from moot.protocol.hearing.neutral import Said, Side, labels, neutral
from moot.protocol.hearing.plan import Order
from moot.protocol.quoting import quotations

PROPOSAL = "Proposal"


class Case(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`sides` argued about the topic, and `said` is what they said, in its order; with
    `are_proposals`, each side is a proposal and has one text."""

    topic: str
    premise: str = ""
    sides: tuple[Side, ...]
    said: tuple[Said, ...]
    are_proposals: bool = False

    def names(self, order: Order) -> dict[str, str]:
        """What a ballot in that order calls each side, by its id: `X`, or `Proposal A`."""
        noun = f"{PROPOSAL} " if self.are_proposals else ""
        return {side: f"{noun}{label}" for side, label in labels(self.sides, order).items()}

    def neutral_in(self, text: str, order: Order) -> str:
        """The text with the names of that order."""
        return neutral(text, self.sides, order)

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
    """The version of what judges are asked: what they said of others cannot be compared."""
