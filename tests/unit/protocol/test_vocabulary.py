"""One table has the words that people read."""

from __future__ import annotations

import json

import msgspec
import pytest

from moot.protocol import vocabulary
from moot.protocol.outcomes import Outcome, OutcomeStatus, Solution, Summary, Verdict
from moot.protocol.words import Status, StepKind, StopReason

DECIDED, UNREADABLE = OutcomeStatus.DECIDED, OutcomeStatus.UNREADABLE


def test_it_has_words_for_every_kind_reason_and_status() -> None:
    assert set(vocabulary.KINDS) == set(StepKind)
    assert set(vocabulary.REASONS) == set(StopReason)
    assert set(vocabulary.STATUSES) == set(Status)
    assert set(vocabulary.DOUBTS) == set(OutcomeStatus) - {DECIDED}


def test_the_page_has_the_terminals_words_for_a_score_that_is_none() -> None:
    assert vocabulary.as_data()["no_score"] == vocabulary.NO_SCORE == "no readable score"


def test_it_knows_the_parts_of_a_solution() -> None:
    fields = set(Solution.__struct_fields__)
    assert set(vocabulary.SOLUTION_PARTS) <= fields


@pytest.mark.parametrize(
    ("outcome", "title", "headline"),
    [
        (Verdict(status=DECIDED, winner="Ada"), "Verdict", "Ada wins"),
        (Verdict(status=DECIDED, is_tie=True), "Verdict", "A tie"),
        (Verdict(status=UNREADABLE), "Verdict", "No verdict"),
        (Summary(summary="s", by="Mo", by_id="mo"), "Summary", "Summed up by Mo"),
        (Solution(status=DECIDED), "Solution", "What the council came to"),
    ],
)
def test_it_tells_an_outcome_in_one_line(outcome: Outcome, title: str, headline: str) -> None:
    assert vocabulary.title(outcome) == title
    assert vocabulary.headline(outcome) == headline


def test_it_tells_what_is_doubtful_and_nothing_else() -> None:
    assert vocabulary.doubts(Verdict(status=DECIDED, is_tie=True)) == ()
    both = vocabulary.doubts(
        Verdict(status=OutcomeStatus.SCORES_UNKNOWN, winner="Ada", is_contested=True)
    )
    assert both == (vocabulary.DOUBTS[OutcomeStatus.SCORES_UNKNOWN], vocabulary.CONTESTED)
    assert vocabulary.doubts(Solution(status=OutcomeStatus.PASSED)) == ("The judge passed.",)
    even = Verdict(status=DECIDED, winner="Ada", scores={"Ada": 7, "Bo": 7}, is_contested=True)
    assert vocabulary.doubts(even) == (vocabulary.EVEN,)
    uneven = Verdict(status=DECIDED, is_tie=True, scores={"Ada": 7, "Bo": 3}, is_contested=True)
    assert vocabulary.doubts(uneven) == (vocabulary.UNEVEN,)
    alone = Verdict(status=DECIDED, winner="Ada", is_unconfirmed=True)
    assert vocabulary.doubts(alone) == (vocabulary.UNCONFIRMED,)
    unread = Verdict(status=OutcomeStatus.UNREADABLE, reason="it is a riddle")
    assert "it is a riddle" in vocabulary.doubts(unread)[0]
    short = Solution(status=DECIDED, left_out=("Bo: no critique (gone)",))
    assert vocabulary.doubts(short) == ("Left out: Bo: no critique (gone).",)


def test_it_can_be_sent() -> None:
    data = json.loads(msgspec.json.encode(vocabulary.as_data()))
    assert data["kinds"]["speak"] == {"noun": "statement", "does": "speaks", "doing": "speaking"}
    assert data["statuses"]["failed"] == {"label": "Failed", "tone": "bad", "is_over": False}
