"""The debates that come with Moot keep what we promise of them."""

from __future__ import annotations

import pytest

from moot.definitions import debates, shipped
from moot.protocol.words import Role


def test_there_are_at_least_eight_on_different_subjects() -> None:
    listed = debates.shipped()
    assert len(listed) >= 8
    assert [name for name, _, _ in listed] == sorted(shipped.names())
    assert len({topic for _, topic, _ in listed}) == len(listed)
    assert all(premise for _, _, premise in listed)


@pytest.mark.parametrize("name", shipped.names())
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


@pytest.mark.parametrize("name", shipped.names())
def test_each_can_be_cast(name: str) -> None:
    cast = debates.cast(debates.load(name), seed=1)
    assert [p.role for p in cast.participants] == [Role.DEBATER, Role.DEBATER, Role.JUDGE]
    assert len({p.id for p in cast.participants}) == 3
