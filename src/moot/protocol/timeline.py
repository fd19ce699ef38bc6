"""When a debate had which status, and how long it has been running.

Only the times in the log count. Whoever runs a debate sees to it that these come from a clock that
only goes forward (`ClockJumped`).
"""

from __future__ import annotations

from bisect import bisect_right
from datetime import datetime, timedelta

import msgspec

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
