"""The queue in Postgres: pgqueuer's tables and statements, with a consumer of our own.

pgqueuer's own loop ends with its connection and then waits for the jobs at work before it says so;
ours keeps them, connects again and goes on. The tables are in a schema of their own, so that
neither another application's pgqueuer nor the debates are touched. No foreign exception leaves this
module.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from datetime import timedelta
from typing import Any, Self

import asyncpg
import msgspec
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

from moot.engine import failpoints
from moot.errors import StoreUnavailable
from moot.queue.port import LATER_S, Handle, Outcome, Queue

log = logging.getLogger(__name__)

SCHEMA = "moot_queue"
ENTRYPOINT = QueueEntrypoint("advance")
CONNECT_TIMEOUT_S = 10.0
ANSWER_S = 15.0
KEEP_LOG = timedelta(days=7)
MOST_AT_ONCE = 1000
"""Jobs put in by one statement."""
SILENT_S = 15.0
BEATS = 4
"""How many heartbeats there are in the time after which a consumer is taken for dead."""
POLL_S = 1.0
"""How often to look for unannounced jobs: handed back, due again, or of a dead consumer."""
BATCH = 100
PAUSES_S = (0.1, 0.5, 1.0, 2.0)
"""Before connecting again; the last one repeats."""
FORGET_EVERY_S = 3600.0
FAREWELL_S = 3.0
"""How long to try to hand jobs back before going."""

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
            # Finished jobs are announced too, which is of no interest.
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
        """Forget finished jobs; keep those that failed, for people to look at."""
        if jobs:
            status: Any = "failed" if has_failed else "successful"
            with translated():
                await self._queries.log_jobs([(job, status, None) for job in jobs])

    async def hand_back(self, job: Job, delay_s: float) -> None:
        with translated():
            await self._queries.retry_job(job, timedelta(seconds=delay_s), None)

    async def forget_old(self) -> None:
        """Drop pgqueuer's own records of jobs that ended long ago."""
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


class Ended(msgspec.Struct, frozen=True):
    """A job that is not at work any more; `outcome` is None if it raised."""

    job: Job
    outcome: Outcome | None


