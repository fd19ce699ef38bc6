"""What is known of judges from the ballots they have cast, over many debates, and of benches from
people's labels.

Every figure comes with its interval and its n, or says that there is not enough. The debates were
not made for the purpose, so a figure says what a judge's votes go with. It never says why: longer
speeches may be better ones. Causes are the exam's business.

A certificate says that a bench agrees more than chance explains. Without enough labels, whether
it is right is unknown, and must be called so: no agreement among judges may stand in for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, product
from math import log

import msgspec

from moot.protocol.hearing.certificate import TIE
from moot.protocol.hearing.plan import Order
from moot.protocol.hearing.statistics import (
    Cluster,
    Estimate,
    Figure,
    Inestimable,
    Interval,
    NotEnough,
    Row,
    balanced,
    bootstrap,
    clustered,
    correlation,
    effective,
    figure,
    logistic,
    mean,
    moments,
    share,
    slope,
    wilson,
)

LEAST_DEBATES = 20
"""For order flips, leaning and repeat flips."""
LEAST_CALLS = 10
LEAST_LENGTHS = 40
LEAST_KIN = 30
LEAST_LABELS = 20
TWO = 2


class Vote(msgspec.Struct, frozen=True, kw_only=True):
    """A ballot as it is counted: the id of a side, TIE, or None if it could not be read.

    `first` is the side that was called X, or listed first; `words` has every side of the debate;
    `kin` is the side that the judge's family argued for, if it was exactly one.
    """

    debate: str
    judge: str
    order: Order
    repeat: int
    winner: str | None
    first: str
    words: Mapping[str, int]
    kin: str | None = None
    is_echo: bool = False


class JudgeAudit(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one judge. A debate counts once, however many ballots it has, because close
    debates have more; only the shares of calls and the regression go by ballots."""

    judge: str
    debates: int
    calls: int
    order_flips: Figure
    """How often its vote changes, to a tie included, if the names are exchanged: the share of all
    pairs of its ballots in the two orders of a debate."""
    leaning: Figure
    """The share of its votes for the side that is called X, both orders weighing the same and a
    tie as half a vote; one half means no leaning. Only debates between two sides that it read in
    both orders count."""
    repeat_flips: Figure
    """How often its vote changes if it is asked the same again: the share of all pairs of its
    ballots in one order of a debate. Ballots are repeated where a bench was nearly of one mind, so
    these are not just any debates."""
    unreadable: Figure
    """The share of its calls that gave no ballot."""
    echoes: Figure
    """The share of its calls that only gave back the words of the prompt."""
    goes_with_length: Figure
    """By how much the logarithm of the odds of its vote grows with that of the ratio of words: at
    1, a side that says twice as much has twice the odds. The effect of being X is taken into
    account. Ties and sides that said nothing are left out; n counts debates."""
    own_family: Figure
    """How much more often it votes for the side of its own family than judges who are kin to
    neither side do in the same debates, from -1 to 1."""
    agreement: Figure
    """The share of debates labelled by people in which most of its ballots agree with the
    label."""


Ballots = Mapping[str, Sequence[Vote]]
"""The votes of each debate, by its id."""


def audits(votes: Iterable[Vote], labels: Mapping[str, str], seed: int) -> tuple[JudgeAudit, ...]:
    """The audit of every judge, sorted by name. See `audit`."""
    cast = tuple(votes)
    return tuple(audit(judge, cast, labels, seed) for judge in sorted({one.judge for one in cast}))


def audit(judge: str, votes: Iterable[Vote], labels: Mapping[str, str], seed: int) -> JudgeAudit:
    """The figures of one judge among the votes of all, which it is compared with. `labels` are
    the winners that people named, by debate: the id of a side, or TIE."""
    # Sorted, so that the draws of the bootstrap do not depend on the order of the ballots.
    cast = dict(sorted(_grouped(votes, lambda vote: vote.debate).items()))
    mine = {debate: [vote for vote in some if vote.judge == judge] for debate, some in cast.items()}
    mine = {debate: some for debate, some in mine.items() if some}
    return JudgeAudit(
        judge=judge,
        debates=len(mine),
        calls=sum(map(len, mine.values())),
        order_flips=_flips(mine, _across_orders),
        leaning=_leaning(mine),
        repeat_flips=_flips(mine, _within_orders),
        unreadable=_of_calls(mine, lambda vote: vote.winner is None),
        echoes=_of_calls(mine, lambda vote: vote.is_echo),
        goes_with_length=_length(mine),
        own_family=_own_family(mine, cast, seed),
        agreement=_agreement(mine, labels),
    )


def _grouped(votes: Iterable[Vote], key: Callable[[Vote], str]) -> dict[str, list[Vote]]:
    found: dict[str, list[Vote]] = {}
    for vote in votes:
        found.setdefault(key(vote), []).append(vote)
    return found


def _winners(cast: Iterable[Vote], order: Order) -> list[str]:
    """The winners on the ballots in that order that could be read."""
    return _read(vote for vote in cast if vote.order is order)


Pairs = list[tuple[str, str]]


def _across_orders(cast: Sequence[Vote]) -> Pairs:
    return list(product(_winners(cast, Order.ONE), _winners(cast, Order.TWO)))


def _within_orders(cast: Sequence[Vote]) -> Pairs:
    return [pair for order in Order for pair in combinations(_winners(cast, order), 2)]


def _flips(mine: Ballots, paired: Callable[[Sequence[Vote]], Pairs]) -> Figure:
    pairs = [found for cast in mine.values() if (found := paired(cast))]
    flips = [Cluster(mean([float(one != other) for one, other in some])) for some in pairs]
    return figure(share(flips), clustered(flips), len(flips), LEAST_DEBATES)


