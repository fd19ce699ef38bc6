"""Judges whose faults are known, because we made them up.

A debate has a margin m ~ N(0, 1), and the truth is its sign. A judge sees it blurred by an error
that all judges share and by one of its own, both fixed for the debate; how sharply it votes, and
how far it leans to the side that is called X, are the judge's nature. Everything is seeded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

import msgspec

from moot.protocol.hearing.certificate import Ballot, Finding, certify, due
from moot.protocol.hearing.plan import Order, Plan

PRO, CON = "pro", "con"


class Nature(msgspec.Struct, frozen=True, kw_only=True):
    """`sharpness` 0 is a coin; `leaning` is added to the side that is called X; `shared` and `own`
    are the spread of the errors. `by_length` is added to the longer side, whose lead in words has
    nothing to do with who is right; `for_kin` is added to pro, whose model is of their family."""

    sharpness: float = 3.0
    leaning: float = 0.0
    shared: float = 0.5
    own: float = 0.7
    by_length: float = 0.0
    for_kin: float = 0.0


Vote = Callable[[str, Order], str]


def bench(draw: Random, judges: int, nature: Nature, margin: float) -> Vote:
    """How the judges of one debate vote, each time anew."""
    shared = draw.gauss(0, nature.shared) + nature.for_kin
    if nature.by_length:
        shared += nature.by_length * draw.gauss(0, 1)
    seen = {f"j{number}": margin + shared + draw.gauss(0, nature.own) for number in range(judges)}

    def vote(judge: str, order: Order) -> str:
        # In order one, pro is called X.
        lean = nature.leaning if order is Order.ONE else -nature.leaning
        is_pro = draw.random() < _logistic(nature.sharpness * seen[judge] + lean)
        return PRO if is_pro else CON

    return vote


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-max(-40.0, min(40.0, x))))


def heard(plan: Plan, vote: Vote) -> tuple[Finding, list[Ballot]]:
    """The hearing of one debate, ballot by ballot, as the rule asks for them."""
    cast: list[Ballot] = []
    while slots := due(plan, cast):
        cast += [Ballot(slot=one, winner=vote(one.judge, one.order)) for one in slots]
    return certify(plan, cast), cast


def gate(plan: Plan, vote: Vote) -> str | None:
    """The usual gate: each judge in both orders, whoever flips abstains, the plurality wins."""
    kept = []
    for judge in plan.judges:
        one, two = vote(judge, Order.ONE), vote(judge, Order.TWO)
        if one == two:
            kept.append(one)
    ahead = kept.count(PRO) - kept.count(CON)
    return None if ahead == 0 else PRO if ahead > 0 else CON
