"""How long a call to a model has lately taken here, by what debates have recorded.

Only the ends of the newest logs are read, so that it costs the same however much there is. Where
too little is recorded, nothing is said: a guess would be taken for a measurement.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import median

from moot.engine.clock import Clock
from moot.errors import NotFound
from moot.protocol.events import Recorded, TurnRecorded
from moot.protocol.words import HUMAN
from moot.store.port import Store

DEBATES = 20
"""The newest, which are looked at."""
EVENTS = 60
"""The last of each."""
LEAST = 3
"""Calls that must have been recorded before anything is said of a model."""
KEPT_S = 30.0
"""How long what was found is used again: a form asks after every change."""


class Pace:
    """Seconds that calls have taken, by model."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._found: Mapping[str, float] = {}
        self._until = float("-inf")
        self._lock = asyncio.Lock()

    async def seconds(self) -> Mapping[str, float]:
        """What half of the latest calls took at the most; models of which too little is known are
        left out."""
        async with self._lock:
            if self._clock.monotonic() >= self._until:
                self._found = await self._look()
                self._until = self._clock.monotonic() + KEPT_S
            return self._found

    async def _look(self) -> dict[str, float]:
        took: dict[str, list[float]] = defaultdict(list)
        for row in (await self._store.list(limit=DEBATES)).items:
            if row.was_imported:  # held elsewhere
                continue
            try:
                log = await self._store.read(row.id, after=max(0, row.seq - EVENTS))
            except NotFound:  # deleted meanwhile
                continue
            for model, seconds in _calls(log):
                took[model].append(seconds)
        return {name: median(some) for name, some in took.items() if len(some) >= LEAST}


def _calls(log: Iterable[Recorded]) -> Iterable[tuple[str, float]]:
    for record in log:
        said = record.event
        # What a fork has from its source was not called for here; nor does a person's time count.
        if isinstance(said, TurnRecorded) and said.duration_ms and said.model not in ("", HUMAN):
            yield said.model, said.duration_ms / 1000
