"""No reply, file or request stops the event loop for more than half a second.

Everything on the way counts: reading the answer, folding, storing, quoting into the next prompt,
streaming to viewers, exporting. The system is the one that `moot serve` opens; only the provider
means harm, in a process of its own.
"""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.security.hostile_provider import TEXTS
from tests.unit.api.serving import client_of

from moot.models.cleaning import clean_text
from moot.models.thoughts import split_thoughts
from moot.protocol.answers import Text
from moot.protocol.formats.council.answers import PROPOSAL
from moot.protocol.formats.council.questions import QuestionsAnswer
from moot.protocol.formats.room.mentions import mentioned
from moot.protocol.quoting import quoted
from moot.protocol.speech import tidy
from moot.protocol.values import Participant
from moot.protocol.words import Role, StepKind
from moot.serving import open_server
from moot.settings import load_settings
from moot.wiring import System

LONGEST_S = 0.5
TICK_S = 0.01
PATIENCE_S = 50
SIZE = 950_000
"""Characters: nearly as many as a reply may have."""


class Watchdog:
    """The longest time in which the loop did nothing but one thing.

    Measured twice, and the smaller counts: by the clock, which also runs while other processes
    have the processor, and by the processor, which also works for other threads of this process.
    """

    def __init__(self) -> None:
        self.longest_s = 0.0

    async def run(self) -> None:
        while True:
            clock, processor = time.perf_counter(), time.process_time()
            await asyncio.sleep(TICK_S)
            pause_s = time.perf_counter() - clock - TICK_S
            self.longest_s = max(self.longest_s, min(pause_s, time.process_time() - processor))


@asynccontextmanager
async def watched() -> AsyncIterator[Watchdog]:
    # What thousands of tests before this one left behind is not looked through for garbage: that
    # took more than half a second of its own.
    gc.collect()
    gc.freeze()
    dog = Watchdog()
    task = asyncio.create_task(dog.run())
    try:
        yield dog
    finally:
        await asyncio.sleep(TICK_S * 2)
        task.cancel()
        gc.unfreeze()


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.security.hostile_provider"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


class Server:
    def __init__(self, system: System, client: httpx.AsyncClient) -> None:
        self.system = system
        self.client = client

    async def held(self, **body: Any) -> str:
        """The id of a debate, once it is over or cannot go on, with somebody watching."""
        answer = await self.client.post("/api/debates", json={**body, "start": True})
        assert answer.status_code == 201, answer.text
        debate = str(answer.json()["id"])
        async with asyncio.timeout(PATIENCE_S):
            async for _ in self.system.service.watch(debate, text=True):
                pass
        return debate


@pytest.fixture
async def server(
    tmp_path: Path, provider: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Server]:
    monkeypatch.setenv("OPENAI_BASE_URL", provider)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    settings = load_settings(home=tmp_path, tracing=False, context_root=tmp_path)
    async with (
        open_server(settings, host="127.0.0.1") as (app, system),
        client_of(app) as client,
    ):
        yield Server(system, client)


DEBATES: dict[str, dict[str, Any]] = {
    "rounds": {"format": "rounds", "settings": {"max_rounds": 1}},
    "room": {
        "format": "room",
        "settings": {"pacing": "auto", "max_messages": 3, "response_delay": 1},
    },
    "council": {"format": "council", "settings": {"rounds": 1}},
    "duel": {"format": "duel", "settings": {"turns": 2}},
}


async def the_pause(server: Server, format_: str, text: str, size: int) -> float:
    model = f"openai:{text}-{size}"
    wanted = DEBATES[format_]
    settings = {**wanted["settings"], "model_debater": model, "model_judge": model}
    async with watched() as dog:
        debate = await server.held(topic="Is it so?", **{**wanted, "settings": settings})
        for page in ("", "/turns?private=1", "/export?as=html", "/export?as=md", "/export?as=csv"):
            answer = await server.client.get(f"/api/debates/{debate}{page}")
            assert answer.status_code == 200
    return dog.longest_s


# Those that took longest, before each was mended: from two seconds to more than a minute.
WORST = {
    "half-surrogates": "rounds",
    "blanks-closed": "rounds",
    "channel-word": "rounds",
    "thoughts": "rounds",
    "others-in-code": "rounds",
    "other-then-lines": "rounds",
    "marks": "room",
    "families": "council",
}


@pytest.mark.parametrize("text", WORST)
async def test_no_reply_stops_the_loop(server: Server, text: str) -> None:
    # In a council everybody quotes everybody: as much as this comes of a quarter of it.
    size = SIZE // 4 if WORST[text] == "council" else SIZE
    assert await the_pause(server, WORST[text], text, size) < LONGEST_S


@pytest.mark.parametrize("text", TEXTS)
def test_no_reply_that_comes_whole_takes_long_to_read(text: str) -> None:
    whole = TEXTS[text](SIZE)
    ada, bo = (Participant(id=one, name=one.title(), role=Role.MEMBER) for one in ("ada", "bo"))
    started = time.process_time()
    said, _ = split_thoughts(clean_text(whole))
    said = tidy(said, ada, [ada, bo], StepKind.SPEAK).text
    Text().read(said)
    mentioned(said, {"ada": "Ada", "bo": "Bo"})
    quoted("Ada", said)
    for answer in (PROPOSAL, QuestionsAnswer(most=3)):
        answer.read(said)
    assert time.process_time() - started < LONGEST_S


@pytest.mark.parametrize("text", ["families", "half-surrogates", "marks", "lines"])
async def test_no_file_stops_the_loop(server: Server, tmp_path: Path, text: str) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    hostile = TEXTS[text](60_000).encode(errors="replace")
    for number in range(8):
        (folder / f"{number}.txt").write_bytes(hostile)
    sent = [{"name": f"{number}.md", "content": hostile.decode()} for number in range(4)]
    models = {"model_debater": "openai:word-10", "model_judge": "openai:word-10"}
    settings = {"max_rounds": 1, **models}
    body: dict[str, Any] = {"topic": "Is it so?", "format": "rounds", "settings": settings}
    async with watched() as dog:
        await server.held(**body, context_directory="files")
        await server.held(**body, attachments=sent)
    assert dog.longest_s < LONGEST_S


REQUESTS = {
    "nested": b'{"topic": ' + b"[" * 400_000,
    "fields": b"{" + b",".join(b'"f%d": 1' % number for number in range(60_000)) + b"}",
    "topic": json.dumps({"topic": "a" + "\u0315\u0300" * 100_000}).encode(),
    "names": json.dumps(
        {
            "topic": "Is it so?",
            "participants": [{"name": "a" + "\u0315\u0300" * 90 + str(one)} for one in range(50)],
        }
    ).encode(),
    "settings": json.dumps({"topic": "T?", "settings": {"premise": "\u200d" * 150_000}}).encode(),
}


@pytest.mark.parametrize("kind", REQUESTS)
async def test_no_request_stops_the_loop(server: Server, kind: str) -> None:
    async with watched() as dog:
        for path in ("/api/debates", "/api/forecasts"):
            answer = await server.client.post(
                path, content=REQUESTS[kind], headers={"Content-Type": "application/json"}
            )
            assert answer.status_code < 500
    assert dog.longest_s < LONGEST_S


async def test_the_watchdog_sees_a_loop_that_stands_still() -> None:
    async with watched() as dog:
        await asyncio.sleep(TICK_S)
        end = time.process_time() + 0.1
        while time.process_time() < end:
            pass
        await asyncio.sleep(TICK_S)
    assert dog.longest_s > 0.05
