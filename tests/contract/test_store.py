"""Every store keeps the whole contract."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from moot.protocol.words import Status
from moot.store.backends.postgres.store import PostgresStore
from moot.store.backends.sqlite.store import SqliteStore
from moot.store.port import Store
from moot.store.sqlite_driver import sqlite3
from moot.testing.postgres import execute
from moot.testing.store_contract import StoreContract
from moot.testing.store_contract.samples import (
    SEATS,
    VERDICT,
    OpenStore,
    begin,
    created,
    outcomes,
    record,
    summary,
    worker,
)

SPOIL = (
    "UPDATE debates SET seq = 999, status = 'completed' WHERE id = 'over'",
    "UPDATE debates SET seq = 1 WHERE id = 'behind'",
)


UNKNOWN = (
    "status = 'banana'",
    "stop_reason = 'x'",
    """seats = '{"a": 1}'""",
    """outcome = '{"type": "banana"}'""",
    "status = 'banana', stop_reason = 'x', seats = '7'",
)
"""Words that mean nothing, and JSON that is something else."""

Spoil = Callable[[str], Awaitable[None]]


class SpoiltRows:
    """What becomes of rows that somebody has changed by hand: `spoil` is how they do it."""

    async def test_tells_which_rows_are_wrong(self, store: Store, spoil: Spoil) -> None:
        for name in ("right", "over", "behind"):
            await begin(store, name)
            await store.append([record(2)], summary(name, 2))
        assert await store.misled() == []
        for statement in SPOIL:
            await spoil(statement)
        assert set(await store.misled()) == {"over", "behind"}
        assert len(await store.misled(limit=1)) == 1
        assert await store.repair(summary("over", 2))
        assert await store.misled() == ["behind"]

    @pytest.mark.parametrize("change", UNKNOWN)
    async def test_reads_a_row_that_says_what_is_nothing_as_one_to_be_put_right(
        self, store: Store, spoil: Spoil, change: str
    ) -> None:
        rows = {
            name: summary(name, 1, outcome=VERDICT, cast=SEATS, cast_size=2)
            for name in ("good", "bad")
        }
        for row in rows.values():
            await store.create([created()], row)
        await spoil(f"UPDATE debates SET {change} WHERE id = 'bad'")  # noqa: S608 - from here
        listed = {one.id: one for one in (await store.list()).items}
        assert listed["good"] == rows["good"]
        assert listed["bad"] == await store.summary("bad")
        assert listed["bad"].cast is None
        is_known = "status" not in change
        assert listed["bad"].status is (Status.RUNNING if is_known else Status.FAILED)
        assert sum((await store.count()).values()) == 2
        assert await store.misled() == ([] if is_known else ["bad"])
        assert await store.repair(rows["bad"])
        assert await store.summary("bad") == rows["bad"]
        assert await store.misled() == []

    async def test_a_fence_that_cannot_be_raised_is_refused_and_disturbs_nobody(
        self, store: Store, spoil: Spoil
    ) -> None:
        await store.enlist(worker("w"), ttl_s=60)
        names = ["a", "b", "c", "d"]
        for name in names:
            await begin(store, name)
        await spoil("UPDATE debates SET fence = 9223372036854775807 WHERE id = 'b'")
        claimed = await outcomes(*(store.claim(name, "w") for name in names))
        assert claimed == ["done", "invalid_input", "done", "done"]
        assert (await store.custody("b")).holder is None


class TestSqliteStore(StoreContract, SpoiltRows):
    @pytest.fixture
    def open_store(self, tmp_path: Path) -> OpenStore:
        return lambda: SqliteStore.open(tmp_path / "home" / "moot.db")

    async def test_reads_a_row_with_broken_json_like_that_too(
        self, store: Store, spoil: Spoil
    ) -> None:
        await begin(store, "d", cast=SEATS, cast_size=2)
        await spoil("UPDATE debates SET seats = '{', outcome = 'no' WHERE id = 'd'")
        (row,) = (await store.list()).items
        assert (row.cast, row.outcome) == (None, None)

    @pytest.fixture
    def spoil(self, tmp_path: Path) -> Spoil:
        async def execute(statement: str) -> None:
            with closing(sqlite3.connect(tmp_path / "home" / "moot.db")) as connection, connection:
                connection.execute(statement)

        return execute


@pytest.mark.postgres
class TestPostgresStore(StoreContract, SpoiltRows):
    @pytest.fixture
    def open_store(self, postgres_url: str) -> OpenStore:
        return lambda: PostgresStore.open(postgres_url)

    @pytest.fixture
    def spoil(self, postgres_url: str) -> Spoil:
        return partial(execute, postgres_url)
