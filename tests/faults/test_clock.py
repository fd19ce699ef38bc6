"""The time of day jumps in a process that runs debates: nothing ends, waits or begins by it.

By libfaketime where that is installed; and with Python's own functions shifted, everywhere.
"""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from itertools import pairwise
from pathlib import Path

import pytest
from tests.faults.holding import PATIENCE_S, Place, books

from moot.protocol.events import ClockJumped
from moot.protocol.words import StopReason
from moot.settings import load_settings
from moot.testing.oracles import check_book, check_spending
from moot.testing.server import ScriptedServer
from moot.wiring import open_store

pytestmark = pytest.mark.faults

LIBRARIES = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
JUMPS_S = (7200, -86_400, 10 * 365 * 86_400)
LIMIT_S = 60


async def moot(place: Place, shift: Path, how: str, *arguments: str) -> Process:
    environment = {
        **os.environ,
        **place.environment(),
        "MOOT_HOME": place.home,
        "MOOT_MODEL": "openai:scripted",
    }
    command = [sys.executable, "-m", "tests.faults.shifted", str(shift), *arguments]
    if how == "libfaketime":
        environment |= {
            "LD_PRELOAD": str(LIBRARIES[0]),
            "FAKETIME_TIMESTAMP_FILE": str(shift),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        command = [sys.executable, "-m", "moot", *arguments]
    return await asyncio.create_subprocess_exec(*command, env=environment, stdout=PIPE)


@pytest.mark.parametrize(
    "how",
    [
        "functions",
        pytest.param(
            "libfaketime", marks=pytest.mark.skipif(not LIBRARIES, reason="not installed")
        ),
    ],
)
async def test_a_process_whose_clock_jumps_reaches_no_limit_by_it(tmp_path: Path, how: str) -> None:
    shift = tmp_path / "shift"
    shift.write_text("+0")
    async with ScriptedServer(latency_s=0.15) as server:
        place = Place(home=str(tmp_path / "home"), base_url=server.base_url)
        rules = ("--set", f"max_runtime_seconds={LIMIT_S}", "--set", "max_rounds=6")
        process = await moot(place, shift, how, "run", "So?", "--format", "rounds", *rules)
        for number, jump_s in enumerate(JUMPS_S, 1):
            await _calls_reach(server, 3 * number)
            shift.write_text(f"{jump_s:+d}")
        async with asyncio.timeout(PATIENCE_S):
            await process.communicate()
        assert process.returncode == 0
        (book,) = await books(place, await _all(place))
        check_book(book)
        times = [record.at for record in book.records]
        assert max(abs((b - a).total_seconds()) for a, b in pairwise(times)) > 10**8, "no jump"
        # One that is put back needs no mention before a second of running time is missing.
        assert sum(isinstance(one.event, ClockJumped) for one in book.records) >= len(JUMPS_S) - 1
        assert book.state.stop_reason is StopReason.MAX_ROUNDS
        assert book.state.timeline.runtime_s(times[-1]) < LIMIT_S
        assert check_spending(server.calls, [book]) == 0


async def _calls_reach(server: ScriptedServer, count: int) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while len(server.calls) < count:  # noqa: ASYNC110 - of another process's doing
            await asyncio.sleep(0.005)


async def _all(place: Place) -> list[str]:
    store = await open_store(load_settings(home=place.home))
    try:
        return [one.id for one in (await store.list()).items]
    finally:
        await store.close()
