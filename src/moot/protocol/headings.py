"""What a person is asked, in one line, as a person would ask it: for terminal, page and HTTP."""

from __future__ import annotations

from collections.abc import Mapping

from moot.protocol.checkpoints import is_asked_between_rounds
from moot.protocol.events import QuestionOpened
from moot.protocol.state import DebateState
from moot.protocol.words import USER, Role, StepKind, Visibility

HEADINGS: Mapping[StepKind, str] = {
    StepKind.PLAN: "Make a plan, if you like",
    StepKind.THINK: "Make notes, if you like",
    StepKind.SPEAK: "You have the floor",
    StepKind.EVALUATE: "Say what you make of it",
    StepKind.SCORE: "Give the score so far, from 0 to 10, and say why",
    StepKind.DELIBERATE: "Weigh the debate, if you like",
    StepKind.CONFIRM: "Say who has won",
    StepKind.VERDICT: "Give your verdict",
    StepKind.ASK: "Ask what you need to know",
    StepKind.SUMMARIZE: "Sum up the debate",
    StepKind.PROPOSE: "Propose your answer",
    StepKind.CRITIQUE: "Say what you think of the other proposals",
    StepKind.REFINE: "Write your proposal as it now stands",
    StepKind.SYNTHESIZE: "Write the solution",
    StepKind.VOTE: "Cast your ballot",
    StepKind.ANSWER: "Answer",
}
BETWEEN_ROUNDS = "How shall the debate go on?"
OPEN, MODERATE = "Open the debate", "Speak as the moderator"


def heading(question: QuestionOpened, state: DebateState) -> str:
    """`Answer Marisol`, `Give the score so far, from 0 to 10, and say why`."""
    if question.asker and question.kind is not StepKind.SPEAK:
        return f"Answer {_name(state, question.asker)}"
    if is_asked_between_rounds(question.question_id):
        return BETWEEN_ROUNDS
    if question.kind is StepKind.SPEAK:
        return _speech(question, state)
    return HEADINGS[question.kind]


def _speech(question: QuestionOpened, state: DebateState) -> str:
    """The heading for a speech: whom to answer, if somebody has made a case before."""
    said = (turn.said for turn in state.newest_first() if not turn.is_silent)
    spoken = [
        one.participant
        for one in said
        if one.kind is StepKind.SPEAK and one.visibility is Visibility.PUBLIC
    ]
    me = state.participants.get(question.participant)
    if me is not None and me.role is Role.MODERATOR:
        return MODERATE if spoken else OPEN
    last = spoken[0] if spoken else None
    if last is None:
        return OPEN
    chair = state.participants.get(last)
    is_called = last == question.asker or chair is None or chair.role is not Role.MODERATOR
    is_other = last not in (question.participant, USER)
    return f"Answer {_name(state, last)}" if is_called and is_other else HEADINGS[StepKind.SPEAK]


def _name(state: DebateState, participant: str) -> str:
    found = state.participants.get(participant) or state.left.get(participant)
    return found.name if found else state.label_of(participant)
