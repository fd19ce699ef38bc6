"""What is waited for, made of nothing but the log."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from tests.unit.protocol.rooms import Talking

from moot.protocol import events as e
from moot.protocol.timeline import OVER, Wait
from moot.protocol.words import USER, Pacing, StopReason


def failing(talk: Talking, **fields: Any) -> Wait | None:
    step = talk.ready()[0]
    given: dict[str, Any] = {
        "attempt_of": step.key,
        "attempt": 1,
        "code": "model_unavailable",
        "error": "openai: no connection: refused",
        "participant": step.participant,
        "model": "openai:gpt-6",
        "retry_in_s": 8.0,
    }
    talk.append(e.AttemptFailed(**given | fields))
    return talk.state.waits.get(step.key)


def test_a_wait_begins_with_the_first_failed_try_and_tells_of_the_next() -> None:
    talk = Talking().say("Hello")
    first = failing(talk)
    assert first is not None
    assert first.reason == "openai is not answering (no connection: refused)"
    assert first.next_try_at == first.since + timedelta(seconds=8)
    second = failing(talk, retry_in_s=16.0)
    assert second is not None
    assert (second.since, second.attempts, second.participant) == (first.since, 2, "alice")
    assert second.next_try_at > first.next_try_at


@pytest.mark.parametrize("retry_in_s", [None, 0.0])
def test_nothing_is_waited_for_without_a_pause(retry_in_s: float | None) -> None:
    talk = Talking().say("Hello")
    assert failing(talk, retry_in_s=retry_in_s) is None


def test_a_wait_ends_with_the_turn_or_when_the_step_is_given_up() -> None:
    talk = Talking().say("Hello")
    assert failing(talk)
    talk.speak("at last")
    assert talk.state.waits == {}
    assert failing(talk)
    talk.fail(talk.ready()[0])
    assert talk.state.waits == {}


ENDINGS: dict[str, e.AnyEvent] = {
    "another worker": e.DebateRecovered(),
    "stopped": e.DebateStopped(),
    "canceled": e.DebateCanceled(),
    "ended": e.EndRequested(),
    "failed": e.DebateFailed(error="no"),
    "a limit": e.LimitReached(limit=StopReason.MAX_RUNTIME, observed=1.0),
    "a message": e.MessageSaid(participant=USER, content="Never mind"),
    "another pace": e.PacingChanged(pacing=Pacing.MANUAL),
}


@pytest.mark.parametrize("event", ENDINGS.values(), ids=ENDINGS)
def test_nobody_is_shown_to_wait_once_the_debate_has_moved_on(event: e.AnyEvent) -> None:
    talk = Talking().say("Hello")
    assert failing(talk)
    assert isinstance(event, OVER)
    talk.append(event)
    assert talk.state.waits == {}
