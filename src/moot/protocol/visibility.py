"""What each participant sees. The only module that decides it.

A prompt is made of the participant's own earlier prompts and replies in full, of public turns that
are included, and of nothing private of anyone else. Lists only ever grow at the end while nobody
includes or excludes a turn, so that providers' prefix caches hit.
"""

from __future__ import annotations

from bisect import bisect_left

from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.values import Message
from moot.protocol.words import USER, View, Visibility


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
    begin = bisect_left(turns, step.since or (), key=lambda turn: turn.place)
    end = bisect_left(turns, step.horizon or step.place, key=lambda turn: turn.place)
    # Done for every call with all that was said so far, so no call of ours for each turn.
    return [
        message
        for turn in turns[begin:end]
        if turn.included and not turn.is_silent
        for message in turn.exchange or turn.as_exchange()
    ]


def _transcript(state: DebateState, step: Step) -> list[Message]:
    labels = {one.id: one.label for one in (*state.left.values(), *state.participants.values())}
    labels[USER] = state.label_of(USER)
    messages: list[Message] = []
    for turn in state.transcript_before(step.horizon or step.place):
        said = turn.said
        if not turn.included or turn.is_silent or said.place < (step.since or ()):
            continue
        if said.participant == step.participant:
            messages += turn.as_exchange()
        elif said.visibility is Visibility.PUBLIC and not turn.is_pending:
            messages.append(turn.as_quotation(labels.get(said.participant, said.participant)))
    return messages
