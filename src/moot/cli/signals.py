"""Ctrl-C and SIGTERM, as callbacks of the event loop, and how a server or worker leaves on them.

Where the loop cannot call them (on Windows, or in a thread that is not the main one) nothing is
set, and Python's own KeyboardInterrupt has to do.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from moot.cli.telling import tell

if TYPE_CHECKING:
    from moot.wiring import System

ASKED_TO_END = (signal.SIGINT, signal.SIGTERM)
EARLIER_S = 0.25
"""How long before the end of the grace the process ends, even if something still hangs."""
AT_ONCE_S = 2.0
"""How long a process that is to end at once may take to give its debates back."""

# What asyncio and uvloop raise where they cannot handle signals.
_NOT_HERE = (NotImplementedError, RuntimeError, ValueError)


def on_signals(call: Callable[[], object], *numbers: signal.Signals) -> None:
    """Have the running loop call `call` whenever one of these signals comes."""
    loop = asyncio.get_running_loop()
    with suppress(*_NOT_HERE):
        for number in numbers:
            loop.add_signal_handler(number, call)


def off_signals(*numbers: signal.Signals) -> None:
    """Give these signals their usual effect again."""
    loop = asyncio.get_running_loop()
    with suppress(*_NOT_HERE):
        for number in numbers:
            loop.remove_signal_handler(number)


class Leaving:
    """The end of `moot serve` and `moot worker`: calls under way may finish, within the grace.

    The first signal asks for that, the second ends the process at once. `grace_s` is the time until
    the process has gone, not only the time for calls: whoever sent the signal may kill it soon
    after.
    """

    def __init__(self, system: System, grace_s: float) -> None:
        self._system = system
        self._grace_s = grace_s
        self._asked = asyncio.Event()
        self._hurried = asyncio.Event()
        self._asked_at = 0.0
        on_signals(self._signalled, *ASKED_TO_END)

    @property
    def left_s(self) -> float:
        """How much time there is until the process must have gone."""
        if self._hurried.is_set():
            return 0.0
        return max(0.0, self._asked_at + self._grace_s - asyncio.get_running_loop().time())

    async def drained(self) -> None:
        """Return once the process was asked to end and no call is under way any more, or it was
        asked a second time."""
        await self._asked.wait()
        hurried = asyncio.create_task(self._hurried.wait())
        draining = asyncio.create_task(self._drain())
        try:
            await asyncio.wait({draining, hurried}, return_when=asyncio.FIRST_COMPLETED)
            if draining.done():
                draining.result()
        finally:
            for task in (draining, hurried):
                task.cancel()
            await asyncio.gather(draining, hurried, return_exceptions=True)

    async def _drain(self) -> None:
        worker = self._system.worker
        calls = worker.calls if worker is not None else 0
        if calls:
            _say(
                f"shutting down; waiting up to {self._grace_s:g} s for {_counted(calls, 'call')} "
                "under way (a second signal drops them)"
            )
        cut = await self._system.drain(self._grace_s)
        if cut:
            _say(f"{_counted(cut, 'call')} took longer, and will have to be made again")
        elif calls:
            _say("all replies are recorded")

    def _signalled(self) -> None:
        if self._asked.is_set():
            if not self._hurried.is_set():
                self._hurried.set()
                _go_after(AT_ONCE_S)
            return
        self._asked_at = asyncio.get_running_loop().time()
        self._asked.set()
        _go_after(max(self._grace_s - EARLIER_S, AT_ONCE_S))


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"


def _say(line: str) -> None:
    with suppress(OSError):  # a terminal that is gone
        tell(line)


def _go_after(seconds: float) -> None:
    """End the process after `seconds`, even if it cannot say goodbye to its database in time:
    whatever was recorded stays recorded, and its leases run out by themselves."""
    timer = threading.Timer(seconds, os._exit, (0,))
    timer.daemon = True
    timer.start()
