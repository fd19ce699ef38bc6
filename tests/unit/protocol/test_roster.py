"""Who argues for what: two alternatives are found where a topic plainly has them, else nothing."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, strategies as st
from tests.unit.protocol.playing import ADA, BO, JUDGE

from moot.protocol.roster import (
    FOR_OR_AGAINST,
    IN_GENERAL,
    YES_OR_NO,
    Sides,
    alternatives,
    has_two_sides,
    sides_of,
    swapped,
    with_sides,
)
from moot.protocol.words import Role, Stance

TWO = [
    ("Tabs or spaces?", "Tabs", "spaces"),
    ("Tabs or spaces for Python?", "Tabs", "spaces"),
    ("  Tabs   or\nspaces? ", "Tabs", "spaces"),
    ("tabs vs spaces", "tabs", "spaces"),
    ("Tabs vs. spaces", "Tabs", "spaces"),
    ("Tabs versus spaces!", "Tabs", "spaces"),
    ("Postgres vs MySQL: which for a desk app?", "Postgres", "MySQL"),
    ("Postgres vs MySQL - which for a desk app?", "Postgres", "MySQL"),
    ("Desk app: Postgres or MySQL?", "Postgres", "MySQL"),
    ("Node.js vs Deno in 2026", "Node.js", "Deno"),
    ("Which is better, tabs or spaces?", "tabs", "spaces"),
    ("Which is better: tabs or spaces?", "tabs", "spaces"),
    ("Which database should we use? Postgres or MySQL?", "Postgres", "MySQL"),
    ("What should a family have, a cat or a dog?", "a cat", "a dog"),
    ("Either tea or coffee?", "tea", "coffee"),
    ("Should we use tabs or spaces?", "tabs", "spaces"),
    ("Should I learn Rust or Go first?", "Rust", "Go"),
    ("Do you prefer tea or coffee in the morning?", "tea", "coffee"),
    ("Is it better to rent or to buy?", "rent", "buy"),
    ("Is it better to live in a city or in the country?", "live in a city", "in the country"),
    ("Are cats or dogs better pets?", "cats", "dogs"),
    ("Is Python or Ruby better for beginners?", "Python", "Ruby"),
    ("Is mathematics discovered or invented?", "discovered", "invented"),
    ("Is AI a threat or a blessing?", "a threat", "a blessing"),
    ("Nature vs nurture", "Nature", "nurture"),
    ("Work from home or in an office?", "Work from home", "in an office"),
    ("Stay in Paris or move to London?", "Stay in Paris", "move to London"),
]


@pytest.mark.parametrize(("topic", "first", "second"), TWO)
def test_it_finds_two_alternatives(topic: str, first: str, second: str) -> None:
    assert alternatives(topic) == (first, second)
    assert sides_of(topic) == Sides(f'for "{first}"', f'for "{second}"')


@pytest.mark.parametrize(
    ("topic", "sides"),
    [
        ("Should companies let people work from home?", YES_OR_NO),
        ("Should we use tabs or not?", YES_OR_NO),
        ("Is it raining, or not?", YES_OR_NO),
        ("We have a monolith. Should we split it?", YES_OR_NO),
        ("Would the Reformation have happened without the press?", YES_OR_NO),
        ("Remote work is better than office work.", FOR_OR_AGAINST),
        ("A four-day week", FOR_OR_AGAINST),
        ("Publish or perish", FOR_OR_AGAINST),
        ("Every student should learn Latin or Greek.", FOR_OR_AGAINST),
        ("Tabs vs spaces is a silly debate", FOR_OR_AGAINST),
        ("What should a city do with its empty department stores?", IN_GENERAL),
        ("Which editor is best?", IN_GENERAL),
        ("Python, Go or Rust?", IN_GENERAL),
        ("Tea or coffee or water?", IN_GENERAL),
        ("Is it right to lie or steal?", IN_GENERAL),
        ("Should we ban cars or bikes?", IN_GENERAL),
        ("Will AI create or destroy jobs in the long run?", IN_GENERAL),
        ("Was Roe vs Wade rightly decided?", YES_OR_NO),
        ("Is sugar addictive or harmful?", IN_GENERAL),
        ("Why does tabs vs spaces matter?", IN_GENERAL),
        ("Kramer vs Kramer?", IN_GENERAL),
        ("Tea or nothing?", IN_GENERAL),
        ("Rent or buy? And where?", Sides('for "Rent"', 'for "buy"')),
        ("Should we? Must we?", IN_GENERAL),
        ("Tabs oder Leerzeichen?", IN_GENERAL),
        ("¿Té o café?", IN_GENERAL),
        ("Should a new product start as a monolith or as separate services?", IN_GENERAL),
        ("x " * 200 + "or y?", IN_GENERAL),
        ("Or?", IN_GENERAL),
        ("vs", FOR_OR_AGAINST),
    ],
)
def test_it_takes_nothing_that_may_mean_something_else(topic: str, sides: Sides) -> None:
    assert sides_of(topic) == sides


def test_words_that_contain_or_are_no_or() -> None:
    assert alternatives("Oregon for orchards?") is None
    assert sides_of("Is Oregon fit for orchards?") == YES_OR_NO


@given(st.text(max_size=120))
def test_it_takes_any_text(topic: str) -> None:
    found = alternatives(topic)
    assert found is None or all(one and one.strip() == one and '"' not in one for one in found)
    assert all(sides_of(topic))


@given(st.text(alphabet=" or vs,?tabs.\n", max_size=2000))
def test_it_takes_any_text_in_little_time(topic: str) -> None:
    assert all(sides_of(topic))


PRO = msgspec.structs.replace(ADA, stance=Stance.PRO, position="")
CON = msgspec.structs.replace(BO, stance=Stance.CON, position=" ")


def test_it_tells_each_side_its_own_and_nobody_else_anything() -> None:
    seated = with_sides("Tabs or spaces?", (CON, PRO, JUDGE))
    assert [one.argues for one in seated] == ['for "spaces"', 'for "Tabs"', ""]
    none = msgspec.structs.replace(PRO, stance=Stance.NONE)
    member = msgspec.structs.replace(PRO, role=Role.MEMBER)
    assert {one.argues for one in with_sides("Tabs or spaces?", (none, member))} == {""}


def test_a_premise_wins_and_so_does_a_position() -> None:
    told = msgspec.structs.replace(PRO, argues="for something of an earlier debate")
    assert {one.argues for one in with_sides("A or B?", (told, CON), premise="A is.")} == {""}
    assert {one.argues for one in with_sides("A or B?", (told, BO))} != {""}
    placed = msgspec.structs.replace(CON, position="You are for A.")
    assert {one.argues for one in with_sides("A or B?", (told, placed))} == {""}


# --- swapping ---


def test_everybody_who_argues_changes_sides_and_nobody_else() -> None:
    pair = (PRO, CON, JUDGE)
    after = swapped(pair)
    assert [one.stance for one in after] == [Stance.CON, Stance.PRO, Stance.NONE]
    assert [one.id for one in after] == [one.id for one in pair]
    assert swapped(after) == pair


def test_a_position_stays_with_its_side() -> None:
    replace = msgspec.structs.replace
    ada, bo = replace(PRO, position="Tabs."), replace(CON, position="Spaces.")
    assert [(one.name, one.position) for one in swapped((ada, bo))] == [
        ("Ada", "Spaces."),
        ("Bo", "Tabs."),
    ]


def test_a_larger_team_shares_the_positions_of_the_other() -> None:
    replace = msgspec.structs.replace
    team = (
        replace(PRO, id="a1", position="One."),
        replace(PRO, id="a2", position="Two."),
        replace(CON, position="None."),
    )
    assert [(one.stance, one.position) for one in swapped(team)] == [
        (Stance.CON, "None."),
        (Stance.CON, "None."),
        (Stance.PRO, "One."),
    ]


def test_what_follows_from_the_topic_is_said_of_the_new_sides() -> None:
    before = with_sides("Tabs or spaces?", (PRO, CON))
    after = with_sides("Tabs or spaces?", swapped(before))
    assert [one.argues for one in after] == [one.argues for one in before][::-1]


def test_two_sides_are_somebody_for_and_somebody_against() -> None:
    replace = msgspec.structs.replace
    assert has_two_sides((PRO, CON, JUDGE))
    assert not has_two_sides((PRO, JUDGE))
    assert not has_two_sides((replace(PRO, stance=Stance.NONE), CON))
    assert not has_two_sides(replace(one, role=Role.MEMBER) for one in (PRO, CON))
