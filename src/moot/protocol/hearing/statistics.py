"""The arithmetic behind what is said of judges: shares, slopes and votes, each with an interval.

Plain functions of numbers, in plain Python, so that the same ballots give the same figures on any
machine: a seed is an argument, and sums are exact (`fsum`), because `sum` rounds differently from
one Python to the next. All intervals are of 95 %. Votes about one debate are alike, so debates are
what is counted; votes of one debate must never pass for as many debates. Data from which nothing
follows give a value that says so: nothing here raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from math import exp, floor, fsum, log1p, sqrt
from statistics import NormalDist
from typing import TypeVar

import msgspec

Z = NormalDist().inv_cdf(0.975)
DRAWS = 1000
"""Draws of a bootstrap: the ends of its interval then move by a thirtieth of its width or so."""
LEAST_DRAWS = 0.9
"""The share of draws that must give a figure, or else there is no interval."""
MOST_STEPS = 40
CLOSE = 1e-9
"""A step of Newton's method that is as small as this was the last."""
SINGULAR = 1e-10

Thing = TypeVar("Thing")
Pair = tuple[float, float]


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """A 95 % interval: of those made this way from new data, 95 in 100 hold the true value."""

    low: float
    high: float


class Estimate(msgspec.Struct, frozen=True, kw_only=True, tag="estimate"):
    """A figure from `n` debates (or calls, or labels), of which `needed` would have been enough."""

    value: float
    low: float
    high: float
    n: int
    needed: int


class NotEnough(msgspec.Struct, frozen=True, kw_only=True, tag="not_enough"):
    """There are only `n` of the `needed` debates (or calls, or labels): no figure is given."""

    n: int
    needed: int


class Inestimable(msgspec.Struct, frozen=True, kw_only=True, tag="inestimable"):
    """There are enough debates (or calls, or labels), `n`, but no figure can be given; `why` ends a
    sentence that begins with "cannot be estimated:"."""

    why: str
    n: int


Figure = Estimate | NotEnough | Inestimable


class Cluster(msgspec.Struct, frozen=True):
    """The `hits` among the `n` calls about one debate."""

    hits: float
    n: int = 1


class Row(msgspec.Struct, frozen=True):
    """One vote in a regression: whether it was for the side, and the two things it may go with."""

    cluster: str
    is_for: bool
    one: float
    two: float


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """Two coefficients, and their standard errors with rows clustered."""

    one: float
    two: float
    error_one: float
    error_two: float
    clusters: int


def figure(value: float, interval: Interval, n: int, needed: int) -> Estimate | NotEnough:
    """The estimate, or NotEnough if it is from too few."""
    if n < needed:
        return NotEnough(n=n, needed=needed)
    return Estimate(value=value, low=interval.low, high=interval.high, n=n, needed=needed)


# Shares


def wilson(hits: float, n: float, z: float = Z) -> Interval:
    """Wilson's interval for a share, `hits` of `n`; from 0 to 1 if `n` is 0."""
    if n <= 0:
        return Interval(low=0.0, high=1.0)
    share = min(max(hits / n, 0.0), 1.0)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    # At 0 of n and n of n one end is exact, and rounding must not move it.
    low = 0.0 if share == 0 else max(0.0, middle - half)
    high = 1.0 if share == 1 else min(1.0, middle + half)
    return Interval(low=low, high=high)


def mean(values: Sequence[float]) -> float:
    """The mean; 0 if there are no values."""
    return fsum(values) / len(values) if values else 0.0


def share(clusters: Sequence[Cluster]) -> float:
    """The share of hits among all calls; 0 if there are no calls."""
    calls = sum(one.n for one in clusters)
    return fsum(one.hits for one in clusters) / calls if calls else 0.0


def clustered(clusters: Sequence[Cluster]) -> Interval:
    """Wilson's interval for `share`, with as many calls as they are worth: fewer than there are
    if calls about one debate are alike, and never more. With one call per debate it is Wilson's;
    with more, Student's t allows for that likeness being an estimate itself."""
    worth, is_single = _worth(clusters), all(one.n == 1 for one in clusters)
    return wilson(share(clusters) * worth, worth, Z if is_single else student(len(clusters) - 1))


def _worth(clusters: Sequence[Cluster]) -> float:
    calls, debates, found = sum(one.n for one in clusters), len(clusters), share(clusters)
    # If every call says the same, or all are about one debate, nothing tells how alike the calls
    # of a debate are: each debate then counts as one.
    if debates <= 1 or found in (0.0, 1.0):
        return float(min(debates, calls))
    rest = fsum((one.hits - found * one.n) ** 2 for one in clusters)
    few = debates / (debates - 1) if calls > debates else 1.0
    return min(float(calls), found * (1 - found) * calls**2 / (rest * few)) if rest else calls


