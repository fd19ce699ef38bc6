"""Everything a process needs that only works: worker, news and crew, given a store and a queue."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from moot.engine.clock import SystemClock
from moot.engine.feed import Feed
from moot.engine.leases import TTL_S
from moot.engine.news import NewsDesk
from moot.engine.performer import Performer
from moot.engine.steady import SteadyWorker
from moot.models.port import Models
from moot.models.window import TokenEstimator
from moot.queue.crew import LOOK_EVERY_S, Crew
from moot.queue.port import Queue
from moot.store.port import Store
from moot.telemetry import OFF, Tracing


async def work(  # noqa: PLR0913 - the parts it is made of, each by name
    *,
    store: Store,
    models: Models,
    queue: Queue,
    concurrency: int,
    on_ready: Callable[[str], None] = lambda _worker_id: None,
    ttl_s: float = TTL_S,
    look_every_s: float = LOOK_EVERY_S,
    tracing: Tracing = OFF,
) -> None:
    """Run debates until cancelled, then give them back as they stand: the log has everything.

    `on_ready` is given the worker's id once it may take jobs.
    """
    feed, clock = Feed(), SystemClock()
    performer = Performer(models=models, feed=feed, estimator=TokenEstimator(), tracing=tracing)
    async with SteadyWorker(
        store=store, performer=performer, feed=feed, clock=clock, ttl_s=ttl_s
    ) as worker:
        on_ready(worker.id.id)
        desk = NewsDesk(store, held=lambda: worker.held, poke=worker.poke)
        crew = Crew(
            worker=worker,
            store=store,
            queue=queue,
            clock=clock,
            concurrency=concurrency,
            look_every_s=look_every_s,
        )
        async with asyncio.TaskGroup() as group:
            group.create_task(desk.run())
            group.create_task(crew.run())
