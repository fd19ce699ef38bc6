"""`moot fork`: the id of a new debate, which goes on from an event of another."""

from __future__ import annotations

import json
import re
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


def test_one_is_meant_by_id_name_or_role_as_in_a_rematch(moot: Moot) -> None:
    moot("create", *NEW)
    source = the_id(moot)
    first, second, judge = roster_of(moot, source)
    options = [f"{first['id']}=openai:a", f"{second['name']}=openai:b", "judge=openai:c"]
    wanted = [part for one in options for part in ("--member-model", one)]
    for command in (("fork", source), ("rematch", source, "--quiet")):
        assert moot(*command, *wanted).exit_code == 0
        models = {one["id"]: one["model"] for one in roster_of(moot, the_id(moot))}
        # In a rematch it is drawn anew who opens.
        names = (first["id"], second["id"], judge["id"])
        assert models == dict(zip(names, ("openai:a", "openai:b", "openai:c"), strict=True))
    made = moot("fork", source, "--model", "judge=openai:old", "--judge-model", "openai:less")
    assert roster_of(moot, made.stdout.strip())[2] == {**judge, "model": "openai:old"}


def test_the_examples_of_the_help_do_what_they_say(moot: Moot) -> None:
    moot("run", *NEW, "--quiet")
    source = the_id(moot)
    examples = re.findall(r"moot (fork k3f2[^\n)]*)", moot("fork", "--help").stdout)
    assert len(examples) == 3
    for one in examples:
        done = moot(*one.replace("k3f2", source).split())
        assert done.exit_code == 0, done.stderr


@pytest.mark.parametrize(
    "wrong",
    [
        ("--at", "99"),
        ("--at", "0"),
        ("--set", "turns"),
        ("--set", "turns=0"),
        ("--set", "premise=Another."),
        ("--model", "nobody=openai:test"),
        ("--member-model", "nobody=openai:test"),
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


def test_a_mistake_is_told_by_the_option(moot: Moot) -> None:
    moot("create", *NEW)
    made = moot("fork", the_id(moot), "--member-model", "nobody=openai:test")
    assert "--member-model nobody: " in made.stderr


def test_a_fork_is_told_as_json(moot: Moot) -> None:
    moot("create", *NEW)
    summary = json.loads(moot("fork", the_id(moot), "--json").stdout)

    assert summary["status"] == "created"
