"""The steps of every stage, and the event that it emits once it is through.

What has begun side by side is finished though a limit is reached; only questions to the user, and
a pause between rounds, are not worth beginning then.
"""

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
from moot.protocol.formats.council.briefing import BEGINNING, history_tokens, judge_tokens, since
from moot.protocol.formats.council.order import (
    ASK,
    CLARIFICATION_INPUT,
    CRITICIZE,
    EVALUATE,
    PROPOSE,
    QUESTIONS,
    REFINE,
    ROUNDS,
    SUM_UP,
    SUMMARIZE,
    SYNTHESIZE,
    VOTE,
    Pass,
    settings_of,
)
from moot.protocol.formats.council.positions import holders, is_settled, pairs, position
from moot.protocol.formats.council.questions import asked_in, clarifications, has_asked, may_ask
from moot.protocol.formats.council.seats import active, index_of, judge
from moot.protocol.state import DebateState
from moot.protocol.steps import Prompt, Step
from moot.protocol.values import Participant
from moot.protocol.words import USER, StepKind, View, Visibility

Steps = tuple[Step, ...]


# --- how steps are made ---------------------------------------------------------------------------


def _by_member(
    state: DebateState,
    row: Pass,
    member: Participant,
    about: Participant | None = None,
    **fields: Any,
) -> Step:
    """A step of a member, which sees its own history as far as it is not summarised."""
    seats = [index_of(state, one.id) for one in (about, member) if one]
    given: dict[str, Any] = {
        "key": row.key(state.round, member.id, about.id if about else ""),
        "participant": member.id,
        "about": about.id if about else "",
        "place": row.place(state.round, *seats),
        # All at once: none of them knows of the others, and a person among them reads none yet.
        "horizon": row.place(state.round),
        "system": briefing.brief(state, member),
        "since": since(state, member.id),
        "max_tokens": settings_of(state).max_tokens,
        "for_people": for_people(state, member, fields["prompt"]),
    }
    return _step(state, row, {**given, **fields})


def _by_judge(state: DebateState, row: Pass, **fields: Any) -> Step:
    """A step of the judge, which sees all that was said in the rounds."""
    chair = judge(state)
    given: dict[str, Any] = {
        "key": row.key(state.round, chair.id),
        "participant": chair.id,
        "place": row.place(state.round),
        "system": briefing.judge_brief(state, chair),
        "view": View.TRANSCRIPT,
        "since": since(state, chair.id),
        "max_tokens": settings_of(state).max_tokens_judge,
        "for_people": for_people(state, chair, fields["prompt"]),
    }
    return _step(state, row, {**given, **fields})


def _step(state: DebateState, row: Pass, fields: dict[str, Any]) -> Step:
    given = {"kind": row.kind, "stage": row.stage, "round": state.round, "is_owed": True}
    return Step(**{**given, **fields})


def _still_open(state: DebateState, steps: Iterator[Step]) -> Steps:
    """Those that have no turn and are not done without."""
    return tuple(step for step in steps if not is_settled(state, step.key))


def _is_long(state: DebateState, tokens: int) -> bool:
    """Whether a history of so many tokens is to be summarised."""
    return tokens > settings_of(state).summary_threshold_tokens


def no_steps(_state: DebateState) -> Steps:
    return ()


# --- before the rounds: what members want to know, and what the user tells them -------------------


def initialized(_state: DebateState) -> str:
    return "START"


def asking(state: DebateState) -> Steps:
    return _still_open(state, _asking(state)) if may_ask(state) else ()


def _asking(state: DebateState) -> Iterator[Step]:
    known = tuple(one.question for one in clarifications(state))
    most = settings_of(state).clarifications_max_per_agent
    for member in active(state):
        yield _by_member(
            state,
            ASK,
            member,
            prompt=briefing.ask_prompt(state),
            view=View.BLANK,
            answer=QuestionsAnswer(most=most, known=known),
            is_owed=False,
        )


def clarified(state: DebateState) -> str | None:
    if not may_ask(state):
        return "ALL_CLEAR"
    if not has_asked(state):
        return None
    return "QUESTIONS_PENDING" if any(asked_in(state, state.round)) else "ALL_CLEAR"


def answering(state: DebateState) -> Steps:
    return _still_open(state, _answering(state))


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
            is_owed=True,
        )


def answered(state: DebateState) -> str | None:
    return None if answering(state) else "ANSWERS_SUBMITTED"


# --- the rounds: summaries, proposals, critiques, refinements -------------------------------------


def pausing(state: DebateState) -> Steps:
    """Between rounds the user may have a word, if the debate was told so."""
    is_last = state.round >= settings_of(state).rounds
    place = (ROUNDS, state.round, LAST)
    pause = None if is_last else checkpoint(state, over=state.round, place=place)
    return (pause,) if pause else ()


def managed(state: DebateState) -> str | None:
    if state.round >= settings_of(state).rounds:
        return "MAX_ROUNDS_REACHED"
    return None if pausing(state) else "BEGIN_ROUND"


def summarizing(state: DebateState) -> Steps:
    """Each member decides for itself, by the length of its own history."""
    return _still_open(state, _summarizing(state))


def _summarizing(state: DebateState) -> Iterator[Step]:
    for member in active(state):
        if not member.is_human and _is_long(state, history_tokens(state, member.id)):
            yield _by_member(
                state,
                SUMMARIZE,
                member,
                prompt=Prompt("council/summarize"),
                visibility=Visibility.PRIVATE,
                answer=Text(),
            )


