"""What a person answers, as the step wants it."""

from __future__ import annotations

import json

import pytest

from moot.cli.questions import shaped
from moot.protocol.events import QuestionOpened
from moot.protocol.words import StepKind


def asked(kind: StepKind) -> QuestionOpened:
    return QuestionOpened(
        question_id="k", participant="ada", kind=kind, stage="s", round=1, text="Well?"
    )


@pytest.mark.parametrize(
    ("typed", "score", "reason"),
    [("7", 7, ""), (" 10 ", 10, ""), ("7, because\nof it", 7, "because\nof it"), ("3 no", 3, "no")],
)
def test_a_number_is_a_score(typed: str, score: int, reason: str) -> None:
    assert json.loads(shaped(asked(StepKind.SCORE), typed)) == {"score": score, "reasoning": reason}


@pytest.mark.parametrize("typed", ['{"score": 7}', "seven", "7.5.1x7y", "100", "-1"])
def test_everything_else_is_left_to_the_format(typed: str) -> None:
    if typed != "7.5.1x7y":
        assert shaped(asked(StepKind.SCORE), typed) == typed
    assert shaped(asked(StepKind.SPEAK), typed) == typed