def balanced(values: Sequence[float]) -> Interval:
    """An interval for the mean of one value per debate, each from 0 to 1, where both orders pull a
    judge that goes by the case to exactly one half.

    Such values vary less than single votes do, and may not vary at all. Two imagined debates keep
    the interval from shrinking to nothing: half of one for each way in which a pair of votes can
    come out, after Agresti and Min (Statistics in Medicine 24, 2005) on matched pairs. From there
    it is Wilson's, with as many votes as the values are worth and Student's t for few debates.
    """
    n = len(values) + 2
    middle = (fsum(values) + 1) / n
    imagined = ((1 - middle) ** 2 + middle**2) / 2 + (0.5 - middle) ** 2
    variance = (fsum((one - middle) ** 2 for one in values) + imagined) / n
    worth = middle * (1 - middle) * len(values) / variance
    return wilson(mean(values) * worth, worth, student(len(values) - 1))


# Slopes


def logistic(rows: Sequence[Row]) -> Fit | Inestimable:
    """The logistic regression of `is_for` on `one` and `two`, by Newton's method; errors are the
    sandwich's over clusters, with the usual corrections for few of them."""
    clusters = len({row.cluster for row in rows})
    if clusters < 3:  # noqa: PLR2004 - two coefficients leave two clusters nothing to differ by
        return Inestimable(why="too few debates", n=clusters)
    at = (0.0, 0.0)
    for _ in range(MOST_STEPS):
        step = _step(rows, at)
        if step is None:
            return Inestimable(why="the debates are too much alike", n=clusters)
        at = (at[0] + step[0], at[1] + step[1])
        if max(abs(step[0]), abs(step[1])) < CLOSE:
            return _fit(rows, at, clusters)
    # The coefficients of separated data grow with every step, for ever.
    return Inestimable(why="the votes follow it without exception", n=clusters)


def slope(value: float, error: float, clusters: int) -> Interval:
    """The interval by Student's t, because few clusters make the error look smaller than it is."""
    half = student(clusters - 1) * error
    return Interval(low=value - half, high=value + half)


def _chance(eta: float) -> float:
    """The logistic function, without an overflow at either end."""
    return 1 / (1 + exp(-eta)) if eta >= 0 else 1 - 1 / (1 + exp(eta))


def _likelihood(rows: Iterable[Row], at: Pair) -> float:
    """The logarithm of the likelihood."""
    etas = ((at[0] * row.one + at[1] * row.two) * (1 if row.is_for else -1) for row in rows)
    return -fsum(log1p(exp(-eta)) if eta >= 0 else log1p(exp(eta)) - eta for eta in etas)


def _information(rows: Iterable[Row], at: Pair) -> tuple[float, float, float] | None:
    """The upper triangle of the information matrix; None if that has no inverse."""
    weighed = []
    for row in rows:
        chance = _chance(at[0] * row.one + at[1] * row.two)
        weighed.append((chance * (1 - chance), row.one, row.two))
    a = fsum(weight * one * one for weight, one, _ in weighed)
    b = fsum(weight * one * two for weight, one, two in weighed)
    c = fsum(weight * two * two for weight, _, two in weighed)
    return None if a * c - b * b <= SINGULAR * a * c else (a, b, c)


def _solved(matrix: tuple[float, float, float], right: Pair) -> Pair:
    a, b, c = matrix
    whole = a * c - b * b
    return (c * right[0] - b * right[1]) / whole, (a * right[1] - b * right[0]) / whole


def _score(rows: Iterable[Row], at: Pair) -> Pair:
    rest = [(row.is_for - _chance(at[0] * row.one + at[1] * row.two), row) for row in rows]
    return fsum(left * row.one for left, row in rest), fsum(left * row.two for left, row in rest)


def _step(rows: Sequence[Row], at: Pair) -> Pair | None:
    """Newton's step, halved until it does not lead downhill; None if there is none."""
    matrix = _information(rows, at)
    if matrix is None:
        return None
    step, here = _solved(matrix, _score(rows, at)), _likelihood(rows, at)
    slack = CLOSE * (1 + abs(here))
    while _likelihood(rows, (at[0] + step[0], at[1] + step[1])) < here - slack:
        step = (step[0] / 2, step[1] / 2)
    return step


