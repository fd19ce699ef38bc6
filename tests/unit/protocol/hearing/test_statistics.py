"""Shares, slopes and votes: as the closed forms and other people's programs have them."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from moot.protocol.hearing.statistics import (
    Cluster,
    Estimate,
    Fit,
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
    student,
    wilson,
)


def ends(interval: Interval | None) -> tuple[float, float]:
    assert interval is not None
    return interval.low, interval.high


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        # statsmodels.stats.proportion.proportion_confint(hits, n, method="wilson"), 0.15.0
        (7, 20, 0.18119182, 0.56714572),
        (0, 20, 0.0, 0.16112516),
        (49, 50, 0.89504556, 0.99646074),
        (0, 0, 0.0, 1.0),
    ],
)
def test_it_gives_wilsons_interval(hits: int, n: int, low: float, high: float) -> None:
    assert ends(wilson(hits, n)) == pytest.approx((low, high), abs=1e-7)


@pytest.mark.parametrize(
    ("freedom", "quantile", "within"),
    [
        # scipy.stats.t.ppf(0.975, freedom), 1.17.1
        (1, 12.706205, 1e-6),
        (2, 4.302653, 1e-6),
        (3, 3.182446, 1e-2),
        (6, 2.446912, 5e-4),
        (19, 2.093024, 1e-5),
        (39, 2.022691, 1e-5),
    ],
)
def test_it_knows_students_quantiles(freedom: int, quantile: float, within: float) -> None:
    assert student(freedom) == pytest.approx(quantile, abs=within)


def test_it_gives_no_estimate_from_too_few() -> None:
    assert figure(0.5, wilson(5, 10), 10, 11) == NotEnough(n=10, needed=11)
    assert isinstance(figure(0.5, wilson(5, 10), 10, 10), Estimate)


def test_it_counts_one_call_per_debate_as_wilson_does() -> None:
    clusters = [Cluster(float(number < 7)) for number in range(20)]
    assert share(clusters) == 0.35
    assert ends(clustered(clusters)) == pytest.approx(ends(wilson(7, 20)))


def test_it_takes_copies_of_a_call_for_hardly_more_than_the_call() -> None:
    once = clustered([Cluster(float(number < 30)) for number in range(100)])
    copied = clustered([Cluster(6.0 * (number < 30), 6) for number in range(100)])
    assert ends(copied) == pytest.approx(ends(once), abs=0.003)
    assert copied.low <= once.low < once.high <= copied.high


def test_it_never_takes_calls_for_more_than_they_are() -> None:
    split = [Cluster(1, 2) for _ in range(100)]
    assert clustered(split).high - clustered(split).low >= 0.13
    # Eighteen calls about one debate are one, with a t of one degree: t² / (1 + t²).
    assert ends(clustered([Cluster(0, 18)])) == pytest.approx((0.0, 0.993847), abs=1e-5)


def test_it_claims_no_certainty_where_both_orders_cancel_each_other() -> None:
    low, high = ends(balanced([0.5] * 20))
    assert 0.4 < low < 0.47
    assert high == pytest.approx(1 - low)
    assert ends(balanced([])) == (0.0, 1.0)
    assert balanced([1.0] * 20).low > 0.8


def rows() -> list[Row]:
    found = []
    for debate in range(12):
        for vote in range(2 + debate % 3):
            one = ((debate * 7) % 11 - 5) / 4 * (1 if vote % 2 == 0 else -1)
            is_for = (debate * 5 + vote * 3) % 7 < 3 + (one > 0)
            found.append(Row(str(debate), is_for, one, 1.0))
    return found


def test_it_fits_as_statsmodels_does() -> None:
    # sm.Logit(is_for, column_stack([one, two])).fit(tol=1e-12, cov_type="cluster",
    #     cov_kwds={"groups": cluster}), its params and bse; statsmodels 0.15.0
    fit = logistic(rows())
    assert isinstance(fit, Fit)
    assert (fit.one, fit.two) == pytest.approx((1.205011766828, -0.294675284361), abs=1e-8)
    assert (fit.error_one, fit.error_two) == pytest.approx((0.578859498, 0.277838408), abs=1e-8)
    assert fit.clusters == 12


def test_it_finds_the_logarithm_of_the_odds_in_a_table_of_two_by_two() -> None:
    # Closed form: the odds are 3 to 1 without, and 1 to 3 with.
    votes = [(True, 0.0)] * 3 + [(False, 0.0)] + [(True, 1.0)] + [(False, 1.0)] * 3
    fit = logistic([Row(str(at), yes, one, 1.0) for at, (yes, one) in enumerate(votes)])
    assert isinstance(fit, Fit)
    assert (fit.one, fit.two) == pytest.approx((-2.1972245773, 1.0986122887))


@pytest.mark.parametrize(
    "data",
    [
        [],
        [Row("a", True, 1.0, 1.0), Row("b", False, -1.0, 1.0)],
        [Row(str(at), at % 2 == 0, 0.0, 1.0) for at in range(50)],
        [Row(str(at), at >= 25, at - 24.5, 1.0) for at in range(50)],
        [Row(str(at), True, float(at), 1.0) for at in range(50)],
        [Row(str(at), at >= 25, float(max(at, 25) - 25), 1.0) for at in range(50)],
    ],
    ids=["nothing", "two debates", "one length", "separated", "one answer", "nearly separated"],
)
def test_it_says_where_no_slope_can_be_estimated(data: list[Row]) -> None:
    assert isinstance(logistic(data), Inestimable)


ROW = st.builds(
    Row, st.sampled_from("abcdefgh"), st.booleans(), st.floats(-9, 9), st.sampled_from([0.0, 1.0])
)


@settings(max_examples=100)
@given(st.lists(ROW, max_size=30))
def test_it_fits_anything_or_says_that_it_cannot(data: list[Row]) -> None:
    assert isinstance(logistic(data), Fit | Inestimable)


def test_it_draws_the_same_from_the_same_seed() -> None:
    values = [number / 40 for number in range(40)]
    assert bootstrap(values, mean, seed=3) == bootstrap(values, mean, seed=3)
    assert bootstrap(values, mean, seed=3) != bootstrap(values, mean, seed=4)


def test_it_draws_an_interval_for_a_mean_as_students_is() -> None:
    draw = Random(5)  # noqa: S311 - the same values in every run
    values = [draw.gauss(0, 1) for _ in range(40)]
    low, high = ends(bootstrap(values, mean, seed=1, draws=5000))
    # scipy.stats.t.interval(0.95, 39, values.mean(), scipy.stats.sem(values)), 1.17.1
    assert (low, high) == pytest.approx((-0.40943, 0.35474), abs=0.03)


def test_it_draws_no_interval_from_what_does_not_vary() -> None:
    assert bootstrap([], mean, seed=1) is None
    assert bootstrap([0.5], mean, seed=1) is None
    assert bootstrap([0.5] * 30, mean, seed=1) is None
    assert bootstrap([1.0, 2.0], lambda _drawn: None, seed=1) is None


def test_it_correlates_errors_by_pairs() -> None:
    # numpy.corrcoef(errors, rowvar=False): 0.57735 for the first two, and nan for the third.
    errors = [(1.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)]
    rho = correlation([moments(one) for one in errors], 3)
    assert rho == pytest.approx(0.57735027)
    assert correlation([moments((0.0, 1.0))] * 5, 2) is None
    assert correlation([], 3) is None


def test_it_counts_judges_who_err_together_as_one() -> None:
    assert effective(3, 1.0) == 1.0
    assert effective(3, 0.0) == effective(3, -0.4) == 3.0
    assert effective(9, 0.4375) == 2.0
    assert effective(1, 0.7) == 1.0
