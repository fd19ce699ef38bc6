"""`moot panels`: listed, shown, saved from a debate, edited, checked and removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from moot.cli.app import cli
from moot.cli.exit_codes import ExitCode
from moot.cli.options import Setup
from moot.definitions import panels, shipped
from moot.definitions.documents import parse
from moot.testing.scripted import ScriptedModels

MINE = "# ours\nname: board\nabout: Decisions.  # all of them\nformat: council\n"


class Typed:
    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / "panels"

    def __call__(self, *args: str, code: int = 0) -> Result:
        setup = Setup(home=str(self.home), models=ScriptedModels())
        done = CliRunner().invoke(cli, args, obj=setup)
        assert done.exit_code == code, done.output
        return done


@pytest.fixture
def typed(tmp_path: Path) -> Typed:
    return Typed(tmp_path / "home")


@pytest.fixture
def board(typed: Typed) -> Path:
    typed.folder.mkdir(parents=True)
    file = typed.folder / "b.yaml"
    file.write_text(MINE)
    return file


def editor(monkeypatch: pytest.MonkeyPatch, *texts: str | None) -> list[str]:
    """What the editor was opened with; it leaves these texts behind, one after the other."""
    seen: list[str] = []
    left = iter(texts)

    def edit(text: str, **_: object) -> str | None:
        seen.append(text)
        return next(left)

    monkeypatch.setattr("click.edit", edit)
    return seen


@pytest.mark.usefixtures("board")
def test_your_own_come_first_in_the_list(typed: Typed) -> None:
    lines = typed("panels").stdout.splitlines()
    assert lines[1].split()[:3] == ["board", "council", "you"]
    rows = [json.loads(line) for line in typed("panels", "--json").stdout.splitlines()]
    assert [row["name"] for row in rows[1:]] == [one.name for one in panels.all_shipped()]
    assert rows[0] == {
        "name": "board",
        "about": "Decisions.",
        "format": "council",
        "is_own": True,
    }
    assert len(typed("panels", "list", "--own", "--json").stdout.splitlines()) == 1


@pytest.mark.usefixtures("board")
def test_a_broken_one_is_told_beside_the_list(typed: Typed) -> None:
    (typed.folder / "odd.yaml").write_text("name: odd\nabot: x\n")
    done = typed("panels")
    assert "board" in done.stdout
    assert "odd" not in done.stdout
    assert f"{typed.folder / 'odd.yaml'}:2: abot: " in done.stderr
    asked = typed("ask", "odd", "Why?", code=ExitCode.USAGE)
    assert "odd.yaml:2: abot: " in asked.stderr


@pytest.mark.usefixtures("board")
def test_one_is_shown_as_its_file_has_it(typed: Typed) -> None:
    assert typed("panels", "show", "Board").stdout == MINE
    for name, document in shipped.panels().items():
        shown = typed("panels", "show", name).stdout
        assert parse(shown.encode(), None).data == document.data
    assert json.loads(typed("panels", "show", "board", "--json").stdout)["name"] == "board"
    assert (
        "there are: board, council" in typed("panels", "show", "x", code=ExitCode.NOT_FOUND).stderr
    )


def test_a_debate_is_saved_and_asked_again(typed: Typed) -> None:
    typed("run", "Tea or cake?", "--turns", "1", "--quiet")
    [row] = typed("list", "--json").stdout.splitlines()
    debate = json.loads(row)
    typed("panels", "save", debate["id"][:8], "tea", "--about", "As before.")
    again = typed("panels", "save", debate["id"], "tea", "--about", "x", code=ExitCode.USAGE)
    assert "a panel called tea already" in again.stderr
    assert "moot panels remove tea" in " ".join(again.stderr.split())
    typed("ask", "tea", "Rain or sun?")
    new = json.loads(typed("list", "--json").stdout.splitlines()[0])
    assert (new["topic"], new["statements"], new["format"]) == ("Rain or sun?", 1, "duel")
    assert new["cast"] == debate["cast"]
    assert "cake" not in (typed.folder / "tea.yaml").read_text()


def test_a_room_is_not_saved(typed: Typed) -> None:
    typed("create", "Tea?", "--format", "room")
    [row] = typed("list", "--json").stdout.splitlines()
    done = typed("panels", "save", json.loads(row)["id"], "r", "--about", "x", code=ExitCode.USAGE)
    assert "a room has no end" in done.stderr
    assert not list(typed.folder.glob("*.yaml"))


def test_it_is_edited_comments_and_all(
    typed: Typed, board: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = editor(monkeypatch, MINE + "settings: {rounds: 2}  # short\n")
    assert "changed board" in typed("panels", "edit", "board").stdout
    assert seen == [MINE]
    assert board.read_text() == MINE + "settings: {rounds: 2}  # short\n"


def test_an_edited_shipped_one_becomes_your_own(
    typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = shipped.panel_text("duel")
    editor(monkeypatch, text, text.replace("turns: 4", "turns: 2"))
    assert "nothing was changed" in typed("panels", "edit", "duel", code=ExitCode.USAGE).stderr
    assert "your own duel now replaces" in typed("panels", "edit", "duel").stdout
    assert panels.find("duel", typed.folder).document.data["settings"] == {"turns": 2}
    typed("panels", "remove", "duel", "--yes")
    assert panels.find("duel", typed.folder).document.data["settings"] == {"turns": 4}


def test_a_mistake_changes_nothing(
    typed: Typed, board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(monkeypatch, MINE + "rounds: 2\n", MINE.replace("board", "duell") + "topic: T\n")
    assert "what you wrote:5: rounds" in typed("panels", "edit", "board", code=2).stderr
    assert "topic: must be left out" in typed("panels", "edit", "board", code=2).stderr
    file = tmp_path / "new.yaml"
    file.write_text("name: board\nabout:\n")
    assert (
        "new.yaml:2: about: is empty"
        in typed("panels", "edit", "board", "--file", str(file), code=2).stderr
    )
    assert board.read_text() == MINE
    file.write_text("name: board\nabout: New.\n")
    typed("panels", "edit", "board", "--file", str(file))
    assert board.read_text() == file.read_text()


def test_one_is_removed_only_by_who_is_sure(typed: Typed, board: Path) -> None:
    assert (
        "nothing was removed: add --yes"
        in typed("panels", "remove", "board", code=ExitCode.USAGE).stderr
    )
    board.write_text("name: board\nnonsense: 1\n")
    typed("panels", "remove", "board", "--yes")
    assert not board.exists()
    assert "comes with Moot" in typed("panels", "remove", "duel", code=ExitCode.USAGE).stderr
    gone = typed("panels", "remove", "board", code=ExitCode.NOT_FOUND)
    assert "no panel called 'board'; you have none of your own" in gone.stderr


def test_files_are_checked_with_every_mistake(typed: Typed, board: Path, tmp_path: Path) -> None:
    assert "board is in order (council: " in typed("panels", "check", str(board)).stdout
    file = tmp_path / "x.yaml"
    file.write_text("name: x\nabuot: y\nformat: duell\nparticipants: [zed]\n")
    told = typed("panels", "check", str(board), str(file), code=ExitCode.USAGE).stderr
    for line in ("x.yaml:2: abuot", "did you mean `about`", "x.yaml:3: format", ":4: participants"):
        assert line in told
    typed("panels", "check", str(tmp_path / "none.yaml"), code=ExitCode.NOT_FOUND)


def test_debates_are_listed_by_door(typed: Typed) -> None:
    typed("create", "Tea?")
    typed("samples", "open", "a-dog")
    [row] = typed("list", "--door", "import", "--json").stdout.splitlines()
    assert json.loads(row)["origin"] == "import/sample"
    assert typed("list", "--door", "mcp", "--json").stdout == ""
