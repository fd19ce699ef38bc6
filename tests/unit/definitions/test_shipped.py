"""The debates that come with Moot keep what we promise of them."""

from __future__ import annotations

import pytest

from moot.definitions import debates, shipped
from moot.protocol.registry import format_named, offered
from moot.protocol.settings import read_settings
from moot.protocol.words import Role

DRAWN = [name for name in shipped.names() if debates.load(name).pools]


def test_there_are_at_least_eight_on_different_subjects() -> None:
    listed = debates.shipped()
    assert len(DRAWN) >= 8
    assert [one.name for one in listed] == sorted(shipped.names())
    assert len({one.topic for one in listed}) == len(listed)
    assert all(one.premise for one in listed if one.name in DRAWN)


def test_there_is_one_for_every_format() -> None:
    assert {one.format for one in debates.shipped()} == set(offered())
    assert len(debates.shipped()) >= 15


@pytest.mark.parametrize("name", DRAWN)
def test_each_has_three_a_side_and_three_judges(name: str) -> None:
    pools = debates.load(name).pools
    assert pools is not None
    assert [len(pool) for pool in (pools.pro, pools.con, pools.audience)] == [3, 3, 3]
    people = [*pools.pro, *pools.con, *pools.audience]
    assert len({person.name for person in people}) == 9
    assert len({person.color for person in people}) == 9
    assert all(person.personality for person in people)
    assert all(person.position and person.instructions for person in (*pools.pro, *pools.con))
    assert all(person.judging_criteria for person in pools.audience)


@pytest.mark.parametrize("name", DRAWN)
def test_each_can_be_drawn(name: str) -> None:
    cast = debates.cast(debates.load(name), seed=1)
    assert [p.role for p in cast.participants] == [Role.DEBATER, Role.DEBATER, Role.JUDGE]
    assert len({p.id for p in cast.participants}) == 3


@pytest.mark.parametrize("name", shipped.names())
def test_each_is_taken_by_its_format(name: str) -> None:
    definition = debates.load(name)
    form = format_named(definition.format)
    settings = read_settings(form.settings, definition.settings)
    roster = form.cast(settings, debates.cast(definition, seed=1).participants)
    assert roster
    assert all(one.personality and one.color for one in roster if not one.is_human)
