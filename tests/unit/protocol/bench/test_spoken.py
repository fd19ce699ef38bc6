"""What a bench is given to judge: what everybody heard, under neutral names, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.unit.protocol.moderating import moderated
from tests.unit.protocol.playing import PREMISE, Play, council, duel, play, readable, rounds

from moot.protocol import events as e
from moot.protocol.bench.spoken import spoken, word_counts
from moot.protocol.hearing.case import Case
from moot.protocol.hearing.plan import Order
from moot.protocol.steps import Step
from moot.protocol.values import Config
from moot.protocol.words import Stance, StepKind


def says(text: Callable[[Step], str]) -> Callable[[Step], str]:
    """Statements in these words, everything else as usual."""
    return lambda step: text(step) if step.kind is StepKind.SPEAK else readable(step)


def case_of(played: Play) -> Case:
    found = spoken(played.state)
    assert found is not None
    return found


def test_both_orders_differ_by_nothing_but_the_names() -> None:
    found = case_of(
        play(duel(turns=3), says(lambda step: f"Ada and Bo, says {step.participant.title()}."))
    )
    one, two = found.read_in(Order.ONE), found.read_in(Order.TWO)

    assert one == "\n\n".join(
        ("[X]: X and Y, says X.", "[Y]: X and Y, says Y.", "[X]: X and Y, says X.")
    )
    assert two == one.translate(str.maketrans("XY", "YX"))


def test_pro_is_listed_first_and_says_what_it_argues() -> None:
    found = case_of(play(duel(turns=2, premise=PREMISE, a=Stance.CON)))

    assert [one.id for one in found.sides] == ["bo", "ada"]
    assert found.premise == PREMISE
    assert found.sides_in(Order.ONE) == (
        "- X argues for the premise\n- Y argues against the premise"
    )
    assert found.sides_in(Order.TWO) == (
        "- X argues against the premise\n- Y argues for the premise"
    )


@pytest.mark.parametrize(
    "config", [duel(turns=3), rounds(max_rounds=2, think=True), moderated("classic", 5)]
)
def test_it_has_what_was_said_in_public_and_nothing_else(config: Config) -> None:
    played = play(config, lambda step: readable(step).replace("<", f"<{step.kind} "))
    text = case_of(played).read_in(Order.ONE)
    judges = {one.id for one in config.participants if one.role.is_judging}
    stated = [
        turn
        for turn in played.state.transcript()
        if turn.said.kind is StepKind.SPEAK and turn.said.participant not in judges
    ]

    assert text.count("]: ") == len(stated)
    assert text.count("<speak ") == len(stated) == text.count("<")


def test_a_team_is_one_side() -> None:
    found = case_of(play(moderated("classic", 5)))

    assert [one.id for one in found.sides] == ["pro", "con"]
    assert sum(len(one.names) for one in found.sides) == 5


def test_what_was_excluded_is_not_heard() -> None:
    played = play(duel(turns=3), says(lambda step: f"word {step.key}"))
    first = next(t for t in played.state.transcript() if t.said.kind is StepKind.SPEAK)
    played.state.toggle(first.seq, included=False)

    assert "opening" not in case_of(played).read_in(Order.ONE)


def test_without_two_sides_that_spoke_there_is_no_case() -> None:
    assert spoken(play(council(3, rounds=1)).state) is None
    begun = Play(play(duel(turns=2)).form, duel(turns=2))
    begun.append(e.StageEntered(stage="planning", round=1, by="START"))
    assert spoken(begun.state) is None


def test_words_are_counted_by_side() -> None:
    said = {"ada": "one two three", "bo": "one"}
    found = case_of(play(duel(turns=3), says(lambda step: said[step.participant])))

    assert word_counts(found) == {"ada": 6, "bo": 1}
