"""Which steps each stage has, and which event it emits once it is through (seed 004, "Nodes")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from moot.protocol.answers import Text
from moot.protocol.briefs import brief as for_people
from moot.protocol.checkpoints import LAST, checkpoint
from moot.protocol.formats.council import ballots, briefing
from moot.protocol.formats.council.answers import (
    EVALUATION as EVALUATION_ANSWER,
    PROPOSAL as PROPOSAL_ANSWER,
    REFINEMENT as REFINEMENT_ANSWER,
    SOLUTION,
    BallotAnswer,
    QuestionsAnswer,
    critique_of,
)
from moot.protocol.formats.council.memory import BEGINNING, history_tokens, judge_tokens, since
from moot.protocol.formats.council.positions import (
    critique_key,
    holders,
    is_settled,
    pairs,
    position,
    propose_key,
    refine_key,
)
from moot.protocol.formats.council.questions import (
    CLARIFICATION_INPUT,
    ask_key,
    asked_in,
    clarifications,
    has_asked,
    may_ask,
)
from moot.protocol.formats.council.seats import active, index_of, judge
from moot.protocol.machine import END
from moot.protocol.state import DebateState
from moot.protocol.steps import Prompt, Step
from moot.protocol.values import Participant
from moot.protocol.words import USER, StepKind, View, Visibility

INITIALIZATION, ROUND_MANAGER, SUMMARIZATION = "initialization", "round_manager", "summarization"
EVALUATION, SYNTHESIS = "evaluation", ballots.SYNTHESIS

# Where turns stand: questions before the rounds, the rounds, what is made of them.
QUESTIONS, ROUNDS, RESULT = 0, 1, 2


def no_steps(_state: DebateState) -> tuple[Step, ...]:
    return ()


def _member_step(state: DebateState, member: Participant, **fields: Any) -> Step:
    """A step of a member, which sees its own history as far as it is not summarised."""
    given: dict[str, Any] = {
        "participant": member.id,
        "stage": state.stage,
        "round": state.round,
        "system": briefing.brief(state, member),
        "since": since(state, member.id),
        "max_tokens": int(state.config.settings["max_tokens"]),
        "for_people": for_people(state, member, fields["prompt"]),
    }
    return Step(**{**given, **fields})


def _lookups(state: DebateState) -> int:
    """How often a step may look into the files of the council."""
    return int(state.config.settings.get("max_tool_calls", 0))


def _judge_step(state: DebateState, **fields: Any) -> Step:
    """A step of the judge, which sees all that was said in the rounds."""
    chair = judge(state)
    given: dict[str, Any] = {
        "participant": chair.id,
        "stage": state.stage,
        "round": state.round,
        "system": briefing.judge_brief(state, chair),
        "view": View.TRANSCRIPT,
        "since": since(state, chair.id),
        "max_tokens": int(state.config.settings["max_tokens_judge"]),
        "for_people": for_people(state, chair, fields["prompt"]),
    }
    return Step(**{**given, **fields})


def _then(state: DebateState, event: str) -> str:
    """`event`, unless a limit was reached: what is there is then brought to its end."""
    return END if state.limits else event


def _open(state: DebateState, steps: Iterator[Step]) -> tuple[Step, ...]:
    return tuple(step for step in steps if not is_settled(state, step.key))


# --- before the rounds ----------------------------------------------------------------------------


def initialized(_state: DebateState) -> str:
    return "START"


def asking(state: DebateState) -> tuple[Step, ...]:
    return _open(state, _asking(state)) if may_ask(state) else ()


def _asking(state: DebateState) -> Iterator[Step]:
    known = tuple(one.question for one in clarifications(state))
    most = int(state.config.settings["clarifications_max_per_agent"])
    for member in active(state):
        yield _member_step(
            state,
            member,
            key=ask_key(state.round, member.id),
            kind=StepKind.ASK,
            place=(QUESTIONS, state.round, 0, index_of(state, member.id)),
            prompt=briefing.ask_prompt(state),
            view=View.BLANK,
            answer=QuestionsAnswer(most=most, known=known),
        )


def clarified(state: DebateState) -> str | None:
    if state.limits:
        return END
    if not may_ask(state):
        return "ALL_CLEAR"
    if not has_asked(state):
        return None
    return "QUESTIONS_PENDING" if any(asked_in(state, state.round)) else "ALL_CLEAR"


def answering(state: DebateState) -> tuple[Step, ...]:
    return _open(state, _answering(state))


def _answering(state: DebateState) -> Iterator[Step]:
    for one in asked_in(state, state.round):
        yield Step(
            key=one.key,
            participant=USER,
            kind=StepKind.ANSWER,
            stage=CLARIFICATION_INPUT,
            round=state.round,
            place=(QUESTIONS, state.round, 1, index_of(state, one.member), one.number),
            prompt=Prompt("verbatim", {"text": one.question}),
            system=Prompt("verbatim", {"text": ""}),
            view=View.BLANK,
            answer=Text(),
            asker=one.member,
        )


def answered(state: DebateState) -> str | None:
    return None if answering(state) else "ANSWERS_SUBMITTED"


# --- the rounds -----------------------------------------------------------------------------------


def pausing(state: DebateState) -> tuple[Step, ...]:
    """Between rounds the user may have a word, if the debate was told so."""
    is_last = state.limits or state.round >= int(state.config.settings["rounds"])
    place = (ROUNDS, state.round, LAST)
    pause = None if is_last else checkpoint(state, over=state.round, place=place)
    return (pause,) if pause else ()


def managed(state: DebateState) -> str | None:
    if pausing(state):
        return None
    is_more = state.round < int(state.config.settings["rounds"])
    return _then(state, "BEGIN_ROUND" if is_more else "MAX_ROUNDS_REACHED")


def summarizing(state: DebateState) -> tuple[Step, ...]:
    """Each member decides for itself, by the length of its own history."""
    return _open(state, _summarizing(state))


def _summarizing(state: DebateState) -> Iterator[Step]:
    for member in active(state):
        if not member.is_human and _is_long(state, history_tokens(state, member.id)):
            yield _member_step(
                state,
                member,
                key=f"{SUMMARIZATION}/{state.round}/{member.id}/summarize",
                kind=StepKind.SUMMARIZE,
                place=(ROUNDS, state.round, 0, index_of(state, member.id)),
                prompt=Prompt("council/summarize"),
                visibility=Visibility.PRIVATE,
                answer=Text(),
            )


def _is_long(state: DebateState, tokens: int) -> bool:
    return tokens > int(state.config.settings["summary_threshold_tokens"])


def summarized(state: DebateState) -> str | None:
    return None if summarizing(state) else _then(state, "CONTEXTS_READY")


def proposing(state: DebateState) -> tuple[Step, ...]:
    """Fresh proposals in the first round; later the refinements are carried over."""
    return _open(state, _proposing(state)) if state.round == 1 else ()


def _proposing(state: DebateState) -> Iterator[Step]:
    for member in active(state):
        yield _member_step(
            state,
            member,
            key=propose_key(member.id),
            kind=StepKind.PROPOSE,
            place=(ROUNDS, 1, 1, index_of(state, member.id)),
            prompt=briefing.propose_prompt(),
            # Written before anyone has seen another's.
            view=View.BLANK,
            answer=PROPOSAL_ANSWER,
            tools=_lookups(state),
            may_pass=False,
        )


def proposed(state: DebateState) -> str | None:
    return None if proposing(state) else _then(state, "PROPOSALS_COMPLETE")


def criticizing(state: DebateState) -> tuple[Step, ...]:
    return _open(state, _criticizing(state))


def _criticizing(state: DebateState) -> Iterator[Step]:
    for by, of in pairs(state, state.round):
        turn = position(state, of.id, state.round)
        if turn is None:
            continue
        seats = index_of(state, of.id), index_of(state, by.id)
        yield _member_step(
            state,
            by,
            key=critique_key(state.round, by.id, of.id),
            kind=StepKind.CRITIQUE,
            place=(ROUNDS, state.round, 2, *seats),
            # All at once: none of them knows of the others.
            horizon=(ROUNDS, state.round, 2),
            prompt=briefing.critique_prompt(state, of, turn),
            answer=critique_of(of.name),
            tools=_lookups(state),
        )


def criticized(state: DebateState) -> str | None:
    return None if criticizing(state) else _then(state, "CRITIQUES_COMPLETE")


def refining(state: DebateState) -> tuple[Step, ...]:
    return _open(state, _refining(state))


def _refining(state: DebateState) -> Iterator[Step]:
    for member in holders(state, state.round):
        turn = position(state, member.id, state.round)
        is_summarised = turn is not None and turn.place < since(state, member.id)
        is_forgotten = is_summarised or member.is_human
        yield _member_step(
            state,
            member,
            key=refine_key(state.round, member.id),
            kind=StepKind.REFINE,
            place=(ROUNDS, state.round, 3, index_of(state, member.id)),
            prompt=briefing.refine_prompt(state, member, reminds=is_forgotten),
            answer=REFINEMENT_ANSWER,
            tools=_lookups(state),
        )


def refined(state: DebateState) -> str | None:
    return None if refining(state) else _then(state, "REFINEMENTS_COMPLETE")


# --- the judge ------------------------------------------------------------------------------------


def evaluate_key(state: DebateState, round_: int) -> str:
    return f"{EVALUATION}/{round_}/{judge(state).id}/evaluate"


def evaluating(state: DebateState) -> tuple[Step, ...]:
    """With `fixed` termination there is nothing to ask the judge."""
    is_asked = state.config.settings["termination"] != "fixed" and holders(state, state.round)
    return _open(state, _evaluating(state)) if is_asked else ()


def _evaluating(state: DebateState) -> Iterator[Step]:
    yield _judge_step(
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
    return _then(state, "CONTINUE")


def synthesize_key(state: DebateState) -> str:
    return f"{SYNTHESIS}/{state.round}/{judge(state).id}/synthesize"


def synthesizing(state: DebateState) -> tuple[Step, ...]:
    """The members' ballots if they decide; the judge's own summary if need be; the solution."""
    if ballots.is_voted(state) and not ballots.are_in(state):
        return _open(state, _voting(state))
    return _open(state, _judge_summarizing(state)) or _open(state, _synthesizing(state))


def _voting(state: DebateState) -> Iterator[Step]:
    standing = ballots.candidates(state)
    labels = tuple(one.label for one in standing)
    for member in active(state):
        yield _member_step(
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
    if not judge(state).is_human and _is_long(state, judge_tokens(state)):
        yield _judge_step(
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
    yield _judge_step(
        state,
        key=synthesize_key(state),
        kind=StepKind.SYNTHESIZE,
        place=(RESULT, state.round, 2),
        prompt=briefing.synthesize_prompt(state, reminds=is_forgotten, winners=winners),
        answer=SOLUTION,
        may_pass=False,
    )


def synthesized(state: DebateState) -> str | None:
    return "COMPLETE" if synthesize_key(state) in state.turns else None
