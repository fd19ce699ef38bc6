"""Intervals hold what was planted as often as they claim (BENCH.md), in a hundred benches each.

`python -m benchmarks.verdicts` has the same with three hundred, and the figures of a whole hearing.
"""

from __future__ import annotations

import pytest
from benchmarks.verdicts.planted import Planted, audits_covered
from tests.unit.protocol.hearing.test_audit import bench

from moot.protocol.hearing.audit import right
from moot.protocol.hearing.statistics import Estimate


@pytest.mark.parametrize("nature", [Planted(), Planted(family=0)], ids=["with kin", "without"])
def test_audits_hold_what_was_planted_in_at_least_93_of_100(nature: Planted) -> None:
    shares = audits_covered(nature, debates=48)
    assert {"leaning", "own_family" if nature.family else "goes_with_length"} <= set(shares)
    assert min(shares.values()) >= 0.93, shares


def test_what_the_votes_are_worth_is_held_in_most_of_a_hundred_benches() -> None:
    held = 0
    for seed in range(100):
        found = right(bench(60, 0.5, seed), seed=seed).effective_votes
        assert isinstance(found, Estimate)
        held += found.low <= 1.5 <= found.high
    assert held >= 90
