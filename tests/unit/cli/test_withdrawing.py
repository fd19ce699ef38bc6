"""A question that is settled elsewhere while a person types is taken back, and it is said why."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from moot.cli.asking import ELSEWHERE, TIME_UP, Asker
from moot.protocol.events import QuestionOpened
from moot.protocol.words import EXPIRED, StepKind

KEY = "opening/1/ada/speak"


class Unhurried(Asker):
    """Whose person is still typing."""

    async def _ask(self, question: QuestionOpened) -> bool:
        del question
        await asyncio.Event().wait()
        return True


class Screen:
    """As much of the live view as an asker looks at."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.printer = SimpleNamespace(note=self.notes.append)
        self.question = QuestionOpened(
            question_id=KEY,
            participant="ada",
            kind=StepKind.SPEAK,
            stage="opening",
            round=1,
            text="Open the debate",
        )
        self.state = SimpleNamespace(questions={KEY: self.question}, turns=dict[str, Any]())

    def settled(self, *flags: str, is_answered: bool = True) -> None:
        self.state.questions.clear()
        if is_answered:
            self.state.turns[KEY] = SimpleNamespace(said=SimpleNamespace(flags=flags))


@pytest.mark.parametrize(
    ("flags", "is_answered", "told"),
    [((), True, [ELSEWHERE]), ((EXPIRED,), True, [TIME_UP]), ((), False, [])],
)
async def test_it_says_why(flags: tuple[str, ...], is_answered: bool, told: list[str]) -> None:
    screen = Screen()
    asker = Unhurried(cast("Any", None), "d1", cast("Any", screen), lambda: None)
    asker.look()
    await asker.settle()
    assert screen.notes == []
    screen.settled(*flags, is_answered=is_answered)
    await asker.settle()
    assert screen.notes == told
    await asker.settle()
    assert screen.notes == told
    await asker.close()
