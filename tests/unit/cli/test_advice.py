"""What the command line says about a debate, whatever its status."""

from __future__ import annotations

import pytest
from tests.unit.cli.duels import Duel

from moot.cli.advice import ABANDONED, HELD
from moot.cli.questions import open_question
from moot.cli.view.debate import ADVICE
from moot.errors import InvalidInput, NotFound, Refused
from moot.protocol import events as e
from moot.protocol.state import DebateState
from moot.protocol.words import Status, StepKind


def test_there_is_advice_for_every_status() -> None:
    active = {status for status in Status if status.is_active}

    assert set(ADVICE) == set(Status)
    assert set(HELD) == set(ABANDONED) == active
    for table in (ADVICE, HELD, ABANDONED):
        for status, text in table.items():
            assert text.startswith(str(status)) or status is Status.CREATED


def asked(*keys: str) -> DebateState:
    duel = Duel()
    duel.append(e.DebateStarted())
    duel.settle()
    for key in keys:
        duel.append(
            e.QuestionOpened(
                question_id=key, participant="ada", kind=StepKind.PLAN, stage="s", round=1, text="?"
            )
        )
    return duel.state


def test_a_question_is_found_by_its_id_or_the_beginning_of_it() -> None:
    state = asked("s/1/ada/plan", "s/1/ada/plan/again", "t/1/bo/plan")

    assert open_question(state, "t").question_id == "t/1/bo/plan"
    assert open_question(state, "s/1/ada/plan").question_id == "s/1/ada/plan"
    with pytest.raises(InvalidInput, match="could be"):
        open_question(state, "s/1")


@pytest.mark.parametrize("wanted", ["", "u", "s/1/ada/plan/more"])
def test_a_question_that_is_not_open_is_not_found(wanted: str) -> None:
    with pytest.raises(NotFound, match="open now: s/1/ada/plan"):
        open_question(asked("s/1/ada/plan"), wanted)


@pytest.mark.parametrize("given", ["yes", "My case, in a few words.", "on Mondays and/or Fridays"])
def test_an_answer_that_comes_too_late_is_told_so_and_is_not_taken_for_an_id(given: str) -> None:
    with pytest.raises(NotFound, match="nothing is asked now, so your answer was not recorded"):
        open_question(asked(), given)
    with pytest.raises(NotFound, match="no open question 's/1/ada/plan'; open now: none"):
        open_question(asked(), "s/1/ada/plan")


def test_a_question_that_was_answered_is_refused() -> None:
    duel = Duel()
    duel.play()

    with pytest.raises(Refused, match="already been answered"):
        open_question(duel.state, next(iter(duel.state.turns)))
