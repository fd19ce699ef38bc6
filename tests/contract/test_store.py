"""Every store keeps the whole contract."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from moot.store.backends.postgres.store import PostgresStore
from moot.store.backends.sqlite.store import SqliteStore
from moot.store.port import Store
from moot.store.sqlite_driver import sqlite3
from moot.testing.postgres import execute
from moot.testing.store_contract import StoreContract
from moot.testing.store_contract.samples import OpenStore, begin, record, summary

SPOIL = (
    "UPDATE debates SET seq = 999, status = 'completed' WHERE id = 'over'",
    "UPDATE debates SET seq = 1 WHERE id = 'behind'",
)


async def assert_told_which_rows_are_wrong(store: Store) -> None:
    """Once `SPOIL` was done to three debates of two events each."""
    assert set(await store.misled()) == {"over", "behind"}
    assert len(await store.misled(limit=1)) == 1
    assert await store.repair(summary("over", 2))
    assert await store.misled() == ["behind"]


async def begin_three(store: Store) -> None:
    for name in ("right", "over", "behind"):
        await begin(store, name)
        await store.append([record(2)], summary(name, 2))
    assert await store.misled() == []


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def open_store(self, tmp_path: Path) -> OpenStore:
        return lambda: SqliteStore.open(tmp_path / "home" / "moot.db")

    async def test_tells_which_rows_are_wrong(self, store: Store, tmp_path: Path) -> None:
        await begin_three(store)
        with closing(sqlite3.connect(tmp_path / "home" / "moot.db")) as connection, connection:
            for statement in SPOIL:
                connection.execute(statement)
        await assert_told_which_rows_are_wrong(store)


@pytest.mark.postgres
class TestPostgresStore(StoreContract):
    @pytest.fixture
    def open_store(self, postgres_url: str) -> OpenStore:
        return lambda: PostgresStore.open(postgres_url)

    async def test_tells_which_rows_are_wrong(self, store: Store, postgres_url: str) -> None:
        await begin_three(store)
        for statement in SPOIL:
            await execute(postgres_url, statement)
        await assert_told_which_rows_are_wrong(store)
