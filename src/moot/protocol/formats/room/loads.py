"""How full each member's window is: a fold over the log, estimated from characters.

Protocol cannot ask a model, so the window is frozen in the participant. Everybody reads the same
included turns; a member that goes on with its own summary reads only what came after it.
"""

from __future__ import annotations

from typing import Any

import msgspec

from moot.protocol import events as e
from moot.protocol.copying import slots_of
from moot.protocol.settings import Settings
from moot.protocol.turns import Known, Turn
from moot.protocol.values import Participant, Place
from moot.protocol.words import StepKind, Visibility

CHARACTERS_PER_TOKEN = 4
PER_MESSAGE = 60
"""Characters a turn costs besides what was said: the name, the prompt, the chat template."""
PER_PROMPT = 1600
"""Characters of the room's own texts in a system prompt."""
WARNING, FULL = 0.8, 0.95
"""Seed 002, "Context Window Management"."""
KEPT = 0.3
"""The part of a window that the newest turns may fill when the older ones are summed up."""
FOR_THE_REPLY = 4
"""A reply may take this part of the window at the most."""
SMALL = 16_000
"""Tokens of a window below which a model is held to `CHAT_SIZED` tokens, some 90 words, unless the
room was given a length: small models do not count words, and long replies soon fill a window."""
CHAT_SIZED = 128


class Summed(msgspec.Struct):
    """A member's own summary: it stands for all turns before `place`."""

    place: Place
    characters: int
    left_out: int


class Loads:
    """Characters in everybody's prompt. Applying costs the same at any length, except for a
    summary."""

    __slots__ = ("_counted", "_reply", "_summed", "_topic", "_total")

    def __init__(self, *, topic: str, reply_tokens: int) -> None:
        self._topic = len(topic)
        self._reply = reply_tokens
        self._total = 0
        self._counted: set[int] = set()
        self._summed: dict[str, Summed] = {}

    def __repr__(self) -> str:
        return f"Loads({shown(self)})"

    def reply_tokens(self, member: Participant) -> int:
        """How long this member's reply may be."""
        if member.window is None:
            return self._reply
        is_small = member.window < SMALL and self._reply == Settings().max_tokens
        most = CHAT_SIZED if is_small else self._reply
        return max(16, min(most, member.window // FOR_THE_REPLY))

    def tokens(self, member: Participant) -> int:
        """About how many tokens the member's next prompt and reply take together."""
        persona = sum(map(len, persona_of(member)))
        characters = PER_PROMPT + self._topic + persona + self._total
        summed = self._summed.get(member.id)
        if summed is not None:
            characters += summed.characters - summed.left_out
        return characters // CHARACTERS_PER_TOKEN + self.reply_tokens(member)

    def share(self, member: Participant) -> float | None:
        """The part of its window that is filled; None where nobody knows the window."""
        return self.tokens(member) / member.window if member.window else None

    def since(self, member: str) -> Place | None:
        """Where the member's own summary stands; None if it has none."""
        summed = self._summed.get(member)
        return summed.place if summed else None

    def cut(self, state: Known, member: Participant) -> tuple[Place, Place] | None:
        """Where to put a summary, and the first turn it does not cover; None if none is to be made.

        Walks back from the newest turn, no further than the kept part of the window.
        """
        room = int((member.window or 0) * KEPT) * CHARACTERS_PER_TOKEN
        since = self.since(member.id)
        kept: Turn | None = None
        for turn in state.newest_first():
            if since is not None and turn.place <= since:
                return None
            if not counts(turn):
                continue
            room -= weight(turn)
            if room < 0 and kept is not None:
                return (*turn.place, 0), kept.place
            kept = turn
        return None

    def apply(self, record: e.Recorded, state: Known) -> None:
        match record.event:
            case e.TurnRecorded(kind=StepKind.SUMMARIZE):
                self._sum_up(record.event, state)
            case e.TurnRecorded() | e.MessageSaid():
                self._look_at(record.seq, state)
            case e.TurnIncluded(turn=seq) | e.TurnExcluded(turn=seq):
                self._look_at(seq, state)
            case _:
                pass

    def _look_at(self, seq: int, state: Known) -> None:
        """Take a turn into account that has come, or that people have included or excluded."""
        turn = state.turn_at(seq)
        if turn is None or counts(turn) is (seq in self._counted):
            return
        if seq in self._counted:
            self._counted.discard(seq)
            self._add(turn, -weight(turn))
        else:
            self._counted.add(seq)
            self._add(turn, weight(turn))

    def _add(self, turn: Turn, characters: int) -> None:
        self._total += characters
        for summed in self._summed.values():
            if turn.place < summed.place:
                summed.left_out += characters

    def _sum_up(self, event: e.TurnRecorded, state: Known) -> None:
        older = state.transcript_before(event.place)
        self._summed[event.participant] = Summed(
            place=event.place,
            characters=len(event.content) + PER_MESSAGE,
            left_out=sum(weight(turn) for turn in older if counts(turn)),
        )


def persona_of(member: Participant) -> tuple[str, ...]:
    """What a member is told about itself. Instructions for speeches are no good for a chat, unless
    they are all that there is."""
    instructions = member.room_instructions or member.instructions
    texts = (text.strip() for text in (member.personality, member.position, instructions))
    return tuple(text for text in texts if text)


def shown(fold: Any) -> str:
    """The parts of a fold by name; sets sorted, so that equal folds look the same."""
    parts = ((name, getattr(fold, name)) for name in slots_of(type(fold)))
    return ", ".join(
        f"{name}={sorted(part) if isinstance(part, set) else part!r}" for name, part in parts
    )


def counts(turn: Turn) -> bool:
    """Whether the turn is in everybody's prompt."""
    return turn.is_heard and not turn.is_pending and turn.said.visibility is Visibility.PUBLIC


def weight(turn: Turn) -> int:
    return len(turn.said.content) + PER_MESSAGE
