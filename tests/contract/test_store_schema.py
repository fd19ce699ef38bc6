"""The schema: migrations lead to exactly the metadata, on both databases, and only ever forward."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import asyncpg
import pytest
from alembic.script import ScriptDirectory
from sqlalchemy.engine import URL
from sqlalchemy.schema import CreateIndex, CreateTable

from moot.errors import StoreUnavailable
from moot.protocol.events import encode
from moot.protocol.words import Status
from moot.store import migrate
from moot.store.backends.postgres import PostgresStore
from moot.store.backends.sqlite import SqliteStore
from moot.store.backends.sqlite.searching import TEXTS as SQLITE_TEXTS
from moot.store.port import Store
from moot.store.revisions import HEAD, REVISIONS, TABLE
from moot.store.schema import TEXTS, TURNS_VIEW, metadata
from moot.store.sqlite_driver import sqlite3
from moot.testing.postgres import execute
from moot.testing.store_contract.samples import begin, created, summary, turn

OPEN_IN_ANOTHER_PROCESS = """
import asyncio, sys
from moot.store.backends.{module} import {name} as Store
async def main():
    store = await Store.open(sys.argv[1])
    print((await store.describe())["schema"])
    await store.close()
input()
asyncio.run(main())
"""
FROM_THE_FUTURE = "UPDATE moot_revision SET version_num = '9999'"
CATALOG = """
SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name
FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'moot_revision'
UNION ALL
SELECT tablename, indexname, indexdef, '', '', '' FROM pg_indexes
WHERE schemaname = 'public' AND tablename <> 'moot_revision'
UNION ALL SELECT viewname, definition, '', '', '', '' FROM pg_views WHERE schemaname = 'public'
"""


def metadata_statements(name: str) -> list[str]:
    dialect = URL.create(name).get_dialect()()
    tables = metadata.sorted_tables
    return [
        *(str(CreateTable(table).compile(dialect=dialect)) for table in tables),
        *(
            str(CreateIndex(index).compile(dialect=dialect))
            for table in tables
            for index in table.indexes
        ),
        TURNS_VIEW[dialect.name],
        *TEXTS[dialect.name],
        *((SQLITE_TEXTS,) if name == "sqlite" else ()),
    ]


def sqlite_catalog(path: Path) -> set[tuple[str, ...]]:
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master").fetchall()
    connection.close()
    return {
        (name, " ".join((sql or "").split()))
        for name, sql in rows
        if not name.startswith((TABLE, f"sqlite_autoindex_{TABLE}"))
    }


async def postgres_catalog(url: str) -> set[tuple[str, ...]]:
    connection = await asyncpg.connect(url)
    rows = await connection.fetch(CATALOG)
    await connection.close()
    return {tuple(row) for row in rows}


def test_knows_every_revision_in_order() -> None:
    scripts = ScriptDirectory(str(migrate.SCRIPTS))
    assert [each.revision for each in scripts.walk_revisions()][::-1] == list(REVISIONS)


async def test_migrates_sqlite_to_exactly_the_metadata(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "migrated.db")
    await store.close()
    with sqlite3.connect(tmp_path / "metadata.db") as connection:
        for statement in metadata_statements("sqlite"):
            connection.execute(statement)
    connection.close()
    assert sqlite_catalog(tmp_path / "migrated.db") == sqlite_catalog(tmp_path / "metadata.db")


@pytest.mark.postgres
async def test_migrates_postgres_to_exactly_the_metadata(
    postgres_url: str, empty_postgres_url: str
) -> None:
    for statement in metadata_statements("postgresql"):
        await execute(empty_postgres_url, statement)
    migrated = await postgres_catalog(postgres_url)
    assert len(migrated) > 40
    assert migrated == await postgres_catalog(empty_postgres_url)


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


def _broken(dialect: str, current: str | None) -> tuple[str, ...]:
    return (*_statements(dialect, current)[:4], "this is not SQL;")


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


async def test_opens_an_up_to_date_database_without_loading_alembic(tmp_path: Path) -> None:
    await (await SqliteStore.open(tmp_path / "moot.db")).close()
    code = OPEN_IN_ANOTHER_PROCESS.format(module="sqlite", name="SqliteStore")
    code += "\nprint('alembic' in sys.modules or 'sqlalchemy' in sys.modules)"
    assert await _outputs(code, str(tmp_path / "moot.db")) == [f"{HEAD}\nFalse"] * 3


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
    for statement in (*_statements("postgresql", None, "0001"), OLD_DEBATE, *OLD_EVENTS):
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
