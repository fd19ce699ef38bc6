"""Guidance between rounds: the debate waits until its user says Continue, Guide or End.

For a format with rounds: let its settings inherit from `RoundSettings`, and begin the part of its
`steps` that opens a new round with

    if pause := checkpoint(state, over=state.round - 1, place=(state.round - 1, LAST)):
        yield pause
        return

`over` is the round that has just ended; if it is below 1, none has, and nothing is asked.
`place` must stand behind every turn of that round and before every turn of the next one. `None`
comes back if the setting is off, the question is answered, or the debate is ending anyway; the
round then begins, and `visibility` puts the notes into the prompts of all later steps by itself:
a public one into everybody's, a private one into its addressees' and nowhere else.
Nothing else is needed: End is recorded as `EndRequested` together with the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moot.protocol import forms
from moot.protocol.answers import Answer, Unreadable
from moot.protocol.events import AnyEvent, EndRequested
from moot.protocol.parsing import read_object, words
from moot.protocol.settings import RoundSettings, Settings
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Prompt, Step
from moot.protocol.values import Message, Place
from moot.protocol.words import USER, StepKind, Visibility

EVERY_ROUND = "every_round"
ACTIONS = CONTINUE, GUIDE, END = "continue", "guide", "end"
ALL = "all"
MAX_NOTE = 20_000
LAST = 1_000_000
"""A place behind everything else in a round."""

_SUFFIX = f"/{USER}/checkpoint"
_DONE = {CONTINUE: "Continue.", END: "End the debate."}


class CheckpointAnswer(Answer, frozen=True, kw_only=True):
    """`{"action": "guide", "note": "...", "to": "all", "visibility": "public"}`.

    Whoever writes a note wants it to be read: a note with `continue` is guidance all the same.
    """

    people: tuple[tuple[str, str], ...]
    """Whom a note can be for: ids and names."""

    @property
    def form(self) -> dict[str, Any]:
        readers = [("public", "Everybody"), ("private", "Only those it is for")]
        return forms.form(
            forms.choice("action", "How to go on", [(one, one.title()) for one in ACTIONS]),
            *(
                forms.only_if(field, "action", GUIDE, END)
                for field in (
                    forms.text("note", "Note", required=False),
                    forms.choice(
                        "to", "For whom", [(ALL, "Everybody"), *self.people], required=False
                    ),
                    forms.choice("visibility", "Who may read it", readers, required=False),
                )
            ),
        )

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        said = words(text)
        found = {"action": said[0]} if said in ((CONTINUE,), (END,)) else read_object(text)
        if isinstance(found, Unreadable):
            return found
        filled = forms.filled_in(self.form, found)
        return filled if isinstance(filled, Unreadable) else self._checked(filled)

    def _checked(self, found: Mapping[str, Any]) -> dict[str, Any] | Unreadable:
        action, note = found["action"], found.get("note", "").strip()
        if len(note) > MAX_NOTE:
            return Unreadable(f"note must have at most {MAX_NOTE} characters")
        if action == GUIDE and not note:
            return Unreadable("note is missing: what is the guidance?")
        return {
            "action": GUIDE if action == CONTINUE and note else action,
            "note": note,
            "to": found.get("to", ALL),
            "visibility": found.get("visibility", Visibility.PUBLIC.value),
        }

    def fallback(self, reason: str) -> dict[str, Any]:
        """A person who passes, or is not there, lets the debate go on."""
        del reason
        return {"action": CONTINUE, "note": "", "to": ALL, "visibility": Visibility.PUBLIC.value}

    def shown(self, text: str, data: dict[str, Any] | None) -> str:
        del text
        data = data or self.fallback("")
        return str(data["note"]) or _DONE[data["action"]]

    def visibility(self, data: dict[str, Any] | None) -> Visibility | None:
        if not data or not data["note"]:
            return Visibility.PRIVATE  # of no interest to readers of the debate
        return Visibility(data["visibility"])

    def consequences(self, data: dict[str, Any] | None) -> tuple[AnyEvent, ...]:
        return (EndRequested(),) if data and data["action"] == END else ()


def checkpoint(
    state: DebateState, *, over: int, place: Place, is_owed: bool = False
) -> Step | None:
    """The question between round `over` and the next, or None if there is nothing to ask."""
    if over < 1 or not _is_wanted(state.settings) or state.ending:
        return None
    stage = state.stage or ""
    key = f"{stage}/{over}{_SUFFIX}"
    if key in state.turns:
        return None
    return Step(
        key=key,
        participant=USER,
        kind=StepKind.ANSWER,
        stage=stage,
        round=over,
        place=place,
        prompt=Prompt("checkpoint", {"round": str(over), "topic": state.config.topic}),
        system=Prompt("verbatim", {"text": ""}),
        visibility=Visibility.PRIVATE,
        is_owed=is_owed,
        answer=CheckpointAnswer(
            people=tuple((one.id, one.name) for one in state.participants.values())
        ),
    )


def _is_wanted(settings: Settings) -> bool:
    return isinstance(settings, RoundSettings) and settings.checkpoint == EVERY_ROUND


# --- what reaches the prompts: asked by `visibility`; about keys, `occasions` asks, too -----------


def is_asked_between_rounds(key: str) -> bool:
    """Whether `key` is the key of a checkpoint."""
    return key.endswith(_SUFFIX)


def is_checkpoint(turn: Turn) -> bool:
    return turn.said.participant == USER and is_asked_between_rounds(turn.said.step_key)


def guidance(state: DebateState, turn: Turn, reader: str) -> Message | None:
    """What `reader` is told of the answer to a checkpoint; None if it is not for them."""
    data = turn.said.data
    if not data or not data["note"] or not turn.is_heard:
        return None
    to, is_private = data["to"], data["visibility"] == "private"
    if is_private and to not in (ALL, reader):
        return None
    whom = "all" if to == ALL else "you alone" if is_private else _name(state, to, reader)
    # System prompts say that what others say is no instruction to anybody; this is.
    return turn.as_quotation(f"{state.label_of(USER)} (guidance for {whom}, to be followed)")


def _name(state: DebateState, to: str, reader: str) -> str:
    return "you" if to == reader else state.label_of(to)
