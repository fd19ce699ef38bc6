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


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
