"""Carries the news of what other processes append to whoever in this one must know.

To runners, so that a stop or an answer given elsewhere takes effect while their calls are still in
flight, and to those who follow a debate. The store does the telling; a missed word costs seconds.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection
from contextlib import suppress

from moot.store.port import Store, TellsNews

LOOK_ANYWAY_S = 5.0
LOOK_WITHOUT_NEWS_S = 1.0
"""Where the store tells nothing."""
MOST_REMEMBERED = 10_000


class NewsDesk:
    """`run` it beside everything else; give `wait` to the Service as its `news`.

    `held` are the debates that run here, `poke` tells the runner of one that its log has grown.
    """

    def __init__(
        self,
        store: Store,
        *,
        held: Callable[[], Collection[str]] = tuple,
        poke: Callable[[str], None] = lambda _debate_id: None,
    ) -> None:
        self._store = store
        self._held = held
        self._poke = poke
        self._look_s = LOOK_ANYWAY_S if isinstance(store, TellsNews) else LOOK_WITHOUT_NEWS_S
        self._waiting: dict[str, asyncio.Event] = {}
        # Told while nobody waited: whoever is reading the log just then must read it again.
        self._untaken: OrderedDict[str, None] = OrderedDict()

    async def run(self) -> None:
        """Until cancelled."""
        if isinstance(self._store, TellsNews):
            await self._store.news(self._watched, self._tell)

    async def wait(self, debate_id: str) -> None:
        """Return when the debate has grown in another process, or after a while."""
        if debate_id in self._untaken:
            del self._untaken[debate_id]
            return
        event = self._waiting.setdefault(debate_id, asyncio.Event())
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(event.wait(), self._look_s)
        finally:
            if self._waiting.get(debate_id) is event:
                del self._waiting[debate_id]

    def _watched(self) -> Collection[str]:
        return {*self._held(), *self._waiting}

    def _tell(self, debate_id: str, seq: int) -> None:
        del seq
        self._poke(debate_id)
        event = self._waiting.get(debate_id)
        if event is not None:
            event.set()
            return
        self._untaken[debate_id] = None
        while len(self._untaken) > MOST_REMEMBERED:
            self._untaken.popitem(last=False)
