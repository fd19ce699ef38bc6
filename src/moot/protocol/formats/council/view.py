"""What people are shown of a council: round by round, what was asked, what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from moot.protocol.formats.council.ballots import before_debate
from moot.protocol.formats.council.closing import solution
from moot.protocol.formats.council.order import BEFORE_PROPOSALS, CRITICIZE, EVALUATE, REFINE
from moot.protocol.formats.council.positions import number, position, stability
from moot.protocol.formats.council.questions import clarifications, told_in_advance
from moot.protocol.formats.council.seats import authors, critic_label, judge, members
from moot.protocol.labelling import named
from moot.protocol.outcome_words import worth
from moot.protocol.outcomes import OutcomeStatus, Solution
from moot.protocol.recovering import sat_out
from moot.protocol.roster import shared_model
from moot.protocol.state import DebateState, Turn


class CritiqueView(msgspec.Struct, frozen=True, kw_only=True):
    """`label` is what the author of the proposal knows the critic by; it is empty while somebody
    takes part who may not know whose label it is."""

    by: str
    of: str
    label: str
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
    """`answer` is null while the question is open, and empty if there was none. `same_as` is the
    id of the question that was asked in its place; what was told in advance has no participant."""

    participant: str
    iteration: int
    number: int
    question: str
    answer: str | None
    same_as: str


class CouncilView(msgspec.Struct, frozen=True, kw_only=True):
    """`worth` says whether debating was worth it, `cautions` what to know of the participants."""

    rounds: list[CouncilRoundView]
    clarifications: list[ClarificationView]
    before_debate: dict[str, Any] | None
    solution: Solution | None
    worth: str
    sat_out: list[str]
    cautions: list[str]


def council_view(state: DebateState) -> CouncilView:
    recorded = state.outcome if isinstance(state.outcome, Solution) else None
    found = None if state.has_hidden else recorded or solution(state)
    begun = 0 if state.stage in (None, *BEFORE_PROPOSALS) else state.round
    return CouncilView(
        rounds=[_round(state, number_) for number_ in range(1, begun + 1)],
        clarifications=_clarifications(state),
        before_debate=before_debate(state),
        solution=found if found and found.status is not OutcomeStatus.MISSING else None,
        worth=worth(recorded) if recorded else "",
        sat_out=list(sat_out(state)),
        cautions=list(shared_model(state.config.participants)),
    )


def _round(state: DebateState, round_: int) -> CouncilRoundView:
    everybody = [one.id for one in members(state)]
    held = {one: position(state, one, round_) for one in everybody}
    refined = {one: state.turn(REFINE.key(round_, one)) for one in everybody}
    pairs = ((by, of) for of in everybody for by in everybody if by != of)
    said = ((by, of, state.turn(CRITICIZE.key(round_, by, of))) for by, of in pairs)
    judged = state.turn(EVALUATE.key(round_, judge(state).id))
    is_veiled = state.has_hidden
    return CouncilRoundView(
        round=round_,
        proposals={one: turn.seq for one, turn in held.items() if turn},
        critiques=[
            CritiqueView(
                by=by,
                of=of,
                label="" if is_veiled else critic_label(state, by, of),
                turn_id=turn.seq,
            )
            for by, of, turn in said
            if turn
        ],
        refinements={one: turn.seq for one, turn in refined.items() if turn},
        confidence=number(state, round_, "confidence"),
        quality=number(state, round_, "quality"),
        # Texts that are hidden cannot be compared.
        stability=None if is_veiled else stability(state, round_),
        reasons=_reasons(judged, {} if is_veiled else authors(state)),
    )


def _reasons(judged: Turn | None, names: Mapping[str, str]) -> str:
    said = (judged.said.data or {}).get("reasons") if judged else ""
    return named(str(said or ""), names)


def _clarifications(state: DebateState) -> list[ClarificationView]:
    return [
        ClarificationView(
            participant=one.member,
            iteration=one.iteration,
            number=one.number,
            question=one.question,
            answer=one.answer,
            same_as=one.same_as,
        )
        for one in (*told_in_advance(state), *clarifications(state))
    ]
