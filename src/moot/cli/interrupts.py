"""Ctrl-C, SIGTERM and the key that ends a debate in the foreground; and how a server leaves.

Signals are callbacks of the event loop. Where the loop cannot call them (on Windows, or in a thread
that is not the main one) nothing is set, and Python's own KeyboardInterrupt has to do.

The key is read while nobody is asked anything, only at a terminal, and only while we are in its
foreground: in the background nothing is read or set. Whatever happens, the terminal is left as it
was found; Ctrl-C and Ctrl-Z work as always.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from moot.cli.telling import tell
from moot.engine.service import Service
from moot.errors import MootError, Refused
from moot.protocol.lifecycle import commands_for
from moot.protocol.words import Status

if TYPE_CHECKING:
    from moot.wiring import System

try:
    import termios
except ImportError:  # Windows, where no key is read
    termios = None  # type: ignore[assignment]

FIRST = "stopping after the step in flight; press Ctrl-C again to drop it"
SECOND = "dropping the step in flight"
ENDING = "ending the debate; only its closing stage follows"
NO_END = "the debate cannot be ended now: {}"
AT_ONCE = "stopping"
IN_TIME = "stopping; waiting up to {:g} s for the step in flight"
NOT_YET_S = 0.05

KEY = "e"
HINT = f"{KEY} ends it"
READ_AT_ONCE = 1024
"""How many bytes are read together: a single key is one, and pasted text is not a key."""

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


class EndKey:
    """Calls `on_end` when the key is pressed, while `look` lets it listen.

    With `on_first`, the first press calls that, and a second press `on_end`: where people type
    answers, a word typed too early must not end anything.
    """

    def __init__(
        self, on_end: Callable[[], None], on_first: Callable[[], None] | None = None
    ) -> None:
        self._on_end = on_end
        self._on_first = on_first
        self._presses = 0
        self._fd = sys.stdin.fileno()
        self._found: list[Any] | None = None
        """The terminal's own settings, while they are changed; else None."""
        self._is_over = False

    def __enter__(self) -> Self:
        atexit.register(self._pause)
        on_signals(self._suspended, signal.SIGTSTP)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_over = True
        self._pause()
        off_signals(signal.SIGTSTP)
        atexit.unregister(self._pause)

    def look(self, *, is_free: bool) -> None:
        """Listen if the terminal is ours and `is_free`, else let others have it."""
        if is_free and not self._is_over and _is_ours(self._fd):
            self._listen()
        else:
            self._pause()

    def _listen(self) -> None:
        if self._found is not None:
            return
        found = termios.tcgetattr(self._fd)
        changed = [*found]
        changed[3] &= ~(termios.ECHO | termios.ICANON)  # each key as it is pressed, and not shown
        self._found = found
        termios.tcsetattr(self._fd, termios.TCSADRAIN, changed)
        asyncio.get_running_loop().add_reader(self._fd, self._pressed)

    def _pause(self) -> None:
        found, self._found = self._found, None
        if found is None:
            return
        with suppress(RuntimeError):  # at the very end there is no loop
            asyncio.get_running_loop().remove_reader(self._fd)
        if _is_ours(self._fd):  # changing another process's terminal would stop us
            with suppress(OSError, termios.error):
                termios.tcsetattr(self._fd, termios.TCSADRAIN, found)

    def _pressed(self) -> None:
        if not _is_ours(self._fd):
            self._pause()
            return
        try:
            typed = os.read(self._fd, READ_AT_ONCE)
        except OSError:
            typed = b""
        if not typed:  # the terminal is gone
            self._is_over = True
            self._pause()
        else:
            self._presses = self._presses + 1 if typed.decode(errors="replace") == KEY else 0
            self._obey()

    def _obey(self) -> None:
        if self._on_first is None and self._presses:
            self._on_end()
        elif self._on_first is not None and self._presses == 1:
            self._on_first()
        elif self._presses > 1:
            self._on_end()

    def _suspended(self) -> None:
        """Ctrl-Z: the shell gets its terminal back as it was."""
        self._pause()
        off_signals(signal.SIGTSTP)
        os.kill(os.getpid(), signal.SIGTSTP)
        on_signals(self._suspended, signal.SIGTSTP)


def can_listen() -> bool:
    """Whether keys can be read here."""
    return termios is not None and sys.stdin.isatty() and _is_ours(sys.stdin.fileno())


def _is_ours(fd: int) -> bool:
    """Whether we are in the foreground of that terminal."""
    try:
        return os.tcgetpgrp(fd) == os.getpgrp()
    except OSError:
        return False


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
