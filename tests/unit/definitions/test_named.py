"""Participants who are personas by name: who is meant, what replaces their own, who is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from moot.definitions.named import Named, written_out
from moot.errors import InvalidInput
from moot.protocol.values import Participant, Sampling
from moot.protocol.words import Role, Stance

OWN = "name: Ada\ntitle: Mine\npersonality: Dry.\nmodel: own:model\n"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "ada.yaml").write_text(OWN)
    return tmp_path


def one(named: Named, form: str = "duel", directory: Path | None = None) -> Participant:
    (found,) = written_out([named], form, directory)
    return found


def test_finds_the_users_own_persona_first(own: Path) -> None:
    shipped, mine = one(Named(persona="Ada")), one(Named(persona="ada"), directory=own)
    assert shipped.title != "Mine"
    assert (mine.name, mine.title, mine.personality, mine.model) == (
        *("Ada", "Mine", "Dry."),
        "own:model",
    )


def test_finds_by_title_and_by_the_beginning(own: Path) -> None:
    assert one(Named(persona="mine"), directory=own).name == "Ada"
    assert one(Named(persona="min"), directory=own).name == "Ada"


def test_replaces_what_is_given_and_keeps_the_rest(own: Path) -> None:
    sampling = Sampling(temperature=0.5)
    given = Named(
        persona="Ada", name="Bea", model="", stance=Stance.CON, muted=True, sampling=sampling
    )
    found = one(given, directory=own)
    assert (found.id, found.name, found.model, found.stance) == ("bea", "Bea", "", Stance.CON)
    assert (found.title, found.muted, found.sampling) == ("Mine", True, sampling)


@pytest.mark.parametrize(
    ("form", "persona", "role"),
    [
        ("duel", "Ada", Role.DEBATER),
        ("council", "Ada", Role.MEMBER),
        ("room", "Ada", Role.MEMBER),
        ("duel", "The Umpire", Role.JUDGE),
        ("council", "The Umpire", Role.JUDGE),
        ("room", "The Umpire", Role.MEMBER),
    ],
)
def test_sits_where_the_format_has_a_seat(
    tmp_path: Path, form: str, persona: str, role: Role
) -> None:
    (tmp_path / "a.yaml").write_text("name: Ada\n")
    (tmp_path / "u.yaml").write_text("name: The Umpire\nrole: judge\n")
    assert one(Named(persona=persona), form, tmp_path).role is role


def test_a_role_that_is_given_comes_first(own: Path) -> None:
    assert one(Named(persona="Ada", role=Role.JUDGE), directory=own).role is Role.JUDGE


def test_gives_everybody_an_id_of_their_own(own: Path) -> None:
    full = Participant(id="ada", name="Ada Two", role=Role.DEBATER)
    found = written_out([Named(persona="Ada"), full, Named(persona="Ada", id="x")], "duel", own)
    assert [one.id for one in found] == ["ada_2", "ada", "x"]


def test_tells_everybody_who_cannot_be_found_at_once(own: Path) -> None:
    people = [Named(persona="Nobody Such"), Named(persona="Ada"), Named(persona="")]
    with pytest.raises(InvalidInput) as refused:
        written_out(people, "duel", own)
    fields = [one.field for one in (refused.value, *refused.value.others)]
    assert fields == ["participants.0.persona", "participants.2.persona"]
    assert "there is no persona called Nobody Such" in refused.value.message
