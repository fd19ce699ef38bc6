"""`/mcp` on the server: both protocols behind the guards, opened by the first who comes."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
import uvicorn
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from tests.unit.mcp.hosts import (
    COUNCIL,
    DEEP,
    NEW,
    OLD,
    PATIENCE_S,
    PROTOCOLS,
    SECRET,
    Person,
    answered,
    fields,
    host,
    text,
)

from moot.mcp.offers import listed_resources
from moot.mcp.port import Caller
from moot.mcp.remote import Remote
from moot.serving import open_server
from moot.settings import load_settings
from moot.testing.scripted import ScriptedModel, ScriptedModels
from moot.wiring import System

TOKEN = "a-token-for-tests"
HEADERS = {
    "Authorization": f"Bearer {TOKEN}",
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}


class Server(uvicorn.Server):
    """In the process of the test, on a port that was free."""

    async def __aenter__(self) -> None:
        self._serving = asyncio.create_task(self.serve([self.listening]))
        while not self.started:  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.001)

    async def __aexit__(self, *_: object) -> None:
        self.should_exit = self.force_exit = True
        await self._serving

    def __init__(self, app: Any) -> None:
        super().__init__(uvicorn.Config(app, lifespan="off", log_config=None, ws="none"))
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listening.getsockname()[1]}"


@asynccontextmanager
async def served(
    home: Path, *, latency_s: float = 0.0, **options: Any
) -> AsyncIterator[tuple[str, System]]:
    settings = load_settings(home=home, secret=SECRET, tracing=False, token=TOKEN, **options)
    models = ScriptedModels(ScriptedModel(latency_s=latency_s))
    async with (
        asyncio.timeout(PATIENCE_S),
        open_server(settings, host="127.0.0.1", models=models) as (app, system),
    ):
        server = Server(app)
        async with server:
            yield server.url, system


@asynccontextmanager
async def connected(url: str, protocol: str, person: Person | None = None) -> AsyncIterator[Any]:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE_S) as http:
        transport = streamable_http_client(f"{url}/mcp", http_client=http)
        async with host(transport, protocol, person) as client:
            yield client


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("has_forms", [True, False])
async def test_a_council_that_asks_is_answered(
    tmp_path: Path, protocol: str, has_forms: bool
) -> None:
    person = Person() if has_forms else None
    async with (
        served(tmp_path) as (url, system),
        connected(url, protocol, person) as client,
    ):
        first = await client.call_tool("ask_council", DEEP)
        assert fields(first)["status"] == ("completed" if has_forms else "waiting")
        found = await answered(client, first)
        assert found["result"]
        assert [one.id for one in (await system.service.list()).items] == [found["debate"]]


async def test_another_server_goes_on_with_what_a_host_was_asked(tmp_path: Path) -> None:
    """As after a restart: nothing is known of the first round but what the host brings back."""
    async with served(tmp_path) as (url, _), connected(url, NEW, Person()) as client:
        asked = await client.session.call_tool("ask_council", DEEP, allow_input_required=True)
        assert asked.result_type == "input_required"
    replies = {"answers": await Person()(None, asked.input_requests["answers"].params)}  # type: ignore[arg-type]
    async with served(tmp_path) as (url, system), connected(url, NEW, Person()) as client:
        found = fields(
            await client.call_tool(
                "ask_council", DEEP, input_responses=replies, request_state=asked.request_state
            )
        )
        assert (found["status"], bool(found["result"])) == ("completed", True)
        assert len((await system.service.list()).items) == 1
        forged = {"input_responses": replies, "request_state": "v1.forged"}
        with pytest.raises(Exception, match="Invalid or expired requestState"):
            await client.call_tool("ask_council", DEEP, **forged)


@pytest.mark.parametrize(
    ("headers", "body", "status", "code"),
    [
        ({"Host": "evil.example"}, HELLO, 403, "host_not_allowed"),
        ({"Authorization": ""}, HELLO, 401, "unauthorized"),
        ({"Authorization": "Bearer nope"}, HELLO, 401, "unauthorized"),
        (
            {"Authorization": "", "Origin": "http://evil.example"},
            HELLO,
            403,
            "cross_origin",
        ),
        ({}, {"x": "y" * 1_000_001}, 413, "body_too_large"),
        ({}, [[[]] * 20_000], 413, "too_many_parts"),
    ],
)
async def test_the_guards_are_in_front_of_it(
    tmp_path: Path, headers: Mapping[str, str], body: Any, status: int, code: str
) -> None:
    settings = load_settings(home=tmp_path, secret=SECRET, tracing=False, token=TOKEN)
    async with (
        open_server(settings, host="127.0.0.1", models=ScriptedModels()) as (app, _),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://127.0.0.1"
        ) as client,
    ):
        for method in ("POST", "DELETE"):
            sent = {**HEADERS, **headers}
            answer = await client.request(method, "/mcp", json=body, headers=sent)
            assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_what_is_no_message_of_the_protocol_is_refused_in_its_words(tmp_path: Path) -> None:
    async with served(tmp_path) as (url, _), httpx.AsyncClient(headers=HEADERS) as client:
        for body in (b"nonsense", b"{}", b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'):
            answer = await client.post(f"{url}/mcp", content=body)
            assert answer.status_code == 400
            assert "error" in answer.json()
        lost = await client.post(f"{url}/mcp", json=HELLO, headers={"Mcp-Session-Id": "gone"})
        assert lost.status_code == 404


async def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "moot.mcp.server", None)
    async with served(tmp_path) as (url, _), httpx.AsyncClient(headers=HEADERS) as client:
        for _ in range(2):
            answer = await client.post(f"{url}/mcp", json=HELLO)
            assert (answer.status_code, answer.json()["code"]) == (501, "mcp_not_installed")
            assert "pip install 'moot[mcp]'" in answer.json()["detail"]
        assert (await client.get(f"{url}/healthz")).status_code == 200


def test_nothing_of_it_is_imported_before_somebody_comes(tmp_path: Path) -> None:
    """Neither by the command line nor by a server that answers other requests."""
    program = f"""
