"""`moot show` of a council: what is told stands where it belongs."""

from __future__ import annotations

import pytest
from tests.unit.protocol.playing import council, play

from moot.cli.view.debate import print_transcript


@pytest.mark.parametrize("with_private", [True, False])
def test_what_a_round_came_to_stands_between_its_turns_and_the_next_round(
    with_private: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    log = play(council(2, rounds=2, termination="fixed")).log
    print_transcript("x1", log, with_private=with_private)
    lines = capsys.readouterr().out.splitlines()
    told = [one for one in lines if one.startswith("──") or " of 2: " in one]
    assert [" ".join(one.strip("─· ").split()[:4]) for one in told] == [
        "proposal",
        "critique",
        "refinement",
        "Round 1 of 2:",
        "critique · round 2",
        "refinement · round 2",
        "Round 2 of 2:",
        "synthesis · round 2",
    ]
