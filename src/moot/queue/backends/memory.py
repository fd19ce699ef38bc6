"""The queue of a process that works for itself: what is in it ends with the process.

Nothing is lost by that: the log of a debate says whether it should run, and the reconciler of the
next process finds it.
"""

from __future__ import annotations

import asyncio
import logging

from moot.engine import failpoints
from moot.engine.clock import Clock
from moot.queue.port import LATER_S, Handle, Outcome, Queue

log = logging.getLogger(__name__)


class MemoryQueue(Queue):
    """For one event loop; the methods' contract is the port's."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # By debate: how often the job was put off.
        self._waiting: dict[str, int] = {}
        self._at_work: set[str] = set()
        # To be done once more, as soon as the job at work has ended.
        self._again: set[str] = set()
        self._put_off: dict[str, asyncio.Task[None]] = {}
        self._consumers: set[asyncio.Event] = set()
        self._is_resting = False

    async def enqueue(self, *debate_ids: str) -> None:
        for debate_id in debate_ids:
            self._put(debate_id)

    async def consume(self, handle: Handle, *, concurrency: int) -> None:
        news = asyncio.Event()
        news.set()
        self._consumers.add(news)
        tasks: dict[asyncio.Task[None], str] = {}
        try:
            while True:
                failpoints.reach("consumer")
                await news.wait()
                news.clear()
                while self._waiting and len(tasks) < concurrency and not self._is_resting:
                    debate_id = next(iter(self._waiting))
                    tries = self._waiting.pop(debate_id)
                    self._at_work.add(debate_id)
                    task = asyncio.create_task(self._work(handle, debate_id, tries))
                    tasks[task] = debate_id
                    task.add_done_callback(tasks.pop)
                    task.add_done_callback(lambda _: news.set())
        finally:
            self._consumers.discard(news)
            left = list(tasks.items())
            for task, _ in left:
                task.cancel()
            await asyncio.gather(*(task for task, _ in left), return_exceptions=True)
            for _, debate_id in left:
                self._at_work.discard(debate_id)  # it may not even have begun
                self._put(debate_id)

    def rest(self) -> None:
        self._is_resting = True

    async def close(self) -> None:
        for task in self._put_off.values():
            task.cancel()
        await asyncio.gather(*self._put_off.values(), return_exceptions=True)
        self._put_off.clear()

    def _put(self, debate_id: str, tries: int = 0) -> None:
        if debate_id in self._at_work:
            self._again.add(debate_id)
            return
        waits = self._put_off.pop(debate_id, None)
        if waits is not None:
            waits.cancel()
        self._waiting.setdefault(debate_id, tries)
        for news in self._consumers:
            news.set()

    async def _work(self, handle: Handle, debate_id: str, tries: int) -> None:
        outcome = None
        try:
            outcome = await handle(debate_id)
        except Exception:
            log.exception("job failed", extra={"debate": debate_id})
        finally:
            self._at_work.discard(debate_id)
            if debate_id in self._again:
                self._again.discard(debate_id)
                self._put(debate_id)
        if outcome is Outcome.ELSEWHERE:
            self._put(debate_id)
        elif outcome is Outcome.LATER and tries < len(LATER_S) and debate_id not in self._waiting:
            self._put_off[debate_id] = asyncio.create_task(self._put_later(debate_id, tries))

    async def _put_later(self, debate_id: str, tries: int) -> None:
        await self._clock.sleep(LATER_S[tries])
        del self._put_off[debate_id]
        self._put(debate_id, tries + 1)
