"""One staging behind three doors: command line, HTTP and library make and refuse the same."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import httpx
import pytest
from click.testing import CliRunner

import moot
from moot.cli.app import cli
from moot.cli.options import Setup
from moot.errors import MootError
from moot.protocol.values import Participant
from moot.protocol.words import Role
from moot.serving import open_server
from moot.settings import load_settings
from moot.testing.scripted import ScriptedModels

TWO = """
topic: How to store events?
settings: {rounds: 1}
participants:
  - {name: Ada, role: member}
  - {name: Bo, role: member}
"""


class Door(Protocol):
    async def __call__(self, home: Path, topic: str, **given: Any) -> tuple[dict[str, str], str]:
        """The models by name of the debate that was made, or why none was."""


def _models(participants: Any) -> dict[str, str]:
    return {one["name"]: one["model"] for one in participants}


async def by_command_line(home: Path, topic: str, **given: Any) -> tuple[dict[str, str], str]:
    settings: Mapping[str, Any] = given["settings"]
    options = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]

    arguments = (topic, "--format", given["format"], *options)
    return await asyncio.to_thread(_created, *arguments)


def _created(*arguments: str) -> tuple[dict[str, str], str]:
    def invoke(*arguments: str) -> Any:
        return CliRunner().invoke(cli, arguments, obj=Setup(models=ScriptedModels()))

    made = invoke("create", *arguments)
    if made.exit_code:
        return {}, str(made.stderr)
    created = json.loads(invoke("show", made.stdout.strip(), "--json").stdout.splitlines()[0])
    return _models(created["data"]["config"]["participants"]), ""


async def by_http(home: Path, topic: str, **given: Any) -> tuple[dict[str, str], str]:
    settings = load_settings(home=home)
    async with open_server(settings, host="127.0.0.1", models=ScriptedModels()) as (app, _):
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            answer = await client.post("/api/debates", json={"topic": topic, **given})
    if answer.is_error:
        return {}, answer.text
    return _models(answer.json()["participants"]), ""


async def by_library(home: Path, topic: str, **given: Any) -> tuple[dict[str, str], str]:
    async with moot.open(home=home, models=ScriptedModels()) as opened:
        try:
            debate = await opened.create(topic, format=given["format"], **given["settings"])
        except MootError as error:
            return {}, str(error)
    return {one.name: one.model for one in debate.state.config.participants}, ""


DOORS: dict[str, Door] = {"cli": by_command_line, "http": by_http, "library": by_library}
SETTINGS = {"model_debater": "a:b", "model_judge": "c:d"}


@pytest.mark.parametrize("name", DOORS)
async def test_a_judge_that_the_format_adds_has_the_judges_model(home: Path, name: str) -> None:
    models, refusal = await DOORS[name](home, "Is it so?", format="council", settings=SETTINGS)
    assert not refusal
    assert models == {"Pragmatist": "a:b", "Skeptic": "a:b", "Visionary": "a:b", "Judge": "c:d"}


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "settings of another format": (
        {"format": "council", "settings": {"turns": 2}},
        "is not a setting of this format",
    ),
    "a setting out of bounds": (
        {"format": "duel", "settings": {"turns": 0}},
        "must be a whole number from 1 to 100",
    ),
    "a format that does not exist": (
        {"format": "duell", "settings": {}},
        "there is no format called duell; did you mean duel?",
    ),
}


@pytest.mark.parametrize("name", DOORS)
@pytest.mark.parametrize("case", REFUSED)
async def test_every_door_refuses_in_the_same_words(home: Path, case: str, name: str) -> None:
    given, said = REFUSED[case]
    made, refusal = await DOORS[name](home, "Is it so?", **given)
    assert not made
    assert said in refusal


# --- options and arguments that name models -------------------------------------------------------

EVERYONE = {"Ada": "a:b", "Bo": "a:b", "Judge": "a:b"}
APART = {"Ada": "a:b", "Bo": "a:b", "Judge": "c:d"}


@pytest.mark.parametrize(
    ("options", "models"),
    [(("--model", "a:b"), EVERYONE), (("--model", "a:b", "--judge-model", "c:d"), APART)],
)
def test_the_options_reach_the_judge_of_a_file_that_names_no_format(
    home: Path, tmp_path: Path, options: tuple[str, ...], models: dict[str, str]
) -> None:
    file = tmp_path / "events.yaml"
    file.write_text(TWO)

    assert _created(str(file), "--format", "council", *options) == (models, "")


async def test_the_arguments_of_the_library_reach_a_judge_that_the_format_adds(home: Path) -> None:
    two = [Participant(id=one.lower(), name=one, role=Role.MEMBER) for one in ("Ada", "Bo")]
    async with moot.open(home=home, models=ScriptedModels()) as opened:
        debate = await opened.create(
            "Is it so?", format="council", participants=two, model="a:b", judge_model="c:d"
        )
    assert {one.name: one.model for one in debate.state.config.participants} == APART
