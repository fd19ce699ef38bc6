"""SQLite under kill -9, a full disk, locks, lost files and reboots."""

from __future__ import annotations

import asyncio
import errno
import itertools
import os
import signal
import stat
import tempfile
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from tests.faults.holding import _context

from moot.errors import DiskFull, StoreUnavailable
from moot.store.backends.sqlite import connection as sqlite_connection, leases
from moot.store.backends.sqlite.connection import journal_mode
from moot.store.backends.sqlite.connection_thread import Job, Outcome
from moot.store.backends.sqlite.store import SqliteStore
from moot.store.port import Store
from moot.store.sqlite_driver import sqlite3
from moot.testing.store_contract.samples import (
    begin,
    outcomes,
    record,
    said,
    summary,
    turn,
    worker,
)

KILLS = 24
DEBATES = 4


def append_for_ever(path: Path, names: Sequence[str], told: Connection) -> None:
    """What the process does that is killed: it tells of each append that was acknowledged."""

    async def one(store: SqliteStore, name: str) -> None:
        log = await store.read(name)
        for seq in itertools.count(len(log) + 1):
            await store.append([turn(seq, f"step/{seq}", "word " * 100)], summary(name, seq))
            told.send((name, seq))

    async def all_of_them() -> None:
        store = await SqliteStore.open(path)
        await asyncio.gather(*(one(store, name) for name in names))

    asyncio.run(all_of_them())


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = await SqliteStore.open(tmp_path / "home" / "moot.db")
    yield store
    await store.close()


def path_of(store: SqliteStore) -> Path:
    return store._path


@pytest.mark.faults
async def test_loses_nothing_acknowledged_when_killed(store: SqliteStore) -> None:
    names = [f"d{number}" for number in range(DEBATES)]
    for name in names:
        await begin(store, name)
    acknowledged = dict.fromkeys(names, 1)
    for kill in range(KILLS):
        _append_until_killed(path_of(store), acknowledged, lines=3 + 7 * kill % 40)
        for name in names:
            log = await store.read(name)
            assert [each.seq for each in log] == list(range(1, len(log) + 1))
            # At most the one append whose answer was on its way.
            assert acknowledged[name] <= len(log) <= acknowledged[name] + 1
            assert (await store.summary(name)).seq == len(log)
            acknowledged[name] = len(log)
    assert sum(acknowledged.values()) > KILLS * 3
    assert _integrity(path_of(store)) == "ok"


def _append_until_killed(path: Path, acknowledged: dict[str, int], lines: int) -> None:
    heard, told = Pipe(duplex=False)
    process = _context().Process(target=append_for_ever, args=(path, list(acknowledged), told))
    process.start()
    told.close()
    with heard, suppress(EOFError, OSError):  # killed between two words, or in the middle of one
        for number in itertools.count():
            name, seq = heard.recv()
            acknowledged[name] = seq
            if number == lines:
                process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL


def _integrity(path: Path) -> str:
    connection = sqlite3.connect(path)
    (told,) = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    return str(told)


async def on_writer(store: SqliteStore, statement: str) -> Any:
    """Run a statement on the writer's own connection, outside of its transactions."""
    done: list[Any] = []

    def run(connection: sqlite3.Connection) -> None:
        connection.execute("COMMIT")
        done.append(connection.execute(statement).fetchone()[0])
        connection.execute("BEGIN IMMEDIATE")

    await store._writer.submit(run)
    return done[0]


@pytest.mark.parametrize(
    ("number", "kind", "told"),
    [
        (errno.ENOSPC, DiskFull, "the disk that holds .* is full"),
        (errno.EDQUOT, DiskFull, "the disk that holds .* is full"),
        (errno.EROFS, StoreUnavailable, "nothing can be written beside it"),
    ],
)
async def test_finds_out_that_there_is_no_room_before_a_commit_does(
    store: SqliteStore,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    kind: type[StoreUnavailable],
    told: str,
) -> None:
    await store.check_room()
    before = set(path_of(store).parent.iterdir())

    def refused(**_: object) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr(tempfile, "TemporaryFile", refused)
        with pytest.raises(StoreUnavailable, match=told) as caught:
            await store.check_room()
        assert type(caught.value) is kind
    await store.check_room()
    assert set(path_of(store).parent.iterdir()) == before


async def test_goes_on_by_itself_when_a_full_disk_has_room_again(store: SqliteStore) -> None:
    await begin(store, "d")
    await begin(store, "e")
    pages = await on_writer(store, "PRAGMA page_count")
    await on_writer(store, f"PRAGMA max_page_count = {pages}")
    large = said(2, "x" * 1_000_000)
    told = await outcomes(
        store.append([large], summary("d", 2)), store.append([large], summary("e", 2))
    )
    assert told == ["disk_full"] * 2
    assert len(await store.read("d")) == 1
    with pytest.raises(DiskFull, match=f"the disk that holds {path_of(store)} is full"):
        await store.append([large], summary("d", 2))
    await on_writer(store, "PRAGMA max_page_count = 1000000")
    await store.append([large], summary("d", 2))
    assert await store.read("d", after=1) == [large]
    assert _integrity(path_of(store)) == "ok"


