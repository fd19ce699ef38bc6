"""The order of a council: what is done in a round, by whom, about whom, and how often at the most.

A pass is what is done side by side in one stage of one round. Keys and places of steps, the most
calls and the longest chain are read from this table; seed 004's diagram is in `rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from moot.protocol.settings import BenchSettings, MaxTokensJudge, StepRetries
from moot.protocol.state import DebateState
from moot.protocol.values import Place
from moot.protocol.words import StepKind

INITIALIZATION, ROUND_MANAGER = "initialization", "round_manager"
CLARIFICATION, CLARIFICATION_INPUT = "clarification", "clarification_input"
SUMMARIZATION, PROPOSAL, CRITIQUE = "summarization", "proposal", "critique"
REFINEMENT, EVALUATION, SYNTHESIS = "refinement", "evaluation", "synthesis"

BEFORE_PROPOSALS = (INITIALIZATION, CLARIFICATION, CLARIFICATION_INPUT)
"""Stages in which nobody has proposed anything yet."""

# Where turns stand: questions before the rounds, the rounds, what is made of them.
QUESTIONS, ROUNDS, RESULT = 0, 1, 2


class CouncilSettings(BenchSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a council."""

    BEFORE: ClassVar[Mapping[str, Any]] = MappingProxyType({"compare": False})

    rounds: Annotated[
        int, Meta(ge=1, le=20, description="The most rounds, whatever the termination.")
    ] = 3
    termination: Annotated[
        Literal["stable", "fixed", "convergence", "quality"],
        Meta(
            description="stable: until no position changes any more. fixed: all rounds. "
            "convergence: until the members agree. quality: until the best proposal is good."
        ),
    ] = "stable"
    threshold: Annotated[
        int,
        Meta(
            ge=0,
            le=100,
            description="When to stop: the judge's rating of agreement or quality, or the "
            "percentage of its position that every member has kept.",
        ),
    ] = 80
    answers: Annotated[
        tuple[Annotated[str, Meta(max_length=2000)], ...],
        Meta(
            max_length=50,
            description="What the council should know from the start: facts, or questions with "
            "answers, such as: How many homes? Four hundred.",
        ),
    ] = ()
    interactive_clarifications: Annotated[
        bool, Meta(description="Members may ask you questions before they begin.")
    ] = False
    clarifications_max_iterations: Annotated[
        int, Meta(ge=1, le=10, description="The most rounds of questions.")
    ] = 3
    clarifications_max_per_agent: Annotated[
        int,
        Meta(ge=1, le=10, description="Questions each member may ask in one round of questions."),
    ] = 3
    summary_threshold_tokens: Annotated[
        int,
        Meta(
            ge=100,
            le=10_000_000,
            description="Members summarise their own history once it is longer than this.",
        ),
    ] = 16_000
    decision: Annotated[
        Literal["synthesis", "vote", "rank"],
        Meta(
            description="synthesis: the judge decides. vote: the most votes win. rank: members "
            "rank the proposals (Borda). In each case the judge writes it up."
        ),
    ] = "synthesis"
    compare: Annotated[
        bool,
        Meta(
            description="One more call at the end: the judge rates the first and the last "
            "proposals without knowing which is which, to show whether debating was worth it."
        ),
    ] = True
    max_tool_calls: Annotated[
        int,
        Meta(
            ge=0,
            le=50,
            description="How often a member may look things up in the council's files before a "
            "proposal, critique or refinement, if its model can use tools.",
        ),
    ] = 8
    step_retries: StepRetries = 1
    max_tokens_judge: MaxTokensJudge = 1500


MEASURES = {"convergence": "confidence", "quality": "quality"}
"""Which of the judge's numbers a termination looks at."""


def settings_of(state: DebateState) -> CouncilSettings:
    return state.settings_as(CouncilSettings)


_Times = Callable[[CouncilSettings], int]


class By(StrEnum):
    """Who takes part in a pass."""

    MEMBERS = "members"
    EACH_OTHER = "each_other"
    """Every member on every other."""
    JUDGE = "judge"


