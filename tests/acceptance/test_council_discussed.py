"""What a council came to is discussed in a room: over HTTP and at the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.terminals import Moot, the_id
from tests.acceptance.test_council import ADA, BO, CY, JO, council
from tests.unit.api.serving import serving

from moot.testing.scripted import ScriptedModel


async def test_a_council_is_discussed_with_its_members_and_its_solution(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with serving(tmp_path, model) as on:
        debate = await council(on, members=(ADA, BO, {**CY, "model": "human"}), rounds=1)
        found = await on.until(debate, "waiting", "completed")
        while found["status"] == "waiting":
            answers = {"answers": {one["id"]: "" for one in found["questions"]}}
            await on.client.post(f"/api/debates/{debate}/answers", json=answers)
            found = await on.until(debate, "waiting", "completed")
        reply = await on.client.post(f"/api/debates/{debate}/rooms")
        assert reply.status_code == 201, reply.text
        room = reply.json()
        assert reply.headers["Location"] == f"/api/debates/{room['id']}"
        assert room["format"] == "room"
        assert [one["name"] for one in room["participants"]] == ["Ada", "Bo"]
        assert "How should a small town heat its homes?" in room["topic"]
        before = len(model.requests)
        said = {"content": "What would you do first?"}
        await on.client.post(f"/api/debates/{room['id']}/messages", json=said)
        await on.until(room["id"], "running", "waiting", "stopped")
        while len(model.requests) == before:
            await on.until(room["id"], "running", "waiting", "stopped")
        sent = model.requests[before].messages[0].content
    assert "## Decision" in sent
    assert found["outcome"]["description"] in sent


async def test_only_a_solution_can_be_discussed(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel()) as on:
        duel = await on.create(start=False)
        reply = await on.client.post(f"/api/debates/{duel}/rooms")
        assert reply.status_code == 409
        assert "there is nothing to discuss" in reply.json()["detail"]
        assert len((await on.get("/api/debates"))["items"]) == 1
        given = {"settings": {"decision": "first"}, "participants": [ADA]}
        poll = await on.create(format="poll", start=True, **given)
        found = await on.until(poll, "completed")
        assert found["outcome"]["description"]
        reply = await on.client.post(f"/api/debates/{poll}/rooms")
        assert reply.status_code == 409
        assert "there is nothing to discuss" in reply.json()["detail"]


async def test_a_key_opens_one_room(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel()) as on:
        debate = await council(on, rounds=1)
        await on.until(debate, "completed")
        key = {"Idempotency-Key": "once"}
        replies = [
            await on.client.post(f"/api/debates/{debate}/rooms", headers=key) for _ in range(2)
        ]
    assert [one.status_code for one in replies] == [201, 200]
    assert replies[0].json()["id"] == replies[1].json()["id"]


def ran(moot: Moot, *more: str) -> Any:
    return moot("run", "--format", "council", "--set", "rounds=1", "How to heat a town?", *more)


def test_the_command_line_opens_a_room_from_a_council(moot: Moot) -> None:
    assert ran(moot).exit_code == 0
    source = the_id(moot)
    opened = moot("room", "--from", source, "--manual")
    assert opened.exit_code == 0, opened.output
    config = json.loads(moot("export", the_id(moot), "--as", "json").stdout)["debate"]
    assert config["format"] == "room"
    assert [one["name"] for one in config["participants"]] == ["Pragmatist", "Skeptic", "Visionary"]
    assert config["attachments"][0]["name"] == "solution.md"
    assert config["settings"]["pacing"] == "manual"
    refused = moot("room", "--from", source, "--with", "ada")
    assert refused.exit_code != 0
    assert "leave out your own" in refused.output
    assert moot("room", "--from", the_id(moot)).exit_code != 0  # a room has no solution


def test_answers_are_given_in_advance_at_the_command_line(moot: Moot) -> None:
    done = ran(moot, "--answer", "How many homes? Four hundred.", "--answer", "There is a river.")
    assert done.exit_code == 0
    report = moot("export", the_id(moot), "--as", "report").stdout
    assert "- How many homes? Four hundred." in report
    assert "- There is a river." in report
    refused = moot("run", "Tabs or spaces?", "--answer", "Tabs.")
    assert refused.exit_code != 0
    assert "answers is not a setting of this format" in refused.output.replace(
        "settings.", ""
    ).replace(": is", " is")


@pytest.mark.parametrize("command", ["run", "show"])
def test_it_is_said_that_all_members_use_one_model(moot: Moot, command: str) -> None:
    done = ran(moot)
    shown = done.output if command == "run" else moot("show", the_id(moot)).stdout
    assert ": they may agree too easily." in " ".join(shown.split())
    assert "All members use" in shown
    assert "Debating was not worth it: no proposal changed." in " ".join(shown.split())
    unlike = ran(moot, "--member-model", "Skeptic=test:other")
    assert "agree too easily" not in unlike.output


async def test_the_forecast_says_so_too(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel()) as on:
        asked = {"format": "council", "topic": "T", "participants": [ADA, BO, JO]}
        found = (await on.client.post("/api/forecasts", json=asked)).json()
        assert any("they may agree too easily" in one for one in found["warnings"])
        other = {**asked, "participants": [ADA, {**BO, "model": "test:other"}, JO]}
        found = (await on.client.post("/api/forecasts", json=other)).json()
        assert not any("they may agree too easily" in one for one in found["warnings"])
