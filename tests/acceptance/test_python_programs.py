"""The programs of docs/how-to/python.md are run as they stand, on models that are scripted."""

from __future__ import annotations

import asyncio
import csv
import re
import runpy
from pathlib import Path

import pytest

import moot
from moot.settings import MootSettings
from moot.testing.scripted import ScriptedModel, ScriptedModels

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "python.md").read_text(encoding="utf-8")
PROGRAM = re.compile(r"^## ([^\n]+)\n(?:(?!^## ).)*?```python\n(.*?)```", re.DOTALL | re.MULTILINE)
PROGRAMS: dict[str, str] = dict(PROGRAM.findall(PAGE))


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScriptedModel:
    """What answers in place of every provider, in a directory and a home of the test's own."""
    asked = ScriptedModel()

    def scripted(_settings: MootSettings) -> ScriptedModels:
        return ScriptedModels(asked)

    monkeypatch.setattr("moot.wiring.open_models", scripted)
    monkeypatch.setattr("moot.library.opening.open_models", scripted)
    monkeypatch.setenv("MOOT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return asked


def run(title: str, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAMS[title], encoding="utf-8")
    runpy.run_path(str(script), run_name="__main__")


def test_there_are_seven_and_none_is_left_out() -> None:
    assert len(PROGRAMS) == PAGE.count("```python") == 7


def test_a_duel(model: ScriptedModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("A duel with a model of your own", tmp_path)
    assert re.search(r"^[A-Z].* \{'.*': \d", capsys.readouterr().out)
    # The judge only: the debaters are the program's own function.
    assert len(model.requests) == 8


def test_a_panel_and_a_follow_up(model: ScriptedModel, tmp_path: Path) -> None:
    run("A panel of your own, and a follow-up", tmp_path)
    last = str(model.requests[-1].messages)
    assert "And on public holidays?" in last
    assert any("Should we open on Sundays?" in str(one.messages) for one in model.requests[-4:])


async def test_the_fork_below_them_asks_another_judge(model: ScriptedModel) -> None:
    (call,) = re.findall(r"`(debate\.fork\(.*?\))`", PAGE)
    async with moot.open() as m:
        debate = await m.create("Should cities be car-free?", turns=2)
        await debate.finish()
        fork = await eval(call, {"debate": debate})  # noqa: S307 - of our own docs
        await fork.finish()
    assert model.requests[-1].model == "openai:gpt-6-luna"


def test_a_council(
    model: ScriptedModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("A council of two models", tmp_path)
    assert "# Postgres or SQLite for a desk app?" in capsys.readouterr().out
    assert {"openai:gpt-6-luna", "deepseek:deepseek-flash"} <= {one.model for one in model.requests}


def test_a_panel(model: ScriptedModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("Ask a panel", tmp_path)
    with moot.sync.open() as m:
        (row,) = m.list()
        answer = m.get(row.id).export("answer")
    assert capsys.readouterr().out == f"{answer}{row.id} None\n"
    assert model.requests


def test_text(model: ScriptedModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("Text as it is written", tmp_path)
    with moot.sync.open() as m:
        said = [one for one in m.get(m.list()[0].id).turns if one.visibility == "public"]
    # Plans of both sides are written at once, and nobody could read them so.
    wanted = "".join(f"{one.content}\n({one.participant})\n" for one in said)
    assert capsys.readouterr().out == wanted
    assert (len(said), len(model.requests)) == (3, 14)


@pytest.mark.parametrize("is_inside_a_loop", [False, True])
def test_a_room(
    model: ScriptedModel,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    is_inside_a_loop: bool,
) -> None:
    async def inside() -> None:
        run("A room answered by code", tmp_path)

    if is_inside_a_loop:
        asyncio.run(inside())
    else:
        run("A room answered by code", tmp_path)
    assert capsys.readouterr().out.count("ada: ") == len(model.requests) == 2


def test_a_hundred(model: ScriptedModel, tmp_path: Path) -> None:
    run("A hundred debates at once", tmp_path)
    with (tmp_path / "car-free.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len({row["id"] for row in rows}) == 100
    assert all(row["winner"] for row in rows)
    asked = len(model.requests)
    run("A hundred debates at once", tmp_path)
    assert len(model.requests) == asked
