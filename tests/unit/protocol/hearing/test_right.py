"""Whether a bench is right: unknown, until people have labelled enough."""

from __future__ import annotations

from random import Random

import pytest

from moot.protocol.hearing.certificate import TIE
from moot.protocol.hearing.right import Labelled, right, told
from moot.protocol.hearing.statistics import Estimate, Inestimable, NotEnough, wilson

ADA, BOB = "ada", "bob"


def labelled(number: int, winner: str | None, *votes: str | None, label: str = ADA) -> Labelled:
    by_judge = {f"j{judge}": vote for judge, vote in enumerate(votes)}
    return Labelled(debate=f"d{number:03}", label=label, winner=winner, votes=by_judge)


def test_it_is_unknown_before_twenty_stable_debates_are_labelled() -> None:
    unstable = [labelled(number, None) for number in range(40)]
    found = right([labelled(number, ADA) for number in range(40, 47)] + unstable, seed=1)
    assert found.share == NotEnough(n=7, needed=20)
    assert (found.agree, found.stable, found.labelled) == (7, 7, 47)
    assert told(found) == "unknown, 7 of 20 labelled"


def test_it_says_how_many_agree_from_twenty_on() -> None:
    found = right([labelled(number, BOB if number < 3 else ADA) for number in range(20)], seed=1)
    assert isinstance(found.share, Estimate)
    interval = wilson(17, 20)
    assert (found.share.value, found.share.low) == (0.85, interval.low)
    assert told(found) == "17 of 20 labelled debates agree; of all such debates, 0.64 to 0.95 would"


def test_it_does_not_agree_with_a_label_that_says_tie() -> None:
    assert right([labelled(1, ADA, label=TIE)], seed=1).agree == 0


def bench(debates: int, shared: float, seed: int = 2) -> list[Labelled]:
    """Three judges who are wrong three times in ten, together in a share `shared` of debates."""
    draw = Random(seed)  # noqa: S311 - the same judges in every run
    found = []
    for number in range(debates):
        one, is_shared = draw.random(), draw.random() < shared
        draws = [one if is_shared else draw.random() for _ in range(3)]
        found.append(labelled(number, None, *(BOB if each < 0.3 else ADA for each in draws)))
    return found


def test_it_says_what_the_votes_are_worth_from_fifty_labels_on() -> None:
    assert right(bench(49, 0.5), seed=1).effective_votes == NotEnough(n=49, needed=50)
    found = right(bench(50, 0.5), seed=1).effective_votes
    assert isinstance(found, Estimate)
    assert 1 <= found.low < found.value < found.high <= 3


def test_it_tells_what_the_votes_are_worth_once_that_is_known() -> None:
    stable = [labelled(number, ADA, ADA, ADA, ADA) for number in range(20)]
    assert "independent" not in told(right(stable, seed=1))
    assert "Its judges are worth 1." in told(right([*stable, *bench(60, 0.5)], seed=1))


@pytest.mark.parametrize(("shared", "worth"), [(0.0, 3.0), (0.25, 2.0), (0.5, 1.5)])
def test_it_finds_what_the_votes_are_worth(shared: float, worth: float) -> None:
    # Errors that are shared in a share of debates correlate by just that share.
    found = right(bench(500, shared), seed=1).effective_votes
    assert isinstance(found, Estimate)
    # Three standard errors of the correlation, 0.08, move three independent votes by 0.4.
    assert found.value == pytest.approx(worth, abs=0.4)
    assert found.low <= worth <= found.high


def test_it_claims_nothing_of_judges_who_err_together_each_time() -> None:
    assert isinstance(right(bench(60, 1.0), seed=1).effective_votes, Inestimable)


def test_it_gives_values_for_one_judge_none_or_judges_who_are_never_wrong() -> None:
    alone = right([labelled(number, None, ADA) for number in range(50)], seed=1).effective_votes
    assert isinstance(alone, Estimate)
    assert (alone.low, alone.value, alone.high) == (1, 1, 1)
    for votes in ((), (ADA, ADA), (TIE, None), (BOB, BOB)):
        found = right([labelled(number, None, *votes) for number in range(50)], seed=1)
        assert isinstance(found.effective_votes, Inestimable)
    assert right([], seed=1).share == NotEnough(n=0, needed=20)


def test_it_is_the_same_for_the_same_debates_in_any_order() -> None:
    debates = bench(60, 0.5)
    assert right(debates[::-1], seed=1) == right(debates, seed=1)