async def test_says_who_to_blame_when_another_process_keeps_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_connection, "BUSY_TIMEOUT_S", 0.05)
    store = await SqliteStore.open(tmp_path / "moot.db")
    await begin(store, "d")
    blocker = sqlite3.connect(tmp_path / "moot.db", isolation_level=None)
    blocker.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreUnavailable, match="another process keeps the database locked"):
        await store.append([record(2)], summary("d", 2))
    blocker.execute("ROLLBACK")
    await store.append([record(2)], summary("d", 2))
    blocker.close()
    await store.close()


async def test_waits_for_another_process_instead_of_failing(store: SqliteStore) -> None:
    await begin(store, "d")
    blocker = sqlite3.connect(path_of(store), isolation_level=None, check_same_thread=False)
    blocker.execute("BEGIN EXCLUSIVE")
    calls = (store.append([record(2)], summary("d", 2)), store.read("d"), store.list())
    timer = threading.Timer(0.1, blocker.execute, ["ROLLBACK"])
    timer.start()
    assert await outcomes(*calls) == ["done"] * 3
    timer.join()
    blocker.close()


async def test_goes_on_by_itself_when_the_file_comes_back(store: SqliteStore) -> None:
    await begin(store, "d")
    path, away = path_of(store), path_of(store).with_suffix(".away")
    path.rename(away)
    # A rollback journal misses the file at once; a write-ahead log goes on with what it has open.
    (outcome,) = await outcomes(store.append([record(2)], summary("d", 2)))
    assert not path.exists()
    away.rename(path)
    if outcome != "done":
        assert outcome == "StoreUnavailable"
        await store.append([record(2)], summary("d", 2))
    assert len(await store.read("d")) == 2


@pytest.mark.parametrize("damage", ["a directory", "other content", "below a file"])
async def test_says_why_it_cannot_be_opened(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "moot.db"
    if damage == "a directory":
        path.mkdir()
    else:
        path.write_text("not a database, and long enough to be looked at " * 20)
    with pytest.raises(StoreUnavailable, match=r"moot\.db"):
        await SqliteStore.open(path / "deeper.db" if damage == "below a file" else path)


async def test_keeps_others_from_reading(store: SqliteStore) -> None:
    await begin(store, "d")
    assert _mode(path_of(store)) == 0o600
    assert _mode(path_of(store).parent) == 0o700


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_leaves_the_permissions_of_an_existing_directory_alone(tmp_path: Path) -> None:
    mode = _mode(tmp_path)
    assert mode != 0o600
    await (await SqliteStore.open(tmp_path / "moot.db")).close()
    assert _mode(tmp_path) == mode


async def test_uses_the_journal_its_build_can_be_trusted_with(store: SqliteStore) -> None:
    told = await store.describe()
    mode = journal_mode(sqlite3.sqlite_version_info)
    assert (told["journal_mode"], told["synchronous"]) == (mode, "full")
    assert bool(told["notes"]) == (mode == "delete")


async def test_leaves_the_write_ahead_log_when_the_build_is_not_to_be_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for mode in ("wal", "delete", "wal"):
        monkeypatch.setattr(sqlite_connection, "journal_mode", lambda _, mode=mode: mode)
        store = await SqliteStore.open(tmp_path / "moot.db")
        assert (await store.describe())["journal_mode"] == mode
        await begin(store, f"d{os.urandom(3).hex()}")
        await store.close()


async def test_does_not_share_a_write_ahead_log_with_a_build_to_be_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_connection, "BUSY_TIMEOUT_S", 0.05)
    monkeypatch.setattr(sqlite_connection, "journal_mode", lambda _: "wal")
    store = await SqliteStore.open(tmp_path / "moot.db")
    await begin(store, "d")
    monkeypatch.setattr(sqlite_connection, "journal_mode", lambda _: "delete")
    with pytest.raises(StoreUnavailable, match="end that process first"):
        await SqliteStore.open(tmp_path / "moot.db")
    await store.close()


async def test_counts_workers_of_an_earlier_boot_as_gone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begin(store, "d")
    await store.enlist(worker("before"), ttl_s=10_000)
    await store.claim("d", "before")
    monkeypatch.setattr(leases, "boot", lambda: "the next boot")
    assert await store.holder("d") is None
    assert await store.abandoned() == ["d"]
    await store.enlist(worker("w"), ttl_s=60)
    lease = await store.claim("d", "w")
    assert lease is not None
    assert lease.fence == 2


async def test_is_not_moved_by_the_wall_clock(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begin(store, "d")
    await store.enlist(worker("w"), ttl_s=60)
    await store.claim("d", "w")
    for years in (-1, 10):
        monkeypatch.setattr("time.time", lambda years=years: 1.8e9 + years * 3.2e7)
        assert await store.holder("d") == worker("w")


async def test_commits_in_groups(store: SqliteStore) -> None:
    names = [f"d{number}" for number in range(50)]
    await asyncio.gather(*(begin(store, name) for name in names))
    groups: list[int] = []
    perform = store._writer._perform

    def counted(jobs: list[Job[Any]]) -> list[Outcome]:
        groups.append(len(jobs))
        return perform(jobs)

    store._writer._perform = counted
    await asyncio.gather(*(store.append([turn(2, "a")], summary(name, 2)) for name in names))
    assert sum(groups) == 50
    assert len(groups) < 10
