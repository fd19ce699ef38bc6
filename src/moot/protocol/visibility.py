"""What each participant sees. The only module that decides it.

A prompt is made of the participant's own earlier prompts and replies in full, of public turns that
are included, and of nothing private of anyone else. Lists only ever grow at the end while nobody
includes or excludes a turn, so that providers' prefix caches hit.
"""

from __future__ import annotations

from bisect import bisect_left

from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Step
from moot.protocol.values import Message
from moot.protocol.words import View, Visibility


def history(state: DebateState, step: Step) -> list[Message]:
    """The messages that come between a step's system prompt and its own prompt, oldest first."""
    match step.view:
        case View.BLANK:
            return []
        case View.OWN:
            return _own(state, step)
        case View.TRANSCRIPT:
            return _transcript(state, step)


def _own(state: DebateState, step: Step) -> list[Message]:
    turns = state.own_turns.get(step.participant, [])
    end = bisect_left(turns, step.horizon or step.place, key=lambda turn: turn.place)
    messages: list[Message] = []
    for turn in turns[:end]:
        if turn.included:
            messages += turn.as_exchange()
    return messages


def _transcript(state: DebateState, step: Step) -> list[Message]:
    horizon = step.horizon or step.place
    visible = [turn for turn in state.transcript() if turn.place < horizon and turn.included]
    messages: list[Message] = []
    for turn in visible:
        if turn.said.participant == step.participant:
            messages += turn.as_exchange()
        elif turn.said.visibility is Visibility.PUBLIC and not turn.is_pending:
            messages.append(Message(role="user", content=_quoted(state, turn)))
    return messages


def _quoted(state: DebateState, turn: Turn) -> str:
    speaker = state.participants.get(turn.said.participant) or state.left.get(turn.said.participant)
    label = speaker.label if speaker else turn.said.participant
    return f"[{label}]: {turn.said.content}"
