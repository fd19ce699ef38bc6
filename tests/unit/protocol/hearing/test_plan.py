"""Which ballots are cast, and how many of them a winner needs."""

from __future__ import annotations

import pytest

from moot.protocol.hearing.plan import Order, Plan, boundary, chance


def bench(judges: int, **changes: object) -> Plan:
    return Plan(judges=tuple(f"j{number}" for number in range(judges)), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("judges", "looks"),
    [
        (1, [(2, None), (6, None)]),
        (2, [(4, None), (12, 11)]),
        (3, [(6, 6), (18, 15)]),
        (5, [(10, 9), (30, 23)]),
    ],
)
def test_it_needs_as_many_votes_as_coin_flips_hardly_reach(
    judges: int, looks: list[tuple[int, int | None]]
) -> None:
    plan = bench(judges)
    assert [(plan.ballots(one), plan.boundary(one)) for one in plan.looks] == looks
    assert plan.can_certify is (judges > 1)


def test_it_certifies_nothing_in_one_order_only() -> None:
    assert not bench(9, orders=(Order.ONE,)).can_certify


def test_it_knows_how_often_coin_flips_agree() -> None:
    assert chance(6, 6) == pytest.approx(2 / 64)
    assert chance(15, 18) == pytest.approx(2 * (816 + 153 + 18 + 1) / 2**18)
    assert chance(3, 6) == chance(0, 6) == 1.0


def test_it_keeps_both_looks_together_below_five_in_a_hundred() -> None:
    for judges in range(1, 10):
        plan = bench(judges)
        needed = [(plan.boundary(one), plan.ballots(one)) for one in plan.looks]
        assert sum(chance(votes, of) for votes, of in needed if votes is not None) <= 0.05


def test_it_finds_no_boundary_that_one_vote_less_would_meet() -> None:
    for ballots in range(1, 60):
        for level in (0.015, 0.035, 0.05):
            votes = boundary(ballots, level)
            if votes is None:
                assert chance(ballots, ballots) > level
            else:
                assert chance(votes, ballots) <= level < chance(votes - 1, ballots)


def test_it_asks_every_judge_in_both_orders_first_and_twice_more_if_need_be() -> None:
    plan = bench(2)
    first, second = (list(plan.slots(look)) for look in plan.looks)
    assert [one.key for one in first] == [
        "1/j0/one/1/vote",
        "1/j0/two/1/vote",
        "1/j1/one/1/vote",
        "1/j1/two/1/vote",
    ]
    assert {one.repeat for one in second} == {2, 3}
    assert len({one.key for one in (*first, *second)}) == plan.ballots(plan.looks[1])


def test_it_gives_up_where_the_leader_has_no_more_than_two_thirds() -> None:
    plan = bench(3)
    assert plan.is_futile(plan.looks[0], 4)
    assert not plan.is_futile(plan.looks[0], 5)
