"""The council's stages and transitions: seed 004's diagram, and the only place that has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from moot.protocol.bench.asking import STAGE as HEARING
from moot.protocol.bench.stage import ROWS, row_to, stage_of
from moot.protocol.formats.council import closing, steps
from moot.protocol.formats.council.case import have_proposed, proposed
from moot.protocol.formats.council.order import (
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
)
from moot.protocol.formats.council.positions import has_proposals
from moot.protocol.machine import (
    END,
    START,
    Guard,
    Rounds,
    Stage,
    Transition,
)
from moot.protocol.recovering import BROUGHT_BACK, recoveries

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

BEFORE = (INITIALIZATION, CLARIFICATION, CLARIFICATION_INPUT)
"""Stages in which nobody has proposed anything yet."""

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
    for stage in STAGES:
        if stage.name not in (*BEFORE, SYNTHESIS, HEARING):
            yield Transition(
                source=stage.name,
                event=END,
                target=SYNTHESIS,
                guard=has_proposals,
                rounds=Rounds.SAME,
            )
        if stage.name not in (SYNTHESIS, HEARING):
            yield Transition(source=stage.name, event=END, target=None)


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
