"""What a person is asked: one form per occasion, where a model takes several steps, and one line.

A person's step may have other steps along (`Step.along`), which its form answers too: the log has
the same steps as ever, and the person fills in one form. Each step reads its own part of what was
filled in; if that part was left empty, the step is passed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from moot.protocol import forms
from moot.protocol.answers import Answer, Text, Unreadable
from moot.protocol.checkpoints import is_asked_between_rounds
from moot.protocol.events import QuestionOpened, TurnRecorded
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.words import PASSED, USER, Role, StepKind, Visibility

TEXT, NOTES = "text", "notes"


class Part(Answer, frozen=True, kw_only=True):
    """One field of another step's form, as free text; empty if `field` is blank."""

    field: str = ""

    def written(self, filled: dict[str, Any]) -> str:
        return str(filled.get(self.field) or "")


class Speech(Text, frozen=True, kw_only=True):
    """What a person says to everybody, and notes of their own if they want to keep some."""

    @property
    def form(self) -> dict[str, Any]:
        return forms.form(
            forms.text(TEXT, "Your words"),
            forms.aside(forms.text(NOTES, "Notes to yourself, which nobody else reads")),
        )

    def written(self, filled: dict[str, Any]) -> str:
        return str(filled[TEXT])


def with_notes(speech: Step, *before: Step) -> Step:
    """The speech of a person, who may leave notes with it in place of thinking step by step.

    The notes are the turn of the last of the steps `before`; the others are passed.
    """
    if not before:
        return speech
    *passed, last = before
    replace = msgspec.structs.replace
    along = (
        *(replace(one, answer=Part()) for one in passed),
        replace(last, answer=Part(field=NOTES)),
    )
    return replace(speech, answer=Speech(on_unreadable=speech.answer.on_unreadable), along=along)


def part_of(step: Step, filled: dict[str, Any]) -> tuple[str, dict[str, Any] | None] | None:
    """What was filled in for a step that goes along, as text and data; None if it is no answer."""
    text = step.answer.written(filled) if filled else ""
    data = step.answer.read(text)
    return None if isinstance(data, Unreadable) else (text, data)


def is_left_out(said: Step | TurnRecorded) -> bool:
    """Whether a person passed a private step that they need not take, such as notes."""
    is_passed = isinstance(said, TurnRecorded) and PASSED in said.flags
    is_note = said.visibility is Visibility.PRIVATE and said.kind is not StepKind.SCORE
    return is_passed and is_note


# --- what a person is asked, in one line ----------------------------------------------------------

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
