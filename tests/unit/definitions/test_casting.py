"""The cast: drawn once, by the seed alone; and participants who are personas by name: who is meant,
what replaces their own, who is refused.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from moot.definitions import casting, debates
from moot.definitions.casting import Named, written_out
from moot.definitions.debate_file import define
from moot.definitions.documents import parse
from moot.errors import InvalidInput
from moot.protocol.values import Participant, Sampling
from moot.protocol.words import Role, Stance

POOLS = b"""
topic: T
for: [{name: F1}, {name: F2}, {name: F3}]
against: [{name: A1}, {name: A2}, {name: A3}]
audience: [{name: J1}, {name: J2}, {name: J3}]
"""
SEEDS = range(200)
# Recorded once; a change here would recast the debates of every seed that people have shared.
GOLDEN = [
    ["F2", "A3", "J3"],
    ["A2", "F3", "J2"],
    ["F1", "A1", "J1"],
    ["F2", "A3", "J2"],
]

OWN = "name: Ada\ntitle: Mine\npersonality: Dry.\nmodel: own:model\n"


def pools() -> debates.Definition:
    return define(parse(POOLS, None))


def test_one_of_each_pool_is_drawn_and_recorded() -> None:
    cast = debates.cast(pools(), seed=7)
    pro, con, judge, order = cast.draws
    assert [draw.name for draw in cast.draws] == ["for", "against", "audience", "order"]
    assert pro.options == ("F1", "F2", "F3")
    assert con.options == ("A1", "A2", "A3")
    assert judge.options == ("J1", "J2", "J3")
    assert order.options == pro.chosen + con.chosen
    assert tuple(p.name for p in cast.participants) == order.chosen + judge.chosen
    assert cast.seed == 7


def test_for_is_pro_and_against_is_con_whoever_opens() -> None:
    for seed in SEEDS:
        cast = debates.cast(pools(), seed=seed)
        assert [p.role for p in cast.participants] == [Role.DEBATER, Role.DEBATER, Role.JUDGE]
        stances = {p.name[0]: p.stance for p in cast.participants}
        assert stances == {"F": Stance.PRO, "A": Stance.CON, "J": Stance.NONE}


def test_the_same_seed_gives_the_same_cast_for_ever() -> None:
    drawn = [[p.name for p in debates.cast(pools(), seed=seed).participants] for seed in range(4)]
    assert drawn == GOLDEN


def test_every_persona_and_both_orders_come_up() -> None:
    casts = [debates.cast(pools(), seed=seed) for seed in SEEDS]
    for index in range(4):
        assert len({cast.draws[index].chosen for cast in casts}) >= 2
    names = {p.name for cast in casts for p in cast.participants}
    assert names == {"F1", "F2", "F3", "A1", "A2", "A3", "J1", "J2", "J3"}
    openers = [cast.participants[0].stance for cast in casts]
    assert 60 < openers.count(Stance.PRO) < 140


def test_leaving_out_the_judge_changes_nobody_else() -> None:
    for seed in SEEDS:
        full, bare = (debates.cast(pools(), seed=seed, with_judge=flag) for flag in (True, False))
        assert bare.participants == full.participants[:2]
        assert [draw.name for draw in bare.draws] == ["for", "against", "order"]


def test_a_given_cast_needs_no_draw() -> None:
    text = b"topic: T\ndebaters: [{name: Ada}, {name: Bob}]\njudge: {name: Jo}\n"
    definition = define(parse(text, None))
    assert debates.cast(definition, seed=1) == debates.Cast(participants=definition.participants)
    assert len(debates.cast(definition, seed=1, with_judge=False).participants) == 2


def test_a_bare_topic_gets_two_general_debaters_and_a_judge() -> None:
    seen = set()
    for seed in SEEDS:
        one, other, judge = debates.cast(debates.from_topic("{T}"), seed=seed).participants
        assert one.name != other.name
        assert {one.stance, other.stance} == {Stance.PRO, Stance.CON}
        assert judge.role is Role.JUDGE
        assert one.position == other.position == ""  # the topic says it, when the debate is made
        seen |= {one.name, other.name, judge.name}
    assert len(seen) >= 7


def test_a_premise_tells_general_debaters_what_to_defend() -> None:
    definition = debates.from_topic("T", settings={"premise": "P is {so}"})
    for person in debates.cast(definition, seed=1).participants[:2]:
        assert person.position.endswith("it: P is {so}")


@pytest.mark.parametrize("seed", [-1, 2**53, True])
def test_it_refuses_a_seed_that_cannot_be_recorded_exactly(seed: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        debates.cast(pools(), seed=seed)
    assert caught.value.field == "seed"


@pytest.mark.parametrize("name", ["standard", "custom", "classic"])
def test_a_moderated_debate_draws_a_moderator_and_no_judge(name: str) -> None:
    cast = debates.cast(debates.from_topic("Is it?", format=name), seed=3)
    roles = [one.role for one in cast.participants]
    assert roles == [Role.MODERATOR, Role.DEBATER, Role.DEBATER]
    assert [draw.name for draw in cast.draws] == ["for", "against", "order", "moderator"]
    assert cast == debates.cast(debates.from_topic("Is it?", format=name), seed=3)


def test_the_order_alone_is_drawn_again_as_its_seed_draws_it() -> None:
    for seed in SEEDS:
        first = debates.cast(pools(), seed=seed)
        again = casting.reordered(first.participants, seed)
        assert again.participants == first.participants
        assert again.draws == first.draws[-1:]
        other = casting.reordered(first.participants, seed + 1)
        assert {one.name for one in other.participants} == {one.name for one in first.participants}
        assert other.participants[2] == first.participants[2]
        assert other.draws[0].chosen == tuple(one.name for one in other.participants[:2])
    with pytest.raises(InvalidInput, match="whole number"):
        casting.reordered(first.participants, -1)


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
