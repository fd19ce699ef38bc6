"""The one door through which all calls to a provider go, whichever debate makes them.

It bounds the calls in flight, and when the provider asks for a pause it holds everybody back, so
that a thousand debates do not find out about one rate limit a thousand times.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from types import TracebackType

Clock = Callable[[], float]
"""Seconds that only ever go forward."""
Sleep = Callable[[float], Awaitable[None]]


class Gate:
    """`async with gate:` is one call in flight. Not bound to an event loop until it has to wait."""

    def __init__(
        self, max_concurrent: int, *, clock: Clock = time.monotonic, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._slots = asyncio.Semaphore(max_concurrent)
        self._clock = clock
        self._sleep = sleep
        self._held_until = 0.0

    def hold(self, seconds: float) -> None:
        """Let nobody in for so long from now. Never shortens a pause that was asked for before."""
        self._held_until = max(self._held_until, self._clock() + seconds)

    @property
    def held_for_s(self) -> float:
        """How much longer everybody is held back; 0 when the gate is open."""
        return max(0.0, self._held_until - self._clock())

    async def __aenter__(self) -> None:
        while True:
            await self._wait_until_open()
            await self._slots.acquire()
            # The pause may have been asked for while we stood in line for a slot.
            if not self.held_for_s:
                return
            self._slots.release()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._slots.release()

    async def _wait_until_open(self) -> None:
        while pause_s := self.held_for_s:
            await self._sleep(pause_s)
