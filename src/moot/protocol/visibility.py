"""What each participant sees. The only module that decides it.

A prompt is made of the participant's own earlier prompts and replies in full, of public turns that
are included, of the notes that the user left for them at checkpoints, and of nothing private of
anyone else. Lists only ever grow at the end while nobody includes or excludes a turn, so that
providers' prefix caches hit.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

from moot.protocol.checkpoints import guidance, is_checkpoint
from moot.protocol.quoting import quoted
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Step
from moot.protocol.turns import Reading
from moot.protocol.values import Message, Place
from moot.protocol.words import USER, View, Visibility

REMEMBERED_FROM = 64
"""Turns from which on it pays to remember what somebody has been given."""


def history(state: DebateState, step: Step) -> list[Message]:
    """The messages that come between a step's system prompt and its own prompt, oldest first."""
    match step.view:
        case View.BLANK:
            return notes_for(state, step)
        case View.OWN:
            return _own(state, step)
        case View.TRANSCRIPT:
            return _transcript(state, step)


def _own(state: DebateState, step: Step) -> list[Message]:
    turns = state.own_turns.get(step.participant, [])
    begin = bisect_left(turns, step.since or (), key=lambda turn: turn.place)
    end = bisect_left(turns, step.horizon or step.place, key=lambda turn: turn.place)
    if step.hears is not None or _checkpoints(state, step):
        return _own_and_guidance(state, step, turns[begin:end])
    # Done for every call with all that was said so far, so no call of ours for each turn.
    return [
        message
        for turn in turns[begin:end]
        if turn.included and not turn.is_silent
        for message in turn.exchange or turn.as_exchange()
    ]


def _checkpoints(state: DebateState, step: Step) -> list[Turn]:
    """The answers to checkpoints that stand before a step of somebody else's."""
    if step.participant == USER:
        return []
    horizon = step.horizon or step.place
    return [
        turn
        for turn in state.own_turns.get(USER, ())
        if is_checkpoint(turn) and turn.place < horizon
    ]


def notes_for(state: DebateState, step: Step, *, after: Place = ()) -> list[Message]:
    """The notes from checkpoints that the step's participant may read, from a place on."""
    turns = [turn for turn in _checkpoints(state, step) if turn.place > after]
    found = (guidance(state, turn, step.participant) for turn in turns)
    return [message for message in found if message is not None]


def _own_and_guidance(state: DebateState, step: Step, own: list[Turn]) -> list[Message]:
    messages: list[Message] = []
    for turn in sorted([*own, *_checkpoints(state, step)], key=lambda turn: turn.place):
        if is_checkpoint(turn):
            note = guidance(state, turn, step.participant)
            messages += [note] if note else []
        elif turn.included and not turn.is_silent:
            messages += _exchange(state, step, turn)
    return messages


def _exchange(state: DebateState, step: Step, turn: Turn) -> tuple[Message, ...]:
    if step.hears is None or turn.exchange:
        return turn.as_exchange()
    return turn.as_exchange(step.hears(state, turn, step.participant).text)


def _transcript(state: DebateState, step: Step) -> list[Message]:
    end = state.count_before(step.horizon or step.place)
    known = state.readings.get(step.participant)
    if known is None or not _holds(known, state, step, end):
        known = Reading()
    messages = [*known.messages, *_read(state, step, state.part(known.count, end))]
    if end >= REMEMBERED_FROM:
        state.readings[step.participant] = Reading(
            edits=state.edits, since=step.since, count=end, messages=tuple(messages)
        )
    return messages


def _holds(known: Reading, state: DebateState, step: Step, end: int) -> bool:
    return (known.edits, known.since) == (state.edits, step.since) and known.count <= end


def _read(state: DebateState, step: Step, turns: list[Turn]) -> list[Message]:
    labels = {one.id: one.label for one in (*state.left.values(), *state.participants.values())}
    labels[USER] = state.label_of(USER)
    messages: list[Message] = []
    for turn in turns:
        said = turn.said
        if not turn.included or turn.is_silent or said.place < (step.since or ()):
            continue
        if said.participant == step.participant:
            messages += _exchange(state, step, turn)
        elif is_checkpoint(turn):
            note = guidance(state, turn, step.participant)
            messages += [note] if note else []
        elif said.visibility is Visibility.PUBLIC and not turn.is_pending:
            messages.append(_quotation(state, step, turn, labels))
    return messages


def _quotation(state: DebateState, step: Step, turn: Turn, labels: Mapping[str, str]) -> Message:
    if step.hears is None:
        return turn.as_quotation(labels.get(turn.said.participant, turn.said.participant))
    heard = step.hears(state, turn, step.participant)
    return Message(role="user", content=quoted(heard.label, heard.text))
