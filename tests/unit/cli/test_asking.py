"""What a person answers, as the step wants it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

import msgspec
import pytest
from tests.unit.protocol.rooms import Talking

from moot.cli.questions import fill_in, how_to_answer, print_questions, shaped
from moot.protocol import forms
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


class Typed:
    """What somebody types, line by line."""

    is_script = True

    def __init__(self, *lines: str) -> None:
        self._lines = list(lines)

    def printing(self) -> AbstractContextManager[None]:
        return nullcontext()

    async def line(self) -> str | None:
        return self._lines.pop(0) if self._lines else None


async def test_an_answer_that_will_not_do_is_told_by_the_label_of_its_field() -> None:
    said: list[str] = []
    form = forms.form(forms.number("rating_b", "Rating of Proposal B", minimum=0, maximum=100))
    values = await fill_in(form, Typed("fine", "70"), said.append)
    assert values == {"rating_b": 70}
    assert said[1] == "please try again: Rating of Proposal B must be a number from 0 to 100"


@pytest.mark.parametrize(
    ("fields", "is_told"),
    [
        ((forms.text("critique_b", "What you think of Proposal B"),), True),
        ((forms.number("rating_b", "Rating", minimum=0, maximum=100),), False),
    ],
)
def test_a_form_says_how_to_end_what_one_writes(
    fields: tuple[forms.Field, ...], is_told: bool
) -> None:
    question = msgspec.structs.replace(asked(StepKind.CRITIQUE), form=forms.form(*fields))
    assert ("finish each text with an empty line" in how_to_answer(question)) is is_told


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ((forms.text("text", "Your words"), forms.text("notes", "Notes", required=False)), "TEXT"),
        (
            (forms.number("score", "Score", minimum=0, maximum=10), forms.text("why", "Why")),
            "--field score=... --field why=...",
        ),
        (
            (forms.text("a", "A"), forms.text("b", "B"), forms.text("c", "C", required=False)),
            "--field a=... --field b=... [--field c=...]",
        ),
        (
            [forms.text(name, name, required=False) for name in ("a", "b", "c", "d")],
            "--field a=... --field b=... --field c=... --field d=...",
        ),
    ],
)
def test_how_a_form_is_filled_in_is_shown_field_by_field(
    fields: Sequence[forms.Field], shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    state = Talking().state
    question = msgspec.structs.replace(asked(StepKind.CRITIQUE), form={"fields": [*fields]})
    state.questions["k"] = question
    print_questions("d1", state, as_json=False)
    assert f"moot answer d1 k {shown}\n" in capsys.readouterr().out
