"""A council as people look at it: round by round, with what was asked and what came of it."""

from __future__ import annotations

from typing import Any

import msgspec

from moot.protocol.formats.council.ballots import before_debate
from moot.protocol.formats.council.order import CRITICIZE, EVALUATE, REFINE
from moot.protocol.formats.council.outcome import solution
from moot.protocol.formats.council.positions import position, stability
from moot.protocol.formats.council.questions import clarifications
from moot.protocol.formats.council.seats import judge, members
from moot.protocol.formats.council.steps import number
from moot.protocol.formats.council.tables import BEFORE
from moot.protocol.outcomes import OutcomeStatus, Solution
from moot.protocol.recovering import sat_out
from moot.protocol.state import DebateState


class CritiqueView(msgspec.Struct, frozen=True, kw_only=True):
    by: str
    of: str
    turn_id: int


class CouncilRoundView(msgspec.Struct, frozen=True, kw_only=True):
    """`proposals` of later rounds are the refinements of the round before.

    `confidence` and `quality` are the judge's numbers, null if it gave none; `stability` is how
    much of their positions the members kept, in percent.
    """

    round: int
    proposals: dict[str, int]
    critiques: list[CritiqueView]
    refinements: dict[str, int]
    confidence: float | None
    quality: float | None
    stability: int | None
    reasons: str


class ClarificationView(msgspec.Struct, frozen=True, kw_only=True):
    """`answer` is null while the question is open, and empty if there was none."""

    participant: str
    iteration: int
    number: int
    question: str
    answer: str | None


class CouncilView(msgspec.Struct, frozen=True, kw_only=True):
    rounds: list[CouncilRoundView]
    clarifications: list[ClarificationView]
    before_debate: dict[str, Any] | None
    solution: Solution | None
    sat_out: list[str]


def council_view(state: DebateState) -> CouncilView:
    found = solution(state)
    begun = 0 if state.stage in (None, *BEFORE) else state.round
    return CouncilView(
        rounds=[_round(state, number_) for number_ in range(1, begun + 1)],
        clarifications=_clarifications(state),
        before_debate=before_debate(state),
        solution=None if found.status is OutcomeStatus.MISSING else found,
        sat_out=list(sat_out(state)),
    )


def _round(state: DebateState, round_: int) -> CouncilRoundView:
    everybody = [one.id for one in members(state)]
    held = {one: position(state, one, round_) for one in everybody}
    refined = {one: state.turn(REFINE.key(round_, one)) for one in everybody}
    pairs = ((by, of) for of in everybody for by in everybody if by != of)
    said = ((by, of, state.turn(CRITICIZE.key(round_, by, of))) for by, of in pairs)
    judged = state.turn(EVALUATE.key(round_, judge(state).id))
    return CouncilRoundView(
        round=round_,
        proposals={one: turn.seq for one, turn in held.items() if turn},
        critiques=[CritiqueView(by=by, of=of, turn_id=turn.seq) for by, of, turn in said if turn],
        refinements={one: turn.seq for one, turn in refined.items() if turn},
        confidence=number(state, round_, "confidence"),
        quality=number(state, round_, "quality"),
        stability=stability(state, round_),
        reasons=str((judged.said.data or {}).get("reasons") or "") if judged else "",
    )


def _clarifications(state: DebateState) -> list[ClarificationView]:
    return [
        ClarificationView(
            participant=one.member,
            iteration=one.iteration,
            number=one.number,
            question=one.question,
            answer=one.answer,
        )
        for one in clarifications(state)
    ]
