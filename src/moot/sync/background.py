"""An open Moot in a thread with an event loop of its own, and how another thread waits for it.

Nothing here may wait for ever: Ctrl-C must always be heard.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Coroutine, Generator
from contextlib import AbstractAsyncContextManager
from typing import Any, Generic, TypeVar

from moot import library
from moot.errors import Busy, Refused

T = TypeVar("T")

HEARD_S = 0.2
"""How long Ctrl-C may go unheard: just before a thread begins to wait, it wakes nobody."""


class Told(Generic[T]):
    """A result that one thread waits for and another tells, once.

    An interrupt may fall between any two steps inside Python's own classes, and leave a lock of
    theirs held for ever. The one here is released by the thread that tells, which needs no other.
    """

    def __init__(self) -> None:
        self.is_told = False
        self._value: T
        self._error: BaseException | None = None
        self._untold = threading.Lock()
        self._untold.acquire()

    def tell(self, value: T) -> None:
        self._value = value
        self._is_out()

    def tell_error(self, error: BaseException) -> None:
        self._error = error
        self._is_out()

    def _is_out(self) -> None:
        self.is_told = True
        self._untold.release()

    def heard(self) -> T:
        """Wait until it has been told; then return the value, or raise the error."""
        self.wait()
        if self._error is not None:
            raise self._error
        return self._value

    def wait(self) -> None:
        """Return once something has been told, a value or an error."""
        while not self.is_told:
            self._untold.acquire(timeout=HEARD_S)


class Background:
    """An open Moot in a thread that has an event loop of its own."""

    def __init__(self, opening: AbstractAsyncContextManager[library.Moot]) -> None:
        self._opened: Told[library.Moot] = Told()
        self._ended: Told[None] = Told()
        self._loop: asyncio.AbstractEventLoop
        self._main: asyncio.Task[None] | None
        self._closing: asyncio.Event
        self._tasks: set[asyncio.Task[Any]] = set()
        # A daemon, so that a program that forgets to close it still ends: all is in the database.
        threading.Thread(target=self._live, args=(opening,), name="moot-sync", daemon=True).start()
        self.moot = self._opened.heard()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """What `work` returns or raises. Ctrl-C cancels it, and is raised when it has ended."""
        if self._ended.is_told:
            work.close()
            raise Refused("this Moot is closed; open it again")
        result: Told[T] = Told()
        begun: list[asyncio.Task[T]] = []
        try:
            self._loop.call_soon_threadsafe(lambda: begun.append(self._begin(work, result)))
            return result.heard()
        except KeyboardInterrupt:
            self._loop.call_soon_threadsafe(_cancel, work, begun, result)
            result.wait()
            raise

    def each(self, items: AsyncGenerator[T, None]) -> Generator[T, None, None]:
        """All items. Leaving early does not wait, and the next call still finds things in order."""
        try:
            while True:
                try:
                    yield self.do(_next(items))
                except StopAsyncIteration:
                    return
        finally:
            # Run by whichever thread lets go of the generator, so it must not wait for anything.
            if not self._ended.is_told:
                self._loop.call_soon_threadsafe(lambda: self._begin(items.aclose(), Told()))

    def close(self, *, is_cut: bool = False) -> None:
        """Close what is open, and return when it is closed; a second call does nothing."""
        if not self._ended.is_told:
            self._loop.call_soon_threadsafe(self._leave, is_cut)
        self._ended.heard()

    # --- in the thread ---

    def _live(self, opening: AbstractAsyncContextManager[library.Moot]) -> None:
        try:
            asyncio.run(self._stay_open(opening))
        except asyncio.CancelledError:  # by `_leave`
            self._ended.tell(None)
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            (self._ended if self._opened.is_told else self._opened).tell_error(error)
        else:
            self._ended.tell(None)

    async def _stay_open(self, opening: AbstractAsyncContextManager[library.Moot]) -> None:
        self._loop = asyncio.get_running_loop()
        self._main = asyncio.current_task()
        self._closing = asyncio.Event()
        async with opening as moot:
            self._opened.tell(moot)
            await self._closing.wait()

    def _leave(self, is_cut: bool) -> None:
        if is_cut and self._main is not None:
            self._main.cancel()
        self._closing.set()

    def _begin(self, work: Coroutine[Any, Any, T], result: Told[T]) -> asyncio.Task[T]:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda ended: _settle(ended, result))
        return task


def _cancel(work: Coroutine[Any, Any, T], begun: list[asyncio.Task[T]], result: Told[T]) -> None:
    for task in begun:
        task.cancel()
    if not begun:  # the interrupt came first
        work.close()
        result.tell_error(_interrupted())


def _interrupted() -> Busy:
    return Busy("this was interrupted, or Moot was closed meanwhile")


async def _next(items: AsyncGenerator[T, None]) -> T:
    return await anext(items)


def _settle(task: asyncio.Task[T], result: Told[T]) -> None:
    if task.cancelled():
        result.tell_error(_interrupted())
    elif error := task.exception():
        result.tell_error(error)
    else:
        result.tell(task.result())
