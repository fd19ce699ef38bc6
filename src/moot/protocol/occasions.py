"""One form per occasion: what a person is asked once, where a model takes several steps.

A person's step may have other steps along (`Step.along`), which its form answers too: the log has
the same steps as ever, and the person fills in one form. Each step reads its own part of what was
filled in; if that part was left empty, the step is passed.
"""

from __future__ import annotations

from typing import Any

import msgspec

from moot.protocol import forms
from moot.protocol.answers import Answer, Text, Unreadable
from moot.protocol.events import TurnRecorded
from moot.protocol.steps import Step
from moot.protocol.words import PASSED, StepKind, Visibility

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
