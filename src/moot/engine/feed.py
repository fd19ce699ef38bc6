"""The live feed of one process: every event as it is committed, and text as it is written.

Events are durable and numbered; a viewer that falls behind is told so and reads the log instead.
Text is neither: the turn that follows has all of it. Publishing never waits for a viewer.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from moot.engine import failpoints
from moot.protocol.events import Recorded
from moot.protocol.steps import Step

MAX_BEHIND = 10_000
"""Items a viewer may be behind before it has to read the log again."""


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


Live = StepBegan | TextWritten | TextVoided
Item = Recorded | Live


class Subscription:
    """One viewer's queue of one debate."""

    def __init__(self, *, wants_text: bool) -> None:
        self.wants_text = wants_text
        self._items: deque[Item] = deque()
        self._ready = asyncio.Event()
        self._is_closed = False

    def put(self, item: Item) -> None:
        if len(self._items) >= MAX_BEHIND:
            # The reader sees the gap in the sequence numbers and reads the log instead.
            self._items.clear()
        self._items.append(item)
        self._ready.set()

    def close(self) -> None:
        """End the iteration once everything that was put has been read."""
        self._is_closed = True
        self._ready.set()

    async def items(self) -> AsyncIterator[Item]:
        while True:
            while self._items:
                yield self._items.popleft()
            if self._is_closed:
                return
            self._ready.clear()
            await self._ready.wait()


class Feed:
    """Who watches what in this process."""

    def __init__(self) -> None:
        self._watching: dict[str, list[Subscription]] = {}
        self._in_flight: dict[str, dict[str, Step]] = {}

    @contextmanager
    def performing(self, debate_id: str, step: Step) -> Iterator[None]:
        """Tell viewers that a model is being asked, those too that come while it is."""
        steps = self._in_flight.setdefault(debate_id, {})
        steps[step.key] = step
        self.live(debate_id, StepBegan(step))
        try:
            yield
        finally:
            steps.pop(step.key, None)
            if not steps:
                self._in_flight.pop(debate_id, None)

    def in_flight(self, debate_id: str) -> tuple[Step, ...]:
        """The steps this process performs just now."""
        return tuple(self._in_flight.get(debate_id, {}).values())

    @contextmanager
    def subscribe(self, debate_id: str, *, wants_text: bool) -> Iterator[Subscription]:
        subscription = Subscription(wants_text=wants_text)
        self._watching.setdefault(debate_id, []).append(subscription)
        try:
            yield subscription
        finally:
            watching = self._watching[debate_id]
            watching.remove(subscription)
            if not watching:
                del self._watching[debate_id]

    def publish(self, debate_id: str, records: Sequence[Recorded]) -> None:
        for subscription in self._watching.get(debate_id, ()):
            for record in records:
                subscription.put(record)

    def live(self, debate_id: str, item: Live) -> None:
        for subscription in self._watching.get(debate_id, ()):
            if subscription.wants_text:
                subscription.put(item)

    def text_sink(self, debate_id: str, step: Step) -> Callable[[str], None] | None:
        """Where to send the text of `step`; None if nobody wants it, which saves streaming it."""
        if not any(one.wants_text for one in self._watching.get(debate_id, ())):
            return None

        def sink(text: str) -> None:
            failpoints.reach("mid_stream")
            self.live(debate_id, TextWritten(step, text))

        return sink
