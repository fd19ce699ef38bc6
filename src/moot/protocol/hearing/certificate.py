"""What follows from the ballots of a bench: a pure fold, the same on any machine.

A certificate says whether a bench agrees more than chance explains, whatever the sides are called.
It does not say that the bench is right. Repeats of one judge are never called opinions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum

import msgspec

from moot.protocol.hearing.plan import Look, Order, Plan, Slot, boundary, chance

TIE = "tie"
"""What a ballot says if it finds neither side better."""
MOST_SHARE = 2 / 3
"""The share of ballots that must be ties to make a tie, and the share that must be readable."""


class CertificateStatus(StrEnum):
    """What the bench came to."""

    STABLE = "stable"
    """Enough ballots for one side, by most judges, under either name."""
    TIE = "tie"
    """Most ballots call it even, in both orders."""
    CONTESTED = "contested"
    """The bench does not agree, or its agreement depends on what the sides are called."""
    UNREADABLE = "unreadable"
    """Too few ballots could be read."""
    INSUFFICIENT = "insufficient"
    """So small a bench, or one asked in only one order, can certify nothing, whatever it says; or
    the ballots that count agree, but are too few."""
    OPEN = "open"
    """Ballots are still to be cast."""


class Ballot(msgspec.Struct, frozen=True, kw_only=True):
    """One judge's vote in one order: the id of a side, TIE, or None if it could not be read.

    A copy is to the letter what the same judge had said before in that order: it is shown, but
    tells nothing new, and so does not count.
    """

    slot: Slot
    winner: str | None
    margin: int | None = None
    is_copy: bool = False


class JudgeVotes(msgspec.Struct, frozen=True, kw_only=True):
    """How one judge voted in each order, and whom it is for in both."""

    judge: str
    one: dict[str, int]
    two: dict[str, int]
    unreadable: int = 0
    is_for: str | None = None
    """Whom most of its ballots are for in each order; None if that is nobody, or differs."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """`votes` of `ballots` were for whoever leads; a winner needs `needed` at that look, None
    if all would not be enough. `by_chance` is how often coin flips would do as much. It and
    `winner` are None where nobody has won. Copies are not among the ballots."""

    status: CertificateStatus
    winner: str | None = None
    look: int = 0
    votes: int = 0
    ballots: int = 0
    needed: int | None = None
    by_chance: float | None = None
    ties: int = 0
    unreadable: int = 0
    copies: int = 0
    counts: dict[str, int] = {}
    """Ballots by side, ties left out."""
    judges: tuple[JudgeVotes, ...] = ()


def due(plan: Plan, cast: Sequence[Ballot]) -> tuple[Slot, ...]:
    """The ballots that are to be cast now, given those that are in; none once it is decided."""
    look = _look(plan, cast)
    if look is None:
        return ()
    done = {one.slot for one in cast}
    return tuple(slot for slot in plan.slots(look) if slot not in done)


def certify(plan: Plan, cast: Sequence[Ballot]) -> Finding:
    """The certificate, or one that is `open` while ballots are due."""
    if _look(plan, cast) is not None:
        return msgspec.structs.replace(_at(plan, _reached(plan, cast), cast), status=OPEN)
    return _at(plan, _reached(plan, cast), cast)


OPEN = CertificateStatus.OPEN


def _look(plan: Plan, cast: Sequence[Ballot]) -> Look | None:
    """The first look whose ballots are not all in; None if the case was decided before it."""
    for look in plan.looks:
        if not _is_complete(plan, look, cast):
            return look
        if _is_final(plan, look, cast):
            return None
    return None


def _reached(plan: Plan, cast: Sequence[Ballot]) -> Look:
    """The latest look all of whose ballots are in; the first if none is."""
    complete = [look for look in plan.looks if _is_complete(plan, look, cast)]
    return complete[-1] if complete else plan.looks[0]


def _is_complete(plan: Plan, look: Look, cast: Sequence[Ballot]) -> bool:
    done = {one.slot for one in cast}
    upto = (one for one in plan.looks if one.number <= look.number)
    return all(slot in done for one in upto for slot in plan.slots(one))


def _is_final(plan: Plan, look: Look, cast: Sequence[Ballot]) -> bool:
    found = _at(plan, look, cast)
    # A bench that can certify nothing is asked no more than what the first look needs.
    if look.number == plan.looks[-1].number or not plan.can_certify:
        return True
    if found.status in (CertificateStatus.STABLE, CertificateStatus.TIE):
        return True
    return plan.is_futile(look, max(found.counts.values(), default=0))


def _at(plan: Plan, look: Look, cast: Sequence[Ballot]) -> Finding:
    all_cast = [one for one in cast if one.slot.look <= look.number]
    counted = [one for one in all_cast if not one.is_copy]
    copies = len(all_cast) - len(counted)
    ballots = plan.ballots(look) - copies
    counts = Counter(one.winner for one in counted if one.winner not in (None, TIE))
    votes = {side: count for side, count in counts.items() if side is not None}
    leader = _leader(votes)
    told = Finding(
        status=CertificateStatus.CONTESTED,
        look=look.number,
        votes=votes.get(leader, 0) if leader else 0,
        ballots=ballots,
        needed=boundary(ballots, look.level),
        ties=sum(one.winner == TIE for one in counted),
        unreadable=sum(one.winner is None for one in counted),
        copies=copies,
        counts=dict(sorted(votes.items())),
        judges=tuple(_votes_of(judge, all_cast) for judge in plan.judges),
    )
    return _judged(plan, told, leader, counted)


def _judged(plan: Plan, told: Finding, leader: str | None, counted: Sequence[Ballot]) -> Finding:
    status = _status(plan, told, leader, counted)
    if status is not CertificateStatus.STABLE:
        return msgspec.structs.replace(told, status=status)
    by_chance = chance(told.votes, told.ballots)
    return msgspec.structs.replace(told, status=status, winner=leader, by_chance=by_chance)


def _status(
    plan: Plan, told: Finding, leader: str | None, counted: Sequence[Ballot]
) -> CertificateStatus:
    if not plan.can_certify:
        return CertificateStatus.INSUFFICIENT
    if told.ballots - told.unreadable < MOST_SHARE * told.ballots:
        return CertificateStatus.UNREADABLE
    if _is_tie(plan, counted):
        return CertificateStatus.TIE
    if _is_stable(told, leader):
        return CertificateStatus.STABLE
    # All that could be counted say the same: they are not contested, but too few.
    is_agreed = leader is not None and told.votes == told.ballots - told.unreadable
    is_few = told.needed is None or told.votes < told.needed
    return CertificateStatus.INSUFFICIENT if is_agreed and is_few else CertificateStatus.CONTESTED


def _is_tie(plan: Plan, counted: Sequence[Ballot]) -> bool:
    def ties(order: Order) -> bool:
        mine = [one for one in counted if one.slot.order is order]
        return sum(one.winner == TIE for one in mine) >= MOST_SHARE * len(mine) > 0

    return all(ties(order) for order in plan.orders)


def _is_stable(told: Finding, leader: str | None) -> bool:
    if leader is None or told.needed is None or told.votes < told.needed:
        return False
    for_it = sum(one.is_for == leader for one in told.judges)
    against = any(one.is_for not in (None, TIE, leader) for one in told.judges)
    return 2 * for_it > len(told.judges) and not against


def _leader(votes: dict[str, int]) -> str | None:
    """Who has more than anybody else; None in a tie."""
    ranked = Counter(votes).most_common(2)
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def _votes_of(judge: str, counted: Iterable[Ballot]) -> JudgeVotes:
    mine = [one for one in counted if one.slot.judge == judge]
    one, two = (_tally(mine, order) for order in Order)
    return JudgeVotes(
        judge=judge,
        one=one,
        two=two,
        unreadable=sum(each.winner is None for each in mine),
        is_for=_for(mine),
    )


def _tally(mine: Iterable[Ballot], order: Order) -> dict[str, int]:
    found = Counter(one.winner for one in mine if one.slot.order is order and one.winner)
    return {str(side): count for side, count in sorted(found.items())}


def _for(mine: Sequence[Ballot]) -> str | None:
    """Whom more than half of the ballots in each order are for, spoilt ones counted as nobody's."""
    found = set()
    for order in Order:
        some = [one.winner for one in mine if one.slot.order is order]
        side, count = Counter(some).most_common(1)[0] if some else (None, 0)
        found.add(side if 2 * count > len(some) else None)
    return found.pop() if len(found) == 1 else None