def _fit(rows: Sequence[Row], at: Pair, clusters: int) -> Fit | Inestimable:
    matrix = _information(rows, at)
    if matrix is None:
        return Inestimable(why="the debates are too much alike", n=clusters)
    by_cluster: dict[str, list[Row]] = {}
    for row in rows:
        by_cluster.setdefault(row.cluster, []).append(row)
    pulls = [_solved(matrix, _score(some, at)) for some in by_cluster.values()]
    few = clusters / (clusters - 1) * (len(rows) - 1) / (len(rows) - 2)
    return Fit(
        one=at[0],
        two=at[1],
        error_one=sqrt(few * fsum(one * one for one, _ in pulls)),
        error_two=sqrt(few * fsum(two * two for _, two in pulls)),
        clusters=clusters,
    )


def student(freedom: int) -> float:
    """The 97.5 % quantile of Student's t; from 3 degrees on by its expansion in 1/freedom
    (Abramowitz and Stegun 26.7.5), which is right to two digits at 3 and to four at 6."""
    exact = {1: 12.706204736, 2: 4.302652730}
    if freedom <= max(exact):
        return exact[max(1, freedom)]
    terms = (
        (Z**3 + Z) / 4,
        (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96,
        (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384,
        (79 * Z**9 + 776 * Z**7 + 1482 * Z**5 - 1920 * Z**3 - 945 * Z) / 92160,
    )
    return Z + fsum(term / freedom**power for power, term in enumerate(terms, 1))


# The bootstrap


def bootstrap(
    debates: Sequence[Thing],
    statistic: Callable[[Sequence[Thing]], float | None],
    seed: int,
    draws: int = DRAWS,
) -> Interval | None:
    """The percentile interval of a statistic over debates drawn anew; None if too few draws give
    a figure, or all give the same: no width would claim certainty where data are lacking."""
    many = map(statistic, _drawn(debates, seed, draws if debates else 0))
    found = sorted(one for one in many if one is not None)
    if len(found) < max(1.0, LEAST_DRAWS * draws) or found[0] == found[-1]:
        return None
    tail = _tail(len(debates))
    return Interval(low=_quantile(found, tail), high=_quantile(found, 1 - tail))


def _drawn(debates: Sequence[Thing], seed: int, draws: int) -> Iterator[Sequence[Thing]]:
    """Draws by Knuth's generator for MMIX, by its upper bits: the protocol may not import `random`,
    whose choices may also change from one Python to the next. The seed is mixed first, as in
    SplitMix64, so that neighbouring seeds give different draws."""
    mask, n = 2**64 - 1, len(debates)
    state = (seed + 1) * 0x9E3779B97F4A7C15 & mask
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & mask
    state = (state ^ state >> 27) * 0x94D049BB133111EB & mask
    for _ in range(draws):
        drawn = []
        for _ in range(n):
            state = state * 6364136223846793005 + 1442695040888963407 & mask
            drawn.append(debates[(state >> 32) * n >> 32])
        yield drawn


def _tail(debates: int) -> float:
    """A little less than 2.5 %: plain percentiles are too narrow for few debates (Hesterberg, "What
    Teachers Should Know About the Bootstrap", 2015, on expanded percentiles)."""
    wide = sqrt(debates / (debates - 1)) if debates > 1 else 1.0
    return NormalDist().cdf(-wide * student(debates - 1))


def _quantile(ranked: Sequence[float], at: float) -> float:
    place = at * (len(ranked) - 1)
    below = floor(place)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (place - below) * (ranked[above] - ranked[below])


# Votes that are alike


def moments(errors: Sequence[float]) -> tuple[float, ...]:
    """What one debate adds to all correlations: the judges' errors, their squares, and their
    products by pairs."""
    products = (one * other for one, other in combinations(errors, 2))
    return (*errors, *(one * one for one in errors), *products)


def correlation(debates: Sequence[tuple[float, ...]], judges: int) -> float | None:
    """The mean over pairs of judges of the correlation of their errors, from `moments`; pairs in
    which one is always or never wrong have none. None if no pair has one."""
    n = len(debates)
    if n == 0:
        return None
    sums = [fsum(column) for column in zip(*debates, strict=True)]
    spread = [n * sums[judges + one] - sums[one] ** 2 for one in range(judges)]
    found = [
        (n * both - sums[one] * sums[other]) / sqrt(spread[one] * spread[other])
        for (one, other), both in zip(
            combinations(range(judges), 2), sums[2 * judges :], strict=False
        )
        if spread[one] > 0 and spread[other] > 0
    ]
    return mean(found) if found else None


def effective(judges: int, rho: float) -> float:
    """How many independent votes `judges` whose errors correlate by `rho` are worth."""
    return judges / (1 + (judges - 1) * max(rho, 0.0))
