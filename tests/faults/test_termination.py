"""SIGTERM with calls under way: what arrives within the grace is recorded, what takes longer is
cut, and the process is gone in time.

`moot worker` is in `test_workers`.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import httpx
import pytest
from tests.faults.holding import DONE, PATIENCE_S, Child, Place, books

from moot.protocol.words import Status
from moot.settings import load_settings
from moot.testing.oracles import check_book, check_no_secret, check_spending
from moot.testing.server import ScriptedServer
from moot.wiring import open_store

pytestmark = pytest.mark.faults

MOST_S = 10
"""The grace of these tests, and time for a process to end beside others that want the cores."""
STOPPED = 3


async def moot(place: Place, *arguments: str, grace_s: float = 3) -> Process:
    environment = {
        **os.environ,
        **place.environment(),
        "MOOT_HOME": place.home,
        # A model that is known, so that first calls begin at once (`moot.models.learning`).
        "MOOT_MODEL": "openai:gpt-4.1-mini",
        "MOOT_LOG_LEVEL": "DEBUG",
        "MOOT_GRACE_SECONDS": str(grace_s),
    }
    command = (sys.executable, "-m", "moot", *arguments)
    return await asyncio.create_subprocess_exec(
        *command, env=environment, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )


async def terminated(process: Process) -> tuple[float, bytes]:
    """How long it took to go, and all it said."""
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(PATIENCE_S):
        out, err = await process.communicate()
    assert b"Traceback" not in err, err.decode()
    return time.monotonic() - began, out + err


async def in_flight(server: ScriptedServer, count: int) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while server.in_flight < count:  # noqa: ASYNC110 - of another process's doing
            await asyncio.sleep(0.01)


async def finished_by_another(
    place: Place, debates: list[str], before: ScriptedServer, *, cut: int
) -> None:
    """A process that comes later ends them well, and buys again only what was cut."""
    async with ScriptedServer() as quick:
        later = place.changed(base_url=quick.base_url)
        assert await Child(later, debates).ended() == DONE
        found = await books(later, debates)
        for book in found:
            check_book(book)
        assert check_spending([*before.calls, *quick.calls], found, kills=1, in_flight=cut) == cut


# --- calls that take longer than the grace -------------------------------------------------------


async def test_moot_run_is_gone_in_time(tmp_path: Path) -> None:
    async with ScriptedServer(latency_s=60) as slow:
        place = Place(home=str(tmp_path / "home"), base_url=slow.base_url)
        process = await moot(place, "run", "Going: is it so?", "--turns", "2", "--json", grace_s=1)
        await in_flight(slow, 2)
        took_s, said = await terminated(process)
        assert process.returncode == STOPPED
        assert took_s < MOST_S
        assert b"stopping; waiting up to 1 s for the step in flight" in said
        check_no_secret(said, tmp_path)
        print(f"gone in {took_s:.2f} s")  # noqa: T201 - shown by pytest -rP
        await finished_by_another(place, await _all(place), slow, cut=2)


async def test_moot_serve_is_gone_in_time(tmp_path: Path) -> None:
    async with ScriptedServer(latency_s=60) as slow:
        place = Place(home=str(tmp_path / "home"), base_url=slow.base_url)
        process = await moot(place, "serve", "--port", "0")
        base_url = await _address(process)
        async with httpx.AsyncClient(base_url=base_url, timeout=PATIENCE_S) as client:
            url = await _start(client, 3)
            await in_flight(slow, 3)
            # Somebody watches all the while, and does not keep the server from going.
            async with client.stream("GET", url) as watching:
                assert watching.status_code == 200
                took_s, said = await terminated(process)
        assert process.returncode == 0, said.decode()
        assert took_s < MOST_S
        assert b"3 calls took longer" in said
        check_no_secret(said, tmp_path)
        print(f"gone in {took_s:.2f} s")  # noqa: T201 - shown by pytest -rP
        await finished_by_another(place, await _all(place), slow, cut=3)


async def test_a_second_signal_waits_for_nobody(tmp_path: Path) -> None:
    async with ScriptedServer(latency_s=60) as slow:
        place = Place(home=str(tmp_path / "home"), base_url=slow.base_url)
        process = await moot(place, "serve", "--port", "0", grace_s=60)
        async with httpx.AsyncClient(base_url=await _address(process)) as client:
            await _start(client, 1)
            await in_flight(slow, 1)
        process.send_signal(signal.SIGINT)
        await _says(process, b"waiting up to 60 s for 1 call under way")
        took_s, _ = await terminated(process)
        assert process.returncode == 0
        assert took_s < MOST_S / 2
        assert slow.in_flight == 0


# --- calls that end within it --------------------------------------------------------------------


async def test_moot_run_records_what_arrives_within_the_grace(tmp_path: Path) -> None:
    async with ScriptedServer(latency_s=1) as slow:
        place = Place(home=str(tmp_path / "home"), base_url=slow.base_url)
        process = await moot(place, "run", "Going: is it so?", "--turns", "2", "--json")
        await in_flight(slow, 2)
        await terminated(process)
        assert process.returncode == STOPPED
        assert [call.outcome for call in slow.calls] == ["finished"] * 2
        await finished_by_another(place, await _all(place), slow, cut=0)


async def test_moot_serve_records_what_arrives_within_the_grace(tmp_path: Path) -> None:
    async with ScriptedServer(latency_s=1) as slow:
        place = Place(home=str(tmp_path / "home"), base_url=slow.base_url)
        process = await moot(place, "serve", "--port", "0")
        async with httpx.AsyncClient(base_url=await _address(process), timeout=10) as client:
            url = await _start(client, 3)
            await in_flight(slow, 3)
            process.send_signal(signal.SIGTERM)
            await _says(process, b"waiting up to 3 s for 3 calls under way")
            # Who balances loads is told; who watches sees what still comes, and a clean end.
            assert (await client.get("/readyz")).status_code == 503
            assert (await client.get("/healthz")).status_code == 200
            frames = (await client.get(url)).text
        assert "event: TurnRecorded" in frames
        async with asyncio.timeout(PATIENCE_S):
            _, err = await process.communicate()
        assert process.returncode == 0
        assert b"all replies are recorded" in err
        assert [call.outcome for call in slow.calls] == ["finished"] * 3
        await finished_by_another(place, await _all(place), slow, cut=0)


async def test_moot_room_records_who_is_speaking_and_stops(tmp_path: Path) -> None:
    async with ScriptedServer(latency_s=1) as slow:
        place = Place(home=str(tmp_path / "home"), base_url=slow.base_url)
        process = await moot(place, "room", "--auto", "Tea?", grace_s=5)
        assert process.stdin is not None
        process.stdin.write(b"Well?\n")
        await process.stdin.drain()
        await in_flight(slow, 1)
        _, said = await terminated(process)
        assert process.returncode == 0, said.decode()
        assert b"leaving; waiting up to 5 s for whoever is speaking" in said
        (book,) = await books(place, await _all(place))
        check_book(book, status=Status.STOPPED)
        assert [call.outcome for call in slow.calls] == ["finished"]
        assert check_spending(slow.calls, [book]) == 0


async def _start(client: httpx.AsyncClient, count: int) -> str:
    """Start so many debates; where to watch the last one."""
    for number in range(count):
        body = {"format": "rounds", "topic": f"Going {number}: is it so?", "start": True}
        answer = await client.post("/api/debates", json=body)
        assert answer.status_code == 201, answer.text
    return f"/api/debates/{answer.json()['id']}/events"


async def _says(process: Process, words: bytes) -> None:
    assert process.stderr is not None
    async with asyncio.timeout(PATIENCE_S):
        while words not in await process.stderr.readline():
            pass


async def _address(process: Process) -> str:
    """What the server says it listens at."""
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE_S):
        return (await process.stdout.readline()).decode().split()[-1]


async def _all(place: Place) -> list[str]:
    store = await open_store(load_settings(home=place.home))
    try:
        return [one.id for one in (await store.list()).items]
    finally:
        await store.close()
