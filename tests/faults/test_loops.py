"""A mistake planted in each loop of a real `moot serve` and `moot worker`, and in what else works
beside them: it ends, and says why.

What it must never do is to go on accepting debates that nobody runs.
"""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from tests.faults.holding import PATIENCE_S, Place

from moot.engine import failpoints
from moot.testing.server import ScriptedServer

pytestmark = pytest.mark.faults

UNEXPECTED = 1
IN_A_SERVER = {
    # The turn of the loop in which it breaks: most have begun their work by then.
    "news": 1,
    "dispatcher": 2,
    "reconciler": 2,
    "consumer": 2,
    "lease_keeper": 1,
    "asking": 1,
    "errands": 1,
    "http": 20,
}
IN_A_WORKER = {"news": 1, "dispatcher": 1, "reconciler": 2, "consumer": 2, "lease_keeper": 1}


def test_none_is_left_out() -> None:
    assert set(IN_A_SERVER) == set(failpoints.LOOPS)


PLANTED = """
import itertools, runpy
from {module} import {kind} as kind
right, turns = kind.{name}, itertools.count(1)
def wrong(*given):
    if next(turns) >= {turn}:
        raise RuntimeError("planted in {name}")
    return right(*given)
kind.{name} = wrong
runpy.run_module("moot", run_name="__main__", alter_sys=True)
"""
WRITER = PLANTED.format(
    module="moot.store.backends.sqlite.transactions", kind="Session", name="write", turn=20
)
FILLER = PLANTED.format(
    module="moot.store.backends.sqlite.connection_thread",
    kind="ConnectionThread",
    name="_fill",
    turn=40,
)
READER = PLANTED.format(
    module="moot.store.backends.sqlite.transactions", kind="Session", name="read", turn=10
)
APPENDER = PLANTED.format(
    module="moot.store.backends.postgres.log", kind="Appender", name="_next_group", turn=10
)
LEAVING = PLANTED.format(module="moot.cli.interrupts", kind="Leaving", name="drained", turn=1)


@asynccontextmanager
async def moot(
    *arguments: str, place: Place, failpoint: str = "", planted: str = ""
) -> AsyncIterator[asyncio.subprocess.Process]:
    environment = {
        **os.environ,
        **place.environment(),
        "MOOT_HOME": place.home,
        "MOOT_DATABASE_URL": place.database_url,
        "MOOT_FAILPOINT": failpoint,
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *(("-c", planted) if planted else ("-m", "moot")),
        *arguments,
        env=environment,
        stdout=PIPE,
        stderr=PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def told(process: asyncio.subprocess.Process) -> str:
    """What it had to say, once it has ended by itself."""
    async with asyncio.timeout(PATIENCE_S):
        _, err = await process.communicate()
    return err.decode()


async def _use(process: asyncio.subprocess.Process) -> None:
    """Have the server do everything it is there for, for as long as it is there."""
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode()
    if not line:
        return  # it was gone before it could say where it is
    async with httpx.AsyncClient(base_url=line.split()[-1], timeout=5) as client:
        new = {"format": "rounds", "topic": "Is it so?", "start": True}
        while process.returncode is None:
            try:
                await client.post("/api/debates", json=new)
                await client.get("/readyz")
            except httpx.TransportError:
                return
            await asyncio.sleep(0.2)


@pytest.mark.parametrize("name", IN_A_SERVER)
async def test_a_server_ends_with_the_reason(name: str, tmp_path: Path) -> None:
    async with ScriptedServer(latency_s=0.05) as provider:
        place = Place(home=str(tmp_path / "home"), base_url=provider.base_url)
        failpoint = f"{name}:{IN_A_SERVER[name]}:raise"
        async with moot("serve", "--port", "0", place=place, failpoint=failpoint) as process:
            using = asyncio.create_task(_use(process))
            said = await told_by(process, using)
        assert f"planted at the failpoint {name}" in said
        assert "Traceback" in said
        assert process.returncode == UNEXPECTED


async def told_by(process: asyncio.subprocess.Process, using: asyncio.Task[None]) -> str:
    assert process.stderr is not None
    async with asyncio.timeout(PATIENCE_S):
        err = await process.stderr.read()
        await process.wait()
    await asyncio.gather(using, return_exceptions=True)
    return err.decode()


async def _ends_by(planted: str, place: Place) -> None:
    async with moot("serve", "--port", "0", place=place, planted=planted) as process:
        using = asyncio.create_task(_use(process))
        said = await told_by(process, using)
    assert "planted in" in said
    assert process.returncode == UNEXPECTED


@pytest.mark.parametrize(
    "planted",
    [WRITER, READER, FILLER, LEAVING],
    ids=["writer", "reader", "what they wait for", "leaving"],
)
async def test_a_server_ends_if_something_beside_its_loops_breaks(
    planted: str, tmp_path: Path
) -> None:
    async with ScriptedServer(latency_s=0.05) as provider:
        await _ends_by(planted, Place(home=str(tmp_path / "home"), base_url=provider.base_url))


@pytest.mark.postgres
@pytest.mark.xdist_group("postgres-workers")
async def test_a_server_ends_if_what_writes_to_postgres_breaks(
    tmp_path: Path, empty_postgres_url: str
) -> None:
    async with ScriptedServer(latency_s=0.05) as provider:
        place = Place(
            home=str(tmp_path / "home"),
            base_url=provider.base_url,
            database_url=empty_postgres_url,
        )
        await _ends_by(APPENDER, place)


@pytest.mark.postgres
@pytest.mark.xdist_group("postgres-workers")
@pytest.mark.parametrize("name", IN_A_WORKER)
async def test_a_worker_ends_with_the_reason(
    name: str, tmp_path: Path, empty_postgres_url: str
) -> None:
    async with ScriptedServer() as provider:
        place = Place(
            home=str(tmp_path / "home"),
            base_url=provider.base_url,
            database_url=empty_postgres_url,
        )
        failpoint = f"{name}:{IN_A_WORKER[name]}:raise"
        async with moot("worker", place=place, failpoint=failpoint) as process:
            said = await told(process)
        assert f"planted at the failpoint {name}" in said
        assert "Traceback" in said
        assert process.returncode == UNEXPECTED


async def test_without_a_failpoint_it_serves_and_is_ready(tmp_path: Path) -> None:
    async with ScriptedServer(latency_s=0.01) as provider:
        place = Place(home=str(tmp_path / "home"), base_url=provider.base_url)
        async with moot("serve", "--port", "0", place=place, failpoint="") as process:
            assert process.stdout is not None
            url = (await process.stdout.readline()).decode().split()[-1]
            async with httpx.AsyncClient(base_url=url, timeout=5) as client:
                assert (await client.get("/readyz")).status_code == 200
                assert (await client.get("/healthz")).status_code == 200
            process.terminate()
            assert await process.wait() == 0
