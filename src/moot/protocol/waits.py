"""The steps that wait for a provider, so that people see why nothing happens and when it goes on.

A fold over failed tries: it survives a reload, a second viewer and another process, because it is
made of nothing but the log. It decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec

from moot.protocol import events as e

OVER = (
    e.DebateRecovered,
    e.DebateStopped,
    e.DebateResumed,
    e.DebateRetried,
    e.EndRequested,
    e.DebateCanceled,
    e.DebateFailed,
    e.DebateCompleted,
    e.LimitReached,
    e.MessageSaid,
    e.PacingChanged,
    e.ParticipantLeft,
    e.ParticipantMuted,
)
"""After one of these, what was waited for may not be wanted any more. If it is, and the next try
fails too, the wait begins anew."""

WORDS: Mapping[str, str] = {
    "model_unavailable": "{provider} is not answering",
    "rate_limited": "{provider} is turning calls away",
    "reply_broken": "a reply of {provider} broke off",
}


class Wait(msgspec.Struct, frozen=True, kw_only=True):
    """A step between two tries. Once `next_try_at` has passed, the next one is being made."""

    step_key: str
    participant: str
    model: str
    code: str
    error: str
    attempts: int
    since: datetime
    next_try_at: datetime

    @property
    def reason(self) -> str:
        """What is the matter, for people: "openai is not answering (503: overloaded)"."""
        provider = self.model.partition(":")[0] or "the provider"
        words = WORDS.get(self.code, "{provider} did not give an answer").format(provider=provider)
        return f"{words} ({self.error.removeprefix(f'{provider}: ')})"


def follow(waits: dict[str, Wait], record: e.Recorded) -> None:
    """Take one more event into account. `waits` holds the waits by the keys of their steps."""
    match record.event:
        case e.AttemptFailed() as failed:
            before = waits.pop(failed.attempt_of, None)
            if failed.retry_in_s:
                waits[failed.attempt_of] = _wait(failed, record.at, before)
        case (
            e.TurnRecorded(step_key=key)
            | e.StepFailed(failed_key=key)
            | e.StepRetried(failed_key=key)
        ):
            waits.pop(key, None)
        case event if isinstance(event, OVER):
            waits.clear()
        case _:
            pass


def _wait(failed: e.AttemptFailed, at: datetime, before: Wait | None) -> Wait:
    return Wait(
        step_key=failed.attempt_of,
        participant=failed.participant,
        model=failed.model,
        code=failed.code,
        error=failed.error,
        attempts=before.attempts + 1 if before else 1,
        since=before.since if before else at,
        next_try_at=at + timedelta(seconds=failed.retry_in_s or 0.0),
    )
