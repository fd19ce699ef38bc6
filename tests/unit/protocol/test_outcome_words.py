"""An outcome in words: what its one line claims, and how far it can be relied on."""

from __future__ import annotations

from typing import Any

import pytest

from moot.protocol import outcome_words
from moot.protocol.outcomes import (
    Outcome,
    OutcomeStatus,
    Solution,
    Summary,
    Verdict,
    shortened,
)
from moot.protocol.row import Seat
from moot.protocol.words import Role
from moot.testing.store_contract.samples import summary

DECIDED, UNREADABLE = OutcomeStatus.DECIDED, OutcomeStatus.UNREADABLE


def test_it_has_a_doubt_for_whatever_is_not_simply_decided() -> None:
    assert set(outcome_words.DOUBTS) == set(OutcomeStatus) - {DECIDED}


AMOS, INES = "Amos Reichert", "Ines Calloway"


def verdict(**more: Any) -> Verdict:
    return Verdict(**{"status": DECIDED, "winner": AMOS, "winner_id": "amos", **more})


@pytest.mark.parametrize(
    ("outcome", "title", "headline"),
    [
        (Verdict(status=DECIDED, winner="Ada"), "Verdict", "Ada wins"),
        (Verdict(status=DECIDED, is_tie=True), "Verdict", "A tie"),
        (verdict(is_unconfirmed=True), "Verdict", "The judge named Amos Reichert, but not twice"),
        (
            verdict(scores={AMOS: 7, INES: 7}, is_contested=True),
            "Verdict",
            "The judge named Amos Reichert, with equal scores",
        ),
        (
            verdict(scores={AMOS: 6, INES: 7}, is_contested=True),
            "Verdict",
            "The judge named Amos Reichert, against the scores",
        ),
        (
            verdict(told=INES, is_contested=True),
            "Verdict",
            "The judge named Amos Reichert on record, but not in words",
        ),
        (
            verdict(winner=None, is_tie=True, is_contested=True),
            "Verdict",
            "The judge called it a tie, against the scores",
        ),
        (Verdict(status=UNREADABLE), "Verdict", "No verdict"),
        (Summary(summary="s", by="Mo", by_id="mo"), "Summary", "Summed up by Mo"),
        (Solution(status=DECIDED), "Solution", "What the council came to"),
    ],
)
def test_it_tells_an_outcome_in_one_line(outcome: Outcome, title: str, headline: str) -> None:
    assert outcome_words.title(outcome) == title
    assert outcome_words.headline(outcome) == headline


def test_it_tells_what_is_doubtful_and_nothing_else() -> None:
    assert outcome_words.doubts(Verdict(status=DECIDED, is_tie=True)) == ()
    both = outcome_words.doubts(
        Verdict(status=OutcomeStatus.SCORES_UNKNOWN, winner="Ada", is_contested=True)
    )
    assert both == (outcome_words.DOUBTS[OutcomeStatus.SCORES_UNKNOWN], outcome_words.CONTESTED)
    assert outcome_words.doubts(Solution(status=OutcomeStatus.PASSED)) == ("The judge passed.",)
    even = Verdict(status=DECIDED, winner="Ada", scores={"Ada": 7, "Bo": 7}, is_contested=True)
    assert outcome_words.doubts(even) == (outcome_words.EVEN,)
    uneven = Verdict(status=DECIDED, is_tie=True, scores={"Ada": 7, "Bo": 3}, is_contested=True)
    assert outcome_words.doubts(uneven) == (outcome_words.UNEVEN,)
    alone = Verdict(status=DECIDED, winner="Ada", is_unconfirmed=True)
    assert outcome_words.doubts(alone) == (outcome_words.UNCONFIRMED,)
    unread = Verdict(status=OutcomeStatus.UNREADABLE, reason="it is a riddle")
    assert "it is a riddle" in outcome_words.doubts(unread)[0]
    short = Solution(status=DECIDED, left_out=("Bo: no critique (gone)",))
    assert outcome_words.doubts(short) == ("Left out: Bo: no critique (gone).",)


def nobody(status: OutcomeStatus) -> Verdict:
    return Verdict(status=status)


def solution(**more: Any) -> Solution:
    return Solution(**{"status": DECIDED, "description": "Use Postgres. Now.", **more})


CHOSEN = {"is_solution": True, "winner": "Bo"}


