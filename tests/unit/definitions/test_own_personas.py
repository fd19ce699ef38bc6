"""The user's own personas on disk: added, changed and removed without losing a comment."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from moot.definitions import keeping, own_personas, personas
from moot.definitions.own_personas import as_snippet, as_text, find_place, one_of
from moot.definitions.schema import LibrarySpec
from moot.errors import InvalidInput, NotFound, Refused

LIST = """\
# my crew
personas:
  - name: Zed   # the captain
    role: member
    personality: |
      You are Zed.
      You sail.
    color: '#aabbcc'
  # and then
  - name: Yan
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "home" / "personas"


@pytest.fixture
def crew(folder: Path) -> Path:
    folder.mkdir(parents=True)
    path = folder / "crew.yaml"
    path.write_text(LIST)
    return path


def spec(name: str = "Zed", **fields: str) -> LibrarySpec:
    return LibrarySpec.model_validate({"name": name, **fields})


def files(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.glob("*.yaml")}


def test_one_is_added_as_a_file_for_its_owner_that_people_can_read(folder: Path) -> None:
    own_personas.add(folder, [spec(personality="You are Zed.\nYou sail.", role="member")])
    assert files(folder) == {
        "zed.yaml": "name: Zed\nrole: member\npersonality: |\n  You are Zed.\n  You sail.\n"
    }
    assert stat.S_IMODE((folder / "zed.yaml").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert personas.find("zed", folder).persona.personality == "You are Zed.\nYou sail."


def test_a_second_of_the_same_name_is_refused_and_nothing_changes(folder: Path) -> None:
    own_personas.add(folder, [spec(title="First")])
    before = files(folder)
    for name in ("Zed", "ZED", "z.e.d"):
        with pytest.raises(Refused, match="already"):
            own_personas.add(folder, [spec("Yan"), spec(name)])
    assert files(folder) == before


@pytest.mark.parametrize("name", ["\u0405adiq", "Z\u0435d"])  # Cyrillic twins
def test_a_look_alike_is_refused(folder: Path, name: str) -> None:
    own_personas.add(folder, [spec("Zed")])
    before = files(folder)
    with pytest.raises(InvalidInput, match="looks too much like") as caught:
        own_personas.add(folder, [spec(name)])
    assert caught.value.field == "name"
    assert files(folder) == before


def test_a_file_name_is_never_taken_from_somebody_else(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "Zed.yaml").write_text("name: Somebody\n")
    own_personas.add(folder, [spec("Zed"), spec("\u732b")])
    assert sorted(files(folder)) == ["Zed.yaml", "participant.yaml", "zed_2.yaml"]


def test_a_change_keeps_comments_and_everybody_else(folder: Path, crew: Path) -> None:
    own_personas.put(folder, "zed", spec(role="member", title="Captain", color="#aabbcc"))
    assert crew.read_text() == (
        "# my crew\npersonas:\n  - name: Zed   # the captain\n    role: member\n"
        "    color: '#aabbcc'\n  # and then\n    title: Captain\n  - name: Yan\n"
    )
    found = {entry.name: entry for entry in personas.own(folder)}
    assert (found["Zed"].title, found["Zed"].persona.personality) == ("Captain", "")
    assert "Yan" in found


def test_a_shipped_one_is_changed_by_a_copy_that_comes_first(folder: Path) -> None:
    own_personas.put(folder, "Ada", spec("Ada", title="Sailor"))
    assert personas.find("ada", folder).replaces == "general"
    own_personas.put(folder, "Ada", spec("Ada", title="Captain"))
    assert personas.find("ada", folder).title == "Captain"
    own_personas.remove(folder, "Ada")
    assert personas.find("ada", folder).title == "Architect"
    assert files(folder) == {}


def test_it_is_renamed_unless_the_name_is_taken_or_a_shipped_ones(folder: Path, crew: Path) -> None:
    with pytest.raises(Refused, match="Yan already"):
        own_personas.put(folder, "Zed", spec("Yan"))
    with pytest.raises(InvalidInput, match="looks too much like"):
        own_personas.put(folder, "Zed", spec("\u0405adiq"))
    with pytest.raises(InvalidInput, match="must stay Ada"):
        own_personas.put(folder, "Ada", spec("Bob"))
    assert crew.read_text() == LIST
    own_personas.put(folder, "Zed", spec("Zora"))
    assert [entry.name for entry in personas.own(folder)] == ["Zora", "Yan"]


def test_what_is_not_there_cannot_be_changed_or_removed(folder: Path) -> None:
    for act in (own_personas.remove, lambda d, n: own_personas.put(d, n, spec(n))):
        with pytest.raises(NotFound, match="did you mean Ada"):
            act(folder, "Architekt")
        with pytest.raises(NotFound, match="did you mean Miriam Ashdown"):
            act(folder, "miriam")  # a beginning is enough to look, not to change
    with pytest.raises(Refused, match="Ada comes with Moot"):
        own_personas.remove(folder, "ada")


def test_removing_leaves_the_others_in_the_file(folder: Path, crew: Path) -> None:
    own_personas.remove(folder, "Zed")
    assert [entry.name for entry in personas.own(folder)] == ["Yan"]
    assert "# my crew" in crew.read_text()
    own_personas.remove(folder, "Yan")
    assert files(folder) == {}


def test_what_a_person_wrote_is_kept_as_it_is(folder: Path, crew: Path) -> None:
    place = find_place(folder, "Zed")
    assert place is not None
    assert as_snippet(place).splitlines()[0].split() == ["name:", "Zed", "#", "the", "captain"]
    own_personas.rewrite(folder, "Zed", "# older\nname: Zed\ntitle: 'Old'\n", place)
    assert personas.find("Zed", folder).title == "Old"
    assert "title: 'Old'" in crew.read_text()
    own_personas.add(folder, [spec("Solo")])
    alone = find_place(folder, "Solo")
    text = "# mine alone\nname:   Solo\n"
    own_personas.rewrite(folder, "Solo", text, alone)
    assert (folder / "solo.yaml").read_text() == text


def test_what_changed_under_an_editor_is_not_overwritten(folder: Path, crew: Path) -> None:
    place = find_place(folder, "Zed")
    own_personas.put(folder, "Yan", spec("Yan", title="News"))
    before = crew.read_text()
    with pytest.raises(Refused, match="nothing was written"):
        own_personas.rewrite(folder, "Zed", "name: Zed\n", place)
    assert crew.read_text() == before


def test_a_mistake_in_an_editor_writes_nothing(folder: Path, crew: Path) -> None:
    place = find_place(folder, "Zed")
    with pytest.raises(InvalidInput) as caught:
        own_personas.rewrite(folder, "Zed", "name: Zed\nrol: x\ncolor: dim\n", place)
    assert len(caught.value.others) == 1
    with pytest.raises(InvalidInput, match="one persona"):
        own_personas.rewrite(folder, "Zed", LIST, place)
    assert crew.read_text() == LIST


def test_a_broken_file_beside_it_is_told_and_not_touched(folder: Path, crew: Path) -> None:
    crew.write_text("name: Zed\nrol: x\n")
    with pytest.raises(InvalidInput, match="did you mean `role`"):
        own_personas.add(folder, [spec("Yan")])
    assert files(folder) == {"crew.yaml": "name: Zed\nrol: x\n"}


def test_there_is_room_for_so_many_files_and_no_more(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_personas, "USER_FILES_MAX", 2)
    own_personas.add(folder, [spec("One"), spec("Two")])
    with pytest.raises(Refused, match="at most 2 persona files"):
        own_personas.add(folder, [spec("Three")])
    assert sorted(files(folder)) == ["one.yaml", "two.yaml"]


def test_a_write_that_fails_leaves_the_old_file_and_no_other(
    folder: Path, crew: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Refused, match="cannot be written: No space left"):
        own_personas.put(folder, "Zed", spec(title="New"))
    assert crew.read_text() == LIST
    assert sorted(path.name for path in folder.iterdir()) == [".lock", "crew.yaml"]


def test_two_writers_take_turns(folder: Path) -> None:
    names = [f"P{number}" for number in range(12)]
    threads = [
        threading.Thread(target=own_personas.add, args=(folder, [spec(name)])) for name in names
    ]
    with keeping.locked(folder, "personas"):
        for thread in threads:
            thread.start()
        assert files(folder) == {}
    for thread in threads:
        thread.join()
    assert sorted(entry.name for entry in personas.own(folder)) == sorted(names)


TEXTS = st.text(
    st.characters(codec="utf-8") | st.sampled_from("#:-'\"|>%@`&*!?{}[],\n \t"),
    max_size=60,
)


@settings(max_examples=80, deadline=None, derandomize=True, database=None)
@given(TEXTS, TEXTS)
def test_whatever_can_be_said_is_read_back_the_same(personality: str, title: str) -> None:
    try:
        made = spec(personality=personality, title=title)
    except ValueError:
        return
    assert one_of(as_text(made), "x") == made


@pytest.mark.parametrize("text", ["1e3", "no", "~", "012", ".5", "- x", "a: b", " x\n  y", "#"])
def test_text_that_looks_like_something_else_stays_text(folder: Path, text: str) -> None:
    own_personas.add(folder, [spec("Zed", title="T"), spec("Yan", title="T")])
    own_personas.put(folder, "Zed", spec("Zed", title="T", position=text))
    assert personas.find("Zed", folder).persona.position == text.strip()
