"""Who runs a debate when several could, one is asleep, or a call takes longer than a lease."""

from __future__ import annotations

import asyncio
import signal
from contextlib import closing
from pathlib import Path

import pytest
from tests.faults.holding import (
    BUSY,
    DONE,
    PATIENCE_S,
    Child,
    Place,
    barrier,
    books,
    calls_reach,
    create,
    undisturbed,
)

from moot.store.sqlite_driver import sqlite3
from moot.testing.oracles import check_book, check_spending, check_usage, transcript_hash
from moot.testing.server import ScriptedServer

pytestmark = pytest.mark.faults

DAY_S = 86_400.0
JUMPS_S = (-DAY_S, 7200.0, 10 * 365 * DAY_S)


async def _put_to_sleep(child: Child, place: Place) -> None:
    """Stop it between two transactions: inside one, SQLite keeps everybody out until it wakes."""
    path = Path(place.home) / "moot.db"
    async with asyncio.timeout(PATIENCE_S):
        while True:
            child.signal(signal.SIGSTOP)
            try:
                with closing(sqlite3.connect(path, timeout=0)) as connection:
                    connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                child.signal(signal.SIGCONT)
                await asyncio.sleep(0.005)
            else:
                return


async def test_refuses_the_write_of_a_worker_that_slept_beyond_its_lease(tmp_path: Path) -> None:
    (expected,) = await undisturbed(tmp_path, "Asleep: is it so?")
    async with ScriptedServer(latency_s=0.02) as server:
        place = Place(home=str(tmp_path / "home"), base_url=server.base_url, ttl_s=2.0)
        debates = await create(place, "Asleep: is it so?")
        sleeper = Child(place, debates)
        await calls_reach(server, 5, sleeper)
        await _put_to_sleep(sleeper, place)
        # It is not gone, so nobody may take over before its lease has run out.
        assert await Child(place, debates).ended() == BUSY
        await asyncio.sleep(place.ttl_s)
        assert await Child(place, debates).ended() == DONE
        (before,) = await books(place, debates)
        sleeper.signal(signal.SIGCONT)
        assert await sleeper.ended() == BUSY
        found = await books(place, debates)
        assert found[0].records == before.records
        check_book(found[0], transcript=transcript_hash(expected.records))
        check_spending(server.calls, found, kills=1, in_flight=2)


async def test_a_worker_that_wakes_up_in_the_middle_of_anothers_run_disturbs_nothing(
    tmp_path: Path,
) -> None:
    (expected,) = await undisturbed(tmp_path, "Awake: is it so?")
    async with ScriptedServer(latency_s=0.03) as server:
        place = Place(home=str(tmp_path / "home"), base_url=server.base_url, ttl_s=0.4)
        debates = await create(place, "Awake: is it so?")
        sleeper = Child(place, debates)
        await calls_reach(server, 4, sleeper)
        await _put_to_sleep(sleeper, place)
        await asyncio.sleep(place.ttl_s)
        heir = Child(place, debates)
        await calls_reach(server, len(server.calls) + 4, heir)
        sleeper.signal(signal.SIGCONT)
        assert await sleeper.ended() == BUSY
        assert await heir.ended() == DONE
        found = await books(place, debates)
        check_book(found[0], transcript=transcript_hash(expected.records))
        check_spending(server.calls, found, kills=1, in_flight=2)


async def test_a_call_longer_than_the_lease_is_made_once(tmp_path: Path) -> None:
    async with ScriptedServer(latency_s=1.2) as server:
        place = Place(home=str(tmp_path / "home"), base_url=server.base_url, ttl_s=0.6)
        debates = await create(place, "Slow: is it so?", turns=1, has_judge=False)
        slow = Child(place, debates)
        await calls_reach(server, 3, slow)
        assert await Child(place, debates).ended() == BUSY
        assert await slow.ended() == DONE
        found = await books(place, debates)
        check_book(found[0])
        assert check_spending(server.calls, found) == 0
        assert len(server.calls) == 4


async def test_of_two_that_resume_at_once_one_runs_and_one_is_busy(tmp_path: Path) -> None:
    async with ScriptedServer(latency_s=0.1) as server:
        place = Place(home=str(tmp_path / "home"), base_url=server.base_url)
        debates = await create(place, "Two: is it so?")
        first = Child(place, debates)
        await calls_reach(server, 3, first)
        assert first.kill()
        go = barrier()
        both = [Child(place, debates, go), Child(place, debates, go)]
        go.set()
        codes = await asyncio.gather(*(one.ended() for one in both))
        assert sorted(codes) == [DONE, BUSY]
        found = await books(place, debates)
        check_book(found[0])
        check_spending(server.calls, found, kills=1, in_flight=2)


@pytest.mark.parametrize("processes", [1, 4])
async def test_eight_that_advance_one_debate_make_each_call_once(
    tmp_path: Path, processes: int
) -> None:
    async with ScriptedServer(latency_s=0.05) as server:
        place = Place(home=str(tmp_path / "home"), base_url=server.base_url)
        (debate,) = await create(place, "Eight: is it so?", turns=6)
        go = barrier()
        crowd = [Child(place, [debate] * (8 // processes), go) for _ in range(processes)]
        go.set()
        codes = await asyncio.gather(*(one.ended() for one in crowd))
        assert set(codes) <= {DONE, BUSY}
        # Those in one process share its run; of several processes one has the debate.
        assert (BUSY in codes) is (processes > 1)
        found = await books(place, [debate])
        check_book(found[0])
        assert check_spending(server.calls, found) == 0
        assert len(server.calls) == 30
        check_usage(server.calls, found)


@pytest.mark.postgres
@pytest.mark.xdist_group("postgres")
async def test_eight_processes_on_postgres_make_each_call_once(
    tmp_path: Path, postgres_url: str
) -> None:
    async with ScriptedServer(latency_s=0.01) as server:
        place = Place(
            home=str(tmp_path / "home"), base_url=server.base_url, database_url=postgres_url
        )
        debates = await create(place, "Eight: is it so?", turns=6)
        go = barrier()
        crowd = [Child(place, debates, go) for _ in range(8)]
        go.set()
        codes = await asyncio.gather(*(one.ended() for one in crowd))
        assert min(codes) == DONE
        found = await books(place, debates)
        check_book(found[0])
        assert len(server.calls) == 30


async def test_a_wall_clock_that_jumps_steals_no_lease_and_breaks_no_fold(tmp_path: Path) -> None:
    (expected,) = await undisturbed(tmp_path, "Jumping: is it so?")
    async with ScriptedServer(latency_s=0.15) as server:
        place = Place(home=str(tmp_path / "home"), base_url=server.base_url)
        debates = await create(place, "Jumping: is it so?")
        jumping = Child(place.changed(clock_jumps_s=JUMPS_S), debates)
        await calls_reach(server, 3, jumping)
        thieves = [Child(place.changed(clock_jumps_s=(jump_s,)), debates) for jump_s in JUMPS_S]
        assert {await thief.ended() for thief in thieves} == {BUSY}
        assert jumping.kill()
        assert await Child(place.changed(clock_jumps_s=JUMPS_S[::-1]), debates).ended() == DONE
        found = await books(place, debates)
        check_book(found[0], transcript=transcript_hash(expected.records))
        times = [record.at for record in found[0].records]
        assert times != sorted(times), "the jumps did not land"
        check_spending(server.calls, found, kills=1, in_flight=2)
