"""A connection to the queue's tables, and what is said over it.

The tables are in a schema of their own, so that neither another application's pgqueuer nor the
debates are touched. No foreign exception leaves this module.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from typing import Any

import asyncpg
from pgqueuer.adapters.drivers.asyncpg import AsyncpgDriver
from pgqueuer.adapters.persistence.qb import (
    QueryBuilderEnvironment,
    QueryQueueBuilder,
    QuerySchedulerBuilder,
)
from pgqueuer.adapters.persistence.queries import Queries
from pgqueuer.domain.models import Job
from pgqueuer.domain.settings import DBSettings, Durability
from pgqueuer.domain.types import Channel, JobId, QueueEntrypoint, QueueManagerId
from pgqueuer.ports.repository import EntrypointExecutionParameter

from moot.errors import StoreUnavailable

SCHEMA = "moot_queue"
ENTRYPOINT = QueueEntrypoint("advance")
CONNECT_TIMEOUT_S = 10.0
ANSWER_S = 15.0
KEEP_LOG = timedelta(days=7)

# All names are given; otherwise pgqueuer takes them from variables such as FUNCTION.
SETTINGS = DBSettings(
    prefix="",
    db_schema=SCHEMA,
    channel=Channel("moot_queue"),
    function="fn_pgqueuer_changed",
    statistics_table="pgqueuer_statistics",
    queue_status_type="pgqueuer_status",
    queue_table="pgqueuer",
    queue_table_log="pgqueuer_log",
    trigger="tg_pgqueuer_changed",
    schedules_table="pgqueuer_schedules",
    durability=Durability.durable,
    widen_id=True,
)
_TABLE = SETTINGS.qualified.queue_table
# ruff: noqa: S608 - built from the names above
# A job at work gives up its key, so that another may wait for the same debate meanwhile.
_GIVE_UP_KEYS = f"UPDATE {_TABLE} SET dedupe_key = NULL WHERE id = ANY($1)"
_FORGET = f"DELETE FROM {SETTINGS.qualified.queue_table_log} WHERE created < now() - $1::interval"


@contextmanager
def translated() -> Iterator[None]:
    """What asyncpg and the network raise, in Moot's words."""
    try:
        yield
    except (
        asyncpg.PostgresError,
        asyncpg.InterfaceError,
        asyncpg.InternalClientError,
        OSError,  # TimeoutError too
        EOFError,
    ) as error:
        message = f"the queue in Postgres cannot be used now ({type(error).__name__}: {error})"
        raise StoreUnavailable(message) from error


class QueueConnection:
    """What a queue says to Postgres, over one connection."""

    def __init__(self, connection: asyncpg.Connection[asyncpg.Record]) -> None:
        self._connection = connection
        self._driver = AsyncpgDriver(connection)
        self._queries = Queries(
            self._driver,
            qbe=QueryBuilderEnvironment(SETTINGS),
            qbq=QueryQueueBuilder(SETTINGS),
            qbs=QuerySchedulerBuilder(SETTINGS),
        )

    @property
    def is_broken(self) -> bool:
        return self._connection.is_closed()

    async def install(self) -> None:
        """Create the tables, or bring them up to date. Of two processes the second waits."""
        with translated():
            await self._queries.apply_upgrade()

    async def listen(self, hear: Callable[[], None]) -> None:
        """Have `hear` called when jobs are put in, and when the connection breaks."""

        def heard(payload: str | bytes | bytearray) -> None:
            # Every job that is through is told too, which is of no interest.
            if '"insert"' in str(payload):
                hear()

        with translated():
            await self._driver.add_listener(SETTINGS.channel, heard)
            self._connection.add_termination_listener(lambda _: hear())

    async def put(self, debate_ids: Sequence[str]) -> None:
        count = len(debate_ids)
        with translated():
            await self._queries.enqueue(
                [ENTRYPOINT] * count,
                [debate_id.encode() for debate_id in debate_ids],
                [0] * count,
                dedupe_key=list(debate_ids),
                on_conflict="skip",
            )

    async def take(self, count: int, by: uuid.UUID, stale_after_s: float) -> list[Job]:
        """At most `count` jobs: those that wait, and those whose consumer has gone silent."""
        with translated():
            jobs = await self._queries.dequeue(
                batch_size=count,
                entrypoints={ENTRYPOINT: EntrypointExecutionParameter(concurrency_limit=0)},
                queue_manager_id=QueueManagerId(by),
                global_concurrency_limit=None,
                heartbeat_timeout=timedelta(seconds=stale_after_s),
            )
            if jobs:
                await self._connection.execute(_GIVE_UP_KEYS, [job.id for job in jobs])
        return jobs

    async def beat(self, jobs: Iterable[JobId]) -> None:
        with translated():
            await self._queries.update_heartbeat(list(jobs))

    async def finish(self, jobs: Sequence[Job], *, has_failed: bool = False) -> None:
        """Forget jobs that are through; keep those that failed, for people to look at."""
        if jobs:
            status: Any = "failed" if has_failed else "successful"
            with translated():
                await self._queries.log_jobs([(job, status, None) for job in jobs])

    async def hand_back(self, job: Job, delay_s: float) -> None:
        with translated():
            await self._queries.retry_job(job, timedelta(seconds=delay_s), None)

    async def forget_old(self) -> None:
        """Drop pgqueuer's own records of jobs that are long through."""
        with translated():
            await self._connection.execute(_FORGET, KEEP_LOG)


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[QueueConnection]:
    with translated():
        connection = await asyncpg.connect(
            url.replace("postgresql+asyncpg://", "postgresql://", 1),
            timeout=CONNECT_TIMEOUT_S,
            command_timeout=ANSWER_S,
            server_settings={"application_name": "moot queue"},
        )
    try:
        yield QueueConnection(connection)
    finally:
        # Not close(), which waits for a server that may be gone.
        connection.terminate()
