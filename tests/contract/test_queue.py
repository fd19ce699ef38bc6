"""Queues keep their contract, and stores tell of what others append."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import asyncpg
import pytest

from moot.engine.clock import SystemClock
from moot.errors import StoreUnavailable
from moot.queue.backends.memory import MemoryQueue
from moot.queue.backends.pgqueuer import PgQueue
from moot.queue.port import LATER_S, Outcome, Queue
from moot.store.backends.postgres.store import PostgresStore
from moot.store.backends.sqlite.store import SqliteStore
from moot.store.port import Store, TellsNews
from moot.testing.postgres import execute
from moot.testing.store_contract.samples import begin, record, summary

PATIENCE_S = 20
WAITING = "SELECT count(*) FROM moot_queue.pgqueuer WHERE status = 'queued'"


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110 - of other tasks' and processes' doing
            await asyncio.sleep(0.005)


@asynccontextmanager
async def beside(work: Awaitable[None]) -> AsyncIterator[asyncio.Task[None]]:
    """`work` as a task that ends with the block."""
    task = asyncio.ensure_future(work)
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@asynccontextmanager
async def opened(url: str, silent_s: float = 2.0) -> AsyncIterator[PgQueue]:
    queue = await PgQueue.open(url, silent_s=silent_s)
    try:
        yield queue
    finally:
        await queue.close()


@pytest.fixture(params=["memory", pytest.param("pgqueuer", marks=pytest.mark.postgres)])
def queue_url(request: pytest.FixtureRequest) -> str:
    """Where the queue is; nowhere, if it is in memory."""
    is_in_memory = request.param == "memory"
    return "" if is_in_memory else str(request.getfixturevalue("empty_postgres_url"))


@pytest.fixture
async def queue(queue_url: str) -> AsyncIterator[Queue]:
    """Every queue there is, empty."""
    if queue_url:
        async with opened(queue_url, silent_s=600) as in_postgres:
            yield in_postgres
        return
    in_memory = MemoryQueue(SystemClock())
    yield in_memory
    await in_memory.close()


class Jobs:
    """A handler that writes down what it was given, and holds on until it is let go."""

    def __init__(self, outcome: Outcome = Outcome.DONE, *, is_held: bool = False) -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.most = 0
        self.free = asyncio.Event()
        self._outcome = outcome
        if not is_held:
            self.free.set()

    async def handle(self, debate_id: str) -> Outcome:
        self.begun.append(debate_id)
        self.most = max(self.most, len(self.begun) - len(self.ended))
        await self.free.wait()
        self.ended.append(debate_id)
        return self._outcome


async def count(url: str, query: str) -> int:
    connection = await asyncpg.connect(url)
    try:
        return int(await connection.fetchval(query))
    finally:
        await connection.close()


# --- what every queue keeps ----------------------------------------------------------------------

pytestmark = pytest.mark.xdist_group("postgres")


async def test_does_every_job_once_and_forgets_it(queue: Queue) -> None:
    jobs = Jobs()
    names = [f"d{number}" for number in range(300)]
    await queue.enqueue(*names)
    async with (
        beside(queue.consume(jobs.handle, concurrency=7)),
        beside(queue.consume(jobs.handle, concurrency=7)),
    ):
        await until(lambda: len(jobs.ended) == len(names))
    assert Counter(jobs.ended) == Counter(names)
    assert await nothing_is_left(queue)


@pytest.mark.parametrize("concurrency", [1, 5])
async def test_keeps_to_its_concurrency_down_to_one(queue: Queue, concurrency: int) -> None:
    jobs = Jobs(is_held=True)
    await queue.enqueue(*(f"d{number}" for number in range(20)))
    async with beside(queue.consume(jobs.handle, concurrency=concurrency)):
        await until(partial(_has, jobs.begun, concurrency))
        jobs.free.set()
        await until(partial(_has, jobs.ended, 20))
    assert jobs.most == concurrency


async def test_keeps_one_job_waiting_however_often_it_is_asked(queue: Queue) -> None:
    jobs = Jobs()
    for _ in range(50):
        await queue.enqueue("d", "d")
    await queue.enqueue("last")
    async with beside(queue.consume(jobs.handle, concurrency=1)):
        await until(lambda: "last" in jobs.ended)
    assert Counter(jobs.ended) == {"d": 1, "last": 1}


async def test_lets_one_more_wait_while_the_first_is_at_work(queue: Queue) -> None:
    jobs = Jobs(is_held=True)
    await queue.enqueue("d")
    async with beside(queue.consume(jobs.handle, concurrency=1)):
        await until(lambda: len(jobs.begun) == 1)
        for _ in range(10):
            await queue.enqueue("d")
        await queue.enqueue("last")
        jobs.free.set()
        await until(lambda: "last" in jobs.ended)
        await until(lambda: len(jobs.ended) == 3)
    assert Counter(jobs.ended) == {"d": 2, "last": 1}
    assert await nothing_is_left(queue)


async def test_tells_an_idle_consumer_at_once(queue: Queue) -> None:
    jobs = Jobs()
    async with beside(queue.consume(jobs.handle, concurrency=3)):
        await queue.enqueue("first")
        await until(lambda: bool(jobs.ended))
        began = asyncio.get_running_loop().time()
        await queue.enqueue("second")
        await until(lambda: len(jobs.ended) == 2)
        assert asyncio.get_running_loop().time() - began < 0.5


async def test_brings_a_job_back_a_few_times_and_then_forgets_it(queue: Queue) -> None:
    jobs = Jobs(Outcome.LATER)
    await queue.enqueue("d")
    async with beside(queue.consume(jobs.handle, concurrency=3)):
        await until(lambda: len(jobs.ended) == 1 + len(LATER_S))
    assert await nothing_is_left(queue)


async def test_puts_a_job_that_raises_aside_and_goes_on(queue: Queue) -> None:
    jobs = Jobs()

    async def handle(debate_id: str) -> Outcome:
        if debate_id == "bad":
            jobs.begun.append(debate_id)
            raise ValueError("this is a bug")
        return await jobs.handle(debate_id)

    await queue.enqueue("bad", "good")
    async with beside(queue.consume(handle, concurrency=1)):
        await until(lambda: bool(jobs.ended))
    assert jobs.begun.count("bad") == 1
    # And when somebody wants it again, it is tried again.
    await queue.enqueue("bad")
    async with beside(queue.consume(handle, concurrency=1)):
        await until(lambda: jobs.begun.count("bad") == 2)


async def test_hands_its_jobs_back_when_it_is_cancelled(queue: Queue) -> None:
    held, free = Jobs(is_held=True), Jobs()
    await queue.enqueue("d", "e")
    async with beside(queue.consume(held.handle, concurrency=9)):
        await until(lambda: len(held.begun) == 2)
    assert held.ended == []
    async with beside(queue.consume(free.handle, concurrency=9)):
        await until(lambda: len(free.ended) == 2)


async def test_hands_back_what_it_had_only_just_taken(queue: Queue) -> None:
    jobs = Jobs()
    names = [f"d{number}" for number in range(40)]
    await queue.enqueue(*names)
    for _ in range(10):
        async with beside(queue.consume(jobs.handle, concurrency=9)):
            await asyncio.sleep(0)
            await asyncio.sleep(0)
    async with beside(queue.consume(jobs.handle, concurrency=9)):
        await until(lambda: set(jobs.ended) == set(names))


async def test_closes_twice(queue: Queue) -> None:
    await queue.close()
    await queue.close()


async def nothing_is_left(queue: Queue) -> bool:
    """Whether a consumer finds nothing to do but what is put in now."""
    jobs = Jobs()
    await queue.enqueue("only")
    async with beside(queue.consume(jobs.handle, concurrency=9)):
        await until(lambda: "only" in jobs.ended)
        await asyncio.sleep(0.1)
    return jobs.ended == ["only"]


# --- what only the one in Postgres has to keep ---------------------------------------------------


@pytest.mark.postgres
class TestPgQueue:
    async def test_keeps_a_job_that_raised_for_people_to_look_at(
        self, empty_postgres_url: str
    ) -> None:
        jobs = Jobs()

        async def handle(debate_id: str) -> Outcome:
            if debate_id == "bad":
                raise ValueError("this is a bug")
            return await jobs.handle(debate_id)

        async with opened(empty_postgres_url) as queue:
            await queue.enqueue("bad", "good")
            async with beside(queue.consume(handle, concurrency=1)):
                await until(lambda: bool(jobs.ended))
        held = "SELECT count(*) FROM moot_queue.pgqueuer WHERE status = 'failed'"
        assert await count(empty_postgres_url, held) == 1

    async def test_does_the_jobs_of_a_consumer_that_fell_silent(
        self, empty_postgres_url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        held, free = Jobs(is_held=True), Jobs()
        async with opened(empty_postgres_url, silent_s=0.5) as queue:
            await queue.enqueue("d")
            async with beside(queue.consume(held.handle, concurrency=1)):
                await until(lambda: bool(held.begun))
                monkeypatch.setattr("moot.queue.backends.pgqueuer.QueueConnection.beat", _nothing)
                async with beside(queue.consume(free.handle, concurrency=1)):
                    await until(lambda: bool(free.ended))

    async def test_keeps_the_jobs_of_a_consumer_that_is_only_slow(
        self, empty_postgres_url: str
    ) -> None:
        held, free = Jobs(is_held=True), Jobs()
        async with opened(empty_postgres_url, silent_s=0.4) as queue:
            await queue.enqueue("d")
            async with beside(queue.consume(held.handle, concurrency=1)):
                await until(lambda: bool(held.begun))
                async with beside(queue.consume(free.handle, concurrency=1)):
                    await asyncio.sleep(1.2)
                    assert free.begun == []

    async def test_goes_on_when_its_connections_are_cut(self, empty_postgres_url: str) -> None:
        jobs = Jobs(is_held=True)
        cut = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        async with opened(empty_postgres_url) as queue:
            await queue.enqueue("at work")
            async with beside(queue.consume(jobs.handle, concurrency=2)):
                await until(lambda: bool(jobs.begun))
                await execute(empty_postgres_url, cut)
                await _enqueued(queue, "later")
                await until(lambda: len(jobs.begun) == 2)
                assert jobs.begun == ["at work", "later"]

    async def test_is_installed_by_many_at_once(self, empty_postgres_url: str) -> None:
        queues = await asyncio.gather(*(PgQueue.open(empty_postgres_url) for _ in range(6)))
        await queues[3].enqueue("d")
        assert await count(empty_postgres_url, WAITING) == 1
        for queue in queues:
            await queue.close()
        durable = (
            "SELECT count(*) FROM pg_class WHERE relname ~ 'pgqueuer' AND relpersistence = 'u'"
        )
        assert await count(empty_postgres_url, durable) == 0

    async def test_says_that_postgres_is_not_there(self) -> None:
        with pytest.raises(StoreUnavailable, match="queue in Postgres"):
            await PgQueue.open("postgresql://moot:secret@127.0.0.1:1/moot")


async def _nothing(*_: object) -> None:
    pass


def _has(found: list[str], number: int) -> bool:
    return len(found) == number


def _is(told: dict[str, int], seq: int) -> bool:
    return told.get("d") == seq


async def _enqueued(queue: PgQueue, debate_id: str) -> None:
    """A connection that was cut is noticed by using it, as it is everywhere."""
    try:
        await queue.enqueue(debate_id)
    except StoreUnavailable:
        await queue.enqueue(debate_id)


# --- what stores tell ----------------------------------------------------------------------------

OpenStore = Callable[[], Awaitable[Store]]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database, or the path of a file."""
    if request.param == "sqlite":
        return str(tmp_path / "moot.db")
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
async def open_store(where: str) -> AsyncIterator[OpenStore]:
    made: list[Store] = []

    async def make() -> Store:
        is_url = where.startswith("postgresql://")
        made.append(await (PostgresStore.open(where) if is_url else SqliteStore.open(where)))
        return made[-1]

    yield make
    for store in made:
        await store.close()


