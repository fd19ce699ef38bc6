"""The library: the user's own personas, the general ones, those of the shipped debates."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from moot.definitions import personas
from moot.errors import InvalidInput, NotFound
from moot.protocol.names import find_clash
from moot.protocol.words import Role


def test_the_general_ones_are_complete() -> None:
    entries = personas.general()
    roles = Counter(entry.role for entry in entries)
    assert roles == {Role.DEBATER: 8, Role.JUDGE: 8, Role.MODERATOR: 4, Role.MEMBER: 20}
    for entry in entries:
        persona = entry.persona
        assert persona.personality
        assert persona.title
        assert persona.color.startswith("#")
        assert bool(persona.judging_criteria) == (entry.role is Role.JUDGE)
        assert bool(persona.instructions) == (entry.role is not Role.JUDGE)
        assert not persona.position


def test_each_general_one_is_found_by_its_name_and_by_its_title() -> None:
    for entry in personas.general():
        assert personas.find(entry.name.upper()) == entry
        assert personas.find(entry.title.lower()) == entry
        assert personas.find(entry.title.removeprefix("The ")) == entry


@pytest.mark.parametrize("role", Role)
def test_no_two_of_a_role_look_alike_on_the_page(role: Role) -> None:
    colors = [entry.persona.color for entry in personas.general() if entry.role is role]
    assert len(set(colors)) == len(colors)


def test_all_shipped_names_differ() -> None:
    entries = personas.library()
    assert find_clash([entry.persona.name for entry in entries]) is None
    assert {"general", "remote-work"} <= {entry.origin for entry in entries}


def test_it_finds_by_name_whatever_the_case() -> None:
    assert personas.find("MIRIAM-ashdown").persona.title == "The Surgeon"
    assert personas.find("Bronwyn Pugh").origin == "monolith-first"


def test_the_users_own_come_first(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("name: Miriam Ashdown\nrole: judge\n")
    (tmp_path / "two.yaml").write_text(
        "personas:\n  - name: Zed\n  - name: Yan\n    role: member\n"
    )
    (tmp_path / ".hidden.yaml").write_text("not: a persona\n")
    (tmp_path / "notes.txt").write_text("nothing\n")
    found = personas.find("Miriam Ashdown", tmp_path)
    assert (found.role, found.origin) == (Role.JUDGE, str(tmp_path / "one.yaml"))
    own = [(entry.persona.name, entry.role) for entry in personas.own(tmp_path)]
    assert own[1:] == [("Zed", Role.DEBATER), ("Yan", Role.MEMBER)]


def test_no_directory_is_no_personas(tmp_path: Path) -> None:
    assert personas.own(None) == personas.own(tmp_path / "absent") == ()


@pytest.mark.parametrize(
    ("text", "line", "field", "reason"),
    [
        ("name: Zed\nrol: judge\n", 2, "rol", "did you mean `role`?"),
        ("name: Zed\nrole: boss\n", 2, "role", "must be"),
        ("personas:\n  - name: Zed\n    nam: x\n", 3, "personas.0.nam", "did you mean `name`?"),
        ("personas:\n  - name: Zed\n  - name: zed\n", 3, "personas.1.name", "too much like Zed"),
        ("- name: Zed\n", 1, None, "keys and values"),
    ],
)
def test_it_refuses(tmp_path: Path, text: str, line: int, field: str | None, reason: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(InvalidInput) as caught:
        personas.own(tmp_path)
    error = caught.value
    assert (error.source, error.line, error.field) == (str(path), line, field)
    assert reason in error.message


def test_a_link_in_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link.yaml").symlink_to("/etc/hostname")
    with pytest.raises(InvalidInput, match="cannot be opened"):
        personas.own(tmp_path)


def test_an_unknown_name_says_which_come_close() -> None:
    with pytest.raises(NotFound, match=r"did you mean Lucien Varga or Lucia Ferrante\?"):
        personas.find("Lucian Varga")
    with pytest.raises(NotFound, match="moot personas"):
        personas.find("qqqq")


def test_one_of_your_own_takes_the_place_of_a_shipped_one(tmp_path: Path) -> None:
    (tmp_path / "me.yaml").write_text("name: ada\ntitle: Sailor\n")
    found = [entry for entry in personas.library(tmp_path) if entry.name.lower() == "ada"]
    assert [(entry.title, entry.replaces) for entry in found] == [("Sailor", "general")]
    assert personas.find("Ada", tmp_path).title == "Sailor"
    with pytest.raises(NotFound):
        personas.find("architect", tmp_path)


def test_the_people_of_a_debate_are_called_by_name_and_not_by_title() -> None:
    olga = personas.find("olga")
    assert (olga.title, olga.origin) == ("Architect", "panel")
    assert personas.find("architect").name == "Ada"
    assert personas.find("archi").name == "Ada"
    with pytest.raises(NotFound):
        personas.find("trader")
