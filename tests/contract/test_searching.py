"""The index of texts beside the contract: of old databases, and where SQLite has none."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.contract.test_old_rows import BEFORE, DUEL, in_file, old_debate

from moot.protocol.searching import read_query
from moot.store.backends.postgres.store import PostgresStore
from moot.store.backends.sqlite import searching
from moot.store.backends.sqlite.store import SqliteStore
from moot.store.migrate import upgrade_statements
from moot.store.port import Store
from moot.testing.postgres import execute
from moot.testing.store_contract.listing import SearchContract, found, told
from moot.testing.store_contract.samples import OpenStore, summary, turn

NAMES = [f"d{number:02}" for number in range(40)]
BROKEN = "UPDATE events SET body = '{}' WHERE debate_id = 'd07' AND seq > 1"


class TestSqliteStoreWithoutFts5(SearchContract):
    @pytest.fixture
    def open_store(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenStore:
        monkeypatch.setattr(searching, "_can", lambda *_: False)
        return lambda: SqliteStore.open(tmp_path / "moot.db")


async def _assert_old_debates_are_found(store: Store) -> None:
    await store.append([turn(99, "late", "A monorail.")], summary("d03", 99))
    assert await found(store, "zahlen", limit=100) == [one for one in NAMES[::-1] if one != "d07"]
    assert await found(store, "monorail zahlen") == ["d03"]
    assert await found(store, "plan") == []
    await store.delete("d03")
    assert await found(store, "monorail") == []


def _debates() -> list[str]:
    return [one for name in NAMES for one in old_debate(name, DUEL)]


async def test_finds_the_debates_of_an_old_sqlite_file(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    end = "UPDATE debates SET seq = 98 WHERE id = 'd03'"
    in_file(path, *upgrade_statements("sqlite", None, BEFORE), *_debates(), BROKEN, end)
    store = await SqliteStore.open(path)
    await _assert_old_debates_are_found(store)
    await store.close()


@pytest.mark.postgres
async def test_finds_the_debates_of_an_old_postgres_database(empty_postgres_url: str) -> None:
    end = "UPDATE debates SET seq = 98 WHERE id = 'd03'"
    for statement in (*upgrade_statements("postgres", None, BEFORE), *_debates(), BROKEN, end):
        await execute(empty_postgres_url, statement)
    store = await PostgresStore.open(empty_postgres_url)
    await _assert_old_debates_are_found(store)
    await store.close()


async def test_an_interrupted_indexing_goes_on_where_it_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "moot.db"
    in_file(path, *upgrade_statements("sqlite", None, BEFORE), *_debates())
    begun: list[str] = []
    kept: list[str] = []
    begin = searching.begin

    def dying(connection: object, debate_id: str, *rest: object) -> None:
        begun.append(debate_id)
        if len(begun) == searching.AT_ONCE + 5 and not kept:
            raise KeyError("the process dies here")
        begin(connection, debate_id, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(searching, "begin", dying)
    store = await SqliteStore.open(path)
    with pytest.raises(KeyError):
        await store.search(read_query("zahlen"))
    await store.close()
    kept += begun[: searching.AT_ONCE]
    begun.clear()
    store = await SqliteStore.open(path)
    assert await found(store, "zahlen", limit=100) == NAMES[::-1]
    assert sorted([*kept, *set(begun)]) == NAMES
    await store.close()


async def test_what_a_sqlite_without_fts5_wrote_is_found_by_one_that_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await SqliteStore.open(tmp_path / "moot.db")
    await told(store, "a", "A monorail.")
    await told(store, "b", "A tram.")
    assert (await store.describe())["search"] == "indexed"
    await store.close()
    with monkeypatch.context() as patched:
        patched.setattr(searching, "_can", lambda *_: False)
        store = await SqliteStore.open(tmp_path / "moot.db")
        assert "no FTS5" in (await store.describe())["search"]
        await store.append([turn(3, "late", "A ferry.")], summary("a", 3))
        await store.delete("b")
        assert await found(store, "ferry monorail") == ["a"]
        await store.close()
    store = await SqliteStore.open(tmp_path / "moot.db")
    assert await found(store, "ferry monorail") == ["a"]
    assert await found(store, "tram") == []
    await store.close()
