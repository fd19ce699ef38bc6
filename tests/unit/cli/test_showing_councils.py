"""`moot show` of a council: what is told stands where it belongs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from tests.golden.replay import HERE, read_log
from tests.unit.cli.duels import plain_console
from tests.unit.protocol.playing import council, play, readable

from moot.cli.view.debate import print_transcript
from moot.cli.view.live import LiveView
from moot.protocol.events import Recorded
from moot.protocol.log import begin
from moot.protocol.steps import Step
from moot.protocol.words import StepKind


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


STRAY = "I would go with the pumps."


def mumbled(**settings: Any) -> Sequence[Recorded]:
    """The log of a council whose judge cannot be read."""

    def reply(step: Step) -> str:
        return STRAY if step.kind is StepKind.SYNTHESIZE else readable(step)

    return play(council(2, rounds=1, compare=False, **settings), reply).log


def shown(log: Sequence[Recorded], command: str, capsys: pytest.CaptureFixture[str]) -> str:
    if command == "show":
        print_transcript("x1", log, with_private=True)
        return capsys.readouterr().out
    console, out = plain_console(width=80)
    view = LiveView(console, "x1", begin(log[0]), is_live=False)
    for record in log:
        view.take(record)
    view.finish()
    return out.getvalue()


@pytest.mark.parametrize("command", ["run", "show"])
def test_what_was_chosen_is_in_the_box_and_what_the_judge_wrote_above_it(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said, _, box = shown(mumbled(decision="vote"), command, capsys).partition("SOLUTION")
    assert "/refine>" in box
    assert "The solution is the proposal of" in box
    assert STRAY not in box
    assert f"Judith · JUDGE · writes the solution\n  {STRAY}\n  · could not be read\n" in said


@pytest.mark.parametrize("command", ["run", "show"])
def test_where_nobody_voted_what_the_judge_wrote_stands_once(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said, _, box = shown(mumbled(), command, capsys).partition("SOLUTION")
    assert STRAY in box
    assert STRAY not in said


def test_a_council_that_ended_before_is_shown_as_it_was_recorded(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = read_log(HERE / "council_ended.jsonl")
    said, _, box = shown(log, "show", capsys).partition("SOLUTION")
    assert "somehow." in box
    assert "somehow." not in said
    assert "The solution is the proposal of" not in box
