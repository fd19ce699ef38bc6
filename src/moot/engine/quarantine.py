"""Debates that may be killing their workers, each tried in a process that runs nothing else.

A worker killed from outside cannot be told from one that died of its debate. So no debate fails
because its workers died. One whose workers died SUSPECT_AFTER times without getting any further is
tried in a process of its own, and only those deaths of that process count that the worker survives.
After MOST_DEATHS of them in a row, with growing pauses between, the debate fails. If it gets any
further, it is run like all others again.

No other debate waits for a suspect, except for suspects beyond MOST_AT_ONCE. The worker keeps the
lease, claims it anew for each try, so that each has a fence of its own, and passes on to viewers
what the child reports. What people ask for reaches the child through the worker.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, assert_never

import msgspec

from moot.engine import ward
from moot.engine.clock import Clock
from moot.engine.counting import Counts
from moot.engine.live import LiveDebate
from moot.errors import NotFound, StoreError
from moot.protocol.deciding import open_steps
from moot.protocol.registry import format_named
from moot.protocol.steps import Step
from moot.protocol.words import Status
from moot.store.port import SUSPECT_AFTER, Lease

log = logging.getLogger(__name__)

MOST_DEATHS = 5
"""Processes in a row that may die of a debate which they run alone (RELIABILITY.md, section 3)."""
PAUSES_S = (0.0, 1.0, 2.0, 4.0, 8.0)
"""The pauses before the tries; the last one repeats."""
MOST_AT_ONCE = 32
"""Processes of one worker. If there are more suspects, the others are tried in turn."""
START_S = 60.0
"""How long it may take until a process is there, on a machine that has much else to do."""
LIVED_ON_S = 0.2
"""What kills both child and worker, such as a shutdown of the host, may kill the child first. So a
child's death counts only if the worker is still alive after this time."""
FAREWELL_S = 2.0


def pause_s(deaths: int, pauses_s: tuple[float, ...] = PAUSES_S) -> float:
    """The pause before the next try of a debate that has so many deaths (see `Lease`)."""
    return pauses_s[min(max(0, deaths - SUSPECT_AFTER), len(pauses_s) - 1)]


