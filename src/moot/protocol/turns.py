"""Turns and how they are kept, and what other folds may read of a debate beside its state."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from datetime import datetime
from typing import Protocol

import msgspec

from moot.errors import IllegalEvent
from moot.protocol import events as e
from moot.protocol.quoting import quoted
from moot.protocol.values import Message, Participant, Place
from moot.protocol.words import HIDDEN, Status, StepKind, View, Visibility

NO_REPLY = "(no reply)"
SAID = "said/"
"""The beginning of the keys of turns that nobody asked for."""


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
    def is_heard(self) -> bool:
        """Whether something was said in it, and nobody has excluded it."""
        return self.included and not self.is_silent

    @property
    def type(self) -> str:
        """`user`, `agent` or `pending` (seed 002, "Message Types"); a person's is `user`."""
        if self.is_pending:
            return "pending"
        return "agent" if self.said.model else "user"

    def as_exchange(self, answer: str | None = None) -> tuple[Message, ...]:
        """What the participant that made this turn was asked, and what it answered: the content, or
        `answer` if the author is to see that instead."""
        if not self.exchange:
            given = self.said.content if answer is None else answer
            # Providers refuse a blank message, and would then refuse every later call too.
            content = given if given.strip() else NO_REPLY
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


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What a participant has been given of its own turns, or of the whole transcript, as the view
    has it: the first `count` of them as messages.

    It holds while `edits` and `since` are the same; a longer prompt goes on from here.
    """

    edits: int = 0
    since: Place | None = None
    count: int = 0
    messages: tuple[Message, ...] = ()


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


class Turns:
    """The turns of a debate: by key, by participant, by number and by place.

    Turns are replaced and never changed, so that copies of a state can share them.
    """

    __slots__ = (
        "_by_seq",
        "_in_order",
        "_pending",
        "edits",
        "own_turns",
        "readings",
        "spoke_last",
        "turns",
    )

    def __init__(self) -> None:
        self.turns: dict[str, Turn] = {}
        self.own_turns: dict[str, list[Turn]] = {}
        self._by_seq: dict[int, Turn] = {}
        self._in_order: list[Turn] = []
        self._pending: dict[int, Turn] = {}
        self.edits = 0
        """Grows when the transcript changes other than at its end, or somebody's name does."""
        self.readings: dict[tuple[str, View], Reading] = {}
        """Kept by `visibility`, by participant and view: a long prompt is not made anew each time.
        """
        self.spoke_last = ""
        """Who made the public statement that was recorded last."""

    def turn(self, key: str) -> Turn | None:
        """The turn of that step, if it has been recorded."""
        return self.turns.get(key)

    def turn_at(self, seq: int) -> Turn | None:
        """The turn that event `seq` recorded, if it recorded one."""
        return self._by_seq.get(seq)

    def transcript(self) -> list[Turn]:
        """All turns by place, which is the order in which people read them."""
        return self._in_order.copy()

    @property
    def pending(self) -> list[Turn]:
        """The turns that wait for somebody to choose among them, by place."""
        return sorted(self._pending.values(), key=_place)

    @property
    def has_hidden(self) -> bool:
        """Whether this was made from a log with something withheld; see `visibility`."""
        return any(HIDDEN in turn.said.flags for turn in self.turns.values())

    def newest_first(self) -> Iterator[Turn]:
        """The transcript backwards, for those who need only the end of it."""
        return reversed(self._in_order)

    def transcript_before(self, place: Place) -> list[Turn]:
        """The part of the transcript that stands before a place."""
        return self._in_order[: self.count_before(place)]

    def count_before(self, place: Place) -> int:
        """How many turns stand before a place."""
        return bisect_left(self._in_order, place, key=_place)

    def part(self, begin: int, end: int) -> list[Turn]:
        """Some turns of the transcript, by number from 0."""
        return self._in_order[begin:end]

    def add(self, event: e.TurnRecorded, record: e.Recorded) -> None:
        """Take in a turn that was recorded."""
        turn = Turn(
            seq=record.seq,
            at=record.at,
            said=event,
            included=event.included,
            is_pending=event.awaits_choice,
            is_silent=event.is_silent,
        )
        self.turns[event.step_key] = self._by_seq[record.seq] = turn
        _insert(self.own_turns.setdefault(event.participant, []), turn)
        _insert(self._in_order, turn)
        if self._in_order[-1] is not turn:
            self.edits += 1
        if turn.is_pending:
            self._pending[record.seq] = turn
        is_public = event.visibility is Visibility.PUBLIC
        if event.kind is StepKind.SPEAK and is_public and not turn.is_silent:
            self.spoke_last = event.participant

    def last_place(self) -> Place:
        """The place of the last turn a format asked for; (0,) if there is none yet."""
        last = max((own[-1] for own in self.own_turns.values()), key=_place, default=None)
        if last is None:
            return (0,)
        # Messages in a row stand side by side, or the places of a long talk would grow for ever.
        return last.place[:-1] if last.said.step_key.startswith(SAID) else last.place

    def toggle(self, seq: int, *, included: bool) -> None:
        """Include or exclude the turn of that event. Raises IllegalEvent if there is none."""
        turn = self._by_seq.get(seq)
        if turn is None:
            message = f"there is no turn {seq}"
            raise IllegalEvent(message)
        # Replaced and not changed: copies of this state share its turns.
        new = msgspec.structs.replace(turn, included=included, is_pending=False)
        self.turns[turn.said.step_key] = self._by_seq[seq] = new
        for turns in (self.own_turns[turn.said.participant], self._in_order):
            _exchange(turns, turn, new)
        self._pending.pop(seq, None)
        self.edits += 1


def _place(turn: Turn) -> Place:
    return turn.said.place


def _insert(turns: list[Turn], turn: Turn) -> None:
    """Keep `turns` by place; of equal places, what came first stands first."""
    if turns and _place(turns[-1]) > _place(turn):
        insort(turns, turn, key=_place)
    else:
        turns.append(turn)


def _exchange(turns: list[Turn], old: Turn, new: Turn) -> None:
    """Put `new` where `old` is in a list by place."""
    index = bisect_left(turns, _place(old), key=_place)
    while turns[index] is not old:
        index += 1
    turns[index] = new
