"""What somebody who watches a debate is shown: events as they are committed, text as it is written.

Events are durable and numbered. Text is neither: the turn that follows has all of it. A viewer only
remembers how far it has read, so one that dawdles costs a bounded queue, and one that comes back
after a day reads the log in pages. Nobody ever waits for a viewer.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from datetime import datetime
from typing import Protocol

import msgspec

from moot.protocol.events import Recorded
from moot.protocol.steps import Step
from moot.protocol.words import Status

PAGE = 500
MAX_BEHIND = 1000
"""Entries a viewer may be behind before the text among them is dropped; events never are."""


class StepBegan(msgspec.Struct, frozen=True):
    """A model is being asked."""

    step: Step


class TextWritten(msgspec.Struct, frozen=True):
    """A piece of a turn that is being written."""

    step: Step
    text: str


class TextVoided(msgspec.Struct, frozen=True):
    """What was written of this turn so far does not count: the call failed or is asked again."""

    step: Step


class StepHeld(msgspec.Struct, frozen=True):
    """Its model is not asked yet: its provider takes no more calls for now, though this debate may
    not have been turned away itself. Whatever else is told of the step ends that."""

    step: Step
    provider: str
    since: datetime
    until: datetime
    """When it is expected to go on."""

    @property
    def reason(self) -> str:
        """What is the matter, for people."""
        return f"{self.provider} takes no more calls for now"


Live = StepBegan | StepHeld | TextWritten | TextVoided
Item = Recorded | Live


class Source(Protocol):
    """The debate that a viewer reads: `moot.engine.live.LiveDebate`."""

    @property
    def seq(self) -> int:
        """The newest event."""

    @property
    def status(self) -> Status: ...

    async def page(self, after: int, upto: int) -> Sequence[Recorded]:
        """The events after `after`, up to `upto`; none if the debate is gone."""


class Viewer:
    """One reader of one debate. Its queue has live text, and numbers up to which to read events."""

    def __init__(self, source: Source, *, wants_text: bool) -> None:
        self.wants_text = wants_text
        self._source = source
        self._entries: deque[Live | int] = deque()
        self._ready = asyncio.Event()
        self._is_closed = False
        self._is_dismissed = False

    def put(self, entry: Live | int) -> None:
        if len(self._entries) >= MAX_BEHIND:
            self._entries.clear()
            self._entries.append(self._source.seq)
        self._entries.append(entry)
        self._ready.set()

    def close(self) -> None:
        """End the reading once everything that is there has been read."""
        self._is_closed = True
        self._ready.set()

    def dismiss(self) -> None:
        """End the reading: the debate was deleted, or the process is leaving."""
        self._is_dismissed = True
        self._ready.set()

    def has_read_all(self, seq: int) -> bool:
        """Whether nothing will ever come after event `seq`."""
        return self._source.status.is_terminal and seq >= self._source.seq

    async def items(self, *, after: int, until_still: bool = False) -> AsyncIterator[Item]:
        """Every event after `after`, once and in order, and live text; ends with the debate.

        With `until_still`, it ends as soon as a worker has nothing left to do.
        """
        async with aclosing(self.batches(after=after, until_still=until_still)) as batches:
            async for batch in batches:
                for item in batch:
                    yield item

    async def batches(
        self, *, after: int, until_still: bool = False
    ) -> AsyncGenerator[Sequence[Item], None]:
        """`items`, all that is there at once: one write to a viewer instead of one for each."""
        seq = min(after, self._source.seq)
        batch: list[Item] = []
        while True:
            while self._entries:
                entry = self._entries.popleft()
                if not isinstance(entry, int):
                    batch.append(entry)
                    continue
                while seq < entry and (records := await self._page(seq, entry)):
                    seq = records[-1].seq
                    batch += records
                    if len(batch) >= PAGE:
                        yield batch
                        batch = []
            if batch:
                yield batch
                batch = []
            elif self._is_through(seq, until_still=until_still):
                return
            else:
                self._ready.clear()
                await self._ready.wait()

    async def _page(self, seq: int, entry: int) -> Sequence[Recorded]:
        return await self._source.page(seq, min(entry, seq + PAGE))

    def _is_through(self, seq: int, *, until_still: bool) -> bool:
        source = self._source
        if self._is_dismissed or self.has_read_all(seq):
            return True
        if seq < source.seq:
            return False  # told of, and read when the queue is looked at again
        is_still = source.status is not Status.CREATED and not source.status.is_active
        return self._is_closed or (until_still and is_still)
