"""Resources and prompts, and debates that are listed."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp import MCPError
from tests.unit.mcp.hosts import COUNCIL, PROTOCOLS, fields, opened, text

from moot.engine.creation import NewDebate
from moot.protocol.values import Participant
from moot.protocol.words import HUMAN, Role


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_debate_is_a_resource(tmp_path: Path, protocol: str) -> None:
    async with opened(tmp_path) as moot, moot.host(protocol) as client:
        found = fields(await client.call_tool("ask_council", COUNCIL))
        template, _ = (await client.list_resource_templates()).resource_templates
        (listed,) = (await client.list_resources()).resources
        assert listed.uri == template.uri_template.replace("{id}", found["debate"])
        assert listed.uri in found["next"]
        (content,) = (await client.read_resource(listed.uri)).contents
        assert content.mime_type == "text/markdown"
        assert str(getattr(content, "text", "")).startswith("# Postgres or SQLite?")


@pytest.mark.parametrize("uri", ["moot://debates/nope", "moot://debates/", "file:///etc/passwd"])
async def test_what_is_no_debate_is_no_resource(tmp_path: Path, uri: str) -> None:
    async with opened(tmp_path) as moot, moot.host() as client:
        with pytest.raises(MCPError, match=r"there is no|is empty|nothing at"):
            await client.read_resource(uri)


async def test_a_resource_shows_nothing_that_a_person_may_not_know_yet(tmp_path: Path) -> None:
    people = (
        Participant(id="ada", name="Ada", role=Role.DEBATER),
        Participant(id="me", name="Me", role=Role.DEBATER, model=HUMAN),
        Participant(id="jo", name="Jo", role=Role.JUDGE),
    )
    async with opened(tmp_path) as moot, moot.host() as client:
        new = NewDebate(topic="Is it so?", settings={"turns": 2}, participants=people)
        service = moot.system.service
        debate = await service.create(new, start=True)
        assert fields(await client.call_tool("status", {"debate": debate}))["status"] == "waiting"
        state = await service.state(debate)
        (hidden,) = (one.said.content for one in state.turns.values() if one.said.kind == "plan")
        (content,) = (await client.read_resource(f"moot://debates/{debate}")).contents
        assert hidden not in str(getattr(content, "text", ""))
        assert "Is it so?" in str(getattr(content, "text", ""))


@pytest.mark.parametrize("name", ["council", "duel", "red-team"])
async def test_a_prompt_asks_for_a_tool_with_the_question(tmp_path: Path, name: str) -> None:
    async with opened(tmp_path) as moot, moot.host() as client:
        assert name in [one.name for one in (await client.list_prompts()).prompts]
        (message,) = (await client.get_prompt(name, {"question": "Tea {or} coffee?"})).messages
        told = str(getattr(message.content, "text", ""))
        assert "Tea {or} coffee?" in told
        assert ("debate" if name == "duel" else "ask_council") in told
        with pytest.raises(MCPError, match="question is missing"):
            await client.get_prompt(name, {"question": " "})


async def test_debates_are_listed_newest_first_and_found(tmp_path: Path) -> None:
    async with opened(tmp_path) as moot, moot.host() as client:
        for topic in ("Tea?", "Coffee?", "<script>alert(1)</script>"):
            await client.call_tool("debate", {"topic": topic, "turns": 1, "wait_seconds": 0})
        listed = await client.call_tool("list_debates", {})
        topics = [one["topic"] for one in fields(listed)["debates"]]
        assert topics == ["<script>alert(1)</script>", "Coffee?", "Tea?"]
        assert all(one["debate"] in text(listed) for one in fields(listed)["debates"])
        found = fields(await client.call_tool("list_debates", {"query": "coff", "limit": 1}))
        assert [one["topic"] for one in found["debates"]] == ["Coffee?"]
