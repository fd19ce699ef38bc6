"""Limits are facts in the log before they decide anything."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.protocol.playing import NOON, SECOND, duel
from tests.unit.protocol.test_state import apply, turn

from moot.protocol import events as e
from moot.protocol.limits import LIMITS, newly_reached
from moot.protocol.log import begin
from moot.protocol.settings import Limits
from moot.protocol.state import DebateState
from moot.protocol.values import Usage
from moot.protocol.words import StopReason


def running(usage: Usage | None = None, **settings: Any) -> DebateState:
    state = begin(e.Recorded(1, NOON, e.DebateCreated(config=duel(**settings))))
    apply(state, e.DebateStarted())
    if usage:
        apply(state, turn(usage=usage))
    return state


def reached(state: DebateState, seconds: int = 0) -> list[tuple[StopReason, float]]:
    now = NOON + SECOND + SECOND * seconds
    return [(one.limit, one.observed) for one in newly_reached(state, now)]


def test_it_has_a_setting_for_every_limit() -> None:
    assert sorted(LIMITS.values()) == sorted(Limits.__struct_fields__)


@pytest.mark.parametrize(
    ("settings", "below", "at", "expected"),
    [
        (
            {"max_total_output_tokens": 10},
            Usage(output_tokens=9, input_tokens=99),
            Usage(output_tokens=10),
            (StopReason.MAX_TOKENS, 10),
        ),
        (
            {"max_cost_usd": 0.5},
            Usage(cost_usd=0.49),
            Usage(cost_usd=0.5),
            (StopReason.MAX_COST, 0.5),
        ),
    ],
)
def test_it_is_met_at_the_bound_and_not_below(
    settings: dict[str, float], below: Usage, at: Usage, expected: tuple[StopReason, float]
) -> None:
    assert reached(running(below, **settings)) == []
    assert reached(running(at, **settings)) == [expected]


def test_it_measures_running_time_by_the_given_clock() -> None:
    state = running(max_runtime_seconds=10)
    assert reached(state, 9) == []
    assert reached(state, 10) == [(StopReason.MAX_RUNTIME, 10)]


def test_it_counts_failed_attempts_too() -> None:
    state = running(max_total_output_tokens=10)
    failed = e.AttemptFailed(
        attempt_of="k", attempt=1, code="c", error="x", usage=Usage(output_tokens=10)
    )
    apply(state, failed)
    assert reached(state) == [(StopReason.MAX_TOKENS, 10)]


def test_it_is_noted_once() -> None:
    state = running(Usage(output_tokens=10), max_total_output_tokens=10)
    (limit,) = newly_reached(state, NOON)
    apply(state, limit)
    assert reached(state) == []


def test_it_never_takes_an_unknown_price_for_money_spent() -> None:
    assert reached(running(Usage(output_tokens=10**6), max_cost_usd=0.01)) == []


def test_it_means_no_limit_when_there_is_none() -> None:
    assert reached(running(Usage(output_tokens=10**9, cost_usd=1e9)), 10**9) == []