@pytest.mark.parametrize(
    ("outcome", "gist"),
    [
        (verdict(scores={INES: 6, AMOS: 8.0}), "Amos Reichert won, 8 to 6"),
        (verdict(scores={INES: 6.5, AMOS: 8}), "Amos Reichert won, 8 to 6.5"),
        (verdict(), "Amos Reichert won"),
        (verdict(scores={INES: 6, AMOS: 8, "Bo": 7}), "Amos Reichert won"),
        (
            verdict(winner=INES, scores={AMOS: 7, INES: 7}, is_contested=True),
            "Scored 7 to 7; the judge named Ines Calloway",
        ),
        (
            verdict(scores={INES: 8, AMOS: 6}, is_contested=True),
            "Scored 6 to 8; the judge named Amos Reichert",
        ),
        (
            verdict(winner="Ada", told="Bob", is_contested=True),
            "On record Ada won, in words Bob",
        ),
        (
            verdict(winner="Ada", told="tie", is_contested=True),
            "On record Ada won, in words a tie",
        ),
        (
            verdict(winner=None, is_tie=True, told="Bob", is_contested=True),
            "On record a tie, in words Bob",
        ),
        (verdict(winner=None, is_tie=True, scores={AMOS: 7, INES: 7}), "A tie, 7 to 7"),
        (verdict(winner=None, is_tie=True), "A tie"),
        (nobody(UNREADABLE), "No verdict: the judge's answer could not be read"),
        (nobody(OutcomeStatus.PASSED), "No verdict: the judge passed"),
        (nobody(OutcomeStatus.MISSING), "No verdict: it ended before the judge had answered"),
        (nobody(DECIDED), "No verdict"),
        (Summary(summary="They agreed. Mostly.", by="Mo", by_id="mo"), "“They agreed.”"),
        (Summary(summary="", by="Mo", by_id="mo"), "Summed up by Mo"),
        (solution(), "“Use Postgres.”"),
        (solution(status=UNREADABLE), "No solution: the judge's answer could not be read"),
        (solution(status=UNREADABLE, decision=CHOSEN), "“Use Postgres.”"),
        (solution(status=OutcomeStatus.PASSED), "No solution: the judge passed"),
    ],
)
def test_it_tells_the_gist_of_an_outcome_whole_or_in_short(outcome: Outcome, gist: str) -> None:
    assert outcome_words.gist(outcome) == outcome_words.gist(shortened(outcome)) == gist


@pytest.mark.parametrize(
    ("outcome", "trust"),
    [
        (verdict(), ""),
        (verdict(confirmed_winner=AMOS), "confirmed"),
        (verdict(confirmed_winner=INES), ""),
        (verdict(confirmed_winner=AMOS, is_contested=True, told=INES), "contested"),
        (verdict(confirmed_winner=AMOS, status=OutcomeStatus.SCORES_UNKNOWN), "scores_unknown"),
        (verdict(is_unconfirmed=True), "unconfirmed"),
        (verdict(is_unconfirmed=True, is_contested=True), "contested"),
        (verdict(winner=None, is_tie=True), "tie"),
        (verdict(winner=None, is_tie=True, is_contested=True), "contested"),
        (nobody(UNREADABLE), "unreadable"),
        (nobody(OutcomeStatus.PASSED), "passed"),
        (nobody(OutcomeStatus.MISSING), "missing"),
        (Summary(summary="They agreed.", by="Mo", by_id="mo"), ""),
        (solution(), ""),
        (solution(left_out=("Bo",)), "left_out"),
        (solution(sat_out=("Bo",)), "left_out"),
        (solution(status=UNREADABLE), "unreadable"),
        (solution(status=UNREADABLE, decision=CHOSEN), ""),
    ],
)
def test_it_tells_how_far_an_outcome_can_be_relied_on(outcome: Outcome, trust: str) -> None:
    assert outcome_words.trust(outcome) == outcome_words.trust(shortened(outcome)) == trust


def test_open_cards_weigh_more_than_a_confirmation_and_less_than_a_doubt() -> None:
    def trust(outcome: Outcome) -> str:
        return outcome_words.trust(outcome, has_open_cards=True)

    assert trust(verdict(confirmed_winner=AMOS)) == "open_cards"
    assert trust(verdict(is_unconfirmed=True)) == "unconfirmed"


def test_what_a_person_decided_is_not_called_confirmed_in_a_list() -> None:
    by_person = Seat(id="jo", name="Jo", role=Role.JUDGE, is_person=True)
    by_model = Seat(id="jo", name="Jo", role=Role.JUDGE)
    outcome = verdict(confirmed_winner=AMOS)
    assert (
        outcome_words.trust_in(summary("d1", 1, outcome=outcome, cast=(by_model,))) == "confirmed"
    )
    assert outcome_words.trust_in(summary("d1", 1, outcome=outcome, cast=(by_person,))) == ""
    assert outcome_words.trust_in(summary("d1", 1)) == ""
