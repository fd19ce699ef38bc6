"""No reply, file or request stops the event loop for more than half a second.

Everything on the way counts: reading the answer, folding, storing, quoting into the next prompt,
streaming to viewers, exporting. The system is the one that `moot serve` opens; only the provider
means harm, in a process of its own.
"""

from __future__ import annotations

import asyncio
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

from moot.settings import load_settings
from moot.wiring import System, open_server

LONGEST_S = 0.5
TICK_S = 0.01
PATIENCE_S = 50
SIZE = 1_900_000
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
    dog = Watchdog()
    task = asyncio.create_task(dog.run())
    try:
        yield dog
    finally:
        await asyncio.sleep(TICK_S * 2)
        task.cancel()


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
    async with open_server(settings, host="127.0.0.1") as (app, system):
        async with client_of(app) as client:
            yield Server(system, client)


DEBATES: dict[str, dict[str, Any]] = {
    "rounds": {"format": "rounds", "settings": {"max_rounds": 1}},
    "room": {"format": "room", "settings": {"pacing": "auto", "max_turns": 3}},
    "council": {"format": "council", "settings": {"max_rounds": 1}},
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


# Those that took longest, before each was mended; the others by hand with `SIZE` in every format.
WORST = ("half-surrogates", "blanks-closed", "channel-word", "others-in-code", "marks", "braces")


@pytest.mark.parametrize("text", WORST)
async def test_no_reply_stops_the_loop(server: Server, text: str) -> None:
    format_ = "room" if text == "marks" else "rounds"
    assert await the_pause(server, format_, text, SIZE) < LONGEST_S
