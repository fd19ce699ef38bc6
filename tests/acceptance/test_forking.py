"""`moot fork`: the id of a new debate, which goes on from an event of another."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.acceptance.terminals import Moot, the_id

NEW = ("remote-work", "--model", "openai:test", "--turns", "2", "--seed", "3")


def log_of(moot: Moot, debate_id: str) -> list[Any]:
    lines = moot("show", debate_id, "--json", "--private").stdout.splitlines()
    return [json.loads(line) for line in lines]


def roster_of(moot: Moot, debate_id: str) -> Any:
    return log_of(moot, debate_id)[0]["data"]["config"]["participants"]


def test_a_fork_is_resumed_to_its_end(moot: Moot) -> None:
    moot("run", *NEW)
    source = the_id(moot)
    before = log_of(moot, source)
    made = moot("fork", source[:8], "--at", "8", "--set", "turns=1")
    fork = made.stdout.strip()

    assert made.exit_code == 0, made.stderr
    assert f"moot resume {fork}" in made.stderr
    assert moot("resume", fork).exit_code == 0
    assert log_of(moot, fork)[-1]["type"] == "DebateCompleted"
    assert log_of(moot, source) == before


def test_models_are_changed_for_all_or_for_one(moot: Moot) -> None:
    moot("create", *NEW)
    source = the_id(moot)
    who = roster_of(moot, source)[0]["id"]
    made = moot("fork", source, "--model", "openai:all", "--model", f"{who}=openai:one")

    models = [one["model"] for one in roster_of(moot, made.stdout.strip())]
    assert models == ["openai:one", "openai:all", "openai:all"]


@pytest.mark.parametrize(
    "wrong",
    [
        ("--at", "99"),
        ("--at", "0"),
        ("--set", "turns"),
        ("--set", "turns=0"),
        ("--set", "premise=Another."),
        ("--model", "nobody=openai:test"),
    ],
)
def test_a_fork_that_cannot_be_is_refused_and_nothing_is_written(
    moot: Moot, wrong: tuple[str, str]
) -> None:
    moot("create", *NEW)
    source = the_id(moot)
    made = moot("fork", source, *wrong)

    assert (made.exit_code, made.stdout) == (2, "")
    assert len(moot("list", "--json").stdout.splitlines()) == 1


def test_a_fork_is_told_as_json(moot: Moot) -> None:
    moot("create", *NEW)
    summary = json.loads(moot("fork", the_id(moot), "--json").stdout)

    assert summary["status"] == "created"
