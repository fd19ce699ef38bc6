"""The judge: how far it has come, and what comes of it; and the members' ballots."""

from __future__ import annotations

from collections.abc import Iterator

from moot.protocol.answers import Text
from moot.protocol.formats.council import ballots, briefing
from moot.protocol.formats.council.answers import (
    EVALUATION as EVALUATION_ANSWER,
    SOLUTION,
    BallotAnswer,
)
from moot.protocol.formats.council.memory import BEGINNING, judge_tokens, since
from moot.protocol.formats.council.positions import (
    holders,
)
from moot.protocol.formats.council.seats import active, index_of, judge
from moot.protocol.formats.council.stages.making import (
    EVALUATION,
    RESULT,
    ROUNDS,
    SYNTHESIS,
    is_long,
    judge_step,
    member_step,
    still_open,
    then,
)
from moot.protocol.state import DebateState
from moot.protocol.steps import Prompt, Step
from moot.protocol.words import StepKind, View, Visibility


def evaluate_key(state: DebateState, round_: int) -> str:
    return f"{EVALUATION}/{round_}/{judge(state).id}/evaluate"


def evaluating(state: DebateState) -> tuple[Step, ...]:
    """With `fixed` termination there is nothing to ask the judge."""
    is_asked = state.config.settings["termination"] != "fixed" and holders(state, state.round)
    return still_open(state, _evaluating(state)) if is_asked else ()


def _evaluating(state: DebateState) -> Iterator[Step]:
    yield judge_step(
        state,
        key=evaluate_key(state, state.round),
        kind=StepKind.EVALUATE,
        place=(ROUNDS, state.round, 4),
        prompt=briefing.evaluate_prompt(state),
        answer=EVALUATION_ANSWER,
    )


MEASURES = {"convergence": "confidence", "quality": "quality"}
"""Which of the judge's numbers a termination looks at."""


def number(state: DebateState, round_: int, name: str) -> float | None:
    """One of the judge's numbers of a round; None if there is none that can be read."""
    turn = state.turn(evaluate_key(state, round_))
    found: float | None = (turn.said.data or {}).get(name) if turn else None
    return found


def is_reached(state: DebateState, round_: int) -> bool:
    """Whether the judge's number of a round is at least the threshold."""
    measure = MEASURES.get(str(state.config.settings["termination"]))
    found = number(state, round_, measure) if measure else None
    return found is not None and found >= state.config.settings["threshold"]


def evaluated(state: DebateState) -> str | None:
    if evaluating(state):
        return None
    if is_reached(state, state.round):
        return "CONSENSUS_REACHED"
    if state.round > int(state.config.settings["rounds"]):  # the guardrail of seed 004
        return "MAX_ROUNDS_REACHED"
    return then(state, "CONTINUE")


def synthesize_key(state: DebateState) -> str:
    return f"{SYNTHESIS}/{state.round}/{judge(state).id}/synthesize"


def synthesizing(state: DebateState) -> tuple[Step, ...]:
    """The members' ballots if they decide; the judge's own summary if need be; the solution."""
    if ballots.is_voted(state) and not ballots.are_in(state):
        return still_open(state, _voting(state))
    return still_open(state, _judge_summarizing(state)) or still_open(state, _synthesizing(state))


def _voting(state: DebateState) -> Iterator[Step]:
    standing = ballots.candidates(state)
    labels = tuple(one.label for one in standing)
    for member in active(state):
        yield member_step(
            state,
            member,
            key=ballots.vote_key(state, member.id),
            kind=StepKind.VOTE,
            place=(RESULT, state.round, 0, index_of(state, member.id)),
            prompt=briefing.ballot_prompt(state, [(one.label, one.text) for one in standing]),
            # With its own history a member would know which proposal is whose.
            view=View.BLANK,
            answer=BallotAnswer(labels=labels, is_ranked=ballots.rule(state) == "rank"),
        )


def _judge_summarizing(state: DebateState) -> Iterator[Step]:
    if not judge(state).is_human and is_long(state, judge_tokens(state)):
        yield judge_step(
            state,
            key=f"{SYNTHESIS}/{state.round}/{judge(state).id}/summarize",
            kind=StepKind.SUMMARIZE,
            place=(RESULT, state.round, 1),
            prompt=Prompt("council/judge_summary"),
            visibility=Visibility.PRIVATE,
            answer=Text(),
        )


def _synthesizing(state: DebateState) -> Iterator[Step]:
    count = ballots.count(state) if ballots.is_voted(state) else None
    winners = None if count is None else [count["winner"]] if count["winner"] else count["tied"]
    chair = judge(state)
    is_forgotten = chair.is_human or since(state, chair.id) > BEGINNING
    yield judge_step(
        state,
        key=synthesize_key(state),
        kind=StepKind.SYNTHESIZE,
        place=(RESULT, state.round, 2),
        prompt=briefing.synthesize_prompt(state, reminds=is_forgotten, winners=winners),
        answer=SOLUTION,
    )


def synthesized(state: DebateState) -> str | None:
    return "COMPLETE" if synthesize_key(state) in state.turns else None
