"""A debate as one process has it in memory: once, for everybody in it.

It holds the end of the log, the state that the log amounts to, and whoever watches. The runner,
commands, streams and views all share it, so that looking at a debate costs only what is new.

Rule 1: the state has committed events only, and no others. Whoever wants to try events before they
are committed, as the runner does, takes a copy.
Rule 2: everything new goes through `take` or, from the runner, `_take_own`: in order and once.
Rule 3: memory never wins over the store. Reading begins with the newest event that is known; if
the store has a different event there by now (a database put back, a debate deleted and made again),
everything is read anew.
Rule 4: what the runner appends is folded when somebody looks. The runner has folded it already, and
most debates run while nobody watches.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Sequence

from moot.engine import failpoints
from moot.engine.clock import Clock
from moot.engine.counting import Counts
from moot.engine.feed import Live, Stalled, Viewer, Writing
from moot.errors import Conflict, MootError, NotFound
from moot.protocol import events as e
from moot.protocol.deciding import cursor_at
from moot.protocol.lifecycle import TITLES
from moot.protocol.log import fold
from moot.protocol.registry import format_named
from moot.protocol.row import Cursor, DebateRow
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.words import Status
from moot.store.port import Store

KEPT = 1000
"""The newest events of a debate that stay in memory; the state has everything."""
PATIENCE_S = 30.0
"""How long a command is tried again because the debate moved on meanwhile."""
AT_ONCE, PAUSE_S = 20, 0.01
"""How often it is tried at once, and the longest pause before each further try."""

Make = Callable[[DebateState], e.AnyEvent | Sequence[e.AnyEvent] | None]
"""What to append, decided on the state as it is; None or nothing if no change is needed."""


class LiveDebate:
    """A debate in memory. Use it through `LiveDebates.open`, which reads the log first."""

    def __init__(
        self,
        debate_id: str,
        *,
        store: Store,
        clock: Clock,
        counts: Counts,
        text_pause_s: Callable[[], float],
    ) -> None:
        self.id = debate_id
        self.holders = 0
        """How many need it in memory now."""
        self.viewers: list[Viewer] = []
        self.on_news: Callable[[], None] | None = None
        """Called when somebody other than the runner has appended; set while there is a runner."""
        self.stage: e.Recorded | None = None
        """The event that entered the stage in which the debate is."""
        self.stalled = ""
        """Why nothing can be recorded now, as far as the runner knows; "" if it can."""
        self._store = store
        self._clock = clock
        self._counts = counts
        self._state: DebateState | None = None
        self._unfolded: list[e.Recorded] = []
        self._status_told = Status.CREATED
        """The status that the unfolded events lead to."""
        self._tail: list[e.Recorded] = []
        self._writing = Writing(self._tell, text_pause_s)
        self._reading = asyncio.Lock()
        self._reads_begun = self._reads_done = 0

    # --- what is known ---

    @property
    def is_known(self) -> bool:
        """Whether the log has been read."""
        return self._state is not None

    @property
    def state(self) -> DebateState:
        """Everything that is committed. Shared: read it before you next await, change nothing."""
        assert self._state is not None, "the log has not been read"  # noqa: S101 - see `open`
        if self._unfolded:
            self._fold()
        return self._state

    @property
    def seq(self) -> int:
        return self._tail[-1].seq

    @property
    def status(self) -> Status:
        return self._status_told if self._unfolded else self.state.status

    @property
    def last(self) -> e.Recorded:
        """The newest event that is not about a title: a title does not tell who was at work."""
        course = (one for one in reversed(self._tail) if not isinstance(one.event, TITLES))
        return next(course, self._tail[-1])

    async def events(self, *, after: int) -> list[e.Recorded]:
        """All committed events after `after`, as far as this process knows."""
        if after + 1 >= self._tail[0].seq:
            return self._tail[after + 1 - self._tail[0].seq :]
        records = await self._store.read(self.id, after=after)
        return [record for record in records if record.seq <= self.seq]

    async def page(self, after: int, upto: int) -> Sequence[e.Recorded]:
        """The events after `after`, up to `upto`: from memory if they are there."""
        size = upto - after
        if after + 1 >= self._tail[0].seq:
            first = after + 1 - self._tail[0].seq
            return self._tail[first : first + size]
        try:
            return await self._store.read(self.id, after=after, limit=size)
        except NotFound:
            self.vanish()
            return ()

    # --- reading ---

    def begin(self, records: Sequence[e.Recorded]) -> None:
        """Take `records` as the whole log, which was just made or just read."""
        self._state = fold(records)
        self._unfolded = []
        self._tail = list(records[-KEPT:])
        entered = (one for one in reversed(records) if isinstance(one.event, e.StageEntered))
        self.stage = next(entered, None)

    async def catch_up(self) -> None:
        """Take in everything that was committed before this was called. Raises NotFound."""
        # Whoever waits meanwhile is served by the one read that begins after this one.
        wanted = self._reads_begun + 1
        async with self._reading:
            if self._reads_done < wanted:
                self._reads_begun += 1
                number = self._reads_begun
                await self._read()
                self._reads_done = number

    async def load(self) -> None:
        """`catch_up` for callers that can wait for news: nothing is read if the log is known."""
        if self._state is None:
            await self.catch_up()

    async def _read(self) -> None:
        if self._state is not None:
            last = self._tail[-1]
            records = await self._store.read(self.id, after=last.seq - 1)
            if records and _is_same(records[0], last):
                self.take(records[1:])
                return
            # Viewers have read what is not there any more; they may come back for what is. The
            # runner learns of it by its next append, which is refused.
            self.vanish()
        self.begin(await self._store.read(self.id))

    def take(self, records: Sequence[e.Recorded]) -> None:
        """Take in events that somebody has committed. Those known already are passed over."""
        state, before = self.state, self.seq
        try:
            for record in records:
                if record.seq == state.seq + 1:
                    state.apply(record)
                    self._add(record)
        finally:
            if self.seq > before:
                self._tell_of_news()
                if self.on_news is not None:
                    self.on_news()

    def _take_own(self, records: Sequence[e.Recorded], status: Status) -> None:
        """Take in what the runner has committed, leading to that status. It need not be told."""
        seq = self.seq
        fresh = [record for record in records if record.seq > seq]
        if not fresh:  # somebody has read them from the store already
            return
        self._unfolded += fresh
        self._status_told = status
        for record in fresh:
            self._add(record)
        if len(self._unfolded) >= KEPT:
            self._fold()
        self._tell_of_news()

    def _fold(self) -> None:
        unfolded, self._unfolded = self._unfolded, []
        for record in unfolded:
            self.state.apply(record)

    def _add(self, record: e.Recorded) -> None:
        self._tail.append(record)
        if isinstance(record.event, e.StageEntered):
            self.stage = record

    def _tell_of_news(self) -> None:
        if len(self._tail) > 2 * KEPT:
            del self._tail[:-KEPT]
        for viewer in self.viewers:
            viewer.put(self.seq)
        if not self.status.is_active:
            self._writing.give_up()

    def vanish(self) -> None:
        """Dismiss the viewers: the debate was deleted, or the process is leaving."""
        for viewer in self.viewers:
            viewer.dismiss()

    # --- appending ---

    async def append(
        self, records: Sequence[e.Recorded], row: DebateRow, *, fence: int | None = None
    ) -> None:
        """Commit these records and let everybody know. Raises what `Store.append` raises."""
        await self._store.append(records, row, fence=fence)
        self._counts.count(records)
        if fence is None:
            self.take(records)
        else:  # only the runner has a fence
            failpoints.reach("committed_before_publish")
            self._take_own(records, row.status)

    async def change(self, make: Make) -> DebateRow:
        """Append what `make` decides on, all at once, deciding again if the log has grown.

        If there is nothing to append, or `make` refuses, the row is put right before that is said:
        a debate whose row is wrong might otherwise never be found by a worker.
        """
        deadline, tries = time.monotonic() + PATIENCE_S, 0
        while time.monotonic() < deadline:
            await self.catch_up()
            try:
                events = as_events(make(self.state))
            except MootError:
                await self.row()
                raise
            if not events:
                return await self.row()
            try:
                return await self._appended(events)
            except Conflict:
                tries += 1
                if tries >= AT_ONCE:  # several who wait for one another must not do so in step
                    await asyncio.sleep(random.uniform(0, PAUSE_S))  # noqa: S311 - no secret
        raise too_busy(self.id)

    async def _appended(self, events: Sequence[e.AnyEvent]) -> DebateRow:
        now, state = self._clock.now(), self.state.copy()
        cached = await self._store.summary(self.id)
        if cached.seq != state.seq:  # unless the log has just grown, the row is wrong
            await self._store.repair(state.summary(self.id, cached.cursor))
        records = [e.Recorded(state.seq + n, now, event) for n, event in enumerate(events, 1)]
        for record in records:
            state.apply(record)
        # A debate that is over has no next step; a worker will look at any other.
        cursor = Cursor(stage=state.stage) if state.status.is_terminal else cached.cursor
        row = state.summary(self.id, cursor)
        await self.append(records, row)
        return row

    async def row(self) -> DebateRow:
        """What the list says of this debate, put right if the log says otherwise."""
        before = self.seq
        cached = await self._store.summary(self.id)
        if cached.seq > self.seq:
            await self.catch_up()  # it may only have grown
        is_of_a_moment_ago = before <= cached.seq < self.seq
        is_right = (cached.seq, cached.status) == (self.seq, self.status)
        if is_of_a_moment_ago or (is_right and cached.cast is not None):
            return cached
        state = self.state
        form = format_named(state.config.format)
        row = state.summary(self.id, cursor_at(form, state, self._clock.now()))
        return row if await self._store.repair(row) else cached

    # --- watching ---

    def enter(self, viewer: Viewer) -> None:
        """Tell the viewer everything from now on, beginning with how far the log goes."""
        self.viewers.append(viewer)
        viewer.put(self.seq)
        if self.stalled:
            viewer.put(Stalled(self.stalled))
        if viewer.wants_text:
            for item in self._writing.so_far():
                viewer.put(item)

    def leave(self, viewer: Viewer) -> None:
        if viewer in self.viewers:
            self.viewers.remove(viewer)

    def stall(self, reason: str) -> None:
        """Tell everybody that nothing can be recorded, and why; or, with "", that it can again."""
        if reason != self.stalled:
            self.stalled = reason
            for viewer in self.viewers:
                viewer.put(Stalled(reason))

    def _tell(self, item: Live) -> None:
        if not self.status.is_active:
            return  # canceled or stopped: what is still being written is being given up
        for viewer in self.viewers:
            if viewer.wants_text:
                viewer.put(item)

    # --- what the performer tells, and nobody has to keep ---

    @property
    def writing(self) -> Writing:
        """The turns that are being written."""
        return self._writing

    def hold(self, step: Step, model: str, left_s: float) -> None:
        """Show that a rate limit holds the step back, and for how long about."""
        provider = model.partition(":")[0] or "the provider"
        self._writing.hold(step, provider, self._clock.now(), left_s)

    def text_sink(self, step: Step) -> Callable[[str], None] | None:
        """Where to send the text of `step`; None if nobody wants it, which saves streaming it."""
        if not any(viewer.wants_text for viewer in self.viewers):
            return None
        return lambda text: self._writing.write(step, text)


def _is_same(one: e.Recorded, other: e.Recorded) -> bool:
    """Whether two events with one number are the same event: their times have microseconds."""
    return one.at == other.at and type(one.event) is type(other.event)


def as_events(made: e.AnyEvent | Sequence[e.AnyEvent] | None) -> tuple[e.AnyEvent, ...]:
    if made is None:
        return ()
    return tuple(made) if isinstance(made, Sequence) else (made,)


def too_busy(debate_id: str) -> Conflict:
    return Conflict(f"debate {debate_id} is too busy to be changed; try again")
