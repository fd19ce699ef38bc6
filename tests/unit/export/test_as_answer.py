"""What a debate came to and nothing else."""

from __future__ import annotations

import msgspec
import pytest
from tests.golden.replay import HERE, read_log

from moot.errors import Refused
from moot.export import render
from moot.protocol.events import DebateCompleted
from moot.protocol.log import fold
from moot.protocol.outcomes import OutcomeStatus, Solution, Verdict


def answer(name: str) -> str:
    return render(read_log(HERE / f"{name}.jsonl"), "answer", debate_id="d")


def test_a_verdict_is_headline_scores_ruling_and_the_judges_words() -> None:
    outcome = fold(read_log(HERE / "rounds.jsonl")).outcome
    assert isinstance(outcome, Verdict)
    headline, ruling, *words = answer("rounds").rstrip("\n").split("\n\n")
    assert (headline, ruling) == ("**Bo wins** (Ada 6.5, Bo 8)", "Premise rejected.")
    assert "\n\n".join(words) == outcome.reasoning.strip()


def test_a_doubt_is_part_of_the_answer() -> None:
    text = answer("duel_contested")
    assert text.startswith("**The judge named Ada, against the scores** (Ada 4, Bo 9)")
    assert text.endswith(
        "*Contested: the judge named a winner and gave the other side the higher score.*\n"
    )


def test_what_could_not_be_read_is_no_answer_and_says_so() -> None:
    text = answer("rounds_undecided")
    assert text.startswith("**No verdict**")
    assert "nothing was made up" in text


def test_a_solution_has_its_lists_and_its_dissent() -> None:
    outcome = fold(read_log(HERE / "council.jsonl")).outcome
    assert isinstance(outcome, Solution)
    text = answer("council")
    assert text.startswith(outcome.description)
    assert f"**Dissent**\n\n- {outcome.dissent[0]}" in text


def test_a_solution_that_could_not_be_read_is_none() -> None:
    log = list(read_log(HERE / "council.jsonl"))
    end = log[-1].event
    assert isinstance(end, DebateCompleted)
    none = Solution(status=OutcomeStatus.UNREADABLE, reason="it is not JSON")
    unread = msgspec.to_builtins(none)
    log[-1] = msgspec.structs.replace(log[-1], event=msgspec.structs.replace(end, outcome=unread))
    text = render(log, "answer", debate_id="d")
    assert text.startswith("**No solution")
    assert "it is not JSON. Nothing was made up." in text


def test_a_summary_is_its_words_and_that_a_limit_came_first() -> None:
    state = fold(read_log(HERE / "classic.jsonl"))
    said = [turn.said.content for turn in state.transcript()]
    text, told = answer("classic").strip().split("\n\n")
    assert text in said
    assert told == "*It ended early: the cost limit was reached.*"


@pytest.mark.parametrize("name", ["room", "rounds_canceled"])
def test_without_an_outcome_there_is_no_answer(name: str) -> None:
    with pytest.raises(Refused, match="no outcome"):
        answer(name)
