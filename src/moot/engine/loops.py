"""The loops that keep a process going, in one task group: one that dies takes the process with it.

A server that accepts debates while nothing runs them is worse than one that is down, which somebody
notices and starts again. So no loop ends in silence. A store that is away is no reason to die:
each loop survives that by itself.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, NoReturn, Self, TypeVar

from moot.cancellation import is_from_inside
from moot.errors import StoreUnavailable

log = logging.getLogger(__name__)

T = TypeVar("T")
Loop = Callable[[], Coroutine[Any, Any, None]]

COLLECT_AFTER = 20_000
"""New objects after which Python looks for cycles, in place of its 700. A debate keeps thousands of
objects for as long as it runs and leaves hardly any cycles behind: with a thousand debates at once,
half of the CPU was spent on looking through what was still in use."""


class Loops:
    """Runs all of `loops` for as long as the block lasts.

    If one of them ends, the block is cancelled, and leaving it raises what the loop died of.
    """

    def __init__(self, loops: Mapping[str, Loop]) -> None:
        self._loops = loops
        self._group = asyncio.TaskGroup()
        self._tasks: list[asyncio.Task[None]] = []
        self.is_leaving = False
        """Whether the process is about to end: then nobody should send it anything new."""

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        for name, loop in self._loops.items():
            self._tasks.append(self._group.create_task(never_ending(name, loop), name=name))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
        try:
            await self._group.__aexit__(kind, error, trace)
        except BaseExceptionGroup as group:
            reason = _first(group)
            if reason is not error:
                raise reason from None

    def check(self) -> None:
        """Raise StoreUnavailable if a loop has ended, or if the process is about to leave."""
        if self.is_leaving:
            raise StoreUnavailable("this process is leaving, and takes nothing new")
        for task in self._tasks:
            if task.done():
                message = f"the loop {task.get_name()!r} has ended"
                raise StoreUnavailable(message)


async def never_ending(name: str, loop: Loop) -> NoReturn:
    """Run a loop until it is cancelled, and say so if it ends in any other way."""
    try:
        await loop()
    except asyncio.CancelledError as error:
        if not is_from_inside(asyncio.current_task()):
            raise
        # Nobody wanted it to end; a task group would take it for a task that was called off.
        log.critical("loop died", extra={"loop": name, "error": "cancelled from inside"})
        message = f"the loop {name!r} was cancelled from inside"
        raise RuntimeError(message) from error
    except Exception as error:  # noqa: BLE001 - said, and raised again
        reason = _first(error)
        log.critical(
            "loop died", extra={"loop": name, "error": f"{type(reason).__name__}: {reason}"}
        )
        raise reason from None
    message = f"the loop {name!r} ended by itself"
    raise RuntimeError(message)


def run(main: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run` for a process of our own, on uvloop where that is installed: it is faster."""
    if threading.current_thread() is not threading.main_thread():
        return asyncio.run(main)  # a program's own business, and uvloop is strict about signals
    with _collecting_seldom(), asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(main)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        from uvloop import new_event_loop  # noqa: PLC0415 - may be missing
    except ImportError:
        return None
    return new_event_loop


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(COLLECT_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