def summarized(state: DebateState) -> str | None:
    return None if summarizing(state) else "CONTEXTS_READY"


def proposing(state: DebateState) -> Steps:
    """Fresh proposals in the first round; later the refinements are carried over."""
    return _still_open(state, _proposing(state)) if state.round == 1 else ()


def _proposing(state: DebateState) -> Iterator[Step]:
    for member in active(state):
        yield _by_member(
            state,
            PROPOSE,
            member,
            prompt=briefing.propose_prompt(),
            # Written before anyone has seen another's.
            view=View.BLANK,
            answer=PROPOSAL_ANSWER,
            tools=settings_of(state).max_tool_calls,
        )


def proposed(state: DebateState) -> str | None:
    return None if proposing(state) else "PROPOSALS_COMPLETE"


def criticizing(state: DebateState) -> Steps:
    return _still_open(state, _criticizing(state))


def _criticizing(state: DebateState) -> Iterator[Step]:
    for by, of in pairs(state, state.round):
        turn = position(state, of.id, state.round)
        if turn is None:
            continue
        yield _by_member(
            state,
            CRITICIZE,
            by,
            of,
            prompt=briefing.critique_prompt(state, of, turn),
            answer=critique_of(of.name),
            tools=settings_of(state).max_tool_calls,
        )


def criticized(state: DebateState) -> str | None:
    return None if criticizing(state) else "CRITIQUES_COMPLETE"


def refining(state: DebateState) -> Steps:
    return _still_open(state, _refining(state))


def _refining(state: DebateState) -> Iterator[Step]:
    for member in holders(state, state.round):
        turn = position(state, member.id, state.round)
        is_summarised = turn is not None and turn.place < since(state, member.id)
        is_forgotten = is_summarised or member.is_human
        yield _by_member(
            state,
            REFINE,
            member,
            prompt=briefing.refine_prompt(state, member, reminds=is_forgotten),
            answer=REFINEMENT_ANSWER,
            tools=settings_of(state).max_tool_calls,
        )


def refined(state: DebateState) -> str | None:
    return None if refining(state) else "REFINEMENTS_COMPLETE"


# --- the judge: how far it has come ---------------------------------------------------------------

MEASURES = {"convergence": "confidence", "quality": "quality"}
"""Which of the judge's numbers a termination looks at."""


def evaluating(state: DebateState) -> Steps:
    is_asked = EVALUATE.times(settings_of(state)) and holders(state, state.round)
    return _still_open(state, _evaluating(state)) if is_asked else ()


def _evaluating(state: DebateState) -> Iterator[Step]:
    prompt = briefing.evaluate_prompt(state)
    yield _by_judge(state, EVALUATE, prompt=prompt, answer=EVALUATION_ANSWER)


def number(state: DebateState, round_: int, name: str) -> float | None:
    """One of the judge's numbers of a round; None if there is none that can be read."""
    turn = state.turn(EVALUATE.key(round_, judge(state).id))
    found: float | None = (turn.said.data or {}).get(name) if turn else None
    return found


def is_reached(state: DebateState, round_: int) -> bool:
    """Whether the judge's number of a round is at least the threshold."""
    measure = MEASURES.get(settings_of(state).termination)
    found = number(state, round_, measure) if measure else None
    return found is not None and found >= settings_of(state).threshold


def evaluated(state: DebateState) -> str | None:
    if evaluating(state):
        return None
    if is_reached(state, state.round):
        return "CONSENSUS_REACHED"
    is_beyond = state.round > settings_of(state).rounds  # the guardrail of seed 004
    return "MAX_ROUNDS_REACHED" if is_beyond else "CONTINUE"


# --- what comes of it: the members' ballots, the judge's solution ---------------------------------


def synthesizing(state: DebateState) -> Steps:
    """The members' ballots if they decide; the judge's own summary if need be; the solution."""
    if ballots.is_voted(state) and not ballots.are_in(state):
        return _still_open(state, _voting(state))
    return _still_open(state, _summing_up(state)) or _still_open(state, _synthesizing(state))


def _voting(state: DebateState) -> Iterator[Step]:
    standing = ballots.candidates(state)
    labels = tuple(one.label for one in standing)
    for member in active(state):
        yield _by_member(
            state,
            VOTE,
            member,
            prompt=briefing.ballot_prompt(state, [(one.label, one.text) for one in standing]),
            # With its own history a member would know which proposal is whose.
            view=View.BLANK,
            answer=BallotAnswer(labels=labels, is_ranked=ballots.rule(state) == "rank"),
        )


def _summing_up(state: DebateState) -> Iterator[Step]:
    if not judge(state).is_human and _is_long(state, judge_tokens(state)):
        yield _by_judge(
            state,
            SUM_UP,
            prompt=Prompt("council/judge_summary"),
            visibility=Visibility.PRIVATE,
            answer=Text(),
        )


def _synthesizing(state: DebateState) -> Iterator[Step]:
    count = ballots.count(state) if ballots.is_voted(state) else None
    winners = None if count is None else [count["winner"]] if count["winner"] else count["tied"]
    chair = judge(state)
    is_forgotten = chair.is_human or since(state, chair.id) > BEGINNING
    yield _by_judge(
        state,
        SYNTHESIZE,
        prompt=briefing.synthesize_prompt(state, reminds=is_forgotten, winners=winners),
        answer=SOLUTION,
    )


def synthesized(state: DebateState) -> str | None:
    return "COMPLETE" if SYNTHESIZE.key(state.round, judge(state).id) in state.turns else None
