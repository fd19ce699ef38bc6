"""One debate, any number of viewers: what all who follow it in this process share.

The log is read once and looked at for news once, however many follow: the newest events stay in
memory, and each viewer only remembers how far it has read. So a viewer that dawdles costs a bounded
queue, and one that comes back after a day reads the log in pages.
Text is gathered here, so that a model that writes a word at a time does not cost a send per word
and viewer. Publishing never waits for a viewer.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress

import msgspec

from moot.engine.clock import Clock
from moot.engine.feed import Feed, Item, Live, StepBegan, Subscription, TextVoided, TextWritten
from moot.errors import NotFound, StoreError
from moot.protocol.events import Recorded, StepFailed, TurnRecorded
from moot.protocol.lifecycle import status_after
from moot.protocol.steps import Step
from moot.protocol.words import Status
from moot.store.port import Store

log = logging.getLogger(__name__)

KEPT = 1000
"""The newest events of a followed debate that stay in memory."""
PAGE = 500
MAX_BEHIND = 1000
"""Entries a viewer may be behind before the text among them is dropped; events never are."""
MAX_WRITING = 200_000
"""Characters of an unfinished turn that are kept for viewers who come later."""
LOOK_EVERY_S = 1.0
TEXT_EVERY_S = 0.05
TEXTS_PER_S = 2000
"""Pieces of text sent a second by this process, to all viewers of all debates together."""

News = Callable[[str], Awaitable[None]]
"""Returns when a debate may have grown in another process: when told so, or after a while."""


def look_every(clock: Clock, seconds: float = LOOK_EVERY_S) -> News:
    """News for stores that cannot tell: look now and then."""

    async def wait(_debate_id: str) -> None:
        await clock.sleep(seconds)

    return wait


class Writing(msgspec.Struct):
    """A turn that is being written: all of it, and how much of it was sent."""

    step: Step
    text: str = ""
    unsent: list[str] = []


class Viewer:
    """How far one reader has read, and what it has not read yet.

    An entry is live text, or the number up to which there are events to be read.
    """

    def __init__(self, channel: Channel, *, wants_text: bool) -> None:
        self.wants_text = wants_text
        self._channel = channel
        self._entries: deque[Live | int] = deque()
        self._ready = asyncio.Event()

    def put(self, entry: Live | int) -> None:
        if len(self._entries) >= MAX_BEHIND:
            self._entries.clear()
            self._entries.append(self._channel.seq)
        self._entries.append(entry)
        self._ready.set()

    def wake(self) -> None:
        self._ready.set()

    def has_read_all(self, seq: int) -> bool:
        """Whether nothing will ever come after event `seq`."""
        return self._channel.is_over and seq >= self._channel.seq

    async def items(self, *, after: int) -> AsyncIterator[Item]:
        """Every event after `after`, once and in order, and live text; ends with the debate."""
        async with aclosing(self.batches(after=after)) as batches:
            async for batch in batches:
                for item in batch:
                    yield item

    async def batches(self, *, after: int) -> AsyncGenerator[Sequence[Item], None]:
        """`items`, all that is there at once: one write to a viewer instead of one for each."""
        channel = self._channel
        seq = min(after, channel.seq)
        batch: list[Item] = []
        while True:
            while self._entries:
                entry = self._entries.popleft()
                if not isinstance(entry, int):
                    batch.append(entry)
                    continue
                while seq < entry and (records := await channel.read(seq, entry)):
                    seq = records[-1].seq
                    batch += records
                    if len(batch) >= PAGE:
                        yield batch
                        batch = []
            if batch:
                yield batch
                batch = []
            elif self.has_read_all(seq) or channel.is_gone:
                return
            else:
                self._ready.clear()
                await self._ready.wait()


class Channel:
    """Lives while somebody follows the debate. Use it through `Channels.join`."""

    def __init__(
        self,
        debate_id: str,
        *,
        store: Store,
        feed: Feed,
        clock: Clock,
        news: News,
        text_pause_s: Callable[[], float],
    ) -> None:
        self.seq = 0
        self.is_gone = False
        self.viewers: list[Viewer] = []
        self._debate_id = debate_id
        self._store = store
        self._feed = feed
        self._clock = clock
        self._news = news
        self._text_pause_s = text_pause_s
        self._status = Status.CREATED
        self._kept: list[Recorded] = []
        self._writing: dict[str, Writing] = {}
        self._has_unsent = asyncio.Event()
        self._reading = asyncio.Lock()
        self._subscription: Subscription | None = None
        self._is_open = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run())

    @property
    def is_over(self) -> bool:
        return self._status.is_terminal

    @property
    def is_writing(self) -> bool:
        """Whether a turn is being written just now."""
        return bool(self._writing)

    async def enter(self, viewer: Viewer) -> None:
        """Wait until the log has been read. Raises NotFound."""
        self.viewers.append(viewer)
        self._note_wishes()
        # Shielded: one viewer that leaves must not take the reading from the others.
        await asyncio.shield(self._is_open)
        viewer.put(self.seq)
        if viewer.wants_text:
            for writing in self._writing.values():
                viewer.put(StepBegan(writing.step))
                if sent := writing.text[: len(writing.text) - sum(map(len, writing.unsent))]:
                    viewer.put(TextWritten(writing.step, sent))

    def leave(self, viewer: Viewer) -> None:
        self.viewers.remove(viewer)
        self._note_wishes()

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])
        if self._is_open.done():
            self._is_open.exception()  # seen by whoever wanted to enter
        else:
            self._is_open.cancel()

    async def read(self, after: int, upto: int) -> Sequence[Recorded]:
        """Some of the events after `after`, up to `upto`: from memory if they are there."""
        if self._kept and self._kept[0].seq <= after + 1:
            first = after + 1 - self._kept[0].seq
            return self._kept[first : first + min(PAGE, upto - after)]
        try:
            limit = min(PAGE, upto - after)
            return await self._store.read(self._debate_id, after=after, limit=limit)
        except NotFound:
            self.vanish()
            return ()

    # --- what goes on beside the viewers ---

    async def _run(self) -> None:
        try:
            with self._feed.subscribe(self._debate_id, wants_text=False) as subscription:
                self._subscription = subscription
                self._note_wishes()
                self._take(await self._store.read(self._debate_id))
                self._find_writing()
                self._is_open.set_result(None)
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._listen(subscription))
                    group.create_task(self._look())
                    group.create_task(self._send_text())
        except Exception as error:
            if not self._is_open.done():
                self._is_open.set_exception(error)
            else:
                log.exception("channel broke", extra={"debate": self._debate_id})
                self.vanish()

    async def _listen(self, subscription: Subscription) -> None:
        async for item in subscription.items():
            if not isinstance(item, Recorded):
                self._live(item)
            elif item.seq == self.seq + 1:
                self._take([item])
            elif item.seq > self.seq:
                await self._catch_up()

    async def _look(self) -> None:
        """See what other processes append."""
        while not self.is_over and not self.is_gone:
            await self._news(self._debate_id)
            await self._catch_up()

    async def _catch_up(self) -> None:
        async with self._reading:
            with suppress(StoreError):  # full, locked or unreachable: the next look finds it
                try:
                    self._take(await self._store.read(self._debate_id, after=self.seq))
                except NotFound:
                    self.vanish()

    def vanish(self) -> None:
        """There is nothing left to follow: the debate was deleted, or the process is leaving."""
        self.is_gone = True
        for viewer in self.viewers:
            viewer.wake()

    def _take(self, records: Sequence[Recorded]) -> None:
        before = self.seq
        for record in records:
            if record.seq != self.seq + 1:
                continue  # taken already, while the store was being read
            self._finish_writing(record)
            self.seq = record.seq
            self._status = (
                status_after(self._status, record.event) if self.seq > 1 else self._status
            )
            self._kept.append(record)
        if not self._status.is_active:
            self._writing.clear()
        if len(self._kept) > 2 * KEPT:
            del self._kept[:-KEPT]
        if self.seq > before:
            for viewer in self.viewers:
                viewer.put(self.seq)

    # --- text ---

    def _note_wishes(self) -> None:
        if self._subscription is not None:
            self._subscription.wants_text = any(one.wants_text for one in self.viewers)

    def _find_writing(self) -> None:
        """What was begun before anybody looked; what is over or stopped is being given up."""
        if self._status.is_active:
            for step in self._feed.in_flight(self._debate_id):
                self._writing.setdefault(step.key, Writing(step))

    def _finish_writing(self, record: Recorded) -> None:
        match record.event:
            case TurnRecorded(step_key=key) | StepFailed(failed_key=key):
                self._send(self._writing.pop(key, None))
            case _:
                pass

    def _live(self, item: Live) -> None:
        key = item.step.key
        match item:
            case TextWritten(text=text):
                writing = self._writing.setdefault(key, Writing(item.step))
                if len(writing.text) < MAX_WRITING:
                    writing.text += text
                    writing.unsent.append(text)
                    self._has_unsent.set()
            case StepBegan() | TextVoided():
                self._writing[key] = Writing(item.step)
                self._tell(item)

    async def _send_text(self) -> None:
        while True:
            await self._has_unsent.wait()
            self._has_unsent.clear()
            for writing in self._writing.values():
                self._send(writing)
            await self._clock.sleep(self._text_pause_s())

    def _send(self, writing: Writing | None) -> None:
        if writing is not None and writing.unsent:
            self._tell(TextWritten(writing.step, "".join(writing.unsent)))
            writing.unsent.clear()

    def _tell(self, item: Live) -> None:
        for viewer in self.viewers:
            if viewer.wants_text:
                viewer.put(item)


class Channels:
    """The channels of one process: one for each debate that somebody follows."""

    def __init__(self, *, store: Store, feed: Feed, clock: Clock, news: News | None = None) -> None:
        self._store = store
        self._feed = feed
        self._clock = clock
        self._news = news or look_every(clock)
        self._open: dict[str, Channel] = {}

    @property
    def viewers(self) -> int:
        return sum(len(channel.viewers) for channel in self._open.values())

    def _text_pause_s(self) -> float:
        """Between two pieces of a text: longer, the more there are to send pieces to."""
        reading = sum(len(one.viewers) for one in self._open.values() if one.is_writing)
        return max(TEXT_EVERY_S, reading / TEXTS_PER_S)

    def dismiss(self) -> None:
        """End every viewer's reading: the process is about to leave. They may come back."""
        for channel in self._open.values():
            channel.vanish()

    @asynccontextmanager
    async def join(self, debate_id: str, *, wants_text: bool) -> AsyncIterator[Viewer]:
        """A viewer of that debate, which sees everything from now on. Raises NotFound."""
        channel = self._open.get(debate_id)
        if channel is None:
            channel = self._open[debate_id] = Channel(
                debate_id,
                store=self._store,
                feed=self._feed,
                clock=self._clock,
                news=self._news,
                text_pause_s=self._text_pause_s,
            )
        viewer = Viewer(channel, wants_text=wants_text)
        try:
            await channel.enter(viewer)
            yield viewer
        finally:
            channel.leave(viewer)
            if not channel.viewers:
                # Before the first await: whoever comes now gets a channel of its own.
                if self._open.get(debate_id) is channel:
                    del self._open[debate_id]
                await channel.close()
