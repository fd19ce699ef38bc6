"""The format `council`. Formats like it inherit from it and change the tables."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any

import msgspec

from moot.protocol.bench import stage
from moot.protocol.bench.asking import STAGE as HEARING
from moot.protocol.bench.benches import apart, seated
from moot.protocol.bench.stage import Benched
from moot.protocol.documents import Write
from moot.protocol.formats.council.ballots import before_debate
from moot.protocol.formats.council.case import have_proposed, proposed
from moot.protocol.formats.council.documents import DOCUMENTS
from moot.protocol.formats.council.hearing import plainly
from moot.protocol.formats.council.labels import authors, critic_label
from moot.protocol.formats.council.order import (
    CRITICIZE,
    EVALUATE,
    REFINE,
    CouncilSettings,
    longest_chain,
    most_calls,
)
from moot.protocol.formats.council.outcome import (
    announced,
    outcome,
    reached,
    retries,
    solution,
    without,
)
from moot.protocol.formats.council.positions import position, stability
from moot.protocol.formats.council.questions import clarifications, told_in_advance
from moot.protocol.formats.council.seats import (
    DEFAULT_ROSTER,
    cast_council,
    judge,
    members,
)
from moot.protocol.formats.council.steps import number
from moot.protocol.formats.council.tables import BEFORE, STAGES, TRANSITIONS
from moot.protocol.hearing.case import Case
from moot.protocol.labelling import named
from moot.protocol.machine import Stage, Transition, walk
from moot.protocol.outcome_words import worth
from moot.protocol.outcomes import OutcomeStatus, Solution
from moot.protocol.recovering import Recovery, recovered, returned, sat_out
from moot.protocol.roster import shared_model
from moot.protocol.settings import Settings, frozen, narrowed
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Next
from moot.protocol.values import Config, Participant
from moot.protocol.vocabulary import FormatWord
from moot.protocol.words import Role, StepKind, StopReason

# --- what people are shown: round by round, what was asked, what came of it -----------------------


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
    begun = 0 if state.stage in (None, *BEFORE) else state.round
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


# --- the format -----------------------------------------------------------------------------------

RECOVERY = Recovery(retries=retries, without=without)
OF_BENCH = msgspec.structs.replace(stage.RECOVERY, retries=retries)


class Council(Benched):
    name = "council"
    about = "Members propose, criticise and refine in rounds; a judge writes one solution."
    when_to_use = "When you want a considered answer to an open question, not a winner."
    words: FormatWord | None = FormatWord(
        name="A council that writes an answer",
        end="“One table, and a key per person. Pilar dissents.”",
        asks="What should we do?",
        roles=("member", "judge"),
        length="rounds",
        unit="round",
        short=2,
        long=5,
        nick="A council",
    )
    settings: type[Settings] = CouncilSettings
    default_roster: tuple[Participant, ...] = DEFAULT_ROSTER
    documents: Mapping[str, Write] = MappingProxyType(DOCUMENTS)
    view_type: type[msgspec.Struct] | None = CouncilView
    stages: tuple[Stage, ...] = STAGES
    transitions: tuple[Transition, ...] = TRANSITIONS
    ends_by = StopReason.MAX_ROUNDS
    unnamed = frozenset(
        {
            StepKind.PROPOSE,
            StepKind.CRITIQUE,
            StepKind.REFINE,
            StepKind.EVALUATE,
            StepKind.VOTE,
            StepKind.SYNTHESIZE,
        }
    )

    def without_names(self, turn: Turn) -> str:
        """Empty for critiques and ballots, which say whose proposal they are about, and for the
        solution, which says who wrote what it took up."""
        is_telling = turn.said.kind in (StepKind.CRITIQUE, StepKind.VOTE, StepKind.SYNTHESIZE)
        return "" if is_telling else plainly(turn)

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """Two to ten members and one judge, who is added if nobody is named; then the bench."""
        others, bench = apart(participants)
        roster = cast_council(others or self.default_roster)
        return seated(narrowed(settings, CouncilSettings), roster, bench)

    def cautions(self, config: Config) -> tuple[str, ...]:
        return (*shared_model(config.participants), *super().cautions(config))

    def own_calls(self, config: Config) -> int:
        members = sum(one.role is Role.MEMBER for one in config.participants)
        return most_calls(frozen(CouncilSettings, config.settings), members)

    def own_chain(self, config: Config) -> int:
        return longest_chain(frozen(CouncilSettings, config.settings))

    def next(self, state: DebateState, now: datetime) -> Next:
        del now
        decision = returned(self, state) or walk(self, state)
        recovery = OF_BENCH if state.stage == HEARING else RECOVERY
        return announced(state, recovered(self, state, decision, recovery))

    def upcoming(self, state: DebateState, now: datetime) -> tuple[str, ...]:
        """Nobody while the bench votes: all are asked at once."""
        return () if state.stage == HEARING else super().upcoming(state, now)

    def reached(self, state: DebateState) -> StopReason | None:
        return reached(state)

    def can_be_heard(self, state: DebateState) -> bool:
        return have_proposed(state)

    def case(self, state: DebateState) -> Case | None:
        return proposed(state)

    def own_outcome(self, state: DebateState) -> Solution | None:
        return outcome(state)

    def view(self, state: DebateState) -> CouncilView:
        return council_view(state)
