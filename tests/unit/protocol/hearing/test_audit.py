"""What all the ballots of a judge say of it, what labels say of a bench, and when nothing does."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import msgspec
import pytest
from benchmarks.verdicts.planted import Planted, audit_votes
from hypothesis import given, settings, strategies as st

from moot.protocol.hearing.audit import JudgeAudit, Labelled, Vote, audit, audits, right, told
from moot.protocol.hearing.certificate import TIE
from moot.protocol.hearing.plan import Order
from moot.protocol.hearing.statistics import (
    Estimate,
    Figure,
    Inestimable,
    NotEnough,
    wilson,
)

ADA, BOB = "ada", "bob"
FIRST = {Order.ONE: ADA, Order.TWO: BOB}
Says = Callable[[int, Order, int], str | None]


def cast(debates: int, says: Says, repeats: int = 1, **changes: object) -> list[Vote]:
    """The votes of judge `j`, unless `changes` have another."""
    given = {"judge": "j", "words": {ADA: 200, BOB: 100}} | changes
    return [
        Vote(
            debate=f"d{number:03}",
            order=order,
            repeat=repeat,
            winner=says(number, order, repeat),
            first=FIRST[order],
            **given,  # type: ignore[arg-type]
        )
        for number in range(debates)
        for order in Order
        for repeat in range(1, repeats + 1)
    ]


def estimate(figure: Figure) -> Estimate:
    assert isinstance(figure, Estimate)
    assert figure.low <= figure.value <= figure.high
    return figure


def of(votes: list[Vote], labels: dict[str, str] | None = None) -> JudgeAudit:
    return audit("j", votes, labels or {}, seed=1)


def test_it_counts_a_debate_as_flipped_where_the_other_order_says_something_else() -> None:
    found = of(cast(20, lambda number, order, _: FIRST[order] if number < 5 else ADA))
    flips = estimate(found.order_flips)
    assert (flips.value, flips.n, flips.needed) == (0.25, 20, 20)
    assert (flips.low, flips.high) == (wilson(5, 20).low, wilson(5, 20).high)
    # Five debates of twenty go to X both times, and the others once.
    assert estimate(found.leaning).value == (5 + 15 / 2) / 20


def test_it_counts_a_debate_once_however_often_it_was_asked_about() -> None:
    often = cast(1, lambda _number, order, _: FIRST[order], repeats=9)
    once = [
        msgspec.structs.replace(vote, debate=f"e{vote.debate}") for vote in cast(19, lambda *_: BOB)
    ]
    assert estimate(of(often + once).order_flips).value == pytest.approx(1 / 20)


def test_it_counts_repeats_that_differ() -> None:
    votes = cast(20, lambda number, _, repeat: BOB if (number, repeat) == (0, 3) else ADA, 3)
    # In one debate of twenty, two of three pairs in each order.
    assert estimate(of(votes).repeat_flips).value == pytest.approx(2 / 3 / 20)
    assert of(cast(20, lambda *_: ADA)).repeat_flips == NotEnough(n=0, needed=20)


def test_it_counts_calls_that_gave_no_ballot_and_echoes() -> None:
    votes = cast(10, lambda number, *_: None if number < 2 else ADA, is_echo=True)
    found = of(votes)
    assert (estimate(found.unreadable).value, estimate(found.unreadable).n) == (0.2, 20)
    assert estimate(found.echoes).value == 1.0
    assert estimate(found.echoes).low < 0.8


@pytest.mark.parametrize(
    ("name", "least"),
    [("order_flips", 20), ("leaning", 20), ("goes_with_length", 40), ("own_family", 30)],
)
def test_it_says_not_enough_below_the_least_number_of_debates(name: str, least: int) -> None:
    draw = Random(3)  # noqa: S311 - the same judges in every run
    votes = list(audit_votes(draw, Planted(unreadable=0), least))
    few = [vote for vote in votes if vote.debate != "0"]
    assert getattr(audit("planted", few, {}, 1), name) == NotEnough(n=least - 1, needed=least)
    assert estimate(getattr(audit("planted", votes, {}, 1), name)).n == least


def test_it_says_not_enough_calls_or_labels() -> None:
    votes = cast(4, lambda *_: ADA)
    assert of(votes).unreadable == of(votes).echoes == NotEnough(n=8, needed=10)
    labels = {vote.debate: ADA for vote in votes}
    assert of(votes, labels).agreement == NotEnough(n=4, needed=20)


def test_it_agrees_with_people_where_most_ballots_do() -> None:
    odd = {(0, Order.TWO): BOB, (1, Order.ONE): None, (1, Order.TWO): None, (2, Order.ONE): TIE}
    votes = cast(30, lambda number, order, _: odd.get((number, order), ADA))
    labels = {f"d{number:03}": ADA for number in range(25)} | {"elsewhere": ADA}
    found = estimate(of(votes, labels).agreement)
    # The one that could not be read says nothing; one of two is not most.
    assert (found.value, found.n) == (22 / 24, 24)
    assert (found.low, found.high) == (wilson(22, 24).low, wilson(22, 24).high)


def test_it_compares_kin_with_judges_who_have_none_in_the_debate() -> None:
    mine = cast(30, lambda *_: ADA, kin=ADA)
    plain = cast(30, lambda number, *_: ADA if number % 3 else BOB, judge="plain")
    rival = cast(30, lambda *_: BOB, judge="rival", kin=BOB)
    cousin = cast(30, lambda *_: ADA, judge="cousin", kin=ADA)
    found = estimate(of([*mine, *plain, *rival, *cousin]).own_family)
    assert found.value == pytest.approx(1 / 3)
    assert 0.1 < found.low < found.high < 0.55
    assert of([*mine, *rival]).own_family == NotEnough(n=0, needed=30)


def test_it_claims_nothing_of_kin_who_vote_as_the_others_do_each_time() -> None:
    votes = cast(30, lambda *_: ADA, kin=ADA) + cast(30, lambda *_: ADA, judge="plain")
    assert isinstance(of(votes).own_family, Inestimable)


def test_it_claims_no_slope_where_all_debates_have_one_ratio_of_words() -> None:
    draw = Random(1)  # noqa: S311 - the same votes in every run
    votes = cast(40, lambda *_: draw.choice((ADA, BOB)), words={ADA: 9, BOB: 9})
    assert isinstance(of(votes).goes_with_length, Inestimable)


@pytest.mark.parametrize(
    ("says", "changes"),
    [
        (lambda *_: TIE, {}),
        (lambda *_: None, {}),
        (lambda *_: ADA, {"words": {ADA: 0, BOB: 0}}),
        (lambda *_: ADA, {"words": {}}),
        (lambda *_: ADA, {"words": {"cy": 1, "di": 2}}),
        (lambda *_: "nobody", {"kin": "nobody"}),
    ],
    ids=["ties", "unreadable", "no words", "no sides", "other sides", "strangers"],
)
@pytest.mark.parametrize("debates", [0, 1, 50])
def test_it_gives_values_for_whatever_was_cast(
    says: Says, changes: dict[str, object], debates: int
) -> None:
    votes = cast(debates, says, 2, **changes)
    found = of(votes, {vote.debate: ADA for vote in votes})
    assert msgspec.json.decode(msgspec.json.encode(found), type=JudgeAudit) == found
    assert isinstance(found.goes_with_length, NotEnough | Inestimable)


WINNERS = st.lists(st.sampled_from([ADA, BOB, TIE, None]), min_size=60, max_size=60)


@settings(max_examples=20)
@given(WINNERS, st.randoms(use_true_random=False))
def test_it_is_the_same_for_the_same_ballots_in_any_order(
    winners: list[str | None], draw: Random
) -> None:
    votes = cast(30, lambda number, order, _: winners[2 * number + (order is Order.TWO)], kin=ADA)
    votes += cast(30, lambda number, *_: winners[number], judge="other")
    found = audits(votes, {}, seed=1)
    draw.shuffle(votes)
    assert audits(votes, {}, seed=1) == found
    assert [one.judge for one in found] == ["j", "other"]


# --- whether a bench is right: unknown, until people have labelled enough -------------------------


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
