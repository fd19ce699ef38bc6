"""The process in which debates of the quarantine are tried, each in a child that it forks.

A worker starts one such process when it first needs it. It has everything imported, so that a child
costs milliseconds and little memory; it has neither threads nor an event loop, so that it can fork.
Each child runs one debate under the lease of the worker, whose fence guards the log.

Between a child and the worker there is a socket for as long as both live. If it breaks, the worker
is gone or wants the debate back, and the child is killed. What became of a child is told last, by
the process that forked it: a worker that hears nothing has seen no death.
"""

from __future__ import annotations

import asyncio
import logging
import os
import select
import signal
import socket
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from datetime import datetime
from functools import partial
from typing import TypeGuard, assert_never

import msgspec

from moot.engine.clock import Clock
from moot.engine.counting import Counts
from moot.engine.feed import Item, Stalled, StepBegan, StepHeld, TextVoided, TextWritten, Viewer
from moot.engine.live import LiveDebate
from moot.engine.live_debates import LiveDebates
from moot.engine.loops import Loop, Loops, run
from moot.engine.performer import Performer
from moot.engine.runner import Runner
from moot.errors import LeaseLost, NotFound, StoreError, StoreUnavailable
from moot.protocol.events import Recorded
from moot.store.port import Lease, Store, WorksBeside
from moot.structs import ready

log = logging.getLogger(__name__)

DONE, BROKE, NOT_NOW, TAKEN = 0, 1, 75, 76
"""How a child ends: DONE if it left the debate in order, BROKE by a mistake of ours, NOT_NOW if the
store is away, TAKEN if somebody else has the debate. BROKE is a death, as is any end that is not
named here."""


def is_death(code: int | None) -> TypeGuard[int]:
    return code not in (DONE, NOT_NOW, TAKEN, None)


MOST_ASKED = 65_536
LONGEST_LINE = 4 * 1024 * 1024
AGAIN_S = 1.0


# --- what is said, one JSON object to a line ------------------------------------------------------


class Forked(msgspec.Struct, frozen=True, tag=True):
    """To the worker: the child is there."""

    pid: int


class Appended(msgspec.Struct, frozen=True, tag=True):
    """To the worker: the log goes to event `seq`, and this was counted since the last such line."""

    seq: int
    counts: dict[str, int]


class Began(msgspec.Struct, frozen=True, tag=True):
    """To the worker: a model is being asked."""

    key: str


class Held(msgspec.Struct, frozen=True, tag=True):
    """To the worker: a model is not asked yet, and not expected to be before that time."""

    key: str
    provider: str
    until: datetime


class Wrote(msgspec.Struct, frozen=True, tag=True):
    """To the worker: a piece of a turn that is being written."""

    key: str
    text: str


class Voided(msgspec.Struct, frozen=True, tag=True):
    """To the worker: what was written of this turn so far does not count."""

    key: str


class Ended(msgspec.Struct, frozen=True, tag=True):
    """To the worker: the child has ended; a signal's number is negative."""

    code: int


class News(msgspec.Struct, frozen=True, tag=True):
    """To the child: people have appended to the log."""


class Hurry(msgspec.Struct, frozen=True, tag=True):
    """To the child: see `Runner.hurry`."""


class Drain(msgspec.Struct, frozen=True, tag=True):
    """To the child: see `Runner.drain`."""

    is_stopped_next: bool


Told = Forked | Appended | Began | Held | Wrote | Voided | Ended
Wish = News | Hurry | Drain
ready(Wish, Lease)


def line(said: Told | Wish) -> bytes:
    return msgspec.json.encode(said) + b"\n"


# --- the process that forks -----------------------------------------------------------------------


class Alone(msgspec.Struct, frozen=True, kw_only=True):
    """What it takes to run one debate."""

    store: Store
    live: LiveDebates
    performer: Performer
    clock: Clock


class Child(msgspec.Struct):
    """A forked child, and our copy of its end of the socket. The pid is 0 once it is gone."""

    pid: int
    end: socket.socket

    def kill(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)


Open = Callable[[], AbstractAsyncContextManager[Alone]]


