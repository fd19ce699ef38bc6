"""More clients than there are places, and clients that neither send nor read, on real sockets."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import Any

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from moot.api import server as doors_of_server
from moot.api.server import PLACES_TO_SPARE, Doors, Server, most_connections

HELD = b"GET /held HTTP/1.1\r\nHost: localhost\r\n\r\n"
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
QUICK = b"GET /quick HTTP/1.1\r\nHost: localhost\r\n\r\n"
LARGE = b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST /held HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf"
MB = 1_000_000
PATIENCE_S = 10.0
LONG_S = 60.0
"""What the doors allow. Nobody waits for it: tests set the clock of the doors ahead."""


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """`/held` answers when its client has gone, everything else at once."""
    body = b"x" * (30 * MB if scope["path"] == "/large" else 2)
    length = [] if scope["path"] == "/held" else [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": length})
    if scope["path"] == "/held":
        await send({"type": "http.response.body", "body": b"begun", "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass
        return
    await send({"type": "http.response.body", "body": body})


class Client:
    """A client that does only what it is told to."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def heard(self) -> str:
        """The first line that comes; "" if the connection is closed instead."""
        async with asyncio.timeout(PATIENCE_S):
            try:
                return (await self.reader.readline()).decode().strip()
            except ConnectionResetError:
                return ""


class Counting(Server):
    """Counts those it has let in, or closed at the door."""

    came = 0

    async def _let_in(self, clients: list[socket.socket]) -> None:
        await super()._let_in(clients)
        self.came += len(clients)


class Ahead:
    """The clock of the doors."""

    def __init__(self) -> None:
        self.by_s = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.by_s


class House:
    def __init__(self, server: Counting, port: int, clock: Ahead) -> None:
        self.server, self.port, self._clock = server, port, clock
        self._clients: list[Client] = []

    async def settle(self) -> None:
        """All that was sent has been read: on loopback, a few rounds of the event loop do it."""
        for _ in range(12):
            await asyncio.sleep(0.001)

    async def look_after(self, seconds: float) -> None:
        """As the server does, when so much time has passed."""
        await self.settle()
        self._clock.by_s += seconds
        self.server._look()
        await self.settle()

    async def comes(self, said: bytes = b"") -> Client:
        """A new client that says this, once the server has seen it."""
        before = self.server.came
        client = Client(*await asyncio.open_connection("127.0.0.1", self.port))
        self._clients.append(client)
        client.writer.write(said)
        while self.server.came == before:  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.001)
        await self.settle()
        return client

    @property
    def count(self) -> int:
        return len(self.server.server_state.connections)

    async def close(self) -> None:
        for client in self._clients:
            client.writer.close()


@asynccontextmanager
async def house(connections: int = 4) -> AsyncIterator[House]:
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    config = uvicorn.Config(app, log_config=None, lifespan="off", ws="none")
    config.timeout_graceful_shutdown = 1
    limits = Doors(connections=connections, header_s=LONG_S, unread_s=LONG_S)
    server = Counting(config, listening, limits)
    server.capture_signals = nullcontext  # type: ignore[assignment]
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn tells nobody
        await asyncio.sleep(0.001)
    clock = Ahead()
    one = House(server, port, clock)
    try:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(doors_of_server, "time", clock)
            yield one
    finally:
        await one.close()
        server.should_exit = True
        await serving


@pytest.mark.parametrize("silence", [b"", HELD[:20], POST])
async def test_who_keeps_us_waiting_longest_makes_room(silence: bytes) -> None:
    async with house(connections=4) as one:
        held = await one.comes(HELD)
        silent = [await one.comes(silence) for _ in range(3)]
        new = [await one.comes(HELD) for _ in range(3)]
        assert [await client.heard() for client in new] == ["HTTP/1.1 200 OK"] * 3
        if silence != POST:  # which has been answered half already
            assert [await client.heard() for client in silent] == [""] * 3
        assert await held.heard() == "HTTP/1.1 200 OK"
        assert one.count == 4


async def test_forty_half_heads_take_no_more_than_their_places() -> None:
    async with house(connections=10) as one:
        for _ in range(40):
            await one.comes(HELD[:20])
        assert one.count == 10
        assert await (await one.comes(QUICK)).heard() == "HTTP/1.1 200 OK"


async def test_a_crowd_is_let_in_at_once_so_that_nobody_stands_in_line_behind_it() -> None:
    """One by one, `/healthz` came after a thousand others and took half a minute."""
    async with house(connections=400) as one:
        crowd = [socket.create_connection(("127.0.0.1", one.port)) for _ in range(40)]
        for _ in range(20):
            await asyncio.sleep(0)
        assert one.server.came == 40
        for client in crowd:
            client.close()


