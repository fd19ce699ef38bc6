"""Your own personas and teams, from the command line; a debate freezes what it uses (issue 4)."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.acceptance.terminals import Moot, the_id
from tests.unit.api.serving import serving

from moot.cli.app import cli
from moot.cli.options import Setup
from moot.testing.scripted import ScriptedModel, sensible

FILE = """\
topic: Should ships have sails?
debaters: [Zed, {persona: miriam, model: human}]
"""
CREW = "personas:\n  - name: Zed\n    title: Sailor\n  - name: Yan\n    role: judge\n"


def shown(moot: Moot, name: str) -> Any:
    return json.loads(moot("personas", "show", name, "--json").stdout)


def test_one_is_added_shown_edited_and_removed(moot: Moot, home: Path) -> None:
    done = moot("personas", "add", "Zed", "--role", "member", "--personality", "You are Zed.")
    assert (done.exit_code, done.stdout.split(";")[0]) == (0, "added Zed (member)")
    path = home / "personas" / "zed.yaml"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text("# the captain\n" + path.read_text())

    assert moot("personas", "edit", "zed", "--title", "Captain").stdout == "changed Zed\n"
    assert shown(moot, "captain")["persona"]["personality"] == "You are Zed."
    assert path.read_text().startswith("# the captain\nname: Zed\n")
    assert "you (zed.yaml)" in moot("personas", "list", "--own").stdout

    asked = moot("personas", "remove", "Zed")
    assert asked.exit_code == 2
    assert "--yes" in asked.stderr
    assert path.exists()
    assert moot("personas", "remove", "Zed", "--yes").stdout == "removed Zed\n"
    assert not path.exists()
    assert moot("personas", "remove", "Zed", "--yes").exit_code == 7


def test_a_file_of_several_is_added_whole_or_not_at_all(
    moot: Moot, home: Path, tmp_path: Path
) -> None:
    crew = tmp_path / "crew.yaml"
    crew.write_text(CREW)
    assert moot("personas", "add", "--file", str(crew)).exit_code == 0
    assert [path.name for path in sorted((home / "personas").glob("*.yaml"))] == [
        "yan.yaml",
        "zed.yaml",
    ]
    crew.write_text(CREW + "  - name: Xia\n")
    again = moot("personas", "add", "--file", str(crew))
    assert again.exit_code == 2
    assert "you have a persona called Zed already" in again.stderr
    assert moot("personas", "show", "xia").exit_code == 7


def test_every_mistake_is_told_at_once(moot: Moot, tmp_path: Path) -> None:
    done = moot("personas", "add", "Zed", "--color", "dim", "--title", "a|b")
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 2)
    file = tmp_path / "bad.yaml"
    file.write_text("topic: T\nturns: x\nzzz: 1\nfor: [{name: A, model: nowhere:x}]\n")
    done = moot("run", str(file))
    assert done.exit_code == 2
    lines = done.stderr.splitlines()
    assert lines[0].startswith(f"moot: {file}:2: turns")
    assert [line.split(": ")[0] for line in lines[1:]] == [f"{file}:3", f"{file}:4"]


def test_a_model_that_cannot_be_had_is_told_with_its_line(moot: Moot, tmp_path: Path) -> None:
    file = tmp_path / "d.yaml"
    file.write_text("topic: T\ndebaters:\n  - name: A\n    model: nowhere:x\n  - name: B\n")
    done = CliRunner().invoke(cli, ["create", str(file)], obj=Setup())
    assert done.exit_code == 2
    assert f"{file}:4: debaters.0.model: " in done.stderr
    assert not moot("list", "--json").stdout


def test_a_side_that_pools_would_ignore_is_refused(moot: Moot, tmp_path: Path) -> None:
    file = tmp_path / "d.yaml"
    file.write_text("topic: T\nfor: [{name: A}]\nagainst: [{name: B}]\n")
    assert moot("create", str(file), "--format", "rounds").exit_code == 0
    done = moot("create", str(file), "--format", "rounds", "--set", "stance_a=con")
    assert done.exit_code == 2
    assert "--set stance_a: cannot be used together with `for`" in done.stderr


def test_a_shipped_one_is_edited_by_a_copy(moot: Moot) -> None:
    done = moot("personas", "edit", "architect", "--model", "human")
    assert done.stdout == "your own Ada now replaces the one that comes with moot\n"
    mine = shown(moot, "ada")
    assert (mine["persona"]["title"], mine["persona"]["model"]) == ("Architect", "human")
    assert mine["replaces"] == "general"
    page = " ".join(moot("personas").stdout.split())
    assert "you (ada.yaml), replaces the one from general" in page
    assert moot("personas", "remove", "ada", "--yes").exit_code == 0
    assert moot("personas", "remove", "ada", "--yes").exit_code == 2
    assert shown(moot, "ada")["origin"] == "general"


def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    script = tmp_path / "editor.py"
    script.write_text(f"import sys, pathlib\npath = pathlib.Path(sys.argv[1])\n{code}\n")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")


def test_without_options_it_is_edited_in_an_editor(
    moot: Moot, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moot("personas", "add", "Zed", "--title", "Sailor")
    editor(
        tmp_path,
        monkeypatch,
        "path.write_text('# old\\n' + path.read_text().replace('Sailor', 'Captain'))",
    )
    assert moot("personas", "edit", "Zed").stdout == "changed Zed\n"
    assert (home / "personas" / "zed.yaml").read_text().startswith("# old\nname: Zed\n")
    assert shown(moot, "Zed")["persona"]["title"] == "Captain"

    editor(tmp_path, monkeypatch, "path.write_text('name: Zed\\nrol: x\\n')")
    wrong = moot("personas", "edit", "Zed")
    assert wrong.exit_code == 2
    assert "did you mean `role`?" in wrong.stderr
    editor(tmp_path, monkeypatch, "")
    assert moot("personas", "edit", "Zed").exit_code == 2
    assert shown(moot, "Zed")["persona"]["title"] == "Captain"


def test_a_debate_keeps_the_personas_it_was_created_with(moot: Moot, tmp_path: Path) -> None:
    file = tmp_path / "ships.yaml"
    file.write_text(FILE)
    moot("personas", "add", "Zed", "--personality", "You are Zed.", "--title", "Sailor")
    assert moot("create", str(file)).exit_code == 0
    before = moot("export", the_id(moot), "--as", "json").stdout
    assert "You are Zed." in before
    assert moot("personas", "edit", "Zed", "--personality", "You are somebody else.").exit_code == 0
    assert moot("export", the_id(moot), "--as", "json").stdout == before
    assert moot("personas", "remove", "Zed", "--yes").exit_code == 0
    assert moot("export", the_id(moot), "--as", "json").stdout == before


async def test_an_edit_over_http_changes_no_prompt_of_a_debate_that_exists(tmp_path: Path) -> None:
    model = ScriptedModel(sensible)
    async with serving(tmp_path, model) as on:
        zed = {"name": "Zed", "personality": "You are Zed."}
        await on.client.post("/api/personas", json=zed)
        chosen = await on.get("/api/personas/zed")
        fields = {key: chosen[key] for key in ("name", "role", "personality")}
        others = [{"name": "Bo", "role": "debater"}, {"name": "Jo", "role": "judge"}]
        debate = await on.create(participants=[fields, *others])
        before = await on.debate(debate)
        new = await on.client.put("/api/personas/Zed", json={**zed, "personality": "You are not."})
        assert new.status_code == 200
        assert await on.debate(debate) == before
        await on.command(debate, "start")
        done = await on.until(debate, "completed")
        assert done["participants"] == before["participants"]
        asked = json.dumps([str(request) for request in model.requests])
        assert "You are Zed." in asked
        assert "You are not." not in asked


# --- teams ----------------------------------------------------------------------------------------


def test_teams_are_listed(moot: Moot) -> None:
    assert "security-review" in moot("teams").stdout
    lines = [json.loads(line) for line in moot("teams", "--json").stdout.splitlines()]
    assert {"name", "about", "members", "judge"} == set(lines[0])


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--team", "desing", "--format", "council"), 7, "did you mean design?"),
        (("--team", "design", "--format", "duel"), 2, "a duel has no members"),
        (("--member-model", "ada"), 2, "must be WHO=PROVIDER:NAME"),
        (("--member-model", "xyzzy=human"), 7, "no participant called xyzzy; choose one of "),
    ],
)
def test_a_team_or_a_chair_that_is_not_there_is_refused(
    moot: Moot, options: tuple[str, ...], code: int, said: str
) -> None:
    done = moot("create", "Should ships have sails?", *options)
    assert done.exit_code == code, done.stderr
    assert said in done.stderr
    assert not moot("list", "--json").stdout


def test_one_participant_gets_a_model_of_its_own(moot: Moot, tmp_path: Path) -> None:
    file = tmp_path / "d.yaml"
    file.write_text("topic: T\ndebaters: [{name: Ada, title: Architect}, {name: Bob}]\n")
    options = ("--model", "scripted:one", "--member-model", "architect=scripted:two")
    assert moot("create", str(file), *options).exit_code == 0
    exported = json.loads(moot("export", the_id(moot), "--as", "json").stdout)
    people = json.dumps(exported)
    assert people.count("scripted:two") == 1


def people(moot: Moot, *options: str) -> list[tuple[str, str, str]]:
    done = moot("create", "How should we store events?", *options)
    assert done.exit_code == 0, done.stderr
    exported = json.loads(moot("export", the_id(moot), "--as", "json").stdout)
    found = exported["debate"]["participants"]
    return [(one["name"], one["role"], one["model"]) for one in found]


def test_a_team_sits_on_a_council_each_with_its_model(moot: Moot) -> None:
    moot("personas", "add", "Petra", "--title", "Performance", "--model", "scripted:own")
    options = ("--model", "scripted:all", "--judge-model", "scripted:judge")
    one = ("--member-model", "ada=scripted:two", "--member-model", "testing=human")
    assert people(moot, "--team", "design", *options, *one) == [
        ("Ada", "member", "scripted:two"),
        ("Simone", "member", "scripted:all"),
        ("Petra", "member", "scripted:own"),
        ("Teodor", "member", "human"),
        ("Judge Vasquez-Lind", "judge", "scripted:judge"),
    ]


def test_a_team_sits_in_a_room_without_its_judge(moot: Moot) -> None:
    found = people(moot, "--format", "room", "--team", "general", "--model", "scripted:all")
    assert [(name, role) for name, role, _ in found] == [
        (name, "member") for name in ("Sven", "Greta", "Hamid", "Emi")
    ]


def test_a_team_takes_the_place_of_those_in_a_file(moot: Moot) -> None:
    done = moot("create", "event-store", "--team", "writing")
    assert done.exit_code == 0
    text = moot("export", the_id(moot), "--as", "json").stdout
    assert "Edith" in text
    assert "Divya" not in text
