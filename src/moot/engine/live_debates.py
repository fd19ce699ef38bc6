"""All the debates that this process has in memory, and the news of what other processes append.

A debate stays for as long as a runner, a viewer or a command holds it. Of the rest the most
recently used are kept, so that the next look at one costs little: a bounded number of debates, with
a bounded number of events.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial

from moot.engine import failpoints
from moot.engine.clock import Clock
from moot.engine.counting import Counts
from moot.engine.feed import Viewer
from moot.engine.live import LiveDebate
from moot.engine.loops import never_ending
from moot.errors import NotFound, StoreError
from moot.protocol.events import Recorded
from moot.protocol.values import Config
from moot.protocol.visibility import Veil, veil_of
from moot.store.port import Store, TellsNews

log = logging.getLogger(__name__)

MOST_KEPT, MOST_KEPT_EVENTS = 200, 20_000
"""How many debates that nobody holds are kept, and how many events of them. The debate used last is
kept even if it is longer."""
LOOK_ANYWAY_S = 5.0
LOOK_WITHOUT_NEWS_S = 1.0
"""How often watched debates are looked at: if the store tells of news, and if it does not."""
TEXT_EVERY_S = 0.05
TEXTS_PER_S = 2000
"""Pieces of text sent a second by this process, to all viewers of all debates together."""


class LiveDebates:
    """The debates of one event loop. `run` it beside everything else."""

    def __init__(self, store: Store, clock: Clock, *, look_s: float | None = None) -> None:
        self.counts = Counts()
        self._store = store
        self._clock = clock
        tells = isinstance(store, TellsNews)
        self._look_s = look_s or (LOOK_ANYWAY_S if tells else LOOK_WITHOUT_NEWS_S)
        self._debates: dict[str, LiveDebate] = {}
        # The debates that nobody holds, with the number of their events, the longest unused first.
        self._idle: OrderedDict[str, int] = OrderedDict()
        self._idle_events = 0
        self._told: set[str] = set()
        self._news = asyncio.Event()
        self._pause_s, self._pause_until = TEXT_EVERY_S, 0.0

    # --- holding ---

    @asynccontextmanager
    async def open(self, debate_id: str) -> AsyncIterator[LiveDebate]:
        """The debate with everything that is committed, in memory while the block lasts.

        Raises NotFound.
        """
        with self._held(debate_id) as live:
            await self._caught_up(live)
            yield live

    async def veiled_sources(self, config: Config) -> dict[str, Veil]:
        """The debates that a debate was forked from, if they hide something, each with its veil."""
        point = config.forked_from
        found: dict[str, Veil] = {}
        for one in (point.debate, *point.earlier) if point else ():
            with suppress(NotFound):  # deleted: nobody takes part any more
                async with self.open(one) as live:
                    found[one] = veil_of(live.state)
        return {one: veil for one, veil in found.items() if veil.is_drawn}

    @asynccontextmanager
    async def watch(self, debate_id: str, *, wants_text: bool) -> AsyncIterator[Viewer]:
        """A viewer of that debate, which sees everything from now on. Raises NotFound."""
        with self._held(debate_id) as live:
            if live.viewers:
                await live.load()  # kept up to date for those who are here already
            else:
                await self._caught_up(live)
            viewer = Viewer(live, wants_text=wants_text)
            live.enter(viewer)
            try:
                yield viewer
            finally:
                live.leave(viewer)

    def created(self, debate_id: str, records: Sequence[Recorded]) -> None:
        """Take in a debate that was made in this process: its first events need not be read."""
        with self._held(debate_id) as live:
            if not live.is_known:
                live.begin(records)

    def drop(self, debate_id: str) -> None:
        """The debate is gone: forget it, and let those who watch it know."""
        live = self._debates.pop(debate_id, None)
        if live is not None:
            live.vanish()
        self._idle_events -= self._idle.pop(debate_id, 0)

    @contextmanager
    def _held(self, debate_id: str) -> Iterator[LiveDebate]:
        live = self._debates.get(debate_id)
        if live is None:
            live = self._debates[debate_id] = LiveDebate(
                debate_id,
                store=self._store,
                clock=self._clock,
                counts=self.counts,
                text_pause_s=self._text_pause_s,
            )
        self._idle_events -= self._idle.pop(debate_id, 0)
        live.holders += 1
        try:
            yield live
        finally:
            live.holders -= 1
            if not live.holders and self._debates.get(debate_id) is live:
                self._rest(live)

    def _rest(self, live: LiveDebate) -> None:
        if not live.is_known:
            del self._debates[live.id]
            return
        self._idle[live.id] = live.seq
        self._idle_events += live.seq
        while len(self._idle) > MOST_KEPT or (
            self._idle_events > MOST_KEPT_EVENTS and len(self._idle) > 1
        ):
            debate_id, events = self._idle.popitem(last=False)
            self._idle_events -= events
            del self._debates[debate_id]

    async def _caught_up(self, live: LiveDebate) -> None:
        try:
            await live.catch_up()
        except NotFound:
            if self._debates.get(live.id) is live:
                self.drop(live.id)
            raise

    # --- those who watch ---

    @property
    def viewers(self) -> int:
        return sum(len(live.viewers) for live in self._debates.values())

    def stalled(self, debate_id: str | None = None) -> str:
        """Why nothing of that debate, or of any, can be recorded now; "" if everything can be."""
        if debate_id is not None:
            live = self._debates.get(debate_id)
            return live.stalled if live is not None else ""
        return next((one.stalled for one in self._debates.values() if one.stalled), "")

    def dismiss(self) -> None:
        """End every viewer's reading: the process is about to leave. They may come back."""
        for live in self._debates.values():
            live.vanish()

    def _text_pause_s(self) -> float:
        """The pause between two pieces of a text: the more viewers to send them to, the longer."""
        now = time.monotonic()
        if now >= self._pause_until:  # counted now and then: many debates may ask
            reading = sum(len(live.viewers) for live in self._debates.values() if live.writing)
            self._pause_s = max(TEXT_EVERY_S, reading / TEXTS_PER_S)
            self._pause_until = now + self._pause_s
        return self._pause_s

    # --- news ---

    async def run(self) -> None:
        """Take in what other processes append, until cancelled. Survives a store that is away."""
        async with asyncio.TaskGroup() as group:
            if isinstance(self._store, TellsNews):
                hear = partial(self._store.news, self._watched, self.tell)
                group.create_task(never_ending("news of the store", hear))
            group.create_task(never_ending("debates of others", self._look))

    def tell(self, debate_id: str, seq: int) -> None:
        """Note that another process may have appended up to event `seq` or, if that is 0, deleted
        the debate."""
        live = self._debates.get(debate_id)
        if live is not None and not (live.is_known and 0 < seq <= live.seq):
            self._told.add(debate_id)
            self._news.set()

    def _watched(self) -> Collection[str]:
        return [one for one, live in self._debates.items() if live.viewers or live.on_news]

    async def _look(self) -> None:
        """Read debates at once if there is news of them, and watched ones now and then anyway."""
        while True:
            failpoints.reach("news")
            is_told = False
            # Not `wait_for`: before Python 3.12 that loses a cancellation which comes together with
            # the news, and a loop that cannot be cancelled holds up the end of the process.
            with suppress(TimeoutError):
                async with asyncio.timeout(self._look_s):
                    is_told = await self._news.wait()
            self._news.clear()
            told, self._told = self._told, set()
            # What is over stays as it is, unless somebody deletes it, which the store tells of.
            watched = [one.id for one in self._debates.values() if one.viewers and _may_grow(one)]
            wanted = told if is_told else told.union(watched)
            await asyncio.gather(*(self._look_at(one) for one in wanted))

    async def _look_at(self, debate_id: str) -> None:
        if debate_id not in self._debates:
            return
        with self._held(debate_id) as live:
            try:
                await self._caught_up(live)
            except NotFound:
                pass
            except StoreError:  # full, locked or unreachable: the next look finds it
                self._told.add(debate_id)
            except Exception:
                # One debate that cannot be read must not end the process: others can be.
                log.exception("debate cannot be read", extra={"debate": debate_id})
                live.vanish()


def _may_grow(live: LiveDebate) -> bool:
    return live.is_known and not live.status.is_terminal