class Ward:
    """Forks a child for every lease that comes with a socket by `asking`, until that is closed."""

    def __init__(self, asking: socket.socket, open_parts: Open) -> None:
        self._asking = asking
        self._open = open_parts
        self._children: dict[int, Child] = {}
        self._poll = select.poll()
        self._bell, self._button = socket.socketpair()

    def serve(self) -> None:
        """Serve until the worker is gone; then kill every child."""
        for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(ignored, signal.SIG_IGN)  # the worker decides when it is over
        for end in (self._bell, self._button):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._button.fileno(), warn_on_full_buffer=False)
        for waited_for in (self._asking, self._bell):
            self._poll.register(waited_for, select.POLLIN)
        try:
            while self._look():
                pass
        finally:
            signal.set_wakeup_fd(-1)  # nobody listens any more
            for child in self._children.values():
                child.kill()

    def _look(self) -> bool:
        for number, _ in self._poll.poll():
            if number == self._asking.fileno():
                asked, numbers, *_ = socket.recv_fds(self._asking, MOST_ASKED, 1)
                if not asked:
                    return False
                self._fork(asked, socket.socket(fileno=numbers[0]))
            elif number == self._bell.fileno():
                self._bell.recv(MOST_ASKED)
                self._bury()
            else:  # the worker has closed its end
                self._poll.unregister(number)
                child = self._children.pop(number)
                child.kill()
                child.end.close()
        return True

    def _fork(self, asked: bytes, end: socket.socket) -> None:
        try:
            pid = os.fork()
        except OSError:  # no memory, or too many processes: the worker sees that there is no child
            log.exception("cannot fork")
            end.close()
            return
        if not pid:
            os._exit(self._live(asked, end))
        self._children[end.fileno()] = Child(pid, end)
        self._poll.register(end, 0)  # only to see it break: what is said there is for the child
        _say(end, Forked(pid))

    def _live(self, asked: bytes, end: socket.socket) -> int:
        """The whole life of a child."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for other in (self._asking, self._bell, self._button):
            other.close()
        for child in self._children.values():
            child.end.close()
        try:
            return run(_attend(msgspec.json.decode(asked, type=Lease), end, self._open))
        except BaseException:
            log.exception("quarantined debate broke")
            return BROKE

    def _bury(self) -> None:
        while True:
            try:
                dead, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not dead:
                return
            for child in self._children.values():
                if child.pid == dead:
                    child.pid = 0
                    # It may have died in the middle of a line. The socket stays open until the
                    # worker has read that: a worker that cannot write does not read either.
                    _say(child.end, Ended(os.waitstatus_to_exitcode(status)), before=b"\n")


def _say(end: socket.socket, said: Told, *, before: bytes = b"") -> None:
    # Never wait: others may have to be forked. A worker that does not listen sees the end at least.
    with suppress(OSError):
        end.send(before + line(said), socket.MSG_DONTWAIT)


# --- a child --------------------------------------------------------------------------------------


async def _attend(lease: Lease, end: socket.socket, open_parts: Open) -> int:
    reader, writer = await asyncio.open_connection(sock=end, limit=LONGEST_LINE)
    try:
        async with open_parts() as parts:
            await _run(lease, parts, reader, writer)
    except LeaseLost:
        return TAKEN
    except StoreUnavailable:
        return NOT_NOW
    finally:
        writer.close()
    return DONE


async def _run(
    lease: Lease, parts: Alone, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    async with (
        parts.live.open(lease.debate_id) as live,
        parts.live.watch(lease.debate_id, wants_text=True) as viewer,
    ):
        runner = Runner(
            lease=lease,
            live=live,
            store=parts.store,
            performer=parts.performer,
            clock=parts.clock,
        )
        # A debate that gets any further is no suspect any more, and goes on where all others are.
        runner.on_progress = runner.drain
        loops: dict[str, Loop] = {"listening": partial(_listen, reader, runner, live)}
        if isinstance(parts.store, WorksBeside):
            loops["store"] = parts.store.until_broken
        async with Loops(loops):
            news = Tidings(parts.live.counts)
            telling = asyncio.create_task(_tell(viewer, live.seq, writer, news))
            try:
                await runner.run()
                viewer.close()
                await telling
                if rest := news.rest(live.seq):
                    writer.write(line(rest))
                    await writer.drain()
            finally:
                telling.cancel()
                await asyncio.gather(telling, return_exceptions=True)


async def _listen(reader: asyncio.StreamReader, runner: Runner, live: LiveDebate) -> None:
    while heard := await reader.readline():
        wish: Wish = msgspec.json.decode(heard, type=Wish)
        match wish:
            case News():
                await _catch_up(live)
            case Hurry():
                runner.hurry()
            case Drain(is_stopped_next):
                runner.drain(is_stopped_next=is_stopped_next)
            case _:
                assert_never(wish)
    os._exit(DONE)  # the worker is gone


async def _catch_up(live: LiveDebate) -> None:
    while True:
        try:
            return await live.catch_up()
        except NotFound:
            return None
        except StoreError:
            await asyncio.sleep(AGAIN_S)


async def _tell(viewer: Viewer, after: int, writer: asyncio.StreamWriter, news: Tidings) -> None:
    async for item in viewer.items(after=after):
        if said := news.of(item):
            writer.write(line(said))
            await writer.drain()


class Tidings:
    """What a child tells of what it sees and does. All that it counts is told once."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._told = Counts()

    def of(self, item: Item) -> Told | None:
        match item:
            case StepBegan(step):
                return Began(step.key)
            case StepHeld(step, provider, until=until):
                return Held(step.key, provider, until)
            case TextWritten(step, text):
                return Wrote(step.key, text)
            case TextVoided(step):
                return Voided(step.key)
            case Stalled():
                return None  # the worker has the same store, and finds out by itself
            case Recorded(seq):
                return Appended(seq, self._untold())
            case _:
                assert_never(item)

    def rest(self, seq: int) -> Appended | None:
        """What was counted since the last `Appended`; None if nothing was.

        If people append too, the child may read an event of its own from the store, and report it,
        before the append that wrote it has returned and been counted.
        """
        untold = self._untold()
        return Appended(seq, untold) if untold else None

    def _untold(self) -> dict[str, int]:
        done = {name: n - self._told[name] for name, n in self._counts.items()}
        done = {name: n for name, n in done.items() if n}
        self._told.update(done)
        return done
