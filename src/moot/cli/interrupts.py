"""Ctrl-C and SIGTERM while a debate runs in the foreground.

The first Ctrl-C lets the step in flight finish, the second drops it, the third leaves everything as
it stands. SIGTERM is as urgent as the second. Whatever happens, the debate can be resumed. Whoever
presses Ctrl-C once more while everything is being closed changes nothing.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from moot.engine.service import Service
from moot.errors import MootError, Refused
from moot.protocol.words import Status

FIRST = "stopping after the step in flight; press Ctrl-C again to drop it"
SECOND = "dropping the step in flight"
NOT_YET_S = 0.05


def ignore_interrupts() -> None:
    """From now on, until the process ends: what there was to do is done, and has been told."""
    try:
        with suppress(NotImplementedError, RuntimeError):
            asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
    except KeyboardInterrupt:  # between this line and the next
        pass
    with suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)


class Interrupts:
    """A context manager: the signals are its own while inside."""

    def __init__(self, service: Service, debate_id: str, say: Callable[[str], None]) -> None:
        self._service = service
        self._debate_id = debate_id
        self._say = say
        self._count = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._main: asyncio.Task[Any] | None = None
        self.is_asked = asyncio.Event()
        """Set once the debate is asked to stop."""

    @property
    def is_last(self) -> bool:
        """Whether somebody could not even wait for the step to be dropped."""
        return self._count > 2  # noqa: PLR2004 - see the module's docstring

    def __enter__(self) -> Self:
        self._main = asyncio.current_task()
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError, RuntimeError):  # Windows, or not the main thread
            loop.add_signal_handler(signal.SIGINT, self._interrupt)
            loop.add_signal_handler(signal.SIGTERM, self._terminate)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError, RuntimeError):
            loop.remove_signal_handler(signal.SIGTERM)
        ignore_interrupts()
        for task in self._tasks:
            task.cancel()

    def _interrupt(self) -> None:
        self._count += 1
        if self._count == 1:
            self._say(FIRST)
            self._spawn(self._stop())
        elif not self.is_last:
            self._say(SECOND)
            self._service.hurry(self._debate_id)
        elif self._main is not None:
            self._main.cancel()

    def _terminate(self) -> None:
        self._count = max(self._count, 1) + 1
        self._say(SECOND)
        self._spawn(self._stop())
        self._service.hurry(self._debate_id)

    def drop(self) -> None:
        """As the second Ctrl-C, without a word."""
        self._count = max(self._count, 2)
        self._spawn(self._stop())
        self._service.hurry(self._debate_id)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _stop(self) -> None:
        """Ask for the stop, and again while the debate has not quite begun and refuses it."""
        with suppress(MootError):  # the run itself meets the same error, and tells it
            while True:
                try:
                    await self._service.command(self._debate_id, "stop")
                except Refused:
                    if (await self._service.state(self._debate_id)).status is not Status.CREATED:
                        break  # it is over, or stopping already
                    await asyncio.sleep(NOT_YET_S)
                else:
                    break
        if self._count > 1:
            self._service.hurry(self._debate_id)
        self.is_asked.set()
