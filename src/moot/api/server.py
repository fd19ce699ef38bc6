"""uvicorn with bounded doors: however many clients come and whatever they do, debates go on.

Rule 1: there are never more connections than open files allow, with room left for providers and
the database. A client that comes when all places are taken gets the place of the one that has kept
us waiting longest. Only if nobody keeps us waiting is a request turned away, with 503.
Rule 2: whether the server is alive is always answered: those who ask have places of their own.
Rule 3: a client that does not send its request, or does not read its answer, is dropped in time.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

import msgspec
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from moot.api.guards.dialects import in_dialect
from moot.api.guards.stack import with_headers
from moot.api.problems import problem
from moot.engine import failpoints

log = logging.getLogger(__name__)

PLACES_TO_SPARE = 16
"""How many connections beyond the limit there may be, at the least. They are told that there is no
place, or that the server is alive."""
ALWAYS_ANSWERED = frozenset({"/healthz", "/readyz"})
RETRY_AFTER_S = 5
ACCEPT_AGAIN_S = 0.2
MOST_AT_ONCE = 64
SLOWEST_BYTES_PER_S = 1000
"""A client that reads an answer more slowly than this does not read it."""
LOOK_EVERY_TICKS = 10  # uvicorn ticks ten times a second

# Open files: the database, the log and a call to each of many providers need some.
MOST_OPEN_FILES = 65_536
OPEN_FILES_OF_MACOS = 10_240  # macOS refuses more, whatever it says is allowed
LEAST_ROOM, MOST_ROOM = 96, 1024
MOST_CONNECTIONS = 4000


class Doors(msgspec.Struct, frozen=True, kw_only=True):
    """How many may come in, and how long they may keep us waiting."""

    connections: int
    header_s: float
    """How long the head of a request may take, from its first byte; of the first request on a
    connection, from connecting."""
    unread_s: float
    """How long an answer may stay unread."""


def raise_open_files() -> int | None:
    """Let this process open as many files as it is allowed to, and return that number.

    None where there is no such limit (Windows).
    """
    try:
        import resource  # noqa: PLC0415 - not everywhere
    except ImportError:
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    is_endless = hard == resource.RLIM_INFINITY
    for wanted in (MOST_OPEN_FILES, OPEN_FILES_OF_MACOS):
        allowed = wanted if is_endless else min(hard, wanted)
        if soft != resource.RLIM_INFINITY and soft < allowed:
            with suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
                return allowed
    return MOST_OPEN_FILES if soft == resource.RLIM_INFINITY else soft


def most_connections(open_files: int | None) -> int:
    """How many connections leave room for everything else."""
    if open_files is None:
        return MOST_CONNECTIONS
    room = min(MOST_ROOM, max(LEAST_ROOM, open_files // 4))
    return min(MOST_CONNECTIONS, max(open_files - room, open_files // 4))


class Connection(H11Protocol):
    """One client. `waiting` has the connections that keep us waiting, the one that has done so for
    longest first."""

    def __init__(self, *, waiting: dict[Connection, None], **given: Any) -> None:
        super().__init__(**given)
        self._waiting = waiting
        self._head_since = time.monotonic()
        self._unread: tuple[float, int] | None = None

    @property
    def is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def look(self, now: float, doors: Doors) -> str:
        """Why this client is to be dropped; "" if it is not."""
        # A pause between two requests is timed by uvicorn.
        is_late = not self.is_answering and self.timeout_keep_alive_task is None
        if is_late and now - self._head_since > doors.header_s and not self.transport.is_closing():
            return "no request"
        return "answer not read" if self._is_unread(now, doors.unread_s) else ""

    def _is_unread(self, now: float, most_s: float) -> bool:
        # It can be measured only while nothing is added to what is still to be read.
        if not (self.flow.write_paused or self.transport.is_closing()):
            self._unread = None
            return False
        left = self.transport.get_write_buffer_size()
        since, before = self._unread or (now, left)
        if self._unread is None or before - left >= SLOWEST_BYTES_PER_S * most_s:
            self._unread = now, left
            return False
        return now - since > most_s

    def _note(self) -> None:
        """Note whether it keeps us waiting: as long as we have half a head, half a body or nothing,
        it is the client's turn."""
        if self.is_answering and not self.cycle.more_body:
            self._waiting.pop(self, None)
        else:
            self._waiting.setdefault(self)

    # --- what uvicorn and the event loop call ---

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._note()

    def connection_lost(self, exc: Exception | None) -> None:
        self._waiting.pop(self, None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.timeout_keep_alive_task is not None:  # the first bytes after a pause
            self._head_since = time.monotonic()
        super().data_received(data)
        self._note()

    def on_response_complete(self) -> None:
        self._head_since = time.monotonic()
        super().on_response_complete()
        self._note()

    def pause_writing(self) -> None:
        self._unread = None
        super().pause_writing()


class Server(uvicorn.Server):
    """uvicorn, with connections that are counted before they are let in."""

    def __init__(self, config: uvicorn.Config, listening: socket.socket, doors: Doors) -> None:
        super().__init__(config)
        self._listening = listening
        self._doors = doors
        self._waiting: dict[Connection, None] = {}
        self._accepting: asyncio.Task[None] | None = None
        self._at_once = min(MOST_AT_ONCE, max(1, doors.connections // 10))
        # Room for a whole batch: else a crowd could shut out who asks whether the server is alive.
        self._to_spare = max(PLACES_TO_SPARE, self._at_once)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start without uvicorn's own listeners: they let in all who knock before counting them."""
        del sockets
        await super().startup(sockets=[])
        self._listening.setblocking(False)
        self._accepting = asyncio.create_task(self._accept_all())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        del sockets
        if self._accepting is not None:
            self._accepting.cancel()
            await asyncio.gather(self._accepting, return_exceptions=True)
        self._listening.close()
        await super().shutdown(sockets=[])

    async def on_tick(self, counter: int) -> bool:
        failpoints.reach("http")
        if self._accepting is not None and self._accepting.done():
            self._accepting.result()  # raises what ended it: a server that lets nobody in is down
        if counter % LOOK_EVERY_TICKS == 0:
            self._look()
        return await super().on_tick(counter)

    def _look(self) -> None:
        """Drop those that keep us waiting for too long."""
        now = time.monotonic()
        for one in list(self.server_state.connections):
            if isinstance(one, Connection) and (reason := one.look(now, self._doors)):
                self._drop(one, reason)

    def _drop(self, one: Connection, reason: str) -> None:
        log.info("client dropped", extra={"reason": reason})
        self.server_state.connections.discard(one)
        self._waiting.pop(one, None)
        one.transport.abort()

    # --- letting in ---

    async def _accept_all(self) -> None:
        while True:
            try:
                clients = await self._next()
            except OSError as error:  # out of files or of memory, or the client left meanwhile
                log.error("connection not accepted", extra={"error": str(error)})  # noqa: TRY400 - no bug of ours
                await asyncio.sleep(ACCEPT_AGAIN_S)
            else:
                await self._let_in(clients)

    async def _next(self) -> list[socket.socket]:
        """The clients that knock: at least one, and at most as many as there are spare places.

        One at a time would not do: each takes a few rounds of the event loop, which are long while
        hundreds are served, and whoever asks how the server is stands at the end of that line.
        """
        first, _ = await asyncio.get_running_loop().sock_accept(self._listening)
        clients = [first]
        with suppress(OSError):  # nobody else knocks, or no file is left: the next call tells that
            while len(clients) < self._at_once:
                client, _ = self._listening.accept()
                client.setblocking(False)
                clients.append(client)
        return clients

    async def _let_in(self, clients: list[socket.socket]) -> None:
        letting_in: list[Coroutine[Any, Any, None]] = []
        for client in clients:
            inside = len(self.server_state.connections) + len(letting_in)
            over = inside + 1 - self._doors.connections
            if over > 0 and self._waiting:
                self._drop(next(iter(self._waiting)), "place needed")
                over -= 1
            if over > self._to_spare:
                log.warning("connection refused", extra={"error": "all places are taken"})
                client.close()
            else:
                letting_in.append(self._connect(client, has_place=over <= 0))
        await asyncio.gather(*letting_in)

    async def _connect(self, client: socket.socket, *, has_place: bool) -> None:
        connection = Connection(
            waiting=self._waiting,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )
        if not has_place:
            connection.app = self._turned_away(connection.app)
        try:
            await asyncio.get_running_loop().connect_accepted_socket(lambda: connection, client)
        except OSError as error:
            log.error("connection not accepted", extra={"error": str(error)})  # noqa: TRY400 - no bug of ours
            client.close()

    def _turned_away(self, app: ASGIApp) -> ASGIApp:
        """`app` for a client without a place: it is told just that, unless one has become free."""

        async def answering(scope: Scope, receive: Receive, send: Send) -> None:
            is_full = len(self.server_state.connections) > self._doors.connections
            if is_full and scope["path"] not in ALWAYS_ANSWERED:
                told = in_dialect(scope, with_headers(send))
                await _no_place(self._doors.connections)(scope, receive, told)
            else:
                await app(scope, receive, send)

        return answering


def _no_place(connections: int) -> ASGIApp:
    detail = f"{connections} connections are open already; try again in {RETRY_AFTER_S} s"
    headers = {"Retry-After": str(RETRY_AFTER_S), "Connection": "close"}
    return problem(503, "too_many_connections", detail, headers=headers)
