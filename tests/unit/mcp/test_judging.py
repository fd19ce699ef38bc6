"""The tool `judge`: a bench is asked once however often the call is made, and certificates read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from tests.unit.mcp.hosts import PROTOCOLS, fields, opened, text

from moot.models.port import ChatRequest
from moot.testing.scripted import ScriptedModel, sensible

BENCH = {"bench": ["test:one", "test:two", "test:three"]}
DUEL = {"topic": "Is it so?", "turns": 2}


def votes(request: ChatRequest) -> str:
    """As always, but ballots are for whoever spoke first."""
    said = request.messages[-1].content
    if '"margin"' not in said:
        return sensible(request)
    first = re.search(r"^\[(\w)\]: ", said, re.MULTILINE)
    assert first is not None
    return json.dumps({"reasons": "It was never met.", "winner": first[1], "margin": 1})


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_bench_is_asked_once_and_its_certificate_is_a_resource(
    tmp_path: Path, protocol: str
) -> None:
    model = ScriptedModel(votes)
    async with opened(tmp_path, model) as moot, moot.host(protocol) as client:
        debate = fields(await client.call_tool("debate", DUEL))["debate"]
        uri = f"moot://debates/{debate}/certificate"
        with pytest.raises(MCPError, match="no bench was asked"):
            await client.read_resource(uri)
        asked: dict[str, Any] = {"debate": debate, **BENCH}
        found = fields(await client.call_tool("judge", asked))
        assert found["status"] == "completed"
        assert found["result"].startswith("**Stable: ")
        calls = len(model.requests)
        assert fields(await client.call_tool("judge", asked))["debate"] == found["debate"]
        assert len(model.requests) == calls
        again = fields(await client.call_tool("judge", {**asked, "fresh": True}))
        assert again["debate"] != found["debate"]
        (content,) = (await client.read_resource(uri)).contents
        told = str(getattr(content, "text", ""))
        assert told.startswith("**Stable: ")
        assert "| test:one |" not in told  # judges are called by their models' own names
        assert "| one |" in told
        assert "Right? unknown" in told


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ({"debate": "nope"}, "there is no debate"),
        ({**BENCH}, "debate: is required"),
        ({"debate": "{id}", "bench": "test:one"}, "bench: must be a list of models"),
        ({"debate": "{id}", "bench": ["test:one", "test:one"]}, "on the bench twice"),
        ({"debate": "{id}"}, "name the judges"),
    ],
)
async def test_what_cannot_be_judged_is_refused_and_nothing_is_made(
    tmp_path: Path, arguments: dict[str, Any], wrong: str
) -> None:
    async with opened(tmp_path) as moot, moot.host() as client:
        debate = fields(await client.call_tool("debate", DUEL))["debate"]
        asked = {key: debate if value == "{id}" else value for key, value in arguments.items()}
        result = await client.call_tool("judge", asked)
        assert result.is_error
        assert wrong in text(result)
        assert await moot.debates() == [debate]
