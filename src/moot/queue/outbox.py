"""Puts debates into the queue for those who cannot wait for it."""

from __future__ import annotations

import asyncio
import logging

from moot.engine.clock import Clock
from moot.errors import StoreError
from moot.queue.port import Queue

log = logging.getLogger(__name__)

AGAIN_S = 1.0


class Outbox:
    """`put` is what a Service calls when a debate becomes active; `run` it beside everything else.

    What is in it when the process ends is lost; the workers' reconcilers find those debates.
    """

    def __init__(self, queue: Queue, clock: Clock) -> None:
        self._queue = queue
        self._clock = clock
        self._waiting: set[str] = set()
        self._news = asyncio.Event()

    def put(self, debate_id: str) -> None:
        """Returns at once."""
        self._waiting.add(debate_id)
        self._news.set()

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self._news.wait()
            self._news.clear()
            wanted, self._waiting = self._waiting, set()
            try:
                await self._queue.enqueue(*wanted)
            except StoreError as error:
                log.warning("queue unavailable", extra={"error": str(error)})
                self._waiting |= wanted
                self._news.set()
                await self._clock.sleep(AGAIN_S)