def how_it_died(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {-code}, {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


class Quarantine:
    """The processes in which a worker tries its suspects, for one event loop."""

    def __init__(
        self,
        *,
        module: str,
        environment: Mapping[str, str],
        counts: Counts,
        pauses_s: tuple[float, ...] = PAUSES_S,
    ) -> None:
        """`module` serves as the ward, in the environment of this process and `environment`."""
        self.counts = counts
        self.pauses_s = pauses_s
        self.places = asyncio.Semaphore(MOST_AT_ONCE)
        self._command = (sys.executable, "-P", "-m", module)
        self._environment = environment
        self._starting = asyncio.Lock()
        self._ward: subprocess.Popen[bytes] | None = None
        self._asking: socket.socket | None = None

    @asynccontextmanager
    async def child(
        self, lease: Lease
    ) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """A process that runs the debate: a reader for what it tells, and a writer for what it is
        told. It ends with the block.

        Raises OSError if there can be no such process.
        """
        ours, theirs = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=ours, limit=ward.LONGEST_LINE)
        try:
            with theirs:
                await self._ask(lease, theirs, reader)
            yield reader, writer
        finally:
            await _part(reader, writer)

    async def _ask(self, lease: Lease, theirs: socket.socket, reader: asyncio.StreamReader) -> None:
        """Have the child made. Its first line says that it is there."""
        async with self._starting:
            asking = self._serving()
            socket.send_fds(asking, [msgspec.json.encode(lease)], [theirs.fileno()])
            theirs.close()
            try:
                async with asyncio.timeout(START_S):
                    is_there = await reader.readline()
            except TimeoutError:
                if self._ward is not None:
                    self._ward.kill()  # the next child is to have another ward
                raise
        if not is_there:
            raise ConnectionError("the process for debates in quarantine did not start")

    def _serving(self) -> socket.socket:
        if self._asking is not None and self._ward is not None and self._ward.poll() is None:
            return self._asking
        self._drop()
        self._asking, theirs = socket.socketpair()
        with theirs:
            self._ward = subprocess.Popen(  # noqa: S603 - ours
                self._command,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=None if _shows_log() else subprocess.DEVNULL,
                env={**os.environ, **self._environment},
                start_new_session=True,  # Ctrl-C is for the worker
            )
        return self._asking

    def _drop(self) -> None:
        if self._asking is not None:
            self._asking.close()
            self._asking = None

    async def close(self) -> None:
        self._drop()
        if self._ward is None:
            return
        try:
            await asyncio.to_thread(self._ward.wait, FAREWELL_S)
        except subprocess.TimeoutExpired:
            self._ward.kill()
            await asyncio.to_thread(self._ward.wait)


def _shows_log() -> bool:
    """Whether log lines are printed here; if not, the ward's would be in somebody's way."""
    return any(
        not isinstance(one, logging.NullHandler) for one in logging.getLogger("moot").handlers
    )


async def _part(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Have the child end, by itself if it can, and return when it has."""
    if writer.is_closing():
        return
    try:
        # uvloop raises RuntimeError where the other side was quicker.
        with suppress(OSError, RuntimeError, ValueError):
            async with asyncio.timeout(FAREWELL_S):
                if writer.can_write_eof():
                    writer.write_eof()
                while (heard := await reader.readline()) and not _is_last(heard):
                    pass
    finally:
        writer.transport.abort()


class Trial:
    """One try of one debate: the worker has it in place of a runner."""

    def __init__(
        self, *, quarantine: Quarantine, lease: Lease, live: LiveDebate, clock: Clock
    ) -> None:
        self._quarantine = quarantine
        self._lease = lease
        self._live = live
        self._clock = clock
        self._changed = asyncio.Event()
        self._is_draining = False
        self.was_let_go = False
        """Whether the process was asked to leave the debate as it stands."""
        self._child: asyncio.StreamWriter | None = None
        self._seq = live.seq
        """How far the log goes, as the child has told."""
        self._steps: dict[str, Step] = {}

    async def run(self) -> int | None:
        """The exit code of the process. None if the debate was stopped, called off or let go first,
        or if the worker never heard how the process ended. Raises OSError if none can be started.
        """
        self._live.on_news = self._hear
        pausing = asyncio.ensure_future(
            self._clock.sleep(pause_s(self._lease.deaths, self._quarantine.pauses_s))
        )
        try:
            return await self._in_turn() if await self._waited(pausing, self._may_begin) else None
        finally:
            pausing.cancel()
            self._live.on_news = None

    @property
    def is_waiting(self) -> bool:
        """See `Runner.is_waiting`."""
        return bool(self._live.state.waits)

    @property
    def calls(self) -> int:
        """How many steps the child is at work on."""
        return len(self._steps)

    def drain(self, *, is_stopped_next: bool = False) -> None:
        """See `Runner.drain`. While there is no child, there is nothing to wait for."""
        self._is_draining = self.was_let_go = True
        self._changed.set()
        self._send(ward.Drain(is_stopped_next))

    def keep(self) -> None:
        """See `Runner.keep`. A child that was drained ends all the same; the worker goes on."""
        self._is_draining = False

    def hurry(self) -> None:
        """See `Runner.hurry`."""
        self._send(ward.Hurry())

    async def _in_turn(self) -> int | None:
        places = self._quarantine.places
        place = asyncio.ensure_future(places.acquire())
        try:
            return await self._try() if await self._waited(place, self._may_begin) else None
        finally:
            if not place.cancel() and not place.cancelled():
                places.release()

    def _may_begin(self) -> bool:
        return self._live.status is Status.RUNNING and not self._is_draining

    def _may_go_on(self) -> bool:
        return self._live.status.is_active

    async def _waited(self, waiting: asyncio.Future[Any], is_wanted: Callable[[], bool]) -> bool:
        """Wait for as long as `is_wanted()`. Returns whether `waiting` is done and still wanted."""
        while not waiting.done() and is_wanted():
            self._changed.clear()
            change = asyncio.ensure_future(self._changed.wait())
            try:
                await asyncio.wait({waiting, change}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                change.cancel()
        return waiting.done() and is_wanted()

    # --- while there is a child ---

    async def _try(self) -> int | None:
        async with self._quarantine.child(self._lease) as (reader, writer):
            self._child = writer
            self._send(ward.News())  # of whatever was appended while it was being made
            following = asyncio.ensure_future(self._follow(reader))
            try:
                # Once a debate is called off, nothing is left to record: the child need not agree.
                if not await self._waited(following, self._may_go_on):
                    return None
                writer.transport.abort()  # it has ended
                return following.result()
            finally:
                self._child = None
                following.cancel()
                await asyncio.gather(following, return_exceptions=True)
                for step in self._steps.values():
                    self._live.writing.void(step)
                    self._live.writing.end(step)

    async def _follow(self, reader: asyncio.StreamReader) -> int | None:
        with suppress(OSError):
            while heard := await reader.readline():
                with suppress(msgspec.DecodeError):  # it died in the middle of a line
                    told = _DECODER.decode(heard)
                    if isinstance(told, ward.Ended):
                        return told.code
                    await self._take(told)
        return None

    async def _take(self, told: ward.Told) -> None:
        match told:
            case ward.Appended(seq, counts):
                self._live.writing.flush()  # viewers of the turn need no more of its text
                self._seq = seq
                self._quarantine.counts.update(counts)
                with suppress(StoreError, NotFound):  # whoever looks next finds it
                    await self._live.catch_up()
                self._forget_written()
            case ward.Began() | ward.Held() | ward.Wrote() | ward.Voided():
                self._show(told)
            case ward.Forked() | ward.Ended():
                pass
            case _:
                assert_never(told)

    def _show(self, told: ward.Began | ward.Held | ward.Wrote | ward.Voided) -> None:
        writing, step = self._live.writing, self._steps.get(told.key)
        if step is None:
            step = self._open_steps().get(told.key)
            if step is None:  # what led to it could not be read yet
                return
            self._steps[told.key] = step
            writing.begin(step)
        match told:
            case ward.Began():
                writing.go_on(step)
            case ward.Held(_, provider, until):
                now = self._clock.now()
                writing.hold(step, provider, now, (until - now).total_seconds())
            case ward.Wrote(_, text):
                writing.write(step, text)
            case ward.Voided():
                writing.void(step)
            case _:
                assert_never(told)

    def _forget_written(self) -> None:
        for key in self._steps.keys() - self._open_steps().keys():
            self._live.writing.end(self._steps.pop(key))

    def _open_steps(self) -> dict[str, Step]:
        state = self._live.state
        found = open_steps(format_named(state.config.format), state, self._clock.now())
        return {step.key: step for step in found or ()}

    def _hear(self) -> None:
        """The log has grown: if that was not the child's doing, the child must know."""
        self._changed.set()
        if self._live.seq > self._seq:
            self._send(ward.News())

    def _send(self, wish: ward.Wish) -> None:
        if self._child is not None:
            self._child.write(ward.line(wish))


def _is_last(heard: bytes) -> bool:
    try:
        return isinstance(_DECODER.decode(heard), ward.Ended)
    except msgspec.DecodeError:
        return False


_DECODER = msgspec.json.Decoder(ward.Told)
