"""Moot as it ships: `moot worker` with jobs through pgqueuer, `rounds` debates on Postgres.

The worker has the main thread, as it wants the signals; debates are created beside it. Creating
them and putting them into the queue is part of the measurement. Whoever has room takes a job, so a
worker does not know when all is done: the parent looks, and says so.
"""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
import threading
import traceback

from benchmarks.runtime.model import Model
from benchmarks.runtime.share import ROUNDS, Share, heard, serve, share_from_arguments
from moot.cli.app import cli
from moot.cli.options import Setup
from moot.engine.creation import NewDebate
from moot.settings import MootSettings, load_settings
from moot.testing.scripted import ScriptedModels
from moot.wiring import open_queue, open_system

CONCURRENCY = "2000"


def new_debate() -> NewDebate:
    return NewDebate(
        topic="Cities should ban private cars from their centres.",
        format="rounds",
        settings={"max_rounds": ROUNDS, "max_total_output_tokens": None},
    )


def scripted() -> ScriptedModels:
    return ScriptedModels(Model(), max_concurrent=10_000)


async def creating(share: Share, settings: MootSettings) -> None:
    queue = await open_queue(settings)
    try:
        async with open_system(settings, models=scripted(), has_worker=False) as system:

            async def run(debates: int) -> None:
                create = system.service.create
                new = (create(new_debate(), start=True) for _ in range(debates))
                await queue.enqueue(*await asyncio.gather(*new))
                print("made", flush=True)
                await heard()

            await serve(share, run)
    finally:
        await queue.close()


async def prepared(settings: MootSettings) -> None:
    """Make the tables, before two connections want to make them at once."""
    async with open_system(settings, models=scripted(), has_worker=False):
        await (await open_queue(settings)).close()


def beside(share: Share, settings: MootSettings) -> None:
    """Create debates until the parent has had enough; then let the worker go."""
    try:
        asyncio.run(creating(share, settings))
    except BaseException:  # noqa: BLE001 - whatever it is, the parent must be told
        traceback.print_exc()
        os._exit(1)  # the worker would go on for ever
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    share = share_from_arguments()
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as home:
        os.environ.update(MOOT_HOME=home, MOOT_DATABASE_URL=share.url)
        settings = load_settings()
        asyncio.run(prepared(settings))
        threading.Thread(target=beside, args=(share, settings), daemon=True).start()
        cli(["worker", "--concurrency", CONCURRENCY], obj=Setup(models=scripted()))


if __name__ == "__main__":
    main()
