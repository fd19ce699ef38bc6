"""Time, as an argument. The protocol gets it in events, tests get a fake one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

JUMP_S = 1.0
"""By how much the two clocks must drift apart for it to count as a jump: less does no harm."""
LOOK_S = 10.0
"""How often somebody who waits for a time of day looks whether the clock was set meanwhile."""


class Clock(Protocol):
    """People's deadlines are times of day; all other durations are measured by `monotonic`."""

    def now(self) -> datetime:
        """The time of day, aware and in UTC. It jumps: clocks are set, and machines sleep."""

    def monotonic(self) -> float:
        """Seconds that only ever go forward, and not while the machine sleeps."""

    async def sleep(self, seconds: float) -> None:
        """Return after that much time has passed."""

    async def until(self, moment: datetime) -> None:
        """Return at that time of day, or at most LOOK_S after the clock was set or the machine
        slept: callers look again."""


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def until(self, moment: datetime) -> None:
        began = ahead_s(self)
        while (left_s := (moment - self.now()).total_seconds()) > 0:
            await asyncio.sleep(min(left_s, LOOK_S))
            if abs(ahead_s(self) - began) >= JUMP_S:
                return


def ahead_s(clock: Clock) -> float:
    """By how much the time of day is ahead of `monotonic`; another number after a jump."""
    return clock.now().timestamp() - clock.monotonic()


class Alarm:
    """Rings once, when the time comes that it is set to last. Whoever hears it looks again."""

    def __init__(self, clock: Clock, ring: Callable[[], None]) -> None:
        self._clock = clock
        self._ring = ring
        self._at: datetime | None = None
        self._task: asyncio.Task[None] | None = None

    def set(self, at: datetime | None) -> None:
        """Ring at that time and at no other; with None, not at all."""
        if at != self._at:
            if self._task is not None:
                self._task.cancel()
            self._task = asyncio.create_task(self._wait(at)) if at is not None else None
            self._at = at

    async def _wait(self, at: datetime) -> None:
        await self._clock.until(at)
        self._task = self._at = None
        self._ring()
