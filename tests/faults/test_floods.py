"""A real `moot serve` that is flooded with clients, or whose disk is full: debates go on.

The whole figures (1,100 viewers at 1,024 open files, 300 half heads at 256) take longer, and differ
in nothing but their number.
"""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from moot.testing.server import ScriptedServer

pytestmark = pytest.mark.faults

OPEN_FILES = 128
CONNECTIONS = 32
PLACES_OF_VIEWERS = 25
CLIENTS = 200
FIRST_TURNS = 3
PROMPT_S = 5.0
"""On a machine that is busy with other things as well."""
PATIENCE_S = 60.0
MOST_LOGGED = 100_000


class Flooded:
    """A server that may open few files, and cannot have more."""

    def __init__(self, home: Path, provider: ScriptedServer) -> None:
        self.log = home.parent / "log"
        environment = {name: value for name, value in os.environ.items() if name[:5] != "MOOT_"}
        environment |= {
            "MOOT_HOME": str(home),
            "MOOT_MODEL": "openai:test",
            "MOOT_HEADER_SECONDS": "2",
            "OPENAI_BASE_URL": provider.base_url,
            "OPENAI_API_KEY": "sk-0123456789",
        }
        self._logged = self.log.open("w")
        few = f"ulimit -n {OPEN_FILES} && exec"
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", f'{few} "{sys.executable}" -m moot serve --port 0'],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=self._logged,
            text=True,
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().removeprefix("Moot is at ").strip()
        self.client = httpx.AsyncClient(base_url=self.url, timeout=PATIENCE_S)
        self._writers: list[asyncio.StreamWriter] = []

    async def debate(self, topic: str, turns: int) -> str:
        body = {"topic": topic, "settings": {"turns": turns}, "start": True}
        return str((await self.client.post("/api/debates", json=body)).json()["id"])

    async def look(self, debate: str) -> Any:
        return (await self.client.get(f"/api/debates/{debate}")).json()

    async def until(self, debate: str, status: str) -> None:
        await self.seen(debate, lambda view: view["status"] == status)

    async def seen(self, debate: str, is_so: Callable[[Any], bool]) -> None:
        while not is_so(await self.look(debate)):  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.05)

    async def come(self, said: str) -> str:
        """What somebody hears who says this and no more: the status line, or "" if cut off."""
        port = int(self.url.rpartition(":")[2])
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            self._writers.append(writer)
            writer.write(said.encode())
            return (await reader.readline()).decode().strip()
        except ConnectionError:
            return ""

    async def answers_promptly(self, path: str) -> httpx.Response:
        """On a connection of its own, as probes have."""
        began = time.monotonic()
        async with httpx.AsyncClient(base_url=self.url, timeout=PATIENCE_S) as client:
            answer = await client.get(path)
        assert time.monotonic() - began < PROMPT_S, path
        return answer

    def open_files(self) -> int:
        return sum(1 for _ in Path(f"/proc/{self.process.pid}/fd").iterdir())

    async def close(self) -> None:
        for writer in self._writers:
            writer.close()
        await self.client.aclose()
        self.process.terminate()
        await asyncio.to_thread(self.process.communicate)
        self._logged.close()


@pytest.fixture
async def provider() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer(latency_s=0.05) as server:
        yield server


@asynccontextmanager
async def flooded(path: Path, provider: ScriptedServer) -> AsyncIterator[Flooded]:
    server = await asyncio.to_thread(Flooded, path / "home", provider)
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield server
    finally:
        await server.close()


async def test_more_clients_than_open_files_harm_nobody(
    tmp_path: Path, provider: ScriptedServer
) -> None:
    async with flooded(tmp_path, provider) as on:
        debate = await on.debate("Are floods survived?", turns=8)
        # Viewers of a debate that does not end, so that nobody leaves by himself.
        quiet = (await on.client.post("/api/debates", json={"topic": "Quiet?"})).json()["id"]
        head = f"GET /api/debates/{quiet}/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
        body = "POST /api/debates HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{"
        for said in (head, head[:30], body, ""):
            coming = [asyncio.create_task(on.come(said)) for _ in range(CLIENTS)]
            # Viewers are all answered, or cut off; the others say too little to hear anything.
            await asyncio.wait(coming, timeout=PATIENCE_S if said == head else 0.5)
            for path in ("/healthz", "/readyz", "/api/debates"):
                assert (await on.answers_promptly(path)).status_code == 200
            if said == head:
                heard = Counter(one.result() for one in coming if one.done())
                assert heard["HTTP/1.1 200 OK"] == PLACES_OF_VIEWERS
                assert heard["HTTP/1.1 503 Service Unavailable"] + heard[""] == (
                    CLIENTS - PLACES_OF_VIEWERS
                )
            for task in coming:
                task.cancel()
        await on.until(debate, "completed")
        assert on.open_files() < OPEN_FILES - 40
    assert on.process.returncode == 0
    assert on.log.stat().st_size < MOST_LOGGED


@contextmanager
def _no_room(pid: int) -> Iterator[None]:
    """Let no file of that process be written to, as on a full disk."""
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard, hard))


async def test_a_disk_without_room_is_told_and_outlived(
    tmp_path: Path, provider: ScriptedServer
) -> None:
    async with flooded(tmp_path, provider) as on:
        debate = await on.debate("Is a full disk survived?", turns=10)
        await on.seen(debate, lambda view: view["turns"] >= FIRST_TURNS)
        told = f"the disk that holds {tmp_path}/home/moot.db is full"
        with _no_room(on.process.pid):
            await on.seen(debate, lambda view: told in str(view["stalled"]))
            answer = await on.answers_promptly("/readyz")
            assert (answer.status_code, answer.json()["code"]) == (503, "disk_full")
            assert told in answer.json()["detail"]
            assert (await on.answers_promptly("/healthz")).status_code == 200
            refused = await on.client.post("/api/debates", json={"topic": "Now?"})
            assert (refused.status_code, refused.json()["code"]) == (503, "disk_full")
            before = len(provider.ledger.entries)
            await asyncio.sleep(1)
            assert len(provider.ledger.entries) == before, "bought what could not be recorded"
        await on.until(debate, "completed")
        assert (await on.look(debate))["stalled"] is None
        # A renewal of the leases that failed meanwhile is tried again a few seconds later.
        while (await on.answers_promptly("/readyz")).status_code != 200:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    assert on.log.stat().st_size < MOST_LOGGED
