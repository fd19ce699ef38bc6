"""What somebody who watches a debate is shown: events as they are committed, text as it is written.

Events are durable and numbered. Text is neither: the turn that follows has all of it. A viewer only
remembers how far it has read, so one that dawdles costs a bounded queue, and one that comes back
after a day reads the log in pages. Nobody ever waits for a viewer.

Text is gathered, so that a model that writes a word at a time does not cost a send per word and
viewer. Whoever comes in the middle of a turn gets what was sent of it so far.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from datetime import datetime, timedelta
from typing import Protocol

import msgspec

from moot.engine import failpoints
from moot.protocol.events import Recorded
from moot.protocol.steps import Step
from moot.protocol.words import Status

PAGE = 500
MAX_BEHIND = 1000
"""Entries a viewer may be behind before the text among them is dropped; events never are."""
MAX_KEPT = 200_000
"""Characters of an unfinished turn that are kept for viewers who come later."""


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
    """The step's model is not asked yet: its provider takes no more calls for now, though this
    debate may not have been turned away itself. The next item about the step ends that."""

    step: Step
    provider: str
    since: datetime
    until: datetime
    """When the step is expected to go on."""

    @property
    def reason(self) -> str:
        """What is the matter, for people."""
        return f"{self.provider} takes no more calls for now"


class Stalled(msgspec.Struct, frozen=True):
    """Nothing can be recorded now, so nothing goes on: `reason` says why; "" if it can again."""

    reason: str


Live = StepBegan | StepHeld | TextWritten | TextVoided | Stalled
Item = Recorded | Live


class Source(Protocol):
    """The debate that a viewer reads: `moot.engine.live.LiveDebate`."""

    @property
    def seq(self) -> int:
        """The number of the newest event."""

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
        """`items`, in batches of all that is there: one write to a viewer instead of many."""
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
            return False  # the queue has an entry for it, and is about to be looked at again
        is_still = source.status is not Status.CREATED and not source.status.is_active
        return self._is_closed or (until_still and is_still)


# --- what models are writing just now -------------------------------------------------------------


class Draft(msgspec.Struct):
    """All that was written of a turn so far, and the end of it that was not sent yet."""

    step: Step
    sent: str = ""
    unsent: list[str] = []
    size: int = 0
    held: StepHeld | None = None


class Writing:
    """The turns of one debate that models are writing just now.

    `tell` shows something to every viewer that wants text; `pause_s` says how long to gather.
    """

    def __init__(self, tell: Callable[[Live], None], pause_s: Callable[[], float]) -> None:
        self._tell = tell
        self._pause_s = pause_s
        self._drafts: dict[str, Draft] = {}
        self._timer: asyncio.TimerHandle | None = None

    def __bool__(self) -> bool:
        return bool(self._drafts)

    @contextmanager
    def of(self, step: Step) -> Iterator[None]:
        """Tell viewers that a model is being asked, including those that come meanwhile."""
        self.begin(step)
        try:
            yield
        finally:
            # Before the turn itself: a viewer that has read the turn needs no more of its text.
            self.end(step)

    def begin(self, step: Step) -> None:
        self._drafts[step.key] = Draft(step)
        self._tell(StepBegan(step))

    def end(self, step: Step) -> None:
        draft = self._drafts.pop(step.key, None)
        if draft is not None:
            self._send(draft)

    def write(self, step: Step, text: str) -> None:
        failpoints.reach("mid_stream")
        draft = self._drafts.get(step.key)
        if draft is None or draft.size >= MAX_KEPT:
            return
        draft.unsent.append(text)
        draft.size += len(text)
        if self._timer is None:
            self._send_all()

    def hold(self, step: Step, provider: str, now: datetime, left_s: float) -> None:
        """Tell viewers that the model is not asked yet, and probably not for `left_s` seconds."""
        draft = self._drafts.get(step.key)
        if draft is not None:
            since = draft.held.since if draft.held else now
            draft.held = StepHeld(step, provider, since, now + timedelta(seconds=left_s))
            self._tell(draft.held)

    def go_on(self, step: Step) -> None:
        """Tell viewers that the model is being asked now, if it was held back before."""
        draft = self._drafts.get(step.key)
        if draft is not None and draft.held is not None:
            draft.held = None
            self._tell(StepBegan(step))

    def void(self, step: Step) -> None:
        """Tell viewers that what was written of this turn so far does not count."""
        if step.key in self._drafts:
            self._drafts[step.key] = Draft(step)
        self._tell(TextVoided(step))

    def give_up(self) -> None:
        """Forget what was being written: nobody works on the debate now, so it becomes no turn."""
        self._drafts.clear()

    def so_far(self) -> Iterator[Live]:
        """What somebody who comes now has missed; the rest is still to be sent, to all alike."""
        for draft in self._drafts.values():
            yield draft.held or StepBegan(draft.step)
            if draft.sent:
                yield TextWritten(draft.step, draft.sent)

    def flush(self) -> None:
        """Send what is there without gathering more."""
        for draft in self._drafts.values():
            self._send(draft)

    def _send_all(self) -> None:
        self._timer = None
        waiting = [draft for draft in self._drafts.values() if draft.unsent]
        for draft in waiting:
            self._send(draft)
        if waiting:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._pause_s(), self._send_all)

    def _send(self, draft: Draft) -> None:
        if draft.unsent:
            text = "".join(draft.unsent)
            draft.unsent.clear()
            draft.sent += text
            self._tell(TextWritten(draft.step, text))
