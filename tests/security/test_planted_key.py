"""A key is planted, and the provider does all it can to spread it (P10).

It repeats the key in a refusal and in a reply, whole and streamed. Then everything that a person,
a file or another model could get to see is searched for it.
"""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from moot.cli.app import cli
from moot.engine.service import Service
from moot.protocol.events import DebateCompleted, DebateFailed, Recorded
from moot.protocol.words import Status
from moot.serving import open_server
from moot.settings import load_settings
from moot.testing.oracles import CANARY_KEY, Landed, check_no_secret
from moot.testing.server import ScriptedServer
from moot.testing.server_wire import ChatCall

PATIENCE_S = 30
EXPORTS = ("md", "html", "json", "csv")
KIND = {"format": "rounds", "settings": {"max_rounds": 1}, "topic": "Whose key is it?"}


class Gossip:
    """Says the key in the first reply to each request for one, and once in a refusal."""

    def __init__(self) -> None:
        self.landed = Landed()

    def script(self, call: ChatCall) -> str | None:
        if call.request.response_format is None and self.landed["replies"] < 2:
            self.landed["replies"] += 1
            return f"You sent me {call.authorization}, and again {call.authorization}."
        return None

    def fault(self, call: ChatCall) -> str | None:
        if call.number != 2:
            return None
        self.landed["refusals"] += 1
        return "status_401_echoes_key"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY_KEY)
    monkeypatch.setenv("MOOT_MODEL", "openai:scripted")
    monkeypatch.setenv("MOOT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MOOT_LOG_LEVEL", "DEBUG")
    return tmp_path / "home"


async def _tell_all(client: httpx.AsyncClient, service: Service, *, is_streamed: bool) -> list[str]:
    """Everything that can be read about a debate that failed once and was tried again."""
    answer = await client.post("/api/debates", json={**KIND, "start": not is_streamed})
    debate = answer.json()["id"]
    heard: list[str] = []
    if is_streamed:
        await _follow(client, service, debate, "start", heard)
    await _until(service, debate, Status.FAILED)
    said = [answer.text, (await client.get(f"/api/debates/{debate}")).text]
    if is_streamed:
        await _follow(client, service, debate, "retry", heard)
    else:
        said.append((await client.post(f"/api/debates/{debate}/retry")).text)
    await _until(service, debate, Status.COMPLETED)
    paths = [f"/api/debates/{debate}/export?as={kind}" for kind in EXPORTS]
    paths += [f"/api/debates/{debate}{end}" for end in ("", "/turns?private=1", "/events")]
    paths += ["/api/debates", "/api/models", "/metrics", "/openapi.json"]
    for path in paths:
        answer = await client.get(path)
        assert answer.status_code == 200, (path, answer.text)
        said.append(answer.text)
    # Problems, too: refused, unknown, unreadable, and with the key in the question.
    problems = (f"/api/debates/{debate}/stop", f"/api/debates/{debate}/start", "/api/nothing")
    for path in problems:
        answer = await client.post(path)
        assert answer.status_code in (404, 405, 409)
        said.append(answer.text)
    body = {**KIND, "participants": [{"name": CANARY_KEY * 40, "api_key": CANARY_KEY}]}
    answer = await client.post("/api/debates", json=body)
    assert answer.status_code == 422
    return [*said, answer.text, *heard]


async def _follow(
    client: httpx.AsyncClient, service: Service, debate: str, command: str, heard: list[str]
) -> None:
    """Give a command while somebody reads the text as it is written."""
    async with service.following(debate, text=True) as viewer:
        assert (await client.post(f"/api/debates/{debate}/{command}")).status_code == 200
        last = {"start": DebateFailed, "retry": DebateCompleted}[command]
        after = (await service.summary(debate)).seq - 1
        async for item in viewer.items(after=after):
            heard.append(repr(item))
            if isinstance(item, Recorded) and isinstance(item.event, last):
                return


async def _until(service: Service, debate: str, status: Status) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while (await service.summary(debate)).status is not status:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
async def test_nothing_that_http_files_or_logs_tell_has_the_key(
    home: Path,
    is_streamed: bool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    gossip = Gossip()
    async with ScriptedServer(script=gossip.script, faults=gossip.fault) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        settings = load_settings(home=home)
        async with open_server(settings, host="127.0.0.1") as (app, system):
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(
                transport=transport, base_url="http://127.0.0.1"
            ) as client:
                said = await _tell_all(client, system.service, is_streamed=is_streamed)
    gossip.landed.must_be(replies=2, refusals=1)
    assert {call.is_streamed for call in server.calls} == {is_streamed}
    assert sum("[key]" in text for text in said) > len(EXPORTS), "the reply was not shown at all"
    check_no_secret(*said, caplog.text, home)
    # Nor was it told to whoever answered next.
    check_no_secret(*(str(call.messages) for call in server.calls))


async def test_nothing_that_the_command_line_prints_has_the_key(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gossip = Gossip()
    said: list[str] = []

    async def moot(*arguments: str, code: int = 0) -> str:
        result = await asyncio.to_thread(CliRunner().invoke, cli, ["-v", *arguments])
        assert result.exit_code == code, result.output
        said.append(result.output)
        return str(result.stdout)

    async with ScriptedServer(script=gossip.script, faults=gossip.fault) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        await moot("run", "Whose key is it?", "--format", "rounds", "--set", "max_rounds=1", code=4)
        debate = json.loads(await moot("list", "--json"))["id"]
        await moot("resume", debate)
        await moot("show", debate, "--private", "--json")
        for kind in EXPORTS:
            await moot("export", debate, "--as", kind)
        await moot("doctor")
    gossip.landed.must_be(replies=2, refusals=1)
    assert sum("[key]" in text for text in said) > len(EXPORTS)
    check_no_secret(*said, home)
