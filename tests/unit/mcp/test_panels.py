"""Who is on a panel, and what it reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.mcp.hosts import COUNCIL, fields, opened, text

from moot.mcp.exclusion import is_excluded


@pytest.mark.parametrize(
    ("pattern", "is_out"),
    [
        ("anthropic:claude-opus-4", True),
        ("Claude-Opus-4", True),
        ("claude-*", True),
        ("anthropic:*", True),
        ("opus", False),
        ("openai:*", False),
        ("", False),
    ],
)
def test_a_model_is_excluded_by_its_name_with_or_without_provider(
    pattern: str, is_out: bool
) -> None:
    assert is_excluded("anthropic:claude-opus-4", [pattern]) is is_out


async def test_seats_of_excluded_models_are_given_another(tmp_path: Path) -> None:
    async with opened(tmp_path) as moot, moot.host() as client:
        wanted = {**COUNCIL, "exclude_models": ["debater"]}
        found = fields(await client.call_tool("ask_council", wanted))
        state = await moot.system.service.state(found["debate"])
        assert {one.model for one in state.participants.values()} == {"scripted:judge"}
        wanted["exclude_models"] = ["something else"]
        found = fields(await client.call_tool("ask_council", wanted))
        state = await moot.system.service.state(found["debate"])
        models = {one.model for one in state.participants.values()}
        assert models == {"scripted:judge", "scripted:debater"}


async def test_files_are_read_below_the_root_and_nowhere_else(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "plan.md").write_text("The plan.")
    (tmp_path / "secret.md").write_text("The secret.")
    (root / "link.md").symlink_to(tmp_path / "secret.md")
    async with opened(tmp_path, context_root=root) as moot, moot.host() as client:
        for path in ("../secret.md", str(tmp_path / "secret.md"), "link.md", "/etc/passwd"):
            refused = await client.call_tool("ask_council", {**COUNCIL, "files": [path]})
            assert refused.is_error
            assert text(refused).startswith("files: ")
        assert await moot.debates() == []
        sent = {"name": "notes/a.md", "content": "A note."}
        wanted = {**COUNCIL, "files": ["plan.md", sent]}
        found = fields(await client.call_tool("ask_council", wanted))
        texts = await moot.system.service.files(found["debate"])
        assert sorted(texts.values()) == ["A note.", "The plan."]


async def test_a_debate_is_held_on_a_premise(tmp_path: Path) -> None:
    async with opened(tmp_path) as moot, moot.host() as client:
        wanted = {"topic": "Tea or coffee?", "premise": "Tea is better.", "turns": 2}
        found = fields(await client.call_tool("debate", wanted))
        config = (await moot.system.service.state(found["debate"])).config
        assert (config.format, config.topic) == ("duel", "Tea or coffee?")
        assert (config.settings["premise"], config.settings["turns"]) == ("Tea is better.", 2)
        assert found["result"]


async def test_a_panel_whose_answer_is_all_that_was_said_gives_that(tmp_path: Path) -> None:
    (tmp_path / "panels").mkdir()
    document = "name: talk\nabout: All.\nformat: duel\nturns: 1\nanswer: transcript\n"
    (tmp_path / "panels" / "talk.yaml").write_text(document)
    async with opened(tmp_path) as moot, moot.host() as client:
        found = fields(await client.call_tool("ask_council", {**COUNCIL, "panel": "talk"}))
        assert found["result"].startswith("# Postgres or SQLite?")
        assert moot.system.asker is not None
        again = fields(await client.call_tool("status", {"debate": found["debate"]}))
        assert again["result"] == found["result"]
