"""The steps of every stage, and the event that it emits once it is through.

Steps of a stage that has begun are finished even if a limit is reached; only questions to the user
and a pause between rounds are not worth beginning then.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from moot.protocol.answers import Text
from moot.protocol.briefs import brief as for_people
from moot.protocol.checkpoints import LAST, checkpoint
from moot.protocol.formats.council import briefing
from moot.protocol.formats.council.answers import (
    CRITIQUE as CRITIQUE_ANSWER,
    EVALUATION as EVALUATION_ANSWER,
    PROPOSAL as PROPOSAL_ANSWER,
    REFINEMENT as REFINEMENT_ANSWER,
    QuestionsAnswer,
    revision,
)
from moot.protocol.formats.council.briefing import history_tokens, since
from moot.protocol.formats.council.labels import authors, critic_label, critics_names
from moot.protocol.formats.council.making import (
    Steps,
    any_open,
    by_judge,
    by_member,
    is_long,
    still_open,
)
from moot.protocol.formats.council.order import (
    ASK,
    CLARIFICATION_INPUT,
    CRITICIZE,
    EVALUATE,
    MEASURES,
    PROPOSE,
    QUESTIONS,
    REFINE,
    ROUNDS,
    SUMMARIZE,
    settings_of,
)
from moot.protocol.formats.council.positions import (
    has_proposed,
    holders,
    least_kept,
    pairs,
    position,
    text_of,
)
from moot.protocol.formats.council.questions import (
    Clarification,
    also_asked_by,
    asked_in,
    has_asked,
    known_questions,
    may_ask,
)
from moot.protocol.formats.council.remarks import one_form
from moot.protocol.formats.council.seats import active, index_of, judge
from moot.protocol.recovering import is_settled
from moot.protocol.state import DebateState
from moot.protocol.steps import Prompt, Step
from moot.protocol.values import Participant
from moot.protocol.words import USER, StepKind, View, Visibility


def no_steps(_state: DebateState) -> Steps:
    return ()


# --- before the rounds: what members want to know, and what the user tells them -------------------


def initialized(_state: DebateState) -> str:
    return "START"


def asking(state: DebateState) -> Steps:
    return still_open(state, _asking(state)) if may_ask(state) else ()


def _asking(state: DebateState) -> Iterator[Step]:
    known = known_questions(state)
    most = settings_of(state).clarifications_max_per_agent
    for member in active(state):
        yield by_member(
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
    return still_open(state, _answering(state))


def _answering(state: DebateState) -> Iterator[Step]:
    for one in asked_in(state, state.round):
        if one.same_as:
            continue
        yield Step(
            key=one.key,
            participant=USER,
            kind=StepKind.ANSWER,
            stage=CLARIFICATION_INPUT,
            round=state.round,
            place=(QUESTIONS, state.round, 1, index_of(state, one.member), one.number),
            prompt=_asked(state, one),
            system=Prompt("verbatim", {"text": ""}),
            view=View.BLANK,
            answer=Text(),
            asker=one.member,
            is_owed=True,
        )


def _asked(state: DebateState, one: Clarification) -> Prompt:
    others = ", ".join(state.label_of(each) for each in also_asked_by(state, one))
    if not others:
        return Prompt("verbatim", {"text": one.question})
    return Prompt("council/asked_by_several", {"question": one.question, "others": others})


def answered(state: DebateState) -> str | None:
    return None if any_open(state, _answering(state)) else "ANSWERS_SUBMITTED"


# --- the rounds: summaries, proposals, critiques, refinements -------------------------------------


def pausing(state: DebateState) -> Steps:
    """Between rounds the user may have a word, if the settings say so."""
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
    return still_open(state, _summarizing(state))


def _summarizing(state: DebateState) -> Iterator[Step]:
    for member in active(state):
        if not member.is_human and is_long(state, history_tokens(state, member.id)):
            yield by_member(
                state,
                SUMMARIZE,
                member,
                prompt=Prompt("council/summarize"),
                visibility=Visibility.PRIVATE,
                answer=Text(),
            )


def summarized(state: DebateState) -> str | None:
    return None if any_open(state, _summarizing(state)) else "CONTEXTS_READY"


def proposing(state: DebateState) -> Steps:
    """Fresh proposals in the first round; later the refinements are carried over, and only a
    member whom a retry has brought back has yet to propose."""
    return still_open(state, _proposing(state))


def _proposing(state: DebateState) -> Iterator[Step]:
    for member in active(state):
        if has_proposed(state, member.id):
            continue
        yield by_member(
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
    return None if any_open(state, _proposing(state)) else "PROPOSALS_COMPLETE"


def lacks_proposals(state: DebateState) -> bool:
    return any_open(state, _proposing(state))


def criticizing(state: DebateState) -> Steps:
    return still_open(state, _criticizing(state))


def _criticizing(state: DebateState) -> Iterator[Step]:
    by_people: dict[str, list[Step]] = {}
    for by, of in pairs(state, state.round):
        # A person's are made even if settled: whether they are one question depends on them all.
        is_done = not by.is_human and is_settled(state, CRITICIZE.key(state.round, by.id, of.id))
        if is_done or (step := _critique(state, by, of)) is None:
            continue
        if by.is_human:
            by_people.setdefault(by.id, []).append(step)
        else:
            yield step
    for by in active(state):
        if by.id in by_people:
            yield from one_form(state, by, by_people[by.id])


def _critique(state: DebateState, by: Participant, of: Participant) -> Step | None:
    turn = position(state, of.id, state.round)
    if turn is None:
        return None
    return by_member(
        state,
        CRITICIZE,
        by,
        of,
        prompt=briefing.critique_prompt(state, of, turn),
        answer=msgspec.structs.replace(
            CRITIQUE_ANSWER,
            heading=f"On the proposal of {of.name}, as {critic_label(state, by.id, of.id)}:",
            names=authors(state),
        ),
        tools=settings_of(state).max_tool_calls,
    )


def criticized(state: DebateState) -> str | None:
    return None if any_open(state, _criticizing(state)) else "CRITIQUES_COMPLETE"


def lacks_critiques(state: DebateState) -> bool:
    return any_open(state, _criticizing(state))


def refining(state: DebateState) -> Steps:
    return still_open(state, _refining(state))


def _refining(state: DebateState) -> Iterator[Step]:
    for member in holders(state, state.round):
        if is_settled(state, REFINE.key(state.round, member.id)):
            continue
        turn = position(state, member.id, state.round)
        is_summarised = turn is not None and turn.place < since(state, member.id)
        is_forgotten = is_summarised or member.is_human
        answer = revision(text_of(turn)) if turn and member.is_human else REFINEMENT_ANSWER
        yield by_member(
            state,
            REFINE,
            member,
            prompt=briefing.refine_prompt(state, member, reminds=is_forgotten),
            answer=msgspec.structs.replace(answer, names=critics_names(state, member.id)),
            tools=settings_of(state).max_tool_calls,
        )


def refined(state: DebateState) -> str | None:
    return None if any_open(state, _refining(state)) else "REFINEMENTS_COMPLETE"


def lacks_refinements(state: DebateState) -> bool:
    return any_open(state, _refining(state))


# --- the judge: how far it has come ---------------------------------------------------------------


def evaluating(state: DebateState) -> Steps:
    is_asked = EVALUATE.times(settings_of(state)) and holders(state, state.round)
    return still_open(state, _evaluating(state)) if is_asked else ()


def _evaluating(state: DebateState) -> Iterator[Step]:
    prompt = briefing.evaluate_prompt(state)
    answer = msgspec.structs.replace(EVALUATION_ANSWER, names=authors(state))
    step = by_judge(state, EVALUATE, prompt=prompt, answer=answer)
    chair = judge(state)
    if chair.is_human:  # who has no history to look at
        asked = for_people(state, chair, briefing.evaluate_for_person(state))
        step = msgspec.structs.replace(step, for_people=asked)
    yield step


def lacks_evaluation(state: DebateState) -> bool:
    return bool(evaluating(state))


def number(state: DebateState, round_: int, name: str) -> float | None:
    """One of the judge's numbers of a round; None if there is none that can be read."""
    turn = state.turn(EVALUATE.key(round_, judge(state).id))
    found: float | None = (turn.said.data or {}).get(name) if turn else None
    return found


def figure(state: DebateState, round_: int) -> float | None:
    """The figure that this council's termination looks at, as it stood after a round."""
    termination = settings_of(state).termination
    if termination == "stable":
        return least_kept(state, round_)
    measure = MEASURES.get(termination)
    return number(state, round_, measure) if measure else None


def is_reached(state: DebateState, round_: int) -> bool:
    """Whether that figure is at least the threshold."""
    found = figure(state, round_)
    return found is not None and found >= settings_of(state).threshold


def evaluated(state: DebateState) -> str | None:
    settings = settings_of(state)
    if evaluating(state):
        return None
    if is_reached(state, state.round):
        return "POSITIONS_STABLE" if settings.termination == "stable" else "CONSENSUS_REACHED"
    is_beyond = state.round > settings.rounds  # the guardrail of seed 004
    return "MAX_ROUNDS_REACHED" if is_beyond else "CONTINUE"
