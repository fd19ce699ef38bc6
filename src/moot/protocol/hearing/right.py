"""Whether a bench is right, which only people's labels can tell.

A certificate says that a bench agrees more than chance explains. Without enough labels, whether
it is right is unknown, and must be called so: no agreement among judges may stand in for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from moot.protocol.hearing.certificate import TIE
from moot.protocol.hearing.statistics import (
    Estimate,
    Figure,
    Inestimable,
    Interval,
    NotEnough,
    bootstrap,
    correlation,
    effective,
    figure,
    moments,
    wilson,
)

LEAST_STABLE = 20
"""Labelled debates in which the bench was stable, for a share that agrees."""
LEAST_LABELS = 50
"""Labelled debates, for what the judges' votes are worth."""


class Labelled(msgspec.Struct, frozen=True, kw_only=True):
    """A debate that this bench heard, with the same models and prompts, and a person labelled.

    `label` is the id of a side, or TIE; `winner` whom the bench was stable for, None if it was not;
    `votes` whom each judge was for, None if that was nobody, or not in both orders.
    """

    debate: str
    label: str
    winner: str | None
    votes: Mapping[str, str | None]


class Right(msgspec.Struct, frozen=True, kw_only=True):
    """Of the `stable` debates with a label, `agree` have the winner that the label names."""

    agree: int
    stable: int
    labelled: int
    share: Figure
    effective_votes: Figure
    """How many independent judges would be wrong as seldom together: all labelled debates count,
    because in those that are stable the judges agree by definition."""


def right(debates: Sequence[Labelled], seed: int) -> Right:
    """What the labels say of one bench."""
    stable = [one for one in debates if one.winner is not None]
    agree, n = sum(one.winner == one.label for one in stable), len(stable)
    return Right(
        agree=agree,
        stable=n,
        labelled=len(debates),
        share=figure(agree / n if n else 0.0, wilson(agree, n), n, LEAST_STABLE),
        effective_votes=_effective_votes(debates, seed),
    )


def told(found: Right) -> str:
    """The finding in words that answer "Right?"."""
    match found.share:
        case Estimate(low=low, high=high):
            counts = f"{found.agree} of {found.stable} labelled debates agree"
            return f"{counts}; of all such debates, {low:.2f} to {high:.2f} would{_worth(found)}"
        case _:
            return f"unknown, {found.stable} of {LEAST_STABLE} labelled"


def _worth(found: Right) -> str:
    """How many votes the judges are worth, which is fewer than they seem if they err together; ""
    before enough is labelled."""
    match found.effective_votes:
        case Estimate(value=value, low=low, high=high):
            return f". Its judges are worth {value:.1f} independent votes ({low:.1f} to {high:.1f})"
        case _:
            return ""


def _effective_votes(debates: Sequence[Labelled], seed: int) -> Figure:
    # Sorted, so that the draws of the bootstrap do not depend on the order of the debates.
    ranked = sorted(debates, key=lambda one: one.debate)
    judges = sorted({judge for one in ranked for judge in one.votes})
    n = len(ranked)
    if n < LEAST_LABELS:
        return NotEnough(n=n, needed=LEAST_LABELS)
    if len(judges) == 1:
        return figure(1.0, Interval(low=1.0, high=1.0), n, LEAST_LABELS)
    rows = [moments([_error(one, judge) for judge in judges]) for one in ranked]
    return _from_errors(rows, len(judges), seed)


def _from_errors(rows: Sequence[tuple[float, ...]], judges: int, seed: int) -> Figure:
    rho, n = correlation(rows, judges), len(rows)
    drawn = bootstrap(rows, lambda some: correlation(some, judges), seed)
    if rho is None or drawn is None:
        return Inestimable(why="the judges are too seldom wrong, or always together", n=n)
    # The more the errors correlate, the less the votes are worth.
    ends = Interval(low=effective(judges, drawn.high), high=effective(judges, drawn.low))
    return figure(effective(judges, rho), ends, n, LEAST_LABELS)


def _error(one: Labelled, judge: str) -> float:
    """0 if the vote is what the label says, 1 if they name different sides, else one half."""
    vote = one.votes.get(judge)
    if vote == one.label:
        return 0.0
    return 0.5 if vote in (None, TIE) or one.label == TIE else 1.0