import asyncio, sys
from moot.cli.app import cli
from moot.settings import load_settings
from moot.testing.scripted import ScriptedModels
from moot.serving import open_server
async def main():
    settings = load_settings(home={str(tmp_path)!r}, tracing=False)
    async with open_server(settings, host="127.0.0.1", models=ScriptedModels()) as (app, _):
        pass
asyncio.run(main())
assert not any(name.split(".")[0] in ("mcp", "mcp_types") for name in sys.modules)
assert not any(name.startswith("moot.mcp") for name in sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=PATIENCE_S * 2)


async def test_a_server_that_leaves_ends_what_hosts_hold_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moot.api.mcp.RETURNING_S", 0.0)
    async with (
        served(tmp_path) as (url, system),
        httpx.AsyncClient(headers=HEADERS, timeout=PATIENCE_S) as client,
    ):
        hello = await client.post(f"{url}/mcp", json=HELLO)
        session = {"Mcp-Session-Id": hello.headers["mcp-session-id"]}
        async with client.stream("GET", f"{url}/mcp", headers=session) as held:
            assert held.status_code == 200
            system.leave_doors()
            with suppress(httpx.HTTPError):  # it may be cut
                _ = [one async for one in held.aiter_bytes()]


async def test_a_process_that_leaves_keeps_nobody_waiting(tmp_path: Path) -> None:
    async with served(tmp_path, latency_s=PATIENCE_S) as (url, system):
        calling = asyncio.create_task(Remote(url, TOKEN).call("ask_council", COUNCIL, Caller()))
        while not (system.worker and system.worker.calls):  # noqa: ASYNC110 - nobody tells of it
            await asyncio.sleep(0.01)
        system.loops.is_leaving = True
        system.service.dismiss_viewers()
        found: Any = await calling
        assert found.status == "running"
        assert "goes on by itself" in found.next


async def test_no_more_debates_are_begun_in_a_minute_than_elsewhere(tmp_path: Path) -> None:
    async with (
        served(tmp_path, creations_per_minute=1) as (url, system),
        connected(url, NEW) as client,
    ):
        for _ in range(2):
            fields(await client.call_tool("ask_council", {**COUNCIL, "wait_seconds": 0}))
        refused = await client.call_tool("ask_council", {**COUNCIL, "fresh": True})
        assert refused.is_error
        assert "too many debates" in text(refused)
        assert len((await system.service.list()).items) == 1


# --- through a server ----------------------------------------------------------------------------


async def test_a_door_to_a_server_does_what_the_server_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moot.mcp.tools.BEAT_S", 0.01)
    told: list[str] = []

    async def tell(_done: float, _of: float, now: str) -> None:
        told.append(now)

    caller = Caller(client="an editor", tell=tell)
    async with served(tmp_path, latency_s=0.1) as (url, system):
        door = Remote(f"{url}/mcp/", TOKEN)  # as hosts are told it
        waiting: Any = await door.call("ask_council", DEEP, caller)
        (question,) = waiting.questions
        given = {"debate": waiting.debate, "answers": {question.id: "Yes."}}
        found: Any = await door.call("answer", given, caller)
        assert (found.status, bool(found.result)) == ("completed", True)
        origin = (await system.service.state(found.debate)).config.origin
        assert origin is not None
        assert origin.client == "an editor"
        assert (await door.read(found.debate)).startswith("# Postgres")
        assert any(" is " in one for one in told)
        listed: Any = await door.call("list_debates", {}, caller)
        assert [one.debate for one in listed.debates] == [found.debate]
        with pytest.raises(Exception, match="there is no panel"):
            await door.call("ask_council", {**COUNCIL, "panel": "nope"}, caller)


@pytest.mark.parametrize("token", [None, "nope"])
async def test_a_server_that_does_not_answer_is_told_with_what_to_check(
    tmp_path: Path, token: str | None
) -> None:
    async with served(tmp_path) as (url, _):
        with pytest.raises(Exception, match="MOOT_TOKEN"):
            await Remote(url, token).call("list_debates", {}, Caller())
        with pytest.raises(MCPError, match="MOOT_TOKEN"):
            await listed_resources(Remote(url, token))
    with pytest.raises(Exception, match="check that `moot serve` runs there"):
        await Remote(url, TOKEN).call("list_debates", {}, Caller())


async def test_a_host_of_the_old_protocol_that_leaves_ends_its_session(tmp_path: Path) -> None:
    async with served(tmp_path) as (url, _), httpx.AsyncClient(headers=HEADERS) as client:
        hello = await client.post(f"{url}/mcp", json=HELLO)
        session = {"Mcp-Session-Id": hello.headers["mcp-session-id"]}
        async with connected(url, OLD) as other:
            assert (await other.list_tools()).tools
        assert (await client.delete(f"{url}/mcp", headers=session)).status_code == 200
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        gone = await client.post(f"{url}/mcp", json=ping, headers=session)
        assert gone.status_code == 404
