"""The schema: the same in both databases, whichever revision an upgrade began at, and only ever
forward."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import asyncpg
import pytest

from moot.errors import StoreUnavailable
from moot.protocol.events import encode
from moot.protocol.words import Status
from moot.store import migrate
from moot.store.backends.postgres.store import PostgresStore
from moot.store.backends.sqlite.store import SqliteStore
from moot.store.migrate import HEAD, REVISIONS, TABLE, Database
from moot.store.port import Store
from moot.store.sqlite_driver import sqlite3
from moot.testing.postgres import execute
from moot.testing.store_contract.samples import begin, created, summary, turn

OPEN_IN_ANOTHER_PROCESS = """
import asyncio, sys
from moot.store.backends.{module}.store import {name} as Store
async def main():
    store = await Store.open(sys.argv[1])
    print((await store.describe())["schema"])
    await store.close()
input()
asyncio.run(main())
"""
FROM_THE_FUTURE = "UPDATE moot_revision SET version_num = '9999'"
# Views are told by their columns; `turns` has the same ones in both databases.
POSTGRES_COLUMNS = """
SELECT table_name, column_name, data_type, is_nullable = 'YES', column_default, collation_name
FROM information_schema.columns WHERE table_schema = 'public'
"""
POSTGRES_INDEXES = """
SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
UNION ALL SELECT viewname, 'view', definition FROM pg_views WHERE schemaname = 'public'
"""
TYPES = {
    "text": "TEXT",
    "timestamp with time zone": "TEXT",
    "json": "TEXT",
    "bigint": "BIGINT",
    "integer": "INTEGER",
    "double precision": "DOUBLE",
    "boolean": "BOOLEAN",
    "character varying": "VARCHAR(32)",
}
"""What SQLite has for each type of Postgres."""
ONLY_THERE = {"texts", "indexed_debates"}
"""Tables of the search, which each database does in its own way."""
RELEASED = {
    "sqlite": "d1ad95c335eff6f1946dace096f81947204799f61f44b515109b27804e457a28",
    "postgres": "2f3868e9a7cfa7b14497d840f4f0441a8db2acf027bd6d4462cbab5ca4f1257b",
}
"""The statements up to 0010, hashed."""

Column = tuple[str, str, str, bool, str | None]


def sqlite_catalog(path: Path) -> set[tuple[str, ...]]:
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master").fetchall()
    connection.close()
    return {(name, " ".join((sql or "").split())) for name, sql in rows}


def sqlite_columns(path: Path) -> set[Column]:
    with sqlite3.connect(path) as connection:
        rows = connection.execute(
            'SELECT m.name, c.name, c.type, NOT c."notnull", c.dflt_value FROM sqlite_master m'
            " JOIN pragma_table_info(m.name) c WHERE m.type = 'table'"
        ).fetchall()
    connection.close()
    ours = {"asked", "attached", "attachments", "debates", "events", "labels", "links", "workers"}
    ours.add(TABLE)
    assert ours <= {row[0] for row in rows}
    return {(row[0], row[1], row[2], bool(row[3]), row[4]) for row in rows if row[0] in ours}


async def postgres_catalog(url: str) -> set[tuple[object, ...]]:
    connection = await asyncpg.connect(url)
    rows = await connection.fetch(POSTGRES_COLUMNS) + await connection.fetch(POSTGRES_INDEXES)
    await connection.close()
    return {tuple(row) for row in rows}


def _as_sqlite_says(row: tuple[object, ...]) -> Column:
    """A column of Postgres as it should be in SQLite."""
    table, column, kind, is_nullable, default = row[:5]
    type_ = TYPES[str(kind)]
    if (table, column) in (("workers", "alive_until"), ("asked", "attended_until")):
        type_ = "DOUBLE"  # seconds of a monotonic clock
    text = None if default is None else str(default).partition("::")[0]
    return str(table), str(column), type_, bool(is_nullable), "0" if text == "false" else text


def _plain(definition: str) -> str:
    """An index as both databases would write it."""
    for more in (" USING btree", "public.", "::text", "(", ")"):
        definition = definition.replace(more, "")
    return " ".join(definition.split())


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_has_one_file_for_every_revision(database: Database) -> None:
    files = sorted(path.name for path in (migrate.FILES / database).iterdir())
    assert files == [f"{revision}.sql" for revision in REVISIONS]


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_released_statements_are_never_changed(database: Database) -> None:
    text = "\n".join(migrate.upgrade_statements(database, None, "0010"))
    assert hashlib.sha256(text.encode()).hexdigest() == RELEASED[database]


@pytest.mark.parametrize("current", REVISIONS)
@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_an_upgrade_is_the_end_of_making_one_from_nothing(database: Database, current: str) -> None:
    whole = migrate.upgrade_statements(database, None)
    upgrade = migrate.upgrade_statements(database, current)
    made = migrate.upgrade_statements(database, None, current)
    assert whole == made + upgrade
    assert bool(upgrade) == (current != HEAD)


@pytest.mark.postgres
async def test_both_databases_have_the_same_tables_columns_and_indexes(
    tmp_path: Path, postgres_url: str
) -> None:
    await (await SqliteStore.open(tmp_path / "moot.db")).close()
    columns = sqlite_columns(tmp_path / "moot.db")
    catalog = await postgres_catalog(postgres_url)
    shared = [row for row in catalog if row[0] not in ONLY_THERE | {"turns"}]

    assert {_as_sqlite_says(row) for row in shared if len(row) > 3} == columns
    indexes = {
        _plain(sql) for _, sql in sqlite_catalog(tmp_path / "moot.db") if " INDEX " in sql[:20]
    }
    keys = ("_pkey", "_pkc")  # which SQLite makes without a name
    there = {
        _plain(str(row[2])) for row in shared if len(row) == 3 and not str(row[1]).endswith(keys)
    }
    assert there == indexes
    assert len(indexes) == 9


@pytest.mark.postgres
async def test_both_databases_have_the_same_view_of_turns(
    tmp_path: Path, postgres_url: str
) -> None:
    await (await SqliteStore.open(tmp_path / "moot.db")).close()
    with sqlite3.connect(tmp_path / "moot.db") as connection:
        rows = connection.execute("SELECT name FROM pragma_table_info('turns')").fetchall()
    connection.close()
    catalog = await postgres_catalog(postgres_url)
    named = {row[1] for row in catalog if row[0] == "turns" and len(row) > 3}
    assert named == {name for (name,) in rows}


@pytest.mark.parametrize("current", REVISIONS[:-1])
async def test_upgrades_every_older_sqlite_file_to_the_same_schema(
    tmp_path: Path, current: str
) -> None:
    with sqlite3.connect(tmp_path / "old.db") as connection:
        for statement in migrate.upgrade_statements("sqlite", None, current):
            connection.execute(statement)
    connection.close()
    for name in ("old.db", "fresh.db"):
        await (await SqliteStore.open(tmp_path / name)).close()
    assert sqlite_catalog(tmp_path / "old.db") == sqlite_catalog(tmp_path / "fresh.db")


@pytest.mark.postgres
@pytest.mark.parametrize("current", REVISIONS[:-1])
async def test_upgrades_every_older_postgres_database_to_the_same_schema(
    empty_postgres_url: str, postgres_url: str, current: str
) -> None:
    await execute(
        empty_postgres_url, "\n".join(migrate.upgrade_statements("postgres", None, current))
    )
    await (await PostgresStore.open(empty_postgres_url)).close()
    assert await postgres_catalog(empty_postgres_url) == await postgres_catalog(postgres_url)


async def test_opens_sqlite_from_two_processes_at_once(tmp_path: Path) -> None:
    code = OPEN_IN_ANOTHER_PROCESS.format(module="sqlite", name="SqliteStore")
    assert await _outputs(code, str(tmp_path / "moot.db")) == [HEAD] * 3


@pytest.mark.postgres
async def test_opens_postgres_from_two_processes_at_once(empty_postgres_url: str) -> None:
    code = OPEN_IN_ANOTHER_PROCESS.format(module="postgres", name="PostgresStore")
    assert await _outputs(code, empty_postgres_url) == [HEAD] * 3


async def _outputs(code: str, where: str) -> list[str]:
    """What three processes print that all begin when they are all ready."""
    pipe = asyncio.subprocess.PIPE
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, where, stdin=pipe, stdout=pipe
        )
        for _ in range(3)
    ]
    told = await asyncio.gather(*(process.communicate(b"\n") for process in processes))
    return [output.decode().strip() for output, _ in told]


async def test_refuses_a_newer_sqlite_database_and_leaves_it_alone(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    await (await SqliteStore.open(path)).close()
    with sqlite3.connect(path) as connection:
        connection.execute(FROM_THE_FUTURE)
    connection.close()
    before = path.read_bytes()
    await _assert_refused(lambda: SqliteStore.open(path))
    assert path.read_bytes() == before


@pytest.mark.postgres
async def test_refuses_a_newer_postgres_database(empty_postgres_url: str) -> None:
    await (await PostgresStore.open(empty_postgres_url)).close()
    await execute(empty_postgres_url, FROM_THE_FUTURE)
    await _assert_refused(lambda: PostgresStore.open(empty_postgres_url))


async def _assert_refused(open_store: Callable[[], Awaitable[object]]) -> None:
    with pytest.raises(StoreUnavailable, match="upgrade moot"):
        await open_store()


def _broken(database: Database, current: str | None) -> tuple[str, ...]:
    return (*_statements(database, current)[:4], "this is not SQL;")


_statements = migrate.upgrade_statements


async def test_rolls_an_interrupted_upgrade_of_sqlite_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(migrate, "upgrade_statements", _broken)
        with pytest.raises(Exception, match="syntax error"):
            await SqliteStore.open(tmp_path / "moot.db")
    assert sqlite_catalog(tmp_path / "moot.db") == set()
    await (await SqliteStore.open(tmp_path / "moot.db")).close()


@pytest.mark.postgres
async def test_rolls_an_interrupted_upgrade_of_postgres_back(
    empty_postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(migrate, "upgrade_statements", _broken)
        with pytest.raises(Exception, match="syntax error"):
            await PostgresStore.open(empty_postgres_url)
    assert await postgres_catalog(empty_postgres_url) == set()
    await (await PostgresStore.open(empty_postgres_url)).close()


OLD_DEBATE = (
    "INSERT INTO debates (id, format, topic, topic_folded, status, seq, turns, statements, calls, "
    "input_tokens, output_tokens, created_at, updated_at, fence, claims) VALUES "
    "('old', 'duel', 'Is it so?', 'is it so?', 'waiting', 2, 1, 0, 1, 3, 5, "
    "'2026-11-15T12:30:59.123456+00:00', '2026-11-15T12:31:00.000001+00:00', 7, 0)"
)
OLD_EVENTS = tuple(
    f"INSERT INTO events (debate_id, seq, at, type, body) VALUES ('old', {one.seq}, "  # noqa: S608
    f"'{one.at.isoformat()}', '{type(one.event).__name__}', '{encode(one.event).decode()}')"
    for one in (created(), turn(2, "a"))
)


async def _assert_all_is_there(store: Store) -> None:
    assert await store.read("old") == [created(), turn(2, "a")]
    row = await store.summary("old")
    assert (row.status, row.seq, row.turns, row.wake_at) == (Status.WAITING, 2, 1, None)
    assert (row.input_tokens, row.output_tokens, row.thought_tokens) == (3, 5, 4)
    assert (row.title, [one.id for one in (await store.list(query="so")).items]) == ("", ["old"])
    await store.append([turn(3, "b")], summary("old", 3))
    assert (await store.describe())["schema"] == HEAD


async def test_migrates_an_old_sqlite_file_and_loses_nothing(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "moot.db") as connection:
        for statement in (*_statements("sqlite", None, "0001"), OLD_DEBATE, *OLD_EVENTS):
            connection.execute(statement)
    connection.close()
    store = await SqliteStore.open(tmp_path / "moot.db")
    await _assert_all_is_there(store)
    await store.close()
    fresh = await SqliteStore.open(tmp_path / "fresh.db")
    await fresh.close()
    assert sqlite_catalog(tmp_path / "moot.db") == sqlite_catalog(tmp_path / "fresh.db")


@pytest.mark.postgres
async def test_migrates_an_old_postgres_database_and_loses_nothing(
    empty_postgres_url: str,
) -> None:
    for statement in (*_statements("postgres", None, "0001"), OLD_DEBATE, *OLD_EVENTS):
        await execute(empty_postgres_url, statement)
    store = await PostgresStore.open(empty_postgres_url)
    await _assert_all_is_there(store)
    await store.close()


TURNS = (
    "SELECT stage, round, participant, kind, content, model, input_tokens, output_tokens, cost_usd,"
    " attempts, finish, thought_tokens FROM turns ORDER BY seq"
)
A_TURN = ("exchange", 1, "ada", "speak", "It's “so”. 👍", "", 3, 5, 0.25, 1, "stop", 4)


async def test_shows_turns_to_sql_users_of_sqlite(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "moot.db")
    await begin(store, "d")
    await store.append([turn(2, "a", A_TURN[4])], summary("d", 2))
    await store.close()
    with sqlite3.connect(tmp_path / "moot.db") as connection:
        assert connection.execute(TURNS).fetchall() == [A_TURN]
    connection.close()


@pytest.mark.postgres
async def test_shows_turns_to_sql_users_of_postgres(postgres_url: str) -> None:
    store = await PostgresStore.open(postgres_url)
    await begin(store, "d")
    await store.append([turn(2, "a", A_TURN[4])], summary("d", 2))
    await store.close()
    connection = await asyncpg.connect(postgres_url)
    assert [tuple(row) for row in await connection.fetch(TURNS)] == [A_TURN]
    await connection.close()
