"""Questions that ask the same are one, and what was told in advance is not asked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.protocol.playing import Play, council, readable

from moot.errors import InvalidInput
from moot.prompts import render
from moot.protocol import events as e
from moot.protocol.formats.council.order import CouncilSettings
from moot.protocol.formats.council.questions import asks_same, clarifications
from moot.protocol.registry import FORMATS
from moot.protocol.settings import read_settings
from moot.protocol.steps import Step
from moot.protocol.words import StepKind

FORM = FORMATS["council"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How many homes are there?", "how many homes"),
        ("What is the budget?", "What's our budget?"),
        ("What is the heating budget?", "What is the annual heating budget?"),
        ("Who owns the grid?", "Who currently owns the grid?"),
        ("预算是多少", "预算是多少?"),
    ],
)
def test_the_same_question_in_other_words(one: str, other: str) -> None:
    assert asks_same(one, other)
    assert asks_same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is the minimum budget?", "What is the maximum budget?"),
        (
            "How many homes use gas boilers for heating?",
            "How many homes use oil boilers for heating?",
        ),
        ("Who owns the grid?", "Where is the grid?"),
        ("What is it?", "Which are they?"),
        ("Must it be done in 2026?", "Must it be done in 2027?"),
        ("What is the budget?", "What is the budget for pipes, pumps and insulation?"),
    ],
)
def test_another_question_in_nearly_the_same_words(one: str, other: str) -> None:
    assert not asks_same(one, other)
    assert not asks_same(other, one)


ASKED = {
    "ada": ["How many homes are there?", "What is the budget?"],
    "bo": ["How many homes?", "How cold is it?"],
    "cy": ["how many homes", "What's our budget?"],
}


def begun(**fields: Any) -> Play:
    """A council that has asked its first questions."""
    told: dict[str, Any] = {"interactive_clarifications": True, "rounds": 1, **fields}
    played = Play(FORM, council(3, **told))
    for step in played.ready():
        played.perform(step, json.dumps({"questions": ASKED[step.participant]}))
    return played


def quiet(step: Step) -> str:
    return '{"questions": []}' if step.kind is StepKind.ASK else readable(step)


def test_questions_that_ask_the_same_are_asked_once_and_answered_for_all() -> None:
    played = begun()
    asked = {step.key: render(step.prompt) for step in played.ready()}
    assert asked == {
        "clarification_input/1/ada/1/answer": "How many homes are there?\n(Also asked by Bo, Cy.)",
        "clarification_input/1/ada/2/answer": "What is the budget?\n(Also asked by Cy.)",
        "clarification_input/1/bo/2/answer": "How cold is it?",
    }
    for step in played.ready():
        played.perform(step, {"1": "Four hundred", "2": ""}[step.key.split("/")[3]] or "Cold")
    played.run(quiet)
    told = {(one.member, one.number): one.answer for one in clarifications(played.state)}
    assert told == {
        ("ada", 1): "Four hundred",
        ("ada", 2): "Cold",
        ("bo", 1): "Four hundred",
        ("bo", 2): "Cold",
        ("cy", 1): "Four hundred",
        ("cy", 2): "Cold",
    }
    brief = played.sent["proposal/1/cy/propose"].system
    assert brief.count("Four hundred") == 1
    assert "[Question]: How many homes are there?\n[User]: Four hundred" in brief
    seen = FORM.view(played.state).clarifications  # type: ignore[union-attr]
    assert [one.same_as for one in seen if one.participant == "cy"] == [
        "clarification_input/1/ada/1/answer",
        "clarification_input/1/ada/2/answer",
    ]


def test_what_was_put_to_the_user_apart_stays_apart() -> None:
    """As logs of 0.1 have it, whose members each had a question of their own."""
    played = begun()
    key = "clarification_input/1/bo/1/answer"
    played.append(
        e.QuestionOpened(
            question_id=key,
            participant="user",
            kind=StepKind.ANSWER,
            stage="clarification_input",
            round=1,
            text="How many homes?",
        )
    )
    assert key in [step.key for step in played.ready()]


def test_what_was_told_in_advance_is_known_to_all_and_not_asked() -> None:
    played = begun(answers=["How many homes? Four hundred.", "The town is by a river."])
    assert [step.key for step in played.ready()] == [
        "clarification_input/1/ada/1/answer",
        "clarification_input/1/bo/1/answer",
    ]
    assert "What is the budget?" in render(played.ready()[0].prompt)
    played.run(quiet)
    for key in (
        "clarification/1/ada/ask",
        "proposal/1/bo/propose",
        "synthesis/1/judith/synthesize",
    ):
        brief = played.sent[key].system
        assert "[Question]: How many homes?\n[User]: Four hundred." in brief
        assert "[User]: The town is by a river." in brief
    seen = FORM.view(played.state).clarifications  # type: ignore[union-attr]
    assert [(one.participant, one.question, one.answer) for one in seen[:2]] == [
        ("", "How many homes?", "Four hundred."),
        ("", "", "The town is by a river."),
    ]


def test_what_is_known_in_advance_needs_no_questions() -> None:
    played = Play(FORM, council(2, rounds=1, answers=["The town is by a river."])).run()
    assert "The town is by a river." in played.sent["proposal/1/ada/propose"].system
    assert not [key for key in played.state.turns if key.startswith("clarification")]


@pytest.mark.parametrize("given", ["one text", [1], ["x" * 2001], ["x"] * 51])
def test_answers_are_a_list_of_texts(given: object) -> None:
    with pytest.raises(InvalidInput, match="must be a list of at most 50, each text") as refused:
        read_settings(CouncilSettings, {"answers": given})
    assert (refused.value.field or "").startswith("settings.answers")
