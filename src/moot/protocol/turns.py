"""Turns, and what may be read of a debate by those who fold its log beside the state."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Protocol

import msgspec

from moot.protocol import events as e
from moot.protocol.quoting import quoted
from moot.protocol.values import Message, Participant, Place
from moot.protocol.words import Status

NO_REPLY = "(no reply)"


class Turn(msgspec.Struct, kw_only=True, order=False):
    """A recorded turn and what has become of it since."""

    seq: int
    at: datetime
    said: e.TurnRecorded
    included: bool
    is_pending: bool
    is_silent: bool = False
    """Nothing was said in it, so no prompt ever has it."""
    exchange: tuple[Message, ...] = ()
    """The prompt and the reply as messages, made when first needed; prompts are built from them."""
    quotation: tuple[str, Message] | None = None
    """What all others read of it, and under which name; kept for the same reason."""

    @property
    def place(self) -> Place:
        return self.said.place

    @property
    def type(self) -> str:
        """`user`, `agent` or `pending` (seed 002, "Message Types"); a person's is `user`."""
        if self.is_pending:
            return "pending"
        return "agent" if self.said.model else "user"

    def as_exchange(self) -> tuple[Message, ...]:
        """What the participant that made this turn was asked and answered."""
        if not self.exchange:
            # Providers refuse a blank message, and would then refuse every later call too.
            content = self.said.content if self.said.content.strip() else NO_REPLY
            said = Message(role="assistant", content=content)
            asked = Message(role="user", content=self.said.prompt)
            self.exchange = (asked, said) if self.said.prompt else (said,)
        return self.exchange

    def as_quotation(self, label: str) -> Message:
        """What everybody else reads of this turn, by a speaker who is called `label`."""
        if self.quotation is None or self.quotation[0] != label:
            message = Message(role="user", content=quoted(label, self.said.content))
            self.quotation = label, message
        return self.quotation[1]


class Known(Protocol):
    """What is known of a debate: `DebateState`, as far as other folds need it."""

    status: Status
    participants: dict[str, Participant]
    turns: dict[str, Turn]

    def turn(self, key: str) -> Turn | None: ...

    def turn_at(self, seq: int) -> Turn | None: ...

    def newest_first(self) -> Iterator[Turn]: ...

    def transcript_before(self, place: Place) -> list[Turn]: ...

    def is_person(self, participant: str) -> bool: ...

    def label_of(self, participant: str) -> str: ...
