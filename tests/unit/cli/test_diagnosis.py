"""What `moot doctor ID` says of a debate, whatever keeps it from moving."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import pytest
from tests.unit.cli.duels import START, Duel

from moot.cli.diagnosis import Facts, findings
from moot.protocol import events as e
from moot.protocol.words import StepKind, StopReason
from moot.store.port import SUSPECT_AFTER, Custody, WorkerId
from moot.store.rows import CRASH_LOOP
from moot.store.worker_identity import this_worker

NOW = START + timedelta(minutes=3)
ELSEWHERE = WorkerId(id="w", machine="host-7/boot/ns", pid=42, started="then")
DEAD = msgspec.structs.replace(this_worker(), started="another time")


def said_of(*events: e.AnyEvent, **known: Any) -> str:
    """All findings on a duel with these events, in one text."""
    duel = Duel()
    for event in events:
        duel.append(event)
    facts = {"custody": Custody(), "last_at": NOW - timedelta(seconds=95), "now": NOW, **known}
    found = findings(Facts(id="k3f2", state=duel.state, **facts))
    assert all(one.what.endswith(".") for one in found)
    return "\n".join(f"{one.what} -> {one.do}" for one in found)


def held(by: WorkerId, **known: Any) -> Custody:
    return Custody(**{"holder": by, "is_current": True, "since": START, **known})


STARTED = e.DebateStarted()
QUESTION = e.QuestionOpened(
    question_id="s/1/ada/plan", participant="ada", kind=StepKind.PLAN, stage="s", round=1, text="?"
)
FAILED_TRY = e.AttemptFailed(
    attempt_of="planning/1/ada/plan",
    attempt=1,
    code="model_unavailable",
    error="test: 503",
    participant="ada",
    model="test:a",
    retry_in_s=3600.0,
)


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([], ("not started", "moot start k3f2")),
        (
            [STARTED, QUESTION, e.DebateSuspended()],
            ("is waiting for Ada", "moot answer k3f2 s/1/ada/plan"),
        ),
        ([STARTED, e.StopRequested(), e.DebateStopped()], ("It was stopped", "moot resume k3f2")),
        (
            [STARTED, e.DebateFailed(error="no credit", code="quota")],
            ("no credit (quota)", "moot retry k3f2"),
        ),
        (
            [STARTED, e.DebateFailed(error="they died", code=CRASH_LOOP)],
            ("they died (crash_loop)", "memory", "separate process"),
        ),
        ([e.DebateCanceled()], ("over: canceled", "moot show k3f2")),
    ],
)
def test_says_where_it_stands_and_what_to_do(
    events: list[e.AnyEvent], words: tuple[str, ...]
) -> None:
    said = said_of(*events)
    assert all(word in said for word in words), said


def test_says_that_nobody_is_there_to_run_it() -> None:
    said = said_of(STARTED)
    assert "there is no server or worker that could" in said
    assert "moot resume k3f2" in said


def test_says_that_it_waits_to_be_taken() -> None:
    said = said_of(STARTED, workers=2, unheld=117)
    assert "No worker has taken it yet" in said
    assert "117" in said
    assert "--concurrency" in said


def test_says_who_has_it_and_that_it_lives_and_what_is_asked() -> None:
    said = said_of(STARTED, custody=held(this_worker()), workers=1)
    assert f"Process {this_worker().pid}" in said
    assert "and is alive" in said
    assert "Ada is planning" in said
    assert "1 min 35 s ago" in said


def test_claims_no_life_that_cannot_be_seen() -> None:
    said = said_of(STARTED, custody=held(ELSEWHERE))
    assert "on host-7" in said
    assert "lives" not in said


@pytest.mark.parametrize(
    ("custody", "why"),
    [(held(DEAD), "is gone"), (held(ELSEWHERE, is_current=False), "lease has expired")],
)
def test_says_that_its_holder_is_gone(custody: Custody, why: str) -> None:
    assert why in said_of(STARTED, custody=custody, workers=1)
    assert "takes over" in said_of(STARTED, custody=custody, workers=1)
    assert "moot resume k3f2" in said_of(STARTED, custody=custody, workers=0)
    assert "a call may take" not in said_of(STARTED, custody=custody, workers=0)


def test_tells_of_the_quarantine() -> None:
    custody = held(this_worker(), deaths=SUSPECT_AFTER + 2, next_try_at=NOW + timedelta(seconds=4))
    said = said_of(STARTED, custody=custody)
    assert "in quarantine" in said
    assert "2 of those have died; after 5" in said
    assert f"next try is at {custody.next_try_at.astimezone():%H:%M:%S}" in said  # type: ignore[union-attr]
    now = msgspec.structs.replace(custody, next_try_at=START)
    assert "being tried now" in said_of(STARTED, custody=now)
    assert "quarantine" not in said_of(STARTED, custody=held(this_worker(), deaths=2))


def test_tells_which_provider_it_waits_for() -> None:
    said = said_of(STARTED, FAILED_TRY, custody=held(this_worker()))
    assert "Ada needs a provider: test is not answering (503)" in said
    assert "next try in" in said
    assert "moot models test test:a" in said
    assert "is planning" not in said
    assert "needs a provider" not in said_of(STARTED, FAILED_TRY)


def test_tells_of_limits_stops_and_a_full_disk() -> None:
    reached = e.LimitReached(limit=StopReason.MAX_COST, observed=2.5)
    said = said_of(STARTED, reached, e.StopRequested(), custody=held(this_worker()), free_mb=3)
    assert "max_cost_usd is reached (2.5)" in said
    assert "It will stop" in said
    assert "moot cancel k3f2" in said
    assert "3 MB left" in said
    assert "MB left" not in said_of(STARTED, free_mb=5000)
