"""What the store keeps beside the log so that debates can be listed and claimed without folding.

It is a cache. Where it disagrees with the log, the log wins and the cache is written anew.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from moot.protocol.words import Status, StopReason


class Cursor(msgspec.Struct, frozen=True, kw_only=True):
    """Where a debate stands: the step that comes next (seed 003, "Persisted next-step cursor")."""

    stage: str | None = None
    next_round: int | None = None
    next_actor: str | None = None


class DebateRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the list of debates. `seq` is the last event the row takes account of.

    `output_tokens` are all that were written; `thought_tokens` are the part that was only thought.
    `title` is the one that somebody gave it, or "".
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

    @property
    def name(self) -> str:
        """What people know it by: the title that it was given, or else the topic."""
        return self.title or self.topic
