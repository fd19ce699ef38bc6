"""DBOS: a workflow whose steps are recorded one by one.

Each process starts its own workflows, which is the cheapest way: a queue of DBOS would make more
work.
"""

from __future__ import annotations

import asyncio

from dbos import DBOS, DBOSConfig

from benchmarks.runtime.share import CONNECTIONS, STEPS, answer, serve, share_from_arguments


@DBOS.step()
async def speak() -> str:
    return await answer()


@DBOS.workflow()
async def debate() -> int:
    said = [await speak() for _ in range(STEPS)]
    return len(said)


async def _debate() -> None:
    handle = await DBOS.start_workflow_async(debate)
    assert await handle.get_result() == STEPS


async def _run(debates: int) -> None:
    await asyncio.gather(*(_debate() for _ in range(debates)))


async def main() -> None:
    share = share_from_arguments()
    config = DBOSConfig(
        name="benchmark",
        system_database_url=share.url,
        sys_db_pool_size=CONNECTIONS,
        executor_id=f"worker-{share.worker}",
        application_version="1",
        log_level="ERROR",
        enable_otlp=False,
    )
    DBOS(config=config)
    DBOS.launch()
    try:
        await serve(share, _run)
    finally:
        DBOS.destroy()


if __name__ == "__main__":
    asyncio.run(main())
