"""A thread that owns one connection and does jobs in the order they came, several at a time.

A result must never be delivered before what it reports is durable, and nobody may wait for a thread
that has died. Callers are woken once per group and not once per job: waking is what costs.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent import futures
from typing import Any, Generic, TypeVar

from moot.errors import StoreUnavailable

T = TypeVar("T")
Outcome = tuple["Job[Any]", Any, BaseException | None]

CLOSED = "the store is closed: open it again"
BROKEN = "what reads and writes the database has broken: start again"
MOST_AT_ONCE = 256
"""Jobs of one group: enough to share a commit, few enough to keep the write lock briefly."""


class Job(Generic[T]):
    """Something to do on the thread's connection, and who waits for it."""

    __slots__ = ("future", "work")

    def __init__(
        self, work: Callable[..., T], future: asyncio.Future[T] | futures.Future[T]
    ) -> None:
        self.work = work
        self.future = future


class ConnectionThread:
    """`perform` does a group of jobs and says what came of each; `finish` comes last."""

    def __init__(
        self,
        name: str,
        perform: Callable[[list[Job[Any]]], list[Outcome]],
        finish: Callable[[], None],
    ) -> None:
        self._perform = perform
        self._finish = finish
        self._queue: queue.SimpleQueue[Job[Any] | None] = queue.SimpleQueue()
        self._is_closed = False
        self._broken: futures.Future[None] = futures.Future()
        # Nothing may be put behind the end mark: whoever waits for it would wait for ever.
        self._putting = threading.Lock()
        # A daemon: a program that forgets to close must still end; nothing acknowledged is lost.
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, work: Callable[..., T]) -> asyncio.Future[T]:
        """Have `work` done; for coroutines."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._put(Job(work, future))
        return future

    def submit_blocking(self, work: Callable[..., T]) -> T:
        """Have `work` done and wait; for threads."""
        future: futures.Future[T] = futures.Future()
        self._put(Job(work, future))
        return future.result()

    async def until_broken(self) -> None:
        """Waits as long as the thread lives; raises what it died of."""
        await asyncio.shield(asyncio.wrap_future(self._broken))

    async def close(self) -> None:
        """Do what is still waiting, then end."""
        with self._putting:
            if not self._is_closed:
                self._is_closed = True
                self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    def _put(self, job: Job[Any]) -> None:
        with self._putting:
            if self._is_closed:
                raise StoreUnavailable(BROKEN if self._broken.done() else CLOSED)
            self._queue.put(job)

    def _run(self) -> None:
        is_open = True
        while is_open:
            group: list[Job[Any]] = []
            try:
                is_open = self._fill(group)
                if group:
                    _deliver(self._perform(group))
            except BaseException as error:  # noqa: BLE001 - a mistake of ours: told to all who wait
                self._break(group, error)
                break
        self._finish()

    def _break(self, group: list[Job[Any]], error: BaseException) -> None:
        with self._putting:
            self._is_closed = True
            while not self._queue.empty():
                job = self._queue.get()
                group += [job] if job is not None else []
            self._broken.set_exception(error)
        _deliver([(job, None, StoreUnavailable(BROKEN)) for job in group])

    def _fill(self, group: list[Job[Any]]) -> bool:
        """Put all waiting jobs into `group`, at least one unless this is the end; whether more may
        follow."""
        job = self._queue.get()
        while job is not None:
            group.append(job)
            if len(group) == MOST_AT_ONCE or self._queue.empty():
                return True
            job = self._queue.get()
        return False


def _deliver(outcomes: list[Outcome]) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[Outcome]] = {}
    for outcome in outcomes:
        future = outcome[0].future
        if isinstance(future, futures.Future):
            _settle([outcome])
        else:
            by_loop.setdefault(future.get_loop(), []).append(outcome)
    for loop, theirs in by_loop.items():
        try:
            loop.call_soon_threadsafe(_settle, theirs)
        except RuntimeError:  # the loop has been closed: nobody waits any more
            continue


def _settle(outcomes: list[Outcome]) -> None:
    for job, result, error in outcomes:
        if job.future.done():  # its task was cancelled meanwhile
            continue
        if error is None:
            job.future.set_result(result)
        else:
            job.future.set_exception(error)
