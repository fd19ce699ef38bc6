"""Time, as an argument. The protocol gets it in events, tests get a fake one."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The time, aware and in UTC."""

    async def sleep(self, seconds: float) -> None:
        """Return after that much time has passed."""

    async def until(self, moment: datetime) -> None:
        """Return when it is so late."""


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def until(self, moment: datetime) -> None:
        left_s = 1.0
        while left_s > 0:  # more than once if the clock was put back meanwhile
            left_s = (moment - self.now()).total_seconds()
            await asyncio.sleep(max(0.0, left_s))
