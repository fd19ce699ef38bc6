"""A thousand debates in one process, and one job delivered fifty times to eight consumers.

Figures are printed and not asserted: they belong to benchmarks. Counts and bounds are asserted.
"""

from __future__ import annotations

import asyncio
import random
import resource
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from statistics import quantiles

import pytest

from moot.engine.creation import NewDebate
from moot.models.port import ChatReply, ChatRequest, OnText
from moot.protocol.events import Recorded
from moot.protocol.row import DebateRow
from moot.protocol.words import Status
from moot.settings import load_settings
from moot.store.backends.sqlite.store import SqliteStore
from moot.store.port import Store
from moot.testing.oracles import check_book, check_integrity, read_book
from moot.testing.scripted import ScriptedModel, ScriptedModels
from moot.wiring import System, open_dispatching

pytestmark = pytest.mark.faults

PATIENCE_S = 120
DEBATES = 1000
LATENCY_S = (0.5, 2.5)
"""As of quick models; not all alike, or a thousand replies would come in the same instant."""
STEPS = 5
"""Of a debate of two rounds with a judge."""
MOST_MB = 600


def two_rounds(topic: str) -> NewDebate:
    return NewDebate(topic=topic, format="rounds", settings={"max_rounds": 2})


class Ledger(ScriptedModel):
    """Knows how often each step was asked for, and how long each reply took to be followed up.

    What lies between a reply and the next request of the same debate is the engine's and the
    store's own time: the overhead of a step.
    """

    def __init__(self, latency_s: tuple[float, float] = (0.01, 0.05)) -> None:
        chance = random.Random(20261115)  # noqa: S311 - how long a model thinks
        super().__init__(sleep=lambda _: asyncio.sleep(chance.uniform(*latency_s)))
        self.asked: Counter[str] = Counter()
        self.overheads_s: list[float] = []
        self.in_flight = self.most_in_flight = 0
        self._replied_at: dict[str, float] = {}

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        debate = request.label.partition("/")[0]
        self.asked[request.label] += 1
        if debate in self._replied_at:
            self.overheads_s.append(time.perf_counter() - self._replied_at[debate])
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await super().reply(request, on_text)
        finally:
            self.in_flight -= 1
            self._replied_at[debate] = time.perf_counter()


def consumer(store: Store, model: ScriptedModel) -> AbstractAsyncContextManager[System]:
    """What is behind every `moot serve`."""
    return open_dispatching(
        load_settings(home="nowhere", tracing=False),
        store=store,
        models=ScriptedModels(model, max_concurrent=2000),
        look_every_s=0.2,
    )


async def over(one: System, debate: str) -> None:
    """Return when the debate is over, whoever runs it."""
    async for _ in one.service.follow(debate):
        pass


def memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def test_a_thousand_debates_at_once_all_end_well(tmp_path: Path) -> None:
    model = Ledger(LATENCY_S)
    store = await SqliteStore.open(tmp_path / "moot.db")
    before_mb = memory_mb()
    async with asyncio.timeout(PATIENCE_S), consumer(store, model) as one:
        topics = [f"Load {number}: is it so?" for number in range(DEBATES)]
        debates = [await one.service.create(two_rounds(topic)) for topic in topics]
        began = time.perf_counter()
        await asyncio.gather(*(one.service.command(debate, "start") for debate in debates))
        while (await store.count()).get(Status.COMPLETED) != DEBATES:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.05)
        took_s = time.perf_counter() - began
        assert set(model.asked.values()) == {1}
        assert len(model.asked) == STEPS * DEBATES
        # All of them were really at it together.
        assert model.most_in_flight > DEBATES / 2
        for debate in debates:
            assert (await store.summary(debate)).status is Status.COMPLETED
        for debate in debates[::50]:
            check_book(await read_book(store, debate))
        grown_mb = memory_mb() - before_mb
    await store.close()
    check_integrity(tmp_path / "moot.db")
    p50, p95 = (quantiles(model.overheads_s, n=100)[at] * 1000 for at in (49, 94))
    print(  # noqa: T201 - shown by pytest -rP, quoted in reports
        f"{STEPS * DEBATES} steps in {took_s:.1f} s, {model.most_in_flight} calls in flight, "
        f"overhead of a step p50 {p50:.0f} ms, p95 {p95:.0f} ms, {grown_mb:.0f} MB more"
    )
    assert grown_mb < MOST_MB


class Repeating(SqliteStore):
    """Tells everybody of every append, again and again."""

    consumers: Sequence[System] = ()
    delivered = 0

    async def append(
        self, records: Sequence[Recorded], summary: DebateRow, *, fence: int | None = None
    ) -> None:
        await super().append(records, summary, fence=fence)
        for _ in range(50):
            for consumer in self.consumers:
                assert consumer.dispatcher is not None
                consumer.dispatcher.wake(summary.id)
                consumer.live.tell(summary.id, 0)
                self.delivered += 1


async def test_each_step_delivered_fifty_times_to_eight_consumers_is_one_call(
    tmp_path: Path,
) -> None:
    model = Ledger()
    store = await Repeating.open(tmp_path / "moot.db")
    async with asyncio.timeout(PATIENCE_S), AsyncExitStack() as stack:
        consumers = [await stack.enter_async_context(consumer(store, model)) for _ in range(8)]
        store.consumers = consumers
        debates = [
            await one.service.create(two_rounds(f"Fifty {number}: is it so?"), start=True)
            for number, one in enumerate(consumers)
        ]
        await asyncio.gather(*(over(consumers[0], debate) for debate in debates))
        store.consumers = ()
    for debate in debates:
        check_book(await read_book(store, debate))
    await store.close()
    assert store.delivered > 50 * 8 * STEPS * len(debates)
    assert set(model.asked.values()) == {1}
    assert len(model.asked) == STEPS * len(debates)
