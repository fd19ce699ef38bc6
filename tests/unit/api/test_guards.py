"""The guards' own parts: depth, rates, metrics."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from tests.unit.api.serving import serving

from moot.api import ApiLimits
from moot.api.guards import rates
from moot.api.guards.rates import RateLimit
from moot.engine.counting import Counts
from moot.engine.shapes import shape_of
from moot.errors import StoreUnavailable
from moot.protocol.events import AttemptFailed, Recorded
from moot.protocol.words import Status
from moot.testing.clock import FakeClock

JSON = st.recursive(
    st.none() | st.text(max_size=8) | st.sampled_from(['"[', "\\", '\\"[{', "]}"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=20,
)


def _depth(value: object) -> int:
    match value:
        case list():
            return 1 + max(map(_depth, value), default=0)
        case dict():
            return 1 + max(map(_depth, value.values()), default=0)
        case _:
            return 0


@settings(max_examples=200)
@given(JSON)
def test_measures_the_depth_of_json_and_not_of_texts_in_it(value: object) -> None:
    body = json.dumps(value).encode()
    assert shape_of(body, 1000, 1000)[0] == _depth(value)


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 200_000,
        b"[]" * 100_000,
        b'"' * 200_000,
        b'"' + b'\\"' * 99_999,
        b"\\" * 200_000,
    ],
)
def test_takes_linear_time_whatever_it_is_given(body: bytes) -> None:
    began = time.process_time()
    assert (shape_of(body, 50, 10**7)[0] > 50) == body.startswith(b"[[")
    assert (
        time.process_time() - began < 10
    )  # it takes a tenth of a second; quadratic would be an hour


def test_a_client_may_go_on_when_its_minute_is_over() -> None:
    clock = FakeClock(is_patient=True)
    limit = RateLimit(2, clock.monotonic)
    assert [limit.wait_s("ada") for _ in range(3)] == [0, 0, 60]
    assert limit.wait_s("bob") == 0
    clock.advance(59.5)
    assert limit.wait_s("ada") == 1
    clock.advance(0.5)
    assert limit.wait_s("ada") == 0


def test_remembers_a_bounded_number_of_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "MOST_CLIENTS", 3)
    limit = RateLimit(1, FakeClock().monotonic)
    for number in range(10):
        limit.wait_s(str(number))
    assert len(limit._seen) == 3


async def test_creating_is_limited_and_says_for_how_long(tmp_path: Path) -> None:
    limits = ApiLimits(creations_per_minute=2)
    async with serving(tmp_path, worker=False, limits=limits) as on:
        await on.create()
        await on.create()
        answer = await on.client.post("/api/debates", json={"topic": "T"})
        assert answer.status_code == 429
        assert 0 < int(answer.headers["retry-after"]) <= 60
        assert len((await on.get("/api/debates"))["items"]) == 2


async def test_metrics_count_debates_and_survive_a_database_that_does_not(tmp_path: Path) -> None:
    async def count() -> Mapping[Status, int]:
        return {Status.RUNNING: 3}

    async def fail() -> Mapping[Status, int]:
        raise StoreUnavailable("full")

    async with serving(tmp_path, worker=False, count_debates=count) as on:
        lines = (await on.client.get("/metrics")).text.splitlines()
        assert 'moot_debates{status="running"} 3' in lines
        assert 'moot_debates{status="canceled"} 0' in lines
        on.open(count_debates=fail)
        page = await on.client.get("/metrics")
        assert page.status_code == 200
        assert "moot_debates" not in page.text


async def test_metrics_tell_what_waits_and_what_is_in_quarantine(tmp_path: Path) -> None:
    async def count() -> int:
        return 2

    async def fail() -> int:
        raise StoreUnavailable("full")

    counts = Counts()
    failed = AttemptFailed(attempt_of="a", attempt=1, code="rate_limited", error="x", retry_in_s=1)
    counts.count([Recorded(1, datetime.now(UTC), failed)])
    async with serving(
        tmp_path,
        worker=False,
        counts=lambda: counts,
        waiting=lambda: 7,
        held=lambda: {"openai": 1.5},
        count_quarantined=count,
    ) as on:
        lines = (await on.client.get("/metrics")).text.splitlines()
        assert "moot_waiting 7" in lines
        assert "moot_quarantined 2" in lines
        assert "moot_quarantine_deaths_total 0" in lines
        assert "moot_retries_total 1" in lines
        assert "moot_holds_total 1" in lines
        assert 'moot_provider_held_seconds{provider="openai"} 1.5' in lines
        on.open(count_quarantined=fail)
        assert "moot_quarantined" not in (await on.client.get("/metrics")).text
