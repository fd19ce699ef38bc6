"""Panels as files: what they may say, the shipped ones, and the user's own, changed on disk."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from moot.definitions import keeping, own_panels, panels, shipped
from moot.definitions.documents import parse
from moot.definitions.own_panels import as_text, data_of, find_place, panel_of_debate
from moot.definitions.values import Panel
from moot.errors import InvalidInput, NotFound, Refused
from moot.protocol.values import Config, Participant, Sampling
from moot.protocol.words import HUMAN, SAMPLE_MODEL, Role, Stance

MINE = {"name": "board", "about": "Decisions.", "format": "council"}
FILE = """\
# ours
name: board
about: Decisions.  # all of them
format: council
settings:
  rounds: 2 # two
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "home" / "panels"


@pytest.fixture
def board(folder: Path) -> Path:
    folder.mkdir(parents=True)
    path = folder / "b.yaml"
    path.write_text(FILE)
    return path


def files(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.glob("*.yaml")}


def read(text: str) -> Panel:
    return panels.panel_of(parse(text.encode(), "p.yaml", least=panels.LEAST))


# --- what a file may say ---


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name: x\nabout: y\ntopic: T", "p.yaml:3: topic: must be left out"),
        (
            "name: x\nabout: y\nlimts: {}",
            "p.yaml:3: limts: unknown key `limts`; did you mean `limits`",
        ),
        (
            "name: x\nabout: y\nturnz: 3",
            "p.yaml:3: turnz: unknown key `turnz`; did you mean `turns`",
        ),
        ("name: x\nabout: y\nformat: room", "p.yaml:3: format: a room has no end"),
        ("name: x\nabout: y\nteam: desing", "p.yaml:3: team: there is no team called desing"),
        ("name: x\nabout: y\nteam: des", "did you mean design?"),
        ("name: x\nabout: y\nteam: designn", "called designn; did you mean design?"),
        ("", "p.yaml:1: is empty; `name` and `about` are the least it needs"),
        (
            "name: Two Words\nabout: y",
            "1: name: must be 1 to 40 small letters, digits, hyphens and underscores, beginning",
        ),
        (
            "name: x\nabout: y\nformat: rooom",
            "called rooom; known: duel, rounds, standard, custom, classic, council, poll",
        ),
        ("name: x\nabout: y\nformat: duell", "there is no format called duell; did you mean duel?"),
        (
            "name: x\nabout: y\nformat: poll\nsettings:\n  answer_type: choice",
            "p.yaml:4: settings.choices: needs two texts or more",
        ),
        (
            "name: x\nabout: y\nteam: design\nformat: poll\nsettings: {samples: 9, decision: vote}",
            "p.yaml:5: settings.samples: ",
        ),
        ("name: x\nabout: y\nteam: design\nformat: duel", "p.yaml:3: team: a duel has no members"),
        ("name: x\nabout: y\nteam: design\njudge: ada", "cannot be used together with `judge`"),
        ("name: x\nabout: y\nlimits: {max_cost_usd: x}", "p.yaml:3: limits.max_cost_usd: must be"),
        (
            "name: x\nabout: y\nlimits: {max_cost_usd: 1}\nsettings:\n  max_cost_usd: 2",
            "p.yaml:5: settings.max_cost_usd: is also given under `limits`",
        ),
        ("name: x\nabout: y\nsettings:\n  trns: 2", "p.yaml:4: settings.trns: is not a setting"),
        (
            "name: x\nabout: y\nformat: council\nparticipants:\n  - {name: A, role: member}",
            "p.yaml:4: participants: a council has 2 to 10 members",
        ),
        ("- x", "p.yaml:1: must have keys and values"),
    ],
)
def test_a_mistake_is_told_with_file_line_and_field(text: str, told: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read(text)
    assert told in str(caught.value)


def test_every_mistake_is_told_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        read("name: x\nabuot: y\nformat: duell\nteam: nobody\nthinking: loud\n")
    told = {one.field for one in (caught.value, *caught.value.others)}
    assert told == {"about", "abuot", "format", "team", "thinking"}


def test_personas_of_ones_own_are_found(folder: Path, tmp_path: Path) -> None:
    people = tmp_path / "personas"
    people.mkdir()
    (people / "zed.yaml").write_text("name: Zed\nrole: member\n")
    text = "name: x\nabout: y\nformat: council\nparticipants: [zed, ada]\n"
    folder.mkdir(parents=True)
    (folder / "x.yaml").write_text(text)
    found = panels.find("x", folder, people)
    assert [seat.name for seat in panels.cast_of(found, people)] == ["Zed", "Ada"]
    with pytest.raises(InvalidInput, match="no persona called zed"):
        panels.find("x", folder)


def test_the_second_of_one_name_is_broken_and_names_the_first(folder: Path, board: Path) -> None:
    (folder / "c.yaml").write_text(FILE)
    found = panels.library(folder)
    (bad,) = found.broken
    assert (bad.error.source, bad.error.line) == (str(folder / "c.yaml"), 2)
    assert "name of the panel in b.yaml" in bad.detail
    assert str(folder) not in bad.told
    assert found.named("board")
    with pytest.raises(InvalidInput, match=r"name of the panel in b\.yaml"):
        panels.find("c", folder)


def test_a_link_is_not_followed(folder: Path, board: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("password: x\n")
    (folder / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    (bad,) = panels.library(folder).broken
    assert (bad.file, bad.names) == ("link.yaml", frozenset({"link"}))
    assert "cannot be opened" in bad.detail
    assert str(tmp_path) not in bad.detail


def test_a_broken_file_takes_nothing_away_but_its_own_panel(folder: Path, board: Path) -> None:
    (folder / "council.yaml").write_text("name: council\nabout: A.\nformat: nothing\n")
    (folder / "torn.yaml").write_text("name: [\n")
    found = panels.library(folder)
    assert {one.file for one in found.broken} == {"council.yaml", "torn.yaml"}
    assert {"board", "duel"} <= {one.name for one in found}
    assert all(one.is_saved for one in found)
    for name in ("council", "torn"):  # never another panel than the one that was set up
        with pytest.raises(InvalidInput):
            panels.find(name, folder)
        with pytest.raises(Refused, match="which has a mistake"):
            own_panels.add(folder, {**MINE, "name": name})
    own_panels.put(folder, "board", {**MINE, "name": "board", "about": "Changed."})
    own_panels.add(folder, {**MINE, "name": "another"})
    assert panels.find("board", folder).about == "Changed."
    for name in ("council", "torn"):
        own_panels.remove(folder, name)
    assert not panels.library(folder).broken


def test_a_name_with_an_underscore_is_found(folder: Path) -> None:
    own_panels.add(folder, {**MINE, "name": "my_board"})
    for name in ("my_board", "my-board", "My Board"):
        assert panels.find(name, folder).name == "my_board"


# --- the shipped ones ---


@pytest.mark.parametrize("name", shipped.panels())
def test_a_shipped_one_is_named_like_its_file_and_can_be_written_again(name: str) -> None:
    found = panels.find(name)
    assert found.name == name
    assert parse(as_text(data_of(found)).encode(), None).data == shipped.panels()[name].data
    assert len(found.about) <= 120


def test_the_red_team_has_one_who_proposes_and_two_who_attack() -> None:
    found = panels.definition_of(panels.find("red-team"))
    sides = [(one.role, one.stance) for one in found.participants]
    assert sides == [
        (Role.MODERATOR, Stance.NONE),
        (Role.DEBATER, Stance.PRO),
        (Role.DEBATER, Stance.CON),
        (Role.DEBATER, Stance.CON),
    ]
    assert found.settings["ruling"] is True


# --- one's own, changed ---


def test_one_is_added_as_a_file_for_its_owner_that_people_can_read(folder: Path) -> None:
    people = [
        {"persona": "ada", "role": "member"},
        {"name": "Zed", "role": "member", "personality": "You are Zed.\nYou sail."},
    ]
    own_panels.add(folder, {"participants": people, **MINE})
    assert files(folder) == {
        "board.yaml": "name: board\nabout: Decisions.\nformat: council\nparticipants:\n"
        "  - persona: ada\n    role: member\n  - name: Zed\n    role: member\n"
        "    personality: |-\n      You are Zed.\n      You sail.\n"
    }
    assert stat.S_IMODE((folder / "board.yaml").stat().st_mode) == 0o600
    assert panels.find("board", folder).is_own


def test_a_second_of_the_same_name_is_refused_and_nothing_changes(
    folder: Path, board: Path
) -> None:
    with pytest.raises(Refused, match="already"):
        own_panels.add(folder, MINE)
    own_panels.add(folder, {**MINE, "name": "other"})
    before = files(folder)
    with pytest.raises(Refused, match="a panel called board already"):
        own_panels.put(folder, "other", MINE)
    assert files(folder) == before


def test_a_change_keeps_comments_and_what_did_not_change(folder: Path, board: Path) -> None:
    own_panels.put(folder, "Board", {**MINE, "settings": {"rounds": 2, "threshold": 70}})
    assert board.read_text() == FILE + "  threshold: 70\n"
    own_panels.put(folder, "board", {**MINE, "about": "Elections.", "settings": {"rounds": 2}})
    assert board.read_text() == FILE.replace("Decisions.", "Elections.")
    own_panels.put(folder, "board", {**MINE, "about": "Elections."})
    assert "settings" not in board.read_text()


def test_it_is_renamed_unless_the_name_is_a_shipped_ones(folder: Path, board: Path) -> None:
    with pytest.raises(InvalidInput, match="must stay duel"):
        own_panels.put(folder, "duel", MINE)
    own_panels.put(folder, "board", {**MINE, "name": "court"})
    assert [one.name for one in panels.library(folder) if one.is_own] == ["court"]


def test_what_is_not_there_cannot_be_changed_or_removed(folder: Path, board: Path) -> None:
    with pytest.raises(NotFound, match="there are: board"):
        own_panels.put(folder, "bord", {**MINE, "name": "bord"})
    with pytest.raises(NotFound):
        own_panels.remove(folder, "bord")
    assert files(folder) == {"b.yaml": FILE}


def test_what_changed_under_an_editor_is_not_overwritten(folder: Path, board: Path) -> None:
    place = find_place(folder, "board")
    board.write_text(FILE + "# news\n")
    with pytest.raises(Refused, match="nothing was written"):
        own_panels.rewrite(folder, "board", FILE, place)
    assert board.read_text() == FILE + "# news\n"


def test_a_write_that_fails_leaves_the_old_file_and_no_other(
    folder: Path, board: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Refused, match="your panels cannot be written: No space left"):
        own_panels.put(folder, "board", MINE)
    assert board.read_text() == FILE
    assert sorted(path.name for path in folder.iterdir()) == [".lock", "b.yaml"]


def test_there_is_room_for_so_many_files_and_no_more(
    folder: Path, board: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_panels, "USER_FILES_MAX", 1)
    with pytest.raises(Refused, match="at most 1 panel files"):
        own_panels.add(folder, {**MINE, "name": "other"})
    assert files(folder) == {"b.yaml": FILE}


def test_two_writers_take_turns(folder: Path) -> None:
    names = [f"p{number}" for number in range(8)]
    threads = [
        threading.Thread(target=own_panels.add, args=(folder, {**MINE, "name": name}))
        for name in names
    ]
    with keeping.locked(folder, "panels"):
        for thread in threads:
            thread.start()
        assert files(folder) == {}
    for thread in threads:
        thread.join()
    assert sorted(one.name for one in panels.library(folder) if one.is_own) == names


TEXTS = st.text(
    st.characters(codec="utf-8") | st.sampled_from("#:-'\"|>%@`&*!?{}[],\n \t"), max_size=60
)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(TEXTS, TEXTS)
def test_whatever_can_be_said_is_read_back_to_the_letter(personality: str, about: str) -> None:
    people = [{"name": "Ada", "role": "member", "personality": personality}]
    data: dict[str, Any] = {**MINE, "about": about, "participants": people}
    try:
        text = as_text(data)
    except InvalidInput:
        return  # what no file may hold
    assert parse(text.encode(), None).data == data


# --- from a debate ---


def test_a_panel_of_a_debate_has_nothing_of_its_question() -> None:
    config = Config(
        format="council",
        topic="Close Zanzibar?",
        settings={
            "rounds": 1,
            "compare": True,
            "answers": ["In Zanzibar are two people."],
            "temperature": 0.2,
            "max_cost_usd": 2.0,
            "max_runtime_seconds": 60,
        },
        participants=(
            Participant(
                id="ada",
                name="Ada",
                role=Role.MEMBER,
                model="openai:x",
                position="Against: Close Zanzibar?",
                sampling=Sampling(temperature=0.2, seed=7),
            ),
            Participant(id="bo", name="Bo", role=Role.MEMBER, model=HUMAN, argues="against"),
            Participant(id="jo", name="Jo", role=Role.JUDGE, model=SAMPLE_MODEL, window=9),
        ),
    )
    made = panel_of_debate(config, name="board", about="A.")
    assert made == {
        "name": "board",
        "about": "A.",
        "format": "council",
        "settings": {"rounds": 1, "temperature": 0.2},
        "participants": [
            {"name": "Ada", "model": "openai:x", "role": "member", "sampling_seed": 7},
            {"name": "Bo", "model": "human", "role": "member"},
            {"name": "Jo", "role": "judge"},
        ],
        "limits": {"max_cost_usd": 2.0, "max_runtime_seconds": 60},
    }
    assert panels.panel_of(parse(as_text(made).encode(), None)).format == "council"
