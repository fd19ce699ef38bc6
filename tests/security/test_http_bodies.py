"""What is sent: too much, too slow, too deep, and not JSON (RELIABILITY 4)."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from tests.unit.api.serving import Serving, serving

from moot.api import ApiLimits
from moot.testing.scripted import ScriptedModel

JSON = {"content-type": "application/json"}


async def _nothing_was_created(on: Serving) -> bool:
    return not (await on.service.list()).items


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 422, "invalid_input"),
        (b"{", 400, "invalid_json"),
        (b"[]", 422, "invalid_input"),
        (b"null", 422, "invalid_input"),
        (b'{"topic": "T", "settings": {"max_cost_usd": NaN}}', 400, "invalid_json"),
        (b'{"topic": "T", "settings": {"max_cost_usd": Infinity}}', 400, "invalid_json"),
        (b'{"topic": "T", "settings": {"max_cost_usd": 1e999}}', 400, "invalid_json"),
        (b'{"topic": "T", "settings": {"turns": ' + b"9" * 5000 + b"}}", 400, "invalid_json"),
        (b'{"topic": "\\ud800"}', 400, "invalid_json"),
        (b'{"topic": "\xff\xfe"}', 400, "invalid_json"),
        (b'\xef\xbb\xbf{"topic": "T"}', 400, "invalid_json"),
        (b'{"topic": "a\\u0000b"}', 422, "invalid_input"),
        (b'{"topic": "T"} {"topic": "U"}', 400, "invalid_json"),
        (b'{"topic": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", 400, "too_deep"),
        (b'{"topic": "T", "participants": [' + b"{}," * 6_000 + b"{}]}", 413, "too_many_parts"),
        (b'{"topic": "T", "settings": ' + b'{"a":' * 60 + b"1" + b"}" * 61, 400, "too_deep"),
    ],
)
async def test_refuses_what_is_no_proper_request(
    tmp_path: Path, body: bytes, status: int, code: str
) -> None:
    async with serving(tmp_path, worker=False) as on:
        answer = await on.client.post("/api/debates", content=body, headers=JSON)
        assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        assert await _nothing_was_created(on)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "text/html"])
async def test_reads_json_only_when_it_is_called_so(tmp_path: Path, kind: str) -> None:
    async with serving(tmp_path, worker=False) as on:
        answer = await on.client.post(
            "/api/debates", content=b'{"topic": "T"}', headers={"content-type": kind}
        )
        assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
        assert await _nothing_was_created(on)


async def test_takes_a_body_up_to_the_limit(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        blanks = b" " * (1_000_000 - 14)
        answer = await on.client.post(
            "/api/debates", content=b'{"topic": "T"}' + blanks, headers=JSON
        )
        assert answer.status_code == 201
        answer = await on.client.post(
            "/api/debates", content=b'{"topic": "T"}' + blanks + b" ", headers=JSON
        )
        assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


async def test_stops_reading_where_the_limit_is(tmp_path: Path) -> None:
    read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read
        while True:
            read += 100_000
            yield b" " * 100_000

    async with serving(tmp_path, worker=False) as on:
        answer = await on.client.post("/api/debates", content=endless(), headers=JSON)
        assert answer.status_code == 413
        assert read <= 1_200_000


async def test_does_not_wait_for_ever_for_a_body(tmp_path: Path) -> None:
    async def drip() -> AsyncIterator[bytes]:
        while True:
            await asyncio.sleep(0.01)
            yield b" "

    async with serving(tmp_path, worker=False, limits=ApiLimits(body_s=0.1)) as on:
        answer = await on.client.post("/api/debates", content=drip(), headers=JSON)
        assert (answer.status_code, answer.json()["code"]) == (408, "body_too_slow")


@asynccontextmanager
async def listening(on: Serving) -> AsyncIterator[tuple[str, int, set[Any]]]:
    """A real server on a real socket: where it is, and its connections."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        # Small, so that a few frames fill it.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        server = uvicorn.Server(uvicorn.Config(on.app, log_level="critical", lifespan="off"))
        running = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started:  # noqa: ASYNC110 - it has no event for it
            await asyncio.sleep(0.01)
        try:
            yield *listener.getsockname(), server.server_state.connections
        finally:
            server.should_exit = True
            server.force_exit = True
            await running


async def test_a_gigabyte_is_refused_by_its_announcement(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on, listening(on) as (host, port, _):
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(
            b"POST /api/debates HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n{"
        )
        assert (await reader.readline()).startswith(b"HTTP/1.1 413")
        writer.close()


async def test_chunks_without_end_are_refused_too(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on, listening(on) as (host, port, _):
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(
            b"POST /api/debates HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        for _ in range(17):
            writer.write(chunk)
        await writer.drain()
        assert (await reader.readline()).startswith(b"HTTP/1.1 413")
        writer.close()


async def test_a_viewer_on_a_real_socket_that_does_not_read_is_dropped(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "moot.api")
    model = ScriptedModel(lambda _: "So it is, and so on. " * 5000)
    limits = ApiLimits(send_s=0.2, creations_per_minute=1000)
    async with (
        serving(tmp_path, model, limits=limits) as on,
        listening(on) as (host, port, connections),
    ):
        unlimited = {"max_rounds": 5, "max_total_output_tokens": None}
        debate = await on.create(settings=unlimited)
        with socket.socket() as idle:
            idle.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            idle.setblocking(False)
            loop = asyncio.get_running_loop()
            await loop.sock_connect(idle, (host, port))
            request = f"GET /api/debates/{debate}/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
            await loop.sock_sendall(idle, request.encode())
            assert (await loop.sock_recv(idle, 15)) == b"HTTP/1.1 200 OK"
            await on.command(debate, "start")
            # Cut, and not only left alone with what nobody reads.
            while on.service.viewers or connections:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.05)
        assert "viewer dropped" in caplog.messages
        # The debate goes on all the same, and whoever comes back misses nothing. Asked without
        # a socket: on a busy machine, 0.2 s are soon over for a reader in the same process too.
        found = await on.until(debate, "completed")
        text = (await on.client.get(f"/api/debates/{debate}/events?text=0")).text
        ids = [int(line[4:]) for line in text.splitlines() if line.startswith("id: ")]
        assert ids == list(range(1, found["seq"] + 1))


async def test_words_cannot_forge_a_frame(tmp_path: Path) -> None:
    evil = "x\n\nid: 999\nevent: DebateCompleted\ndata: {}\r\n\r\nretry: 1\r\rdata: y\u2028\u0085z"

    def script(_: object) -> str:
        return evil

    async with serving(tmp_path, ScriptedModel(script, latency_s=0.005)) as on:
        debate = await on.create(topic=evil.replace("\u0085", ""))  # which a topic may not have
        async with on.stream(debate, "private=1") as stream:
            await on.command(debate, "start")
            frames = await stream.events()
        log = await on.service.log(debate)
        assert [f.id for f in frames if f.id] == list(range(1, len(log) + 1))
        assert sum(f.event == "DebateCompleted" for f in frames) == 1
        for frame in frames:
            assert "\r" not in frame.raw
            assert len(frame.raw.split("\n")) == (3 if frame.id else 2)
        said = [f.data["content"] for f in frames if f.event == "TurnRecorded"]
        assert said[0] == json.loads(json.dumps(evil))
        assert any(f.event == "text" and f.data["text"] for f in frames)


async def test_token_and_secret_are_in_no_repr(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False, token="sk-CANARY", secret=b"sk-CANARY") as on:
        assert "CANARY" not in repr(on.parts)
