"""The council's stages and transitions: seed 004's diagram, and the only place that has it."""

from __future__ import annotations

from collections.abc import Iterator

from moot.protocol.formats.council import stages as s
from moot.protocol.formats.council.positions import (
    CRITIQUE,
    PROPOSAL,
    REFINEMENT,
    has_proposals,
)
from moot.protocol.formats.council.questions import CLARIFICATION, CLARIFICATION_INPUT
from moot.protocol.machine import (
    END,
    FAILED,
    FALLBACK,
    RETRY,
    START,
    Rounds,
    Stage,
    Transition,
)

STAGES: tuple[Stage, ...] = (
    Stage(
        name=s.INITIALIZATION,
        about="The debate and its brief are there.",
        steps=s.no_steps,
        emits=s.initialized,
    ),
    Stage(
        name=CLARIFICATION,
        about="All members say at once what they want to know from you.",
        steps=s.asking,
        emits=s.clarified,
    ),
    Stage(
        name=CLARIFICATION_INPUT,
        about="The debate waits for your answers, or for your saying nothing.",
        steps=s.answering,
        emits=s.answered,
    ),
    Stage(
        name=s.ROUND_MANAGER,
        about="Another round, or enough of them; a checkpoint between rounds if you want one.",
        steps=s.pausing,
        emits=s.managed,
    ),
    Stage(
        name=s.SUMMARIZATION,
        about="Members whose history has become too long summarise it for themselves.",
        steps=s.summarizing,
        emits=s.summarized,
    ),
    Stage(
        name=PROPOSAL,
        about="Members propose, unseen by each other; later rounds take over what was refined.",
        steps=s.proposing,
        emits=s.proposed,
    ),
    Stage(
        name=CRITIQUE,
        about="Every member criticises the proposal of every other, all at once.",
        steps=s.criticizing,
        emits=s.criticized,
    ),
    Stage(
        name=REFINEMENT,
        about="Members refine their proposals and say which critiques they accept, and why.",
        steps=s.refining,
        emits=s.refined,
    ),
    Stage(
        name=s.EVALUATION,
        about="The judge says how far the proposals agree and how good the best of them is.",
        steps=s.evaluating,
        emits=s.evaluated,
    ),
    Stage(
        name=s.SYNTHESIS,
        about="Members vote if they are to decide; the judge writes the solution.",
        steps=s.synthesizing,
        emits=s.synthesized,
    ),
)

COURSE: tuple[Transition, ...] = (
    Transition(source=None, event=START, target=s.INITIALIZATION),
    Transition(source=s.INITIALIZATION, event=START, target=CLARIFICATION),
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
    Transition(source=CLARIFICATION, event="ALL_CLEAR", target=s.ROUND_MANAGER, rounds=Rounds.NONE),
    Transition(
        source=s.ROUND_MANAGER, event="BEGIN_ROUND", target=s.SUMMARIZATION, rounds=Rounds.NEXT
    ),
    Transition(source=s.SUMMARIZATION, event="CONTEXTS_READY", target=PROPOSAL, rounds=Rounds.SAME),
    Transition(source=PROPOSAL, event="PROPOSALS_COMPLETE", target=CRITIQUE, rounds=Rounds.SAME),
    Transition(source=CRITIQUE, event="CRITIQUES_COMPLETE", target=REFINEMENT, rounds=Rounds.SAME),
    Transition(
        source=REFINEMENT, event="REFINEMENTS_COMPLETE", target=s.EVALUATION, rounds=Rounds.SAME
    ),
    Transition(source=s.EVALUATION, event="CONTINUE", target=s.ROUND_MANAGER, rounds=Rounds.SAME),
    Transition(
        source=s.EVALUATION, event="CONSENSUS_REACHED", target=s.SYNTHESIS, rounds=Rounds.SAME
    ),
    Transition(
        source=s.EVALUATION, event="MAX_ROUNDS_REACHED", target=s.SYNTHESIS, rounds=Rounds.SAME
    ),
    Transition(
        source=s.ROUND_MANAGER,
        event="MAX_ROUNDS_REACHED",
        target=s.SYNTHESIS,
        guard=has_proposals,
        rounds=Rounds.SAME,
    ),
    Transition(source=s.ROUND_MANAGER, event="MAX_ROUNDS_REACHED", target=None),
    Transition(source=s.SYNTHESIS, event="COMPLETE", target=None),
)

BEFORE = (s.INITIALIZATION, CLARIFICATION, CLARIFICATION_INPUT)
"""Stages in which nobody has proposed anything yet."""

WORKING = (
    CLARIFICATION,
    s.SUMMARIZATION,
    PROPOSAL,
    CRITIQUE,
    REFINEMENT,
    s.EVALUATION,
    s.SYNTHESIS,
)
"""Stages in which models are called, so that a step can fail."""


def _endings() -> Iterator[Transition]:
    """`end` and limits lead to the synthesis of what is there; of nothing there is none."""
    for stage in STAGES:
        if stage.name not in (*BEFORE, s.SYNTHESIS):
            yield Transition(
                source=stage.name,
                event=END,
                target=s.SYNTHESIS,
                guard=has_proposals,
                rounds=Rounds.SAME,
            )
        if stage.name != s.SYNTHESIS:
            yield Transition(source=stage.name, event=END, target=None)


def _recoveries() -> Iterator[Transition]:
    for name in WORKING:
        for event in (RETRY, FALLBACK):
            yield Transition(source=name, event=event, target=name, rounds=Rounds.SAME)
        yield Transition(source=name, event=FAILED, target=None)


TRANSITIONS = (*COURSE, *_endings(), *_recoveries())
