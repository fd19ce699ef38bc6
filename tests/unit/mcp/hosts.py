"""An MCP host in the process of the test: the official client, in front of the door that ships."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client import ClientRequestContext
from mcp_types import CallToolResult, ElicitRequestParams, ElicitResult, Implementation

from moot.mcp.server import create_server
from moot.mcp.tools import Tools
from moot.models.port import ChatModel
from moot.protocol import events as e
from moot.settings import load_settings
from moot.testing.scripted import ScriptedModel, ScriptedModels
from moot.wiring import System, open_dispatching, secret_of

PATIENCE_S = 30
SECRET = "s" * 32
OLD, NEW = "legacy", "2026-07-28"
PROTOCOLS = (OLD, NEW)
DEEP = {"question": "Postgres or SQLite?", "panel": "council-deep"}
"""A question to a panel that asks back."""
COUNCIL = {"question": "Postgres or SQLite?"}
BIG = """
name: big
about: Five members, 31 calls.
format: council
settings: {rounds: 1, decision: synthesis, interactive_clarifications: false}
participants:
  - {name: Ada, role: member}
  - {name: Bob, role: member}
  - {name: Cy, role: member}
  - {name: Di, role: member}
  - {name: Ed, role: member}
  - {name: Jo, role: judge}
"""
BIG_CALLS = 31

Fill = Callable[[Mapping[str, Any]], ElicitResult]
"""What a person makes of a form, by its fields."""


def yes(fields: Mapping[str, Any]) -> ElicitResult:
    """Answers every question."""
    return ElicitResult(action="accept", content=dict.fromkeys(fields, "Yes, on one machine."))


class Person:
    """Sits in front of a host that shows forms, and remembers them."""

    def __init__(self, fill: Fill = yes) -> None:
        self.forms: list[ElicitRequestParams] = []
        self._fill = fill

    async def __call__(
        self, context: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult:
        self.forms.append(params)
        return self._fill(params.requested_schema["properties"])  # type: ignore[union-attr]


class Moot:
    """What is open, with short words for what tests do all the time."""

    def __init__(self, system: System, tools: Tools) -> None:
        self.system = system
        self.server = create_server(tools, secret=SECRET.encode(), version="test")

    def host(
        self, protocol: str = OLD, person: Person | None = None
    ) -> AbstractAsyncContextManager[Client]:
        """A host that speaks that protocol; with a `person`, it shows forms."""
        return host(self.server, protocol, person)

    async def debates(self) -> list[str]:
        return [row.id for row in (await self.system.service.list()).items]

    async def the_debate(self) -> str:
        """The only one that there is."""
        (found,) = await self.debates()
        return found

    async def calls(self) -> int:
        """How many turns of models are recorded in all debates."""
        logs = [await self.system.service.log(one) for one in await self.debates()]
        turns = [one.event for log in logs for one in log]
        return sum(isinstance(one, e.TurnRecorded) and bool(one.model) for one in turns)


def host(server: Any, protocol: str, person: Person | None = None, **options: Any) -> Client:
    return Client(
        server,
        mode=protocol,
        elicitation_callback=person,
        client_info=Implementation(name="a host", version="1"),
        **options,
    )


@asynccontextmanager
async def opened(home: Path, model: ChatModel | None = None, **options: Any) -> AsyncIterator[Moot]:
    """Moot on a database of its own; `now` is the time by which questions get old."""
    now: Callable[[], datetime] | None = options.pop("now", None)
    settings = load_settings(home=home, secret=SECRET, tracing=False, **options)
    models = ScriptedModels(model or ScriptedModel())
    async with asyncio.timeout(PATIENCE_S), open_dispatching(settings, models=models) as system:
        assert system.asker is not None
        given: dict[str, Any] = {"now": now} if now else {}
        yield Moot(system, Tools(system.asker, secret_of(settings), **given))


def fields(result: CallToolResult) -> dict[str, Any]:
    """What a call returned, if it is no error."""
    assert not result.is_error, text(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def text(result: CallToolResult) -> str:
    return "\n".join(str(getattr(one, "text", "")) for one in result.content)


async def answered(client: Client, result: CallToolResult) -> dict[str, Any]:
    """The end of it, by a host that asks its user itself wherever that is wanted, and follows what
    it is told."""
    found = fields(result)
    while found["status"] != "completed":
        debate = {"debate": found["debate"]}
        if found["status"] == "waiting":
            answers = {one["id"]: "Yes, on one machine." for one in found["questions"]}
            found = fields(await client.call_tool("answer", {**debate, "answers": answers}))
        else:
            found = fields(await client.call_tool("status", debate))
    return found


def panel(home: Path) -> str:
    """Keep the big panel among the user's own; its name."""
    (home / "panels").mkdir(parents=True, exist_ok=True)
    (home / "panels" / "big.yaml").write_text(BIG)
    return "big"
