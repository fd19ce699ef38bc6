"""Questions are worded as a person would ask them."""

from __future__ import annotations

import msgspec
import pytest
from tests.unit.protocol.moderating import moderated
from tests.unit.protocol.playing import Play, council, duel, readable, rounds

from moot.protocol import events as e
from moot.protocol.occasions import BETWEEN_ROUNDS, HEADINGS, heading
from moot.protocol.registry import FORMATS
from moot.protocol.steps import Step
from moot.protocol.values import Config
from moot.protocol.words import USER, StepKind


def asked(step: Step) -> e.QuestionOpened:
    return e.QuestionOpened(
        question_id=step.key,
        participant=step.participant,
        kind=step.kind,
        stage=step.stage,
        round=step.round,
        text="?",
        asker=step.asker,
    )


def headings(config: Config, *people: str) -> list[str]:
    """What these people are asked from beginning to end."""
    roster = tuple(
        msgspec.structs.replace(one, model="human") if one.id in people else one
        for one in config.participants
    )
    played = Play(FORMATS[config.format], msgspec.structs.replace(config, participants=roster))
    found = []
    while ready := played.ready():
        step = ready[0]
        if step.participant in (*people, USER):
            found.append(heading(asked(step), played.state))
        played.perform(step, readable(step))
    return found


def test_it_has_words_for_every_kind_of_step() -> None:
    assert set(HEADINGS) == set(StepKind)


@pytest.mark.parametrize(
    ("config", "who", "expected"),
    [
        (duel(turns=3), "ada", ["Open the debate", "Answer Bo"]),
        (duel(turns=3), "bo", ["Answer Ada"]),
        (
            duel(turns=1),
            "judith",
            ["Give the score so far, from 0 to 10, and say why", "Give your verdict"],
        ),
        (rounds(max_rounds=1), "judith", ["Give your verdict"]),
        (
            council(2, rounds=1),
            "ada",
            [
                "Propose your answer",
                "Say what you think of the other proposals",
                "Write your proposal as it now stands",
            ],
        ),
    ],
)
def test_a_person_is_asked_in_plain_words(config: Config, who: str, expected: list[str]) -> None:
    assert headings(config, who) == expected


def test_a_moderator_opens_and_sums_up() -> None:
    config = moderated("classic", 2, free_rounds=1)
    chair = next(one.id for one in config.participants if one.role == "moderator")
    found = headings(config, chair)
    assert (found[0], found[-1]) == ("Open the debate", "Sum up the debate")


def test_a_debater_answers_who_spoke_last_and_not_always_the_moderator() -> None:
    found = headings(moderated("standard", 2, max_rounds=3), "ada")
    assert found == ["Answer Mo", "Answer Bo", "Answer Bo"]


def test_the_user_is_asked_how_to_go_on_and_by_whom() -> None:
    between = headings(rounds(max_rounds=2, checkpoint="every_round"))
    assert between == [BETWEEN_ROUNDS]
    clarified = headings(council(2, rounds=1, interactive_clarifications=True))
    assert set(clarified) == {"Answer Ada", "Answer Bo"}
