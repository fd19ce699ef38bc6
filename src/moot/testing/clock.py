"""A clock that only moves when it is told to."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from datetime import UTC, datetime, timedelta

START = datetime(2030, 1, 1, tzinfo=UTC)


class FakeClock:
    """Stands in for the time of day, the monotonic clock and `asyncio.sleep`.

    With `is_patient`, a sleep returns when `advance` has gone that far. Without (the default), it
    moves the clock and returns at once: pauses cost a test nothing, and `slept` has them all.
    """

    def __init__(self, start: datetime = START, *, is_patient: bool = False) -> None:
        self._start = start
        self._elapsed_s = 0.0
        self._is_patient = is_patient
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._alarms: list[tuple[datetime, asyncio.Future[None]]] = []
        self.slept: list[float] = []

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._elapsed_s)

    def monotonic(self) -> float:
        """Seconds since the start."""
        return self._elapsed_s

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if not self._is_patient:
            self.advance(max(0.0, seconds))
            await asyncio.sleep(0)
            return
        wake = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed_s + seconds, next(self._order), wake))
        await wake

    async def until(self, moment: datetime) -> None:
        """Wait without moving the clock, whether or not it is patient."""
        ring = asyncio.get_running_loop().create_future()
        self._alarms.append((moment, ring))
        self.advance(0)
        await ring

    def jump(self, seconds: float) -> None:
        """Set the time of day; no time passes. Whoever waits for a time of day looks again."""
        self._start += timedelta(seconds=seconds)
        for _, ring in self._alarms:
            if not ring.done():
                ring.set_result(None)
        self._alarms.clear()

    def advance(self, seconds: float) -> None:
        """Let time pass. Sleepers that are due go on when the event loop next runs."""
        self._elapsed_s += seconds
        while self._sleepers and self._sleepers[0][0] <= self._elapsed_s:
            wake = heapq.heappop(self._sleepers)[2]
            if not wake.done():
                wake.set_result(None)
        for moment, ring in self._alarms:
            if moment <= self.now() and not ring.done():
                ring.set_result(None)
        self._alarms = [(moment, ring) for moment, ring in self._alarms if not ring.done()]
