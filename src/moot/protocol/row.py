"""What the store keeps beside the log so that debates can be listed and claimed without folding.

It is a cache. Where it disagrees with the log, the log wins and the cache is written anew.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from itertools import islice

import msgspec

from moot.protocol.outcomes import Outcome
from moot.protocol.values import IMPORT, Participant
from moot.protocol.words import Role, Stance, Status, StopReason

MOST_SEATS = 12
"""Participants that a row names; `cast_size` says how many there are."""

SIDES: Mapping[Stance, str] = {Stance.PRO: "for", Stance.CON: "against", Stance.NONE: ""}


class Cursor(msgspec.Struct, frozen=True, kw_only=True):
    """Where a debate stands: the step that comes next (seed 003, "Persisted next-step cursor")."""

    stage: str | None = None
    next_round: int | None = None
    next_actor: str | None = None


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """One who takes part. `side` is `for` or `against`, and blank where there are no sides."""

    id: str
    name: str
    role: Role
    side: str = ""
    is_person: bool = False


def seats_of(participants: Collection[Participant]) -> tuple[Seat, ...]:
    """The seats of the first participants, as rows keep them."""
    return tuple(
        Seat(
            id=one.id,
            name=one.name,
            role=one.role,
            side=SIDES[one.stance] if one.role is Role.DEBATER else "",
            is_person=one.is_human,
        )
        for one in islice(participants, MOST_SEATS)
    )


class DebateRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the list of debates. `seq` is the last event the row takes account of.

    `output_tokens` are all that were written; `thought_tokens` are the part that was only thought.
    `title` is the one that somebody gave it, or "". `cast` are the first twelve who take part, of
    `cast_size` in all; None if an earlier version wrote the row and its log cannot be read.
    `outcome` is in short: the first sentence of a long text, without reasoning and lists; in a list
    also None while somebody has yet to answer in the debate that it was forked from. `spoke_last`
    made the last public statement. `forked_from` and `rematch_of` are ids, or "".
    `hears` is the debate that a hearing held here is about, or "".
    `origin` is `import/file` or `import/sample` if it was not begun here, `v1` or `mcp` if a panel
    was asked by that door, or "".
    `statements_planned` is how many statements there will be, where a format knows that.
    """

    id: str
    format: str
    topic: str
    title: str = ""
    status: Status
    seq: int
    cursor: Cursor
    stop_reason: StopReason | None = None
    turns: int = 0
    statements: int = 0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    thought_tokens: int = 0
    cost_usd: float | None = None
    created_at: datetime
    updated_at: datetime
    wake_at: datetime | None = None
    """When a debate that waits has to be looked at again, if nobody acts before."""
    cast: tuple[Seat, ...] | None = None
    cast_size: int = 0
    outcome: Outcome | None = None
    has_open_cards: bool = False
    spoke_last: str = ""
    forked_from: str = ""
    rematch_of: str = ""
    origin: str = ""
    statements_planned: int | None = None
    hears: str = ""

    @property
    def was_imported(self) -> bool:
        """Whether it was held elsewhere, or was forked from a debate that was."""
        return self.origin.partition("/")[0] == IMPORT

    @property
    def name(self) -> str:
        """What people know it by: the title that it was given, or else the topic."""
        return self.title or self.topic
