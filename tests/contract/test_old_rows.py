"""Rows that an earlier version wrote: listing them completes them from their logs, each once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from tests.golden.replay import HERE, read_log

from moot.protocol.events import Recorded, encode
from moot.protocol.log import fold
from moot.protocol.outcomes import Verdict
from moot.protocol.row import Cursor
from moot.protocol.words import Status
from moot.settings import load_settings
from moot.store.backends.postgres.store import PostgresStore
from moot.store.backends.sqlite.store import SqliteStore
from moot.store.migrate import upgrade_statements
from moot.store.port import Store
from moot.store.sqlite_driver import sqlite3
from moot.testing.oracles import check_cursor, read_book
from moot.testing.postgres import execute
from moot.testing.scripted import ScriptedModel, ScriptedModels
from moot.wiring import open_system

BEFORE = "0006"
DUEL = read_log(HERE / "duel.jsonl")


# ruff: noqa: S608 - built from a golden log
def old_debate(debate_id: str, log: list[Recorded]) -> Iterator[str]:
    """A debate as that revision kept it."""
    row = fold(log).summary(debate_id, Cursor())
    yield (
        "INSERT INTO debates (id, format, topic, topic_folded, status, seq, turns, statements, "
        "calls, input_tokens, output_tokens, created_at, updated_at) VALUES "
        f"('{row.id}', '{row.format}', 'Is it so?', 'is it so?', '{row.status}', {row.seq}, "
        f"{row.turns}, {row.statements}, {row.calls}, 0, 0, "
        f"'{_moment(row.created_at)}', '{_moment(row.updated_at)}')"
    )
    for one in log:
        kind, body = type(one.event).__name__, encode(one.event).decode().replace("'", "''")
        yield (
            "INSERT INTO events (debate_id, seq, at, type, body) VALUES "
            f"('{debate_id}', {one.seq}, '{_moment(one.at)}', '{kind}', '{body}')"
        )


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")


def in_file(path: Path, *statements: str) -> None:
    with sqlite3.connect(path) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


async def _assert_listing_completes_it(store: Store, home: Path) -> None:
    assert (await store.summary("old")).cast is None
    settings = load_settings(home=home, tracing=False)
    models = ScriptedModels(ScriptedModel())
    async with open_system(settings, has_worker=False, store=store, models=models) as system:
        (row,) = (await system.service.list()).items
    assert isinstance(row.outcome, Verdict)
    assert row.outcome.winner == "Ada"
    assert [seat.name for seat in row.cast or ()] == ["Ada", "Bo", "Judith"]
    assert row.topic == fold(DUEL).config.topic
    assert await store.summary("old") == row
    check_cursor(await read_book(store, "old"))


async def test_an_old_sqlite_file_lists_what_came_of_its_debates(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    in_file(path, *upgrade_statements("sqlite", None, BEFORE), *old_debate("old", DUEL))
    store = await SqliteStore.open(path)
    await _assert_listing_completes_it(store, tmp_path)
    await store.close()


@pytest.mark.postgres
async def test_an_old_postgres_database_lists_what_came_of_its_debates(
    empty_postgres_url: str, tmp_path: Path
) -> None:
    for statement in (
        *upgrade_statements("postgres", None, BEFORE),
        *old_debate("old", DUEL),
    ):
        await execute(empty_postgres_url, statement)
    store = await PostgresStore.open(empty_postgres_url)
    await _assert_listing_completes_it(store, tmp_path)
    await store.close()


async def test_only_the_rows_of_the_page_are_completed(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    debates = [*old_debate("a", DUEL), *old_debate("b", DUEL)]
    in_file(path, *upgrade_statements("sqlite", None, BEFORE), *debates)
    store = await SqliteStore.open(path)
    settings = load_settings(home=tmp_path, tracing=False)
    models = ScriptedModels(ScriptedModel())
    async with open_system(settings, has_worker=False, store=store, models=models) as system:
        (listed,) = (await system.service.list(limit=1)).items
    assert listed.cast
    assert (await store.summary("b")).cast
    assert (await store.summary("a")).cast is None
    await store.close()


async def test_a_log_that_cannot_be_read_keeps_nothing_else_from_the_list(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    debates = [*old_debate("a", DUEL), *old_debate("b", DUEL)]
    broken = "UPDATE events SET body = '{}' WHERE debate_id = 'a' AND seq = 3"
    in_file(path, *upgrade_statements("sqlite", None, BEFORE), *debates, broken)
    store = await SqliteStore.open(path)
    settings = load_settings(home=tmp_path, tracing=False)
    models = ScriptedModels(ScriptedModel())
    async with open_system(settings, has_worker=False, store=store, models=models) as system:
        good, bad = (await system.service.list()).items
    assert (good.id, bad.id, bad.cast, bad.outcome) == ("b", "a", None, None)
    assert good.cast
    await store.close()


# --- rows that somebody has changed by hand -------------------------------------------------------

UNKNOWN = "status = 'banana', stop_reason = 'x', seats = '{}', outcome = '7'"


async def test_listing_puts_rows_right_that_say_what_is_nothing(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    in_file(path, *upgrade_statements("sqlite", None, BEFORE), *old_debate("old", DUEL))
    await (await SqliteStore.open(path)).close()  # bring the tables up to date
    in_file(path, f"UPDATE debates SET {UNKNOWN}")
    store = await SqliteStore.open(path)
    await _assert_listing_completes_it(store, tmp_path)
    await store.close()


async def test_so_does_whoever_wants_to_go_on_with_one(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    log = DUEL[:3]
    in_file(path, *upgrade_statements("sqlite", None, BEFORE), *old_debate("old", log))
    await (await SqliteStore.open(path)).close()
    in_file(path, f"UPDATE debates SET {UNKNOWN}")
    store = await SqliteStore.open(path)
    settings = load_settings(home=tmp_path, tracing=False)
    models = ScriptedModels(ScriptedModel())
    async with open_system(settings, has_worker=False, store=store, models=models) as system:
        assert (await system.service.command("old", "stop")).status is Status.STOPPING
    row = await store.summary("old")
    assert (row.status, row.stop_reason, row.outcome) == (Status.STOPPING, None, None)
    assert [seat.name for seat in row.cast or ()] == ["Ada", "Bo", "Judith"]
    await store.close()
