"""Outcomes in short, for lists."""

from __future__ import annotations

from moot.protocol.outcomes import (
    Comparison,
    OutcomeStatus,
    Solution,
    Summary,
    Verdict,
    shortened,
)

DECIDED = OutcomeStatus.DECIDED
LONG = "word " * 100


def test_a_verdict_keeps_all_but_its_reasoning() -> None:
    verdict = Verdict(status=DECIDED, winner="Ada", scores={"Ada": 8}, reasoning=LONG, reason="so")
    kept = Verdict(status=DECIDED, winner="Ada", scores={"Ada": 8}, reason="so")
    assert shortened(verdict) == kept
    unread = shortened(Verdict(status=OutcomeStatus.UNREADABLE, reason=LONG))
    assert isinstance(unread, Verdict)
    assert len(unread.reason) <= 200
    assert unread.reason.endswith("word…")


def test_a_summary_keeps_its_first_sentence() -> None:
    summary = Summary(summary="# Summary\n\nThey **agreed**. Mostly.", by="Mo", by_id="mo")
    assert shortened(summary) == Summary(summary="They agreed.", by="Mo", by_id="mo")


def test_a_solution_keeps_its_first_sentence_and_who_is_missing() -> None:
    solution = Solution(
        status=DECIDED,
        description="Use Postgres. It is there.",
        reasons=("a",),
        rejected=("b",),
        dissent=("c",),
        confidence=7,
        decision={"rule": "synthesis"},
        before_debate={"winner": "Bo"},
        comparison=Comparison(is_changed=False),
        rounds=2,
        sat_out=("Bo",),
        left_out=("a", LONG, "c", "d"),
    )
    found = shortened(solution)
    assert isinstance(found, Solution)
    assert [len(one) <= 100 for one in found.left_out] == [True] * 3
    kept = Solution(
        status=DECIDED,
        description="Use Postgres.",
        confidence=7,
        rounds=2,
        sat_out=("Bo",),
        left_out=found.left_out,
    )
    assert found == kept


def test_that_the_members_chose_a_solution_is_kept() -> None:
    decision = {"rule": "vote", "points": {"Bo": 3}, "winner": "Bo", "is_solution": True}
    solution = Solution(status=OutcomeStatus.UNREADABLE, description="Wait.", decision=decision)
    found = shortened(solution)
    assert isinstance(found, Solution)
    assert found.decision == {"is_solution": True, "winner": "Bo"}


def test_what_is_short_stays_as_it_is() -> None:
    for one in (
        Verdict(status=DECIDED, is_tie=True),
        Summary(summary="They agreed.", by="Mo", by_id="mo"),
        Solution(status=DECIDED, description="Use Postgres"),
    ):
        assert shortened(one) == one
