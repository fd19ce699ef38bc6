"""What follows from ballots: the same certificate from the same ballots, and never too much."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from hypothesis import given, settings, strategies as st

from moot.protocol.hearing.certificate import (
    TIE,
    Ballot,
    CertificateStatus as Status,
    Finding,
    certify,
    due,
)
from moot.protocol.hearing.plan import Order, Plan, Slot

ADA, BOB = "ada", "bob"
Vote = Callable[[Slot], str | None]


def bench(judges: int = 3, **changes: object) -> Plan:
    return Plan(judges=tuple(f"j{number}" for number in range(judges)), **changes)  # type: ignore[arg-type]


def heard(plan: Plan, vote: Vote) -> tuple[Finding, list[Ballot]]:
    cast: list[Ballot] = []
    while slots := due(plan, cast):
        assert certify(plan, cast).status is Status.OPEN
        cast += [Ballot(slot=one, winner=vote(one)) for one in slots]
    return certify(plan, cast), cast


def test_it_is_stable_after_one_look_if_all_are_of_one_mind() -> None:
    found, cast = heard(bench(), lambda _slot: ADA)
    assert (found.status, found.winner, found.votes, found.ballots) == (Status.STABLE, ADA, 6, 6)
    assert len(cast) == 6
    assert found.by_chance == 2 / 64
    assert [one.is_for for one in found.judges] == [ADA] * 3


def test_it_certifies_nobody_by_the_name_they_have() -> None:
    found, cast = heard(bench(), lambda slot: ADA if slot.order is Order.ONE else BOB)
    assert (found.status, found.winner, len(cast)) == (Status.CONTESTED, None, 6)


def test_it_looks_twice_where_one_ballot_of_six_disagrees() -> None:
    slips = {("j0", Order.ONE, 1)}
    found, cast = heard(
        bench(), lambda slot: BOB if (slot.judge, slot.order, slot.repeat) in slips else ADA
    )
    assert (found.status, found.look, found.votes, found.ballots) == (Status.STABLE, 2, 17, 18)
    assert len(cast) == 18


def test_it_is_contested_where_a_judge_is_against_it_every_time() -> None:
    found, _ = heard(bench(5), lambda slot: BOB if slot.judge == "j0" else ADA)
    assert found.status is Status.CONTESTED
    assert found.counts == {ADA: 24, BOB: 6}
    assert [one.is_for for one in found.judges] == [BOB, ADA, ADA, ADA, ADA]


def test_it_is_a_tie_only_if_most_call_it_even_in_both_orders() -> None:
    found, _ = heard(bench(), lambda _slot: TIE)
    assert found.status is Status.TIE
    found, _ = heard(bench(), lambda slot: TIE if slot.order is Order.ONE else ADA)
    assert found.status is Status.CONTESTED


def test_it_is_unreadable_if_fewer_than_two_thirds_could_be_read() -> None:
    found, _ = heard(bench(), lambda slot: None if slot.judge != "j0" else ADA)
    assert (found.status, found.winner) == (Status.UNREADABLE, None)


def test_it_is_insufficient_where_nothing_could_be_enough() -> None:
    for plan in (bench(1), bench(9, orders=(Order.ONE,))):
        found, _ = heard(plan, lambda _slot: ADA)
        assert (found.status, found.winner) == (Status.INSUFFICIENT, None)


def test_it_certifies_few_debates_that_are_judged_by_coin_flips() -> None:
    draw = Random(7)  # noqa: S311 - the same coins in every run
    found = [heard(bench(), lambda _slot: draw.choice((ADA, BOB)))[0] for _ in range(2000)]
    assert sum(one.status is Status.STABLE for one in found) <= 100


VOTES = st.lists(st.sampled_from([ADA, BOB, TIE, None, "cy"]), min_size=54, max_size=54)


@settings(max_examples=100)
@given(VOTES, st.integers(1, 4), st.integers(0, 2), st.randoms(use_true_random=False))
def test_it_is_the_same_for_the_same_ballots_in_any_order(
    votes: list[str | None], judges: int, repeats: int, draw: Random
) -> None:
    left = iter(votes)
    plan = bench(judges, repeats=repeats)
    found, cast = heard(plan, lambda _slot: next(left))
    draw.shuffle(cast)
    assert certify(plan, cast) == found
    assert due(plan, cast) == ()
    assert (found.winner is not None) is (found.status is Status.STABLE)
    if found.winner is not None:
        assert found.needed is not None
        assert found.votes >= found.needed
