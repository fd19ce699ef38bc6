"""Teams, and how they take their chairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from moot.definitions import personas, teams
from moot.definitions.values import Team
from moot.errors import InvalidInput, NotFound
from moot.protocol.names import find_clash
from moot.protocol.words import Role


@pytest.mark.parametrize("one", teams.teams(), ids=lambda one: one.name)
def test_each_has_three_to_five_members_and_a_judge_of_the_library(one: Team) -> None:
    assert 3 <= len(one.members) <= 5
    by_name = {entry.name: entry for entry in personas.general()}
    assert all(by_name[name].role is Role.MEMBER for name in one.members)
    assert by_name[one.judge].role is Role.JUDGE
    assert find_clash([*one.members, one.judge]) is None


def test_there_is_one_for_every_occasion() -> None:
    names = {one.name for one in teams.teams()}
    assert {"general", "design", "security-review", "product", "writing", "research"} <= names
    assert len(names) == len(teams.teams())


def test_a_team_is_found_by_its_name_or_the_beginning_of_it() -> None:
    assert teams.team("Security Review").name == teams.team("secu").name == "security-review"
    with pytest.raises(NotFound, match="no team called desing; did you mean design"):
        teams.team("desing")
    with pytest.raises(NotFound, match="there are: general, design"):
        teams.team("")


def test_a_team_takes_its_chairs() -> None:
    design = teams.team("design")
    seated = teams.members(design, "council")
    assert [one.name for one in seated] == [*design.members, design.judge]
    assert [one.role for one in seated] == [*[Role.MEMBER] * 4, Role.JUDGE]
    assert seated[0].id == "ada"
    assert all(one.personality for one in seated)
    assert [one.role for one in teams.members(design, "room")] == [Role.MEMBER] * 4


def test_only_formats_with_members_take_a_team() -> None:
    assert teams.usual_format() == "council"
    assert dict(teams.formats()) == {"council": True, "room": False, "poll": False}
    with pytest.raises(InvalidInput, match="a duel has no members; use the format council or room"):
        teams.members(teams.team("design"), "duel")


def test_your_own_persona_sits_in_for_the_shipped_one(tmp_path: Path) -> None:
    (tmp_path / "me.yaml").write_text("name: Ada\nrole: debater\nmodel: openai:x\n")
    ada = teams.members(teams.team("design"), "council", tmp_path)[0]
    assert (ada.role, ada.model, ada.title) == (Role.MEMBER, "openai:x", "")