class Consumer:
    """Takes jobs as long as there is room, sends heartbeats for those at work, and settles those
    that ended.

    All of that happens over one connection, in one loop. When the connection breaks the jobs go on;
    the next connection sends their heartbeats and settles what ended meanwhile.
    """

    def __init__(self, url: str, handle: Handle, *, concurrency: int, silent_s: float) -> None:
        self._url = url
        self._handle = handle
        self._concurrency = concurrency
        self._silent_s = silent_s
        self._id = uuid.uuid4()
        self._at_work: dict[JobId, tuple[Job, asyncio.Task[None]]] = {}
        self._ended: list[Ended] = []
        self._news = asyncio.Event()
        self.is_resting = False
        """Whether no more jobs are taken."""
        self._failures = 0
        self._next_beat = 0.0
        self._next_forgetting = 0.0

    async def run(self) -> None:
        try:
            while True:
                try:
                    await self._serve()
                except StoreUnavailable as error:
                    pause_s = PAUSES_S[min(self._failures, len(PAUSES_S) - 1)]
                    self._failures += 1
                    log.warning("queue unavailable", extra={"error": str(error)})
                    await asyncio.sleep(pause_s)
        finally:
            await self._leave()

    async def _serve(self) -> None:
        async with connected(self._url) as connection:
            await connection.listen(self._news.set)
            while True:
                failpoints.reach("consumer")
                self._news.clear()
                await self._settle(connection)
                await self._beat(connection)
                is_more = await self._take(connection)
                self._failures = 0
                if not is_more:
                    # Not `wait_for`, which can lose a cancellation before Python 3.12.
                    with suppress(TimeoutError):
                        async with asyncio.timeout(min(POLL_S, self._silent_s / 8)):
                            await self._news.wait()

    async def _take(self, connection: QueueConnection) -> bool:
        """Start as many jobs as there is room for; whether there may be more right now."""
        room = min(self._concurrency - len(self._at_work), BATCH)
        if room <= 0 or self.is_resting:
            return False
        jobs = await connection.take(room, self._id, self._silent_s)
        for job in jobs:
            if job.id not in self._at_work:  # a beat of ours came late, and we took our own job
                task = asyncio.create_task(self._work(job))
                self._at_work[job.id] = (job, task)
        return len(jobs) == room

    async def _work(self, job: Job) -> None:
        outcome = None
        try:
            outcome = await self._handle(_debate_of(job))
        except Exception:
            log.exception("job failed")
        del self._at_work[job.id]
        self._ended.append(Ended(job, outcome))
        self._news.set()

    async def _beat(self, connection: QueueConnection) -> None:
        now = time.monotonic()
        if now >= self._next_beat:
            self._next_beat = now + self._silent_s / BEATS
            if self._at_work:
                await connection.beat(self._at_work)
        if now >= self._next_forgetting:
            self._next_forgetting = now + FORGET_EVERY_S
            await connection.forget_old()

    async def _settle(self, connection: QueueConnection) -> None:
        ended = list(self._ended)
        done: list[Job] = []
        await self._pass_on(
            connection, [one.job for one in ended if one.outcome is Outcome.ELSEWHERE]
        )
        for each in ended:
            if each.outcome is Outcome.LATER and each.job.attempts < len(LATER_S):
                await connection.hand_back(each.job, LATER_S[each.job.attempts])
            elif each.outcome is not None:
                done.append(each.job)
        await connection.finish(done)
        await connection.finish(
            [each.job for each in ended if each.outcome is None], has_failed=True
        )
        del self._ended[: len(ended)]

    async def _pass_on(self, connection: QueueConnection, jobs: Sequence[Job]) -> None:
        """Have others do these: as new jobs, because new ones are announced at once."""
        if jobs:
            await connection.put([_debate_of(job) for job in jobs])

    async def _leave(self) -> None:
        """Stop what is at work and hand it back, so that others need not find out by themselves."""
        left = list(self._at_work.values())
        for _, task in left:
            task.cancel()
        await asyncio.gather(*(task for _, task in left), return_exceptions=True)
        with suppress(StoreUnavailable, TimeoutError):
            async with asyncio.timeout(FAREWELL_S), connected(self._url) as connection:
                self._ended += [Ended(job, Outcome.ELSEWHERE) for job, _ in left]
                await self._settle(connection)


def _debate_of(job: Job) -> str:
    return (job.payload or b"").decode()


class PgQueue(Queue):
    """A connection for putting jobs in, and one for each consumer.

    Opened by `PgQueue.open(url)`; the methods' contract is the port's.

    A consumer that has not been heard of for `silent_s` is taken for dead.
    """

    def __init__(self, url: str, *, silent_s: float = SILENT_S) -> None:
        self._url = url
        self._silent_s = silent_s
        self._stack = AsyncExitStack()
        self._connection: QueueConnection | None = None
        self._turns = asyncio.Lock()
        self._consumers: list[Consumer] = []

    @classmethod
    async def open(cls, url: str, *, silent_s: float = SILENT_S) -> Self:
        """The queue in the database `url` (postgresql://...), its schema up to date."""
        async with connected(url) as connection:
            await connection.install()
        return cls(url, silent_s=silent_s)

    async def enqueue(self, *debate_ids: str) -> None:
        wanted = list(dict.fromkeys(debate_ids))
        async with self._turns:
            for first in range(0, len(wanted), MOST_AT_ONCE):
                connection = await self._connected()
                await connection.put(wanted[first : first + MOST_AT_ONCE])

    async def consume(self, handle: Handle, *, concurrency: int) -> None:
        consumer = Consumer(self._url, handle, concurrency=concurrency, silent_s=self._silent_s)
        self._consumers.append(consumer)
        await consumer.run()

    def rest(self) -> None:
        for consumer in self._consumers:
            consumer.is_resting = True

    async def close(self) -> None:
        await self._stack.aclose()
        self._connection = None

    async def _connected(self) -> QueueConnection:
        if self._connection is None or self._connection.is_broken:
            await self._stack.aclose()
            self._connection = await self._stack.enter_async_context(connected(self._url))
        return self._connection