class Pass(msgspec.Struct, frozen=True, kw_only=True):
    """`section` and `number` are its place in the transcript; `times` how often it is held at the
    most."""

    stage: str
    kind: StepKind
    by: By
    section: int
    number: int
    times: _Times

    def key(self, round_: int, by: str, about: str = "") -> str:
        return f"{self.stage}/{round_}/{by}/{self.kind}" + (f"/{about}" if about else "")

    def place(self, round_: int, *seats: int) -> Place:
        return (self.section, round_, self.number, *seats)

    def calls(self, settings: CouncilSettings, members: int) -> int:
        each = {By.MEMBERS: members, By.EACH_OTHER: members * (members - 1), By.JUDGE: 1}
        return each[self.by] * self.times(settings)


def _iterations(settings: CouncilSettings) -> int:
    is_asked = settings.interactive_clarifications
    return settings.clarifications_max_iterations if is_asked else 0


def _rounds(settings: CouncilSettings) -> int:
    return settings.rounds


def _later_rounds(settings: CouncilSettings) -> int:
    return settings.rounds - 1


def _evaluations(settings: CouncilSettings) -> int:
    """Only the terminations in MEASURES ask the judge; stability is measured."""
    return settings.rounds if settings.termination in MEASURES else 0


def _ballots(settings: CouncilSettings) -> int:
    return 0 if settings.decision == "synthesis" else 1


def _comparisons(settings: CouncilSettings) -> int:
    return 1 if settings.compare else 0


def _once(_settings: CouncilSettings) -> int:
    return 1


def _pass(stage: str, kind: StepKind, by: By, at: tuple[int, int], times: _Times) -> Pass:
    return Pass(stage=stage, kind=kind, by=by, section=at[0], number=at[1], times=times)


ASK = _pass(CLARIFICATION, StepKind.ASK, By.MEMBERS, (QUESTIONS, 0), _iterations)
SUMMARIZE = _pass(SUMMARIZATION, StepKind.SUMMARIZE, By.MEMBERS, (ROUNDS, 0), _later_rounds)
PROPOSE = _pass(PROPOSAL, StepKind.PROPOSE, By.MEMBERS, (ROUNDS, 1), _once)
CRITICIZE = _pass(CRITIQUE, StepKind.CRITIQUE, By.EACH_OTHER, (ROUNDS, 2), _rounds)
REFINE = _pass(REFINEMENT, StepKind.REFINE, By.MEMBERS, (ROUNDS, 3), _rounds)
EVALUATE = _pass(EVALUATION, StepKind.EVALUATE, By.JUDGE, (ROUNDS, 4), _evaluations)
VOTE = _pass(SYNTHESIS, StepKind.VOTE, By.MEMBERS, (RESULT, 0), _ballots)
SUM_UP = _pass(SYNTHESIS, StepKind.SUMMARIZE, By.JUDGE, (RESULT, 1), _once)
SYNTHESIZE = _pass(SYNTHESIS, StepKind.SYNTHESIZE, By.JUDGE, (RESULT, 2), _once)
COMPARE = _pass(SYNTHESIS, StepKind.EVALUATE, By.JUDGE, (RESULT, 3), _comparisons)

SIDE_BY_SIDE = (COMPARE,)
"""Passes that nothing waits for."""
ORDER = (ASK, SUMMARIZE, PROPOSE, CRITICIZE, REFINE, EVALUATE, VOTE, SUM_UP, SYNTHESIZE, COMPARE)


def most_calls(settings: CouncilSettings, members: int) -> int:
    """The most calls, apart from lookups in files, each of which is one call more."""
    return sum(one.calls(settings, members) for one in ORDER)


def longest_chain(settings: CouncilSettings) -> int:
    """A pass waits for the one before it, and its own steps run side by side."""
    return sum(one.times(settings) for one in ORDER if one not in SIDE_BY_SIDE)
