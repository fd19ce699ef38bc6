"""When a debate had which status, how long it has been running, and what it is waiting for.

Folds over the times in the log, and only those count. Whoever runs a debate sees to it that they
come from a clock that only goes forward (`ClockJumped`). Nothing here decides anything.

A wait survives a reload, a second viewer and another process, so that people see why nothing
happens and when it goes on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec

from moot.protocol import events as e
from moot.protocol.words import Status


def _first() -> list[tuple[int, Status]]:
    return [(1, Status.CREATED)]


class Timeline(msgspec.Struct, kw_only=True):
    """Grows with the events of a debate. Pauses do not count as running."""

    statuses: list[tuple[int, Status]] = msgspec.field(default_factory=_first)
    """The statuses it has had, each with the number of the event that led to it."""
    ran_s: float = 0.0
    """How long it had been running at `running_since`, or when it last paused."""
    running_since: datetime | None = None

    def take(self, seq: int, status: Status, at: datetime) -> None:
        """After event `seq`, of the time `at`, the debate has this status."""
        if status.is_active and self.running_since is None:
            self.running_since = at
        elif not status.is_active and self.running_since is not None:
            self.ran_s = self.runtime_s(at)
            self.running_since = None
        if status is not self.statuses[-1][1]:
            self.statuses.append((seq, status))

    def set_runtime(self, ran_s: float, at: datetime) -> None:
        """By `at` it has been running for `ran_s` seconds, whatever earlier times say."""
        self.ran_s, self.running_since = ran_s, at

    def runtime_s(self, now: datetime) -> float:
        """Seconds the debate has been running."""
        if self.running_since is None:
            return self.ran_s
        return self.ran_s + max(0.0, (now - self.running_since).total_seconds())

    def when_run_for(self, seconds: float) -> datetime | None:
        """When it will have run for `seconds`, if it goes on; None while it does not run."""
        if self.running_since is None:
            return None
        return self.running_since + timedelta(seconds=seconds - self.ran_s)

    def status_at(self, seq: int) -> Status:
        """The status it had after event `seq`; after the last event, if there is no such event."""
        return self.statuses[bisect_right(self.statuses, seq, key=_seq) - 1][1]

    def was_retried_after(self, seq: int) -> bool:
        """Whether the debate has failed since event `seq`, and has gone on."""
        failed = [at for at, status in self.statuses[:-1] if status is Status.FAILED]
        return bool(failed) and failed[-1] > seq


def _seq(change: tuple[int, Status]) -> int:
    return change[0]


# --- the steps that wait for a provider -----------------------------------------------------------

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
