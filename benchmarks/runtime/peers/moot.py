"""Moot as `moot worker` runs it: jobs through pgqueuer, leases, `rounds` debates on Postgres.

Creating the debates and putting them into the queue is part of the measurement. Whoever has room
takes a job, so a worker does not know when all is done: the parent looks, and says so.
"""

from __future__ import annotations

import asyncio

from benchmarks.runtime.model import Model
from benchmarks.runtime.share import CONNECTIONS, ROUNDS, heard, serve, share_from_arguments
from moot.engine.creation import NewDebate
from moot.queue.backends.pgqueuer import PgQueue
from moot.settings import MootSettings
from moot.store.backends.postgres import PostgresStore
from moot.store.backends.postgres.database import MOST_CONNECTIONS
from moot.testing.scripted import ScriptedModels
from moot.wiring import open_worker

assert MOST_CONNECTIONS <= CONNECTIONS


def new_debate() -> NewDebate:
    return NewDebate(
        topic="Cities should ban private cars from their centres.",
        format="rounds",
        settings={"max_rounds": ROUNDS, "max_total_output_tokens": None},
    )


async def main() -> None:
    share = share_from_arguments()
    store = await PostgresStore.open(share.url)
    queue = await PgQueue.open(share.url)
    models = ScriptedModels(Model(), max_concurrent=10_000)
    settings = MootSettings(database_url=share.url, tracing=False)
    try:
        async with open_worker(
            settings, concurrency=2000, store=store, models=models, queue=queue
        ) as system:

            async def run(debates: int) -> None:
                new = (system.service.create(new_debate(), start=True) for _ in range(debates))
                await asyncio.gather(*new)
                print("made", flush=True)
                await heard()

            await serve(share, run)
    finally:
        await queue.close()
        await store.close()


if __name__ == "__main__":
    asyncio.run(main())
