"""The format `council`. Formats like it inherit from it and change the tables.

The stages and transitions are seed 004's diagram, and the only place that has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from types import MappingProxyType

import msgspec

from moot.protocol.bench import stage
from moot.protocol.bench.asking import STAGE as HEARING
from moot.protocol.bench.benches import apart, seated
from moot.protocol.bench.stage import ROWS, Benched, row_to, stage_of
from moot.protocol.documents import Write
from moot.protocol.formats.council import closing, steps
from moot.protocol.formats.council.briefing import plainly
from moot.protocol.formats.council.closing import (
    announced,
    outcome,
    reached,
    retries,
    without,
)
from moot.protocol.formats.council.documents import DOCUMENTS
from moot.protocol.formats.council.order import (
    BEFORE_PROPOSALS,
    CLARIFICATION,
    CLARIFICATION_INPUT,
    CRITIQUE,
    EVALUATION,
    INITIALIZATION,
    PROPOSAL,
    REFINEMENT,
    ROUND_MANAGER,
    SUMMARIZATION,
    SYNTHESIS,
    CouncilSettings,
    longest_chain,
    most_calls,
)
from moot.protocol.formats.council.positions import (
    has_proposals,
    have_proposed,
    proposed,
)
from moot.protocol.formats.council.seats import (
    DEFAULT_ROSTER,
    cast_council,
)
from moot.protocol.formats.council.view import CouncilView, council_view
from moot.protocol.hearing.case import Case
from moot.protocol.machine import (
    END,
    START,
    Guard,
    Rounds,
    Stage,
    Transition,
    walk,
)
from moot.protocol.outcomes import Solution
from moot.protocol.recovering import (
    BROUGHT_BACK,
    Recovery,
    recovered,
    recoveries,
    returned,
)
from moot.protocol.roster import shared_model
from moot.protocol.settings import Settings, frozen, narrowed
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Next
from moot.protocol.values import Config, Participant
from moot.protocol.vocabulary import FormatWord
from moot.protocol.words import Role, StepKind, StopReason

STAGES: tuple[Stage, ...] = (
    Stage(
        name=INITIALIZATION,
        about="The council is set up, and its members have their brief.",
        steps=steps.no_steps,
        emits=steps.initialized,
    ),
    Stage(
        name=CLARIFICATION,
        about="All members say at the same time what they want to know from you.",
        steps=steps.asking,
        emits=steps.clarified,
    ),
    Stage(
        name=CLARIFICATION_INPUT,
        about="The council waits for your answers, or for you to pass.",
        steps=steps.answering,
        emits=steps.answered,
    ),
    Stage(
        name=ROUND_MANAGER,
        about="Starts the next round or ends the rounds; waits for you in between, if you like.",
        steps=steps.pausing,
        emits=steps.managed,
    ),
    Stage(
        name=SUMMARIZATION,
        about="Members whose history has become too long summarise it.",
        steps=steps.summarizing,
        emits=steps.summarized,
    ),
    Stage(
        name=PROPOSAL,
        about="Members propose without seeing each other's proposals; later rounds start from "
        "the refined ones.",
        steps=steps.proposing,
        emits=steps.proposed,
    ),
    Stage(
        name=CRITIQUE,
        about="Every member criticises every other member's proposal, all at the same time.",
        steps=steps.criticizing,
        emits=steps.criticized,
    ),
    Stage(
        name=REFINEMENT,
        about="Members refine their proposals and say which critiques they accept, and why.",
        steps=steps.refining,
        emits=steps.refined,
    ),
    Stage(
        name=EVALUATION,
        about="Moot measures how much of each position was kept; if the termination needs it, the "
        "judge says how far the proposals agree and how good the best of them is.",
        steps=steps.evaluating,
        emits=steps.evaluated,
    ),
    Stage(
        name=SYNTHESIS,
        about="Members vote, if they decide; the judge writes the solution.",
        steps=closing.synthesizing,
        emits=closing.synthesized,
        closes=True,
    ),
    stage_of(proposed),
)

COURSE: tuple[Transition, ...] = (
    Transition(source=None, event=START, target=INITIALIZATION),
    Transition(source=INITIALIZATION, event=START, target=CLARIFICATION),
    Transition(
        source=CLARIFICATION,
        event="QUESTIONS_PENDING",
        target=CLARIFICATION_INPUT,
        rounds=Rounds.SAME,
    ),
    Transition(
        source=CLARIFICATION_INPUT,
        event="ANSWERS_SUBMITTED",
        target=CLARIFICATION,
        rounds=Rounds.NEXT,
    ),
    Transition(source=CLARIFICATION, event="ALL_CLEAR", target=ROUND_MANAGER, rounds=Rounds.NONE),
    Transition(source=ROUND_MANAGER, event="BEGIN_ROUND", target=SUMMARIZATION, rounds=Rounds.NEXT),
    Transition(source=SUMMARIZATION, event="CONTEXTS_READY", target=PROPOSAL, rounds=Rounds.SAME),
    Transition(source=PROPOSAL, event="PROPOSALS_COMPLETE", target=CRITIQUE, rounds=Rounds.SAME),
    Transition(source=CRITIQUE, event="CRITIQUES_COMPLETE", target=REFINEMENT, rounds=Rounds.SAME),
    Transition(
        source=REFINEMENT, event="REFINEMENTS_COMPLETE", target=EVALUATION, rounds=Rounds.SAME
    ),
    Transition(source=EVALUATION, event="CONTINUE", target=ROUND_MANAGER, rounds=Rounds.SAME),
    Transition(source=EVALUATION, event="CONSENSUS_REACHED", target=SYNTHESIS, rounds=Rounds.SAME),
    # Not in seed 004, whose own terminations stay as they are: the members have not agreed, they
    # just have nothing new to put forward.
    Transition(source=EVALUATION, event="POSITIONS_STABLE", target=SYNTHESIS, rounds=Rounds.SAME),
    Transition(source=EVALUATION, event="MAX_ROUNDS_REACHED", target=SYNTHESIS, rounds=Rounds.SAME),
    Transition(
        source=ROUND_MANAGER,
        event="MAX_ROUNDS_REACHED",
        target=SYNTHESIS,
        guard=has_proposals,
        rounds=Rounds.SAME,
    ),
    Transition(source=ROUND_MANAGER, event="MAX_ROUNDS_REACHED", target=None),
    # Not in seed 004: the bench, if there is one.
    row_to(SYNTHESIS, "COMPLETE", have_proposed),
    Transition(source=SYNTHESIS, event="COMPLETE", target=None),
)

WORKING = (
    CLARIFICATION,
    SUMMARIZATION,
    PROPOSAL,
    CRITIQUE,
    REFINEMENT,
    EVALUATION,
    SYNTHESIS,
)
"""Stages in which models are called, so that a step can fail."""


def _endings() -> Iterator[Transition]:
    """`end` and limits lead to the synthesis of what is there; without proposals there is none."""
    for one in STAGES:
        if one.name not in (*BEFORE_PROPOSALS, SYNTHESIS, HEARING):
            yield Transition(
                source=one.name,
                event=END,
                target=SYNTHESIS,
                guard=has_proposals,
                rounds=Rounds.SAME,
            )
        if one.name not in (SYNTHESIS, HEARING):
            yield Transition(source=one.name, event=END, target=None)


MISSING: Mapping[str, Guard] = {
    PROPOSAL: steps.lacks_proposals,
    CRITIQUE: steps.lacks_critiques,
    REFINEMENT: steps.lacks_refinements,
    EVALUATION: steps.lacks_evaluation,
}
"""The stages of a round in which something can have been left out, in their order."""


def _returns() -> Iterator[Transition]:
    """A retry leads back to the first stage of the round that lacks something; not in seed 004."""
    names = [*MISSING, SYNTHESIS]
    for number, source in enumerate(names):
        for target in names[:number]:
            yield Transition(
                source=source,
                event=BROUGHT_BACK,
                target=target,
                guard=MISSING[target],
                rounds=Rounds.SAME,
            )


TRANSITIONS = (*COURSE, *_endings(), *recoveries(*WORKING), *_returns(), *ROWS)


# --- the format -----------------------------------------------------------------------------------

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