async def test_tells_of_what_another_process_appends(open_store: OpenStore) -> None:
    mine, other = await open_store(), await open_store()
    assert isinstance(mine, TellsNews)
    await begin(mine, "d")
    await begin(mine, "e")
    told: dict[str, int] = {}
    async with beside(mine.news(lambda: ["d", "e"], told.__setitem__)):
        await until(lambda: told == {"d": 1, "e": 1})
        await other.append([record(2)], summary("d", 2))
        await until(lambda: told == {"d": 2, "e": 1})
        await other.delete("e")
        await until(lambda: told == {"d": 2, "e": 0})


async def test_does_not_tell_a_process_what_it_appends_itself(open_store: OpenStore) -> None:
    mine, other = await open_store(), await open_store()
    assert isinstance(mine, TellsNews)
    for name in ("d", "e"):
        await begin(mine, name)
    told: list[tuple[str, int]] = []
    async with beside(mine.news(lambda: ["d", "e"], lambda *news: told.append(news))):
        await until(lambda: len(told) == 2)
        await mine.append([record(2)], summary("d", 2))
        await other.append([record(2)], summary("e", 2))
        await until(lambda: ("e", 2) in told)
        assert ("d", 2) not in told


async def test_tells_of_a_large_group_in_one_go(open_store: OpenStore) -> None:
    mine, other = await open_store(), await open_store()
    assert isinstance(mine, TellsNews)
    # Too long together for one notification of Postgres.
    names = [f"{number:02}-{'x' * 200}" for number in range(60)]
    for name in names:
        await begin(mine, name)
    told: dict[str, int] = {}
    async with beside(mine.news(lambda: names, told.__setitem__)):
        await until(lambda: len(told) == 60)
        await asyncio.gather(*(other.append([record(2)], summary(name, 2)) for name in names))
        await until(lambda: set(told.values()) == {2})


@pytest.mark.postgres
async def test_catches_up_after_its_listening_connection_was_cut(postgres_url: str) -> None:
    mine, other = await PostgresStore.open(postgres_url), await PostgresStore.open(postgres_url)
    await begin(mine, "d")
    told: dict[str, int] = {}
    cut = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name = 'moot news' AND datname = current_database()"
    )
    async with beside(mine.news(lambda: ["d"], told.__setitem__)):
        for seq in (2, 3, 4):
            await until(partial(_is, told, seq - 1))
            await execute(postgres_url, cut)
            await other.append([record(seq)], summary("d", seq))
        await until(lambda: told["d"] == 4)
    await mine.close()
    await other.close()