async def test_a_crowd_takes_no_more_than_its_places() -> None:
    async with house(connections=16) as one:
        crowd = [socket.create_connection(("127.0.0.1", one.port)) for _ in range(100)]
        most = 0
        while one.server.came < len(crowd):
            await asyncio.sleep(0)
            most = max(most, one.count)
        assert most <= 16 + PLACES_TO_SPARE
        await one.settle()
        assert one.count == 16
        for client in crowd:
            client.close()


async def test_when_all_are_busy_others_are_turned_away_and_health_is_told() -> None:
    async with house(connections=4) as one:
        busy = [await one.comes(HELD) for _ in range(4)]
        refused = await one.comes(QUICK)
        assert await refused.heard() == "HTTP/1.1 503 Service Unavailable"
        answer = (await refused.reader.read()).decode().lower()  # to its end: it is closed
        assert "retry-after: 5" in answer
        assert "too_many_connections" in answer
        assert await (await one.comes(HEALTH)).heard() == "HTTP/1.1 200 OK"
        busy[0].writer.close()
        await one.settle()
        assert await (await one.comes(QUICK)).heard() == "HTTP/1.1 200 OK"


async def test_beyond_the_places_to_spare_nobody_is_let_in() -> None:
    async with house(connections=2) as one:
        for _ in range(2 + PLACES_TO_SPARE):
            await one.comes(HELD.replace(b"/held", b"/healthz"))
        for _ in range(PLACES_TO_SPARE + 2):
            await one.comes(HELD)
        assert one.count <= 2 + PLACES_TO_SPARE
        assert await (await one.comes(HEALTH)).heard() == "HTTP/1.1 200 OK"


async def test_a_head_must_be_whole_in_time_however_it_drips() -> None:
    async with house() as one:
        dripping, silent = await one.comes(HELD[:5]), await one.comes()
        reading = await one.comes(HELD)
        for byte in HELD[5:10]:
            dripping.writer.write(bytes([byte]))
            await one.look_after(LONG_S / 6)
        assert one.count == 3
        await one.look_after(LONG_S / 6 + 1)
        assert await dripping.heard() == ""
        assert await silent.heard() == ""
        assert await reading.heard() == "HTTP/1.1 200 OK"
        assert one.count == 1


async def test_a_pause_between_two_requests_is_not_part_of_the_next_head() -> None:
    async with house() as one:
        client = await one.comes(QUICK)
        await one.look_after(LONG_S + 1)
        client.writer.write(QUICK[:10])
        await one.look_after(LONG_S / 2)
        client.writer.write(QUICK[10:])
        for _ in range(2):
            assert await client.heard() == "HTTP/1.1 200 OK"
            await client.reader.readuntil(b"xx")
        client.writer.write(QUICK[:10])
        await one.look_after(LONG_S + 1)
        assert await client.heard() == ""


async def test_who_does_not_read_its_answer_is_dropped_and_who_reads_is_not() -> None:
    async with house() as one:
        idle, reading = await one.comes(LARGE), await one.comes(LARGE)
        await one.look_after(0)
        got = 0
        for _ in range(3):
            got += len(await reading.reader.readexactly(5 * MB))
            await one.look_after(LONG_S + 1)
            assert one.count == 1
        got += len(await reading.reader.readexactly(30 * MB - got))
        assert got == 30 * MB
        with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
            await idle.reader.readexactly(30 * MB)


async def test_running_out_of_files_is_outlived(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doors_of_server, "ACCEPT_AGAIN_S", 0.01)
    caplog.set_level(logging.ERROR, logger=doors_of_server.__name__)
    async with house() as one:
        loop = asyncio.get_running_loop()
        accept, left = loop.sock_accept, [OSError(24, "Too many open files")] * 3

        async def failing(listening: socket.socket) -> tuple[socket.socket, Any]:
            if left:
                raise left.pop()
            return await accept(listening)

        monkeypatch.setattr(loop, "sock_accept", failing)
        await one.comes(QUICK)  # the accept that was under way
        assert await (await one.comes(QUICK)).heard() == "HTTP/1.1 200 OK"
        assert not left
        assert {record.getMessage() for record in caplog.records} == {"connection not accepted"}


@pytest.mark.parametrize(
    ("files", "connections"),
    [(64, 16), (256, 160), (1024, 768), (20_000, 4000), (1_000_000, 4000), (None, 4000)],
)
def test_connections_leave_room_for_the_rest(files: int | None, connections: int) -> None:
    assert most_connections(files) == connections
