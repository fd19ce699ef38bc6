"""Ctrl-C, SIGTERM and the key that ends a debate, while it is run in the foreground."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from moot.cli.signals import off_signals, on_signals
from moot.engine.service import Service
from moot.errors import MootError, Refused
from moot.protocol.lifecycle import commands_for
from moot.protocol.words import Status

FIRST = "stopping after the step in flight; press Ctrl-C again to drop it"
SECOND = "dropping the step in flight"
ENDING = "ending the debate; only its closing stage follows"
NO_END = "the debate cannot be ended now: {}"
AT_ONCE = "stopping"
IN_TIME = "stopping; waiting up to {:g} s for the step in flight"
NOT_YET_S = 0.05


def ignore_interrupts() -> None:
    """Ignore Ctrl-C until the process ends: all there was to do is done, and has been told."""
    with suppress(KeyboardInterrupt):  # Ctrl-C may come between this line and the next
        off_signals(signal.SIGINT)
    with suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)


class Interrupts:
    """Ctrl-C, SIGTERM and the key that ends a debate, while it is run here; a context manager.

    The first Ctrl-C lets the step in flight finish, the second drops it, the third leaves
    everything as it stands. SIGTERM lets the calls under way finish within the grace, and drops
    what takes longer; after Ctrl-C or another SIGTERM it drops them at once. Whatever happens, the
    debate can be resumed. Ctrl-C while everything is being closed changes nothing.
    """

    def __init__(
        self, service: Service, debate_id: str, say: Callable[[str], None], grace_s: float
    ) -> None:
        self._service = service
        self._debate_id = debate_id
        self._say = say
        self._grace_s = grace_s
        self._count = 0
        self._is_ending = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._main: asyncio.Task[Any] | None = None
        self.is_asked = asyncio.Event()
        """Set once the debate is asked to stop."""

    @property
    def is_last(self) -> bool:
        """Whether a third signal came: somebody would not even wait for the step to be dropped."""
        return self._count > 2  # noqa: PLR2004 - see above

    def __enter__(self) -> Self:
        self._main = asyncio.current_task()
        on_signals(self.interrupt, signal.SIGINT)
        on_signals(self._terminate, signal.SIGTERM)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        off_signals(signal.SIGTERM)
        ignore_interrupts()
        for task in self._tasks:
            task.cancel()

    def end(self) -> None:
        """Somebody wants the debate to come to its close: a summary, or a verdict."""
        if self._count or self._is_ending:
            return
        self._is_ending = True
        self._say(ENDING)
        self._spawn(self._end())

    async def _end(self) -> None:
        try:
            await self._service.command(self._debate_id, "end")
        except Refused as error:
            self._is_ending = False
            self._say(NO_END.format(error))
        except MootError:  # the run itself meets the same error, and reports it
            self._is_ending = False

    def interrupt(self) -> None:
        """Somebody pressed Ctrl-C."""
        self._count += 1
        if self._count == 1:
            self._say(FIRST if self._service.calls(self._debate_id) else AT_ONCE)
            self._spawn(self._stop())
        elif not self.is_last:
            self._say(SECOND)
            self._service.hurry(self._debate_id)
        elif self._main is not None:
            self._main.cancel()

    def _terminate(self) -> None:
        self._count += 1
        if self._count == 1:
            is_busy = self._service.calls(self._debate_id) > 0
            self._say(IN_TIME.format(self._grace_s) if is_busy else AT_ONCE)
            self._spawn(self._drain())
        else:
            self._say(SECOND)
            self._service.hurry(self._debate_id)

    async def _drain(self) -> None:
        # In this order: a debate that is drained before it is stopped stays running, run by nobody.
        await self._stop()
        await self._service.drain(self._grace_s)

    def drop(self) -> None:
        """Drop the step in flight, as the second Ctrl-C does, without a word."""
        self._count = max(self._count, 2)
        self._spawn(self._stop())
        self._service.hurry(self._debate_id)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _stop(self) -> None:
        """Ask the debate to stop, again and again while it has not quite begun and refuses."""
        with suppress(MootError):  # the run itself meets the same error, and reports it
            while True:
                try:
                    await self._service.command(self._debate_id, "stop")
                except Refused:
                    status = (await self._service.state(self._debate_id)).status
                    # It may have begun since it refused, and then it has to be asked once more.
                    if status is not Status.CREATED and "stop" not in commands_for(status):
                        break  # it is over, or stopping already
                    await asyncio.sleep(NOT_YET_S)
                else:
                    break
        if self._count > 1:
            self._service.hurry(self._debate_id)
        self.is_asked.set()
