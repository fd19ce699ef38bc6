"""`moot mcp` as hosts start it: a process of its own, which may be killed at any time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp import Client, StdioServerParameters
from tests.unit.mcp.hosts import DEEP, NEW, OLD, PROTOCOLS, Person, answered, fields, host

PATIENCE_S = 60
PROCESS = ("-m", "tests.acceptance.mcp_process")
ROOT = Path(__file__).parents[2]


class Place:
    """A home, and what is known of the calls that were made for it."""

    def __init__(self, path: Path) -> None:
        self.ledger = path / "ledger"
        self.environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "MOOT_HOME": str(path / "home"),
            "LEDGER": str(self.ledger),
        }

    def calls(self) -> Counter[str]:
        """How often each step was asked for."""
        return Counter(self.ledger.read_text().split())

    @asynccontextmanager
    async def host(
        self, protocol: str, person: Person | None = None, **environment: str
    ) -> AsyncIterator[Client]:
        command = StdioServerParameters(
            command=sys.executable,
            args=[*PROCESS, "mcp"],
            env={**self.environment, **environment},
            cwd=ROOT,
        )
        async with host(command, protocol, person, read_timeout_seconds=PATIENCE_S) as client:
            yield client


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def servers(place: Place) -> Iterator[psutil.Process]:
    """The processes that were started for it."""
    for one in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if one.environ().get("LEDGER") == str(place.ledger):
                yield one


def kill(place: Place) -> None:
    for one in servers(place):
        one.kill()


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("has_forms", [True, False])
async def test_a_council_that_asks_is_answered(
    place: Place, protocol: str, has_forms: bool
) -> None:
    person = Person() if has_forms else None
    async with place.host(protocol, person) as client:
        first = await client.call_tool("ask_council", DEEP)
        assert fields(first)["status"] == ("completed" if has_forms else "waiting")
        found = await answered(client, first)
        assert found["result"]
        listed = fields(await client.call_tool("list_debates", {}))
        assert [one["debate"] for one in listed["debates"]] == [found["debate"]]
    assert set(place.calls().values()) == {1}


async def test_a_server_killed_between_question_and_answer_loses_nothing(place: Place) -> None:
    """The first is asked in the old protocol and killed; the next is asked the same in the new one
    and killed with its form open; the last is given the form, and the debate is that of the first.
    """
    with suppress(Exception):  # whatever a client says of a server that is gone
        async with place.host(OLD) as client:
            waiting = fields(await client.call_tool("ask_council", DEEP))
            assert waiting["status"] == "waiting"
            kill(place)
    with suppress(Exception):
        async with place.host(NEW, Person()) as client:
            asked: Any = await client.session.call_tool(
                "ask_council", DEEP, allow_input_required=True
            )
            kill(place)
    replies: Any = {"answers": await Person()(None, asked.input_requests["answers"].params)}  # type: ignore[arg-type]
    async with place.host(NEW, Person()) as client:
        result = await client.call_tool(
            "ask_council", DEEP, input_responses=replies, request_state=asked.request_state
        )
        found = await answered(client, result)
        assert (found["debate"], bool(found["result"])) == (waiting["debate"], True)
    assert set(place.calls().values()) == {1}


def test_standard_output_has_nothing_but_the_protocol(place: Place) -> None:
    """Under -v, with prints, children, warnings and a traceback."""
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    }
    ask = {"name": "ask_council", "arguments": {"question": "Why?"}}
    lines = [
        "nonsense",
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": ask}),
    ]
    noise = {"NOISE": "1", "PYTHONWARNINGS": "always", "MOOT_DEBUG": "1"}
    process = subprocess.Popen(
        [sys.executable, *PROCESS, "-v", "mcp"],
        env={**place.environment, **noise},
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n".join(lines) + "\n")
    process.stdin.flush()
    told: list[dict[str, Any]] = []
    while not any(one.get("id") == 2 for one in told):
        told.append(json.loads(process.stdout.readline()))
    rest, errors = process.communicate(timeout=PATIENCE_S)
    assert rest == ""
    assert process.returncode == 0
    assert {one["jsonrpc"] for one in told} == {"2.0"}
    assert told[-1]["result"]["structuredContent"]["status"] == "completed"
    for noise_of in ("noise on standard output", "more of it", "and of a child", "a warning"):
        assert noise_of in errors
    assert "step performed" in errors


def test_it_ends_when_it_is_told_to(place: Place) -> None:
    """At once, though its host would still talk to it: it has no call under way."""
    process = subprocess.Popen(
        [sys.executable, *PROCESS, "mcp"],
        env={**place.environment, "MOOT_GRACE_SECONDS": "3600"},
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    ask = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    process.stdin.write(json.dumps(ask) + "\n")
    process.stdin.flush()
    assert process.stdout.readline()
    process.terminate()
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
