"""How long a history has become, and where it begins once it has been summarised.

Whoever has a summary sees that in place of everything before it. The log keeps it all.
"""

from __future__ import annotations

from moot.protocol.state import DebateState, Turn
from moot.protocol.values import Place
from moot.protocol.words import StepKind, Visibility

BEGINNING: Place = (1,)
"""Questions before the rounds are part of the brief, not of the history."""
CHARACTERS_PER_TOKEN = 4


def since(state: DebateState, participant: str) -> Place:
    """Where the history of a participant begins: at its last summary, or with the rounds."""
    for turn in reversed(state.own_turns.get(participant, [])):
        if turn.said.kind is StepKind.SUMMARIZE and turn.included and not turn.is_silent:
            return turn.place
    return BEGINNING


def history_tokens(state: DebateState, participant: str) -> int:
    """About how many tokens the member's own prompts and replies are."""
    begin = since(state, participant)
    turns = (turn for turn in state.own_turns.get(participant, []) if turn.place >= begin)
    counted = (turn.said for turn in turns if _counts(turn))
    return sum(len(one.prompt) + len(one.content) for one in counted) // CHARACTERS_PER_TOKEN


def judge_tokens(state: DebateState) -> int:
    """About how many tokens everything is that was said in the rounds."""
    turns = (turn for turn in state.transcript() if turn.place >= BEGINNING)
    public = (one for one in turns if one.said.visibility is Visibility.PUBLIC and _counts(one))
    return sum(len(one.said.content) for one in public) // CHARACTERS_PER_TOKEN


def _counts(turn: Turn) -> bool:
    return turn.included and not turn.is_silent