def _leaning(mine: Ballots) -> Figure:
    values = [value for cast in mine.values() if (value := _to_first(cast)) is not None]
    return figure(mean(values), balanced(values), len(values), LEAST_DEBATES)


def _to_first(cast: Sequence[Vote]) -> float | None:
    """The share of votes for X in a debate between two sides, both orders weighing the same."""
    shares = []
    for order in Order:
        some = [_for(vote, vote.first) for vote in cast if vote.order is order and _is_read(vote)]
        if not some:
            return None
        shares.append(mean(some))
    return mean(shares)


def _is_read(vote: Vote) -> bool:
    return vote.winner is not None and len(vote.words) == TWO


def _for(vote: Vote, side: str) -> float:
    return 0.5 if vote.winner == TIE else float(vote.winner == side)


def _of_calls(mine: Ballots, is_one: Callable[[Vote], bool]) -> Figure:
    clusters = [Cluster(sum(map(is_one, cast)), len(cast)) for cast in mine.values()]
    calls = sum(one.n for one in clusters)
    return figure(share(clusters), clustered(clusters), calls, LEAST_CALLS)


def _length(mine: Ballots) -> Figure:
    rows = [row for cast in mine.values() for vote in cast if (row := _row(vote)) is not None]
    debates = len({row.cluster for row in rows})
    if debates < LEAST_LENGTHS:
        return NotEnough(n=debates, needed=LEAST_LENGTHS)
    fit = logistic(rows)
    if isinstance(fit, Inestimable):
        return fit
    return figure(fit.one, slope(fit.one, fit.error_one, debates), debates, LEAST_LENGTHS)


def _row(vote: Vote) -> Row | None:
    """A vote as a row about X, for or against: either side would do, since a vote for one is a vote
    against the other. So the second thing, being X, is always 1."""
    others = [side for side in vote.words if side != vote.first]
    if not _is_read(vote) or vote.winner == TIE or len(others) != 1:
        return None
    mine, other = vote.words[vote.first], vote.words[others[0]]
    if mine <= 0 or other <= 0:
        return None
    return Row(vote.debate, vote.winner == vote.first, log(mine / other), 1.0)


def _own_family(mine: Ballots, cast: Ballots, seed: int) -> Figure:
    found = (_beyond_others(some, cast[debate]) for debate, some in mine.items())
    values = [value for value in found if value is not None]
    if len(values) < LEAST_KIN:
        return NotEnough(n=len(values), needed=LEAST_KIN)
    interval = bootstrap(values, mean, seed)
    if interval is None:
        return Inestimable(why="it differs from the others by the same each time", n=len(values))
    return figure(mean(values), interval, len(values), LEAST_KIN)


def _beyond_others(mine: Sequence[Vote], cast: Sequence[Vote]) -> float | None:
    """By how much more it votes for its kin than judges without kin in the debate, each of whom
    weighs the same."""
    kin = mine[0].kin
    if kin is None:
        return None
    own = _share_for(mine, kin)
    others = _grouped((vote for vote in cast if vote.kin is None), lambda vote: vote.judge)
    theirs = [one for some in others.values() if (one := _share_for(some, kin)) is not None]
    return None if own is None or not theirs else own - mean(theirs)


def _share_for(cast: Iterable[Vote], side: str) -> float | None:
    values = [_for(vote, side) for vote in cast if vote.winner is not None]
    return mean(values) if values else None


def _agreement(mine: Ballots, labels: Mapping[str, str]) -> Figure:
    said = {debate: cast for debate, cast in mine.items() if debate in labels}
    read = {debate: _read(cast) for debate, cast in said.items() if _read(cast)}
    agree = sum(2 * read[debate].count(labels[debate]) > len(read[debate]) for debate in read)
    n = len(read)
    return figure(agree / n if n else 0.0, wilson(agree, n), n, LEAST_LABELS)


def _read(cast: Iterable[Vote]) -> list[str]:
    return [vote.winner for vote in cast if vote.winner is not None]


# --- whether a bench is right, which only people's labels can tell --------------------------------

LEAST_STABLE = 20
"""Labelled debates in which the bench was stable, for a share that agrees."""
LEAST_FOR_VOTES = 50
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
    if n < LEAST_FOR_VOTES:
        return NotEnough(n=n, needed=LEAST_FOR_VOTES)
    if len(judges) == 1:
        return figure(1.0, Interval(low=1.0, high=1.0), n, LEAST_FOR_VOTES)
    rows = [moments([_error(one, judge) for judge in judges]) for one in ranked]
    return _from_errors(rows, len(judges), seed)


def _from_errors(rows: Sequence[tuple[float, ...]], judges: int, seed: int) -> Figure:
    rho, n = correlation(rows, judges), len(rows)
    drawn = bootstrap(rows, lambda some: correlation(some, judges), seed)
    if rho is None or drawn is None:
        return Inestimable(why="the judges are too seldom wrong, or always together", n=n)
    # The more the errors correlate, the less the votes are worth.
    ends = Interval(low=effective(judges, drawn.high), high=effective(judges, drawn.low))
    return figure(effective(judges, rho), ends, n, LEAST_FOR_VOTES)


def _error(one: Labelled, judge: str) -> float:
    """0 if the vote is what the label says, 1 if they name different sides, else one half."""
    vote = one.votes.get(judge)
    if vote == one.label:
        return 0.0
    return 0.5 if vote in (None, TIE) or one.label == TIE else 1.0
