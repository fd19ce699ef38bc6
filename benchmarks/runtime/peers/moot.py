"""Moot as `moot worker` runs it: jobs through pgqueuer, leases, `rounds` debates on Postgres.

Creating the debates and putting them into the queue is part of the measurement. Whoever has room
takes a job, so a worker does not know when all is done: the parent looks, and says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from benchmarks.runtime.model import Model
from benchmarks.runtime.share import CONNECTIONS, ROUNDS, heard, serve, share_from_arguments
from moot.engine.clock import SystemClock
from moot.engine.creation import NewDebate
from moot.engine.feed import Feed
from moot.engine.service import Service
from moot.models.port import Models
from moot.queue.backends.pgqueuer import PgQueue
from moot.queue.port import Queue
from moot.queue.station import work
from moot.store.backends.postgres import PostgresStore
from moot.store.backends.postgres.database import MOST_CONNECTIONS
from moot.testing.scripted import ScriptedModels

assert MOST_CONNECTIONS <= CONNECTIONS


def new_debate() -> NewDebate:
    return NewDebate(
        topic="Cities should ban private cars from their centres.",
        format="rounds",
        settings={"max_rounds": ROUNDS, "max_total_output_tokens": None},
    )


@asynccontextmanager
async def working(store: PostgresStore, models: Models, queue: Queue) -> AsyncIterator[None]:
    """A `moot worker` in this process."""
    ready = asyncio.Event()
    task = asyncio.create_task(
        work(
            store=store,
            models=models,
            queue=queue,
            concurrency=2000,
            on_ready=lambda _worker_id: ready.set(),
        )
    )
    try:
        await ready.wait()
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def main() -> None:
    share = share_from_arguments()
    store = await PostgresStore.open(share.url)
    queue = await PgQueue.open(share.url)
    models = ScriptedModels(Model(), max_concurrent=10_000)
    service = Service(
        store=store, models=models, feed=Feed(), clock=SystemClock(), worker=None, version="bench"
    )

    async def run(debates: int) -> None:
        new = (service.create(new_debate(), start=True) for _ in range(debates))
        await queue.enqueue(*await asyncio.gather(*new))
        print("made", flush=True)
        await heard()

    try:
        async with working(store, models, queue):
            await serve(share, run)
    finally:
        await queue.close()
        await store.close()


if __name__ == "__main__":
    asyncio.run(main())
