"""A council that looks into files, killed again and again: nothing is bought a second time."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from moot.engine import failpoints
from moot.protocol.events import ToolUsed
from moot.store.backends.sqlite.store import SqliteStore
from moot.testing.oracles import (
    Book,
    Landed,
    check_book,
    check_spending,
    check_usage,
    read_book,
    transcript_hash,
)
from moot.testing.server import ScriptedServer
from moot.testing.server_wire import ChatCall, Lookups

pytestmark = pytest.mark.faults

IN_FLIGHT = 6
"""All critiques of three members at once."""
CALLS = 2 * (3 + 6 + 3) + 2


def looking(call: ChatCall) -> Any:
    if call.request.may_call and call.request.messages[-1].role != "tool":
        return Lookups((("search_files", '{"query": "stone"}'),))
    return None


async def moot(home: Path, server: ScriptedServer, *arguments: str, failpoint: str = "") -> int:
    environment = {
        **os.environ,
        "MOOT_HOME": str(home),
        "MOOT_MODEL": "openai:gpt-5-mini",
        "OPENAI_BASE_URL": server.base_url,
        "OPENAI_API_KEY": "sk-test",
        "MOOT_FAILPOINT": failpoint,
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "moot", *arguments),
        env=environment,
        cwd=home.parent,
        stdout=asyncio.subprocess.DEVNULL,
    )
    return await process.wait()


async def council(home: Path, server: ScriptedServer) -> tuple[str, Any]:
    """A council with a file, not begun."""
    (home.parent / "plan.md").write_text("Build it of stone.\n")
    given = ("--format", "council", "--set", "rounds=1", "--attach", "plan.md")
    assert await moot(home, server, "create", "Is the plan sound?", *given) == 0
    store = await SqliteStore.open(home / "moot.db")
    (found,) = (await store.list()).items
    await store.close()
    return found.id, found


async def book(home: Path, debate: str) -> Book:
    store = await SqliteStore.open(home / "moot.db")
    try:
        return await read_book(store, debate)
    finally:
        await store.close()


async def test_a_step_that_looked_something_up_goes_on_from_there(tmp_path: Path) -> None:
    async with ScriptedServer(script=looking) as server:
        calm = tmp_path / "calm" / "home"
        calm.parent.mkdir()
        debate, _ = await council(calm, server)
        assert await moot(calm, server, "resume", debate, "--quiet") == 0
        undisturbed = await book(calm, debate)
        assert len(server.calls) == CALLS
        check_spending(server.calls, [undisturbed])
        check_usage(server.calls, [undisturbed])
    async with ScriptedServer(script=looking) as server:
        home = tmp_path / "storm" / "home"
        home.parent.mkdir()
        debate, _ = await council(home, server)
        landed = Landed()
        for place in ("reply_before_transaction:5", "committed_before_publish:6") * 2:
            code = await moot(home, server, "resume", debate, "--quiet", failpoint=place)
            landed["kills"] += code == failpoints.KILLED
        assert await moot(home, server, "resume", debate, "--quiet") == 0
        landed.must_be(kills=2)
        found = await book(home, debate)
        check_book(found, transcript=transcript_hash(undisturbed.records))
        check_spending(server.calls, [found], kills=landed["kills"], in_flight=IN_FLIGHT)
        check_usage(server.calls, [found])
    used = [one for one in found.records if isinstance(one.event, ToolUsed)]
    assert len(used) == 12  # once for each step, however often it was interrupted
