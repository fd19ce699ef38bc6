"""The store in one SQLite file: every write through one thread, every read through another.

No statement may run on the event loop, or anywhere else than in these two threads; only what a
deletion leaves behind is erased beside them (`erasing`).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Self

from moot.errors import StoreError
from moot.protocol.events import Recorded
from moot.protocol.lifecycle import TITLES
from moot.protocol.row import DebateRow
from moot.protocol.searching import Wanted
from moot.protocol.words import Status
from moot.store.backends.sqlite import (
    attachments,
    beside_the_log as beside,
    leases,
    listing,
    log,
    searching,
)
from moot.store.backends.sqlite.connection import (
    check_room,
    connect,
    connect_writer,
    create_file,
    has_wal_reset_bug,
    revision_of,
)
from moot.store.backends.sqlite.connection_thread import ConnectionThread
from moot.store.backends.sqlite.erasing import Eraser
from moot.store.backends.sqlite.news import NewsWatch
from moot.store.backends.sqlite.transactions import Session
from moot.store.pages import checked_filter, found_page, page_of
from moot.store.port import (
    NO_FILES,
    Asked,
    ChecksRoom,
    Custody,
    DebateIds,
    FoundPage,
    Label,
    Lease,
    Link,
    Page,
    Store,
    Tell,
    TellsNews,
    Watched,
    WorkerId,
    WorksBeside,
)
from moot.store.rows import (
    check_asked,
    check_form,
    check_ids,
    check_label,
    check_limit,
    check_link,
    check_text,
    check_worker,
    event_rows,
    fixed_values,
    most_claims,
    moving_values,
    wanted_files,
)
from moot.store.sqlite_driver import sqlite3

NOT_INDEXED = (
    "slow: this SQLite has no FTS5, or is older than the one that made the index; every text is "
    "read for each search"
)
_SYNCHRONOUS = {0: "off", 1: "normal", 2: "full", 3: "extra"}


class SqliteStore(Store, ChecksRoom, TellsNews, WorksBeside):
    """Opened by `SqliteStore.open(path)`; the methods' contract is the port's."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # Whether this SQLite can use the index of texts; found out when the file is opened.
        self.has_index = False
        self._enlisted: set[str] = set()
        self._news_watches: set[NewsWatch] = set()
        self._eraser = Eraser(path)
        turns = threading.Lock()
        writer, reader = Session(path, _connect_writer, turns), Session(path, connect, turns)
        self._writer = ConnectionThread("moot-store-writer", writer.write, writer.close)
        self._reader = ConnectionThread("moot-store-reader", reader.read, reader.close)

    @classmethod
    async def open(cls, path: str | Path) -> Self:
        """The store in the file `path`, created if need be, its schema brought up to date."""
        store = cls(create_file(path))
        try:
            store.has_index = await store._writer.submit(searching.is_usable)
        except BaseException:
            await store.close()
            raise
        return store

    async def close(self) -> None:
        with suppress(StoreError):  # full or locked: the leases run out by themselves
            while self._enlisted:
                await self._writer.submit(partial(_retire, worker_id=self._enlisted.pop()))
        await self._writer.close()
        await self._reader.close()

    async def until_broken(self) -> None:
        await asyncio.gather(self._writer.until_broken(), self._reader.until_broken())

    async def check_room(self) -> None:
        await asyncio.to_thread(check_room, self._path)

    # --- the log ---

    async def create(
        self,
        records: Sequence[Recorded],
        summary: DebateRow,
        *,
        files: Mapping[str, str] = NO_FILES,
    ) -> None:
        events = event_rows(records, summary, log.text_of, begins_at=1)
        values = fixed_values(summary, log.text_of) + moving_values(summary, log.text_of)
        wanted = wanted_files(records, files)
        texts = searching.words_in(records)

        def write(connection: sqlite3.Connection) -> None:
            log.create(connection, summary.id, events, values)
            if self.has_index:
                searching.begin(connection, summary.id, summary.title, texts)
            attachments.attach(connection, summary.id, wanted)

        await self._writer.submit(write)

    async def files(self, debate_id: str) -> dict[str, str]:
        check_text(debate_id, "id")
        return await self._reader.submit(
            lambda connection: attachments.files(connection, debate_id)
        )

    async def append(
        self, records: Sequence[Recorded], summary: DebateRow, *, fence: int | None = None
    ) -> None:
        events = event_rows(records, summary, log.text_of)
        values = (*moving_values(summary, log.text_of), most_claims(records, summary, fence))
        texts = searching.words_in(records) if self.has_index else ()
        is_renamed = self.has_index and any(isinstance(one.event, TITLES) for one in records)

        def write(connection: sqlite3.Connection) -> None:
            if is_renamed:
                searching.retitle(connection, summary.id, summary.title)
            log.append(connection, events, values, fence)
            if texts:
                searching.add(connection, summary.id, texts)

        await self._writer.submit(write)
        for watch in self._news_watches:
            watch.note(summary.id, summary.seq)

    async def read(
        self, debate_id: str, *, after: int = 0, limit: int | None = None
    ) -> list[Recorded]:
        check_text(debate_id, "id")
        check_limit(limit)
        return await self._reader.submit(
            lambda connection: log.read(connection, debate_id, after, limit)
        )

    async def repair(self, summary: DebateRow) -> bool:
        values = fixed_values(summary, log.text_of) + moving_values(summary, log.text_of)

        def write(connection: sqlite3.Connection) -> bool:
            if self.has_index and log.ends_of(connection, [summary.id]) == {
                summary.id: summary.seq
            }:
                searching.retitle(connection, summary.id, summary.title)
            return log.repair(connection, values, summary.id, summary.seq)

        return await self._writer.submit(write)

    async def delete(self, debate_id: str, *, seq: int | None = None) -> None:
        check_text(debate_id, "id")

        def write(connection: sqlite3.Connection) -> None:
            if self.has_index:
                searching.remove(connection, debate_id)
            log.delete(connection, debate_id, seq)

        await self._writer.submit(write)
        await self._eraser.erase()

    # --- the list ---

    async def summary(self, debate_id: str) -> DebateRow:
        check_text(debate_id, "id")
        return await self._reader.submit(lambda connection: log.summary(connection, debate_id))

    async def find(self, prefix: str) -> DebateIds:
        check_text(prefix, "prefix")
        return await self._reader.submit(lambda connection: listing.find(connection, prefix))

    async def list(
        self,
        *,
        status: Status | None = None,
        format: str | None = None,  # noqa: A002 - the glossary's word
        door: str | None = None,
        query: str = "",
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        wanted = checked_filter(status, format, query, limit, cursor, door=door)
        summaries = await self._reader.submit(
            lambda connection: listing.list_page(connection, wanted, limit + 1)
        )
        return page_of(summaries, limit)

    async def hearings(self, debate_id: str, *, limit: int = 50) -> tuple[DebateRow, ...]:
        check_limit(limit)
        check_text(debate_id, "id")
        rows = await self._reader.submit(
            lambda connection: listing.hearings(connection, debate_id, limit)
        )
        return tuple(rows)

    async def search(
        self,
        wanted: Wanted,
        *,
        status: Status | None = None,
        format: str | None = None,  # noqa: A002 - the glossary's word
        limit: int = 50,
        cursor: str | None = None,
    ) -> FoundPage:
        limits = checked_filter(status, format, "", limit, cursor)
        if not wanted:
            return FoundPage(items=())
        if not self.has_index:
            look = partial(searching.looked_through, wanted=wanted, limits=limits, count=limit + 1)
            return found_page(await self._reader.submit(look), limit)
        while await self._reader.submit(searching.has_missing):
            await self._writer.submit(searching.catch_up)
        look = partial(searching.search, wanted=wanted, limits=limits, count=limit + 1)
        return found_page(await self._reader.submit(look), limit)

    async def count(self) -> dict[Status, int]:
        return await self._reader.submit(listing.count)

    # --- links ---

    async def share(self, link: Link) -> Link:
        check_link(link)
        return await self._writer.submit(lambda connection: beside.share(connection, link))

    async def link(self, debate_id: str) -> Link | None:
        check_text(debate_id, "id")
        return await self._reader.submit(lambda connection: beside.link_of(connection, debate_id))

    async def link_by(self, token: str) -> Link | None:
        check_text(token, "token")
        return await self._reader.submit(lambda connection: beside.link_by(connection, token))

    async def revoke(self, debate_id: str) -> bool:
        check_text(debate_id, "id")
        return await self._writer.submit(lambda connection: beside.revoke(connection, debate_id))

    # --- labels ---

    async def label(self, label: Label) -> None:
        check_label(label)
        await self._writer.submit(lambda connection: beside.label(connection, label))

    async def unlabel(self, debate_id: str, by: str) -> bool:
        check_text(debate_id, "id")
        check_text(by, "by")
        return await self._writer.submit(
            lambda connection: beside.unlabel(connection, debate_id, by)
        )

    async def labels(self, debate_ids: Collection[str] | None = None) -> tuple[Label, ...]:
        check_ids(debate_ids)
        return await self._reader.submit(
            lambda connection: beside.labels_of(connection, debate_ids)
        )

    # --- questions by other doors ---

    async def keep_asked(self, asked: Asked, *, instead_of: str | None = None) -> Asked:
        check_asked(asked, instead_of)
        return await self._writer.submit(
            lambda connection: beside.keep_asked(connection, asked, instead_of)
        )

    async def asked(self, fingerprint: str) -> Asked | None:
        check_text(fingerprint, "fingerprint")
        return await self._reader.submit(
            lambda connection: beside.asked_of(connection, fingerprint)
        )

    async def deliver(self, fingerprint: str, debate_id: str) -> None:
        check_text(fingerprint, "fingerprint")
        check_text(debate_id, "id")
        await self._writer.submit(
            lambda connection: beside.deliver(connection, fingerprint, debate_id)
        )

    async def keep_form(self, fingerprint: str, debate_id: str, form: str) -> None:
        check_form(fingerprint, debate_id, form)
        await self._writer.submit(
            lambda connection: beside.keep_form(connection, fingerprint, debate_id, form)
        )

    async def attend(self, debate_ids: Collection[str], *, seconds: float) -> None:
        await self._writer.submit(lambda connection: beside.attend(connection, debate_ids, seconds))

    async def leave(self, debate_id: str) -> None:
        check_text(debate_id, "id")
        await self._writer.submit(lambda connection: beside.leave(connection, debate_id))

    async def unattended(self, *, limit: int = 100) -> DebateIds:
        check_limit(limit)
        return await self._reader.submit(lambda connection: beside.unattended(connection, limit))

    # --- leases ---

    async def enlist(self, worker: WorkerId, *, ttl_s: float) -> None:
        check_worker(worker)
        await self._writer.submit(lambda connection: leases.enlist(connection, worker, ttl_s))
        self._enlisted.add(worker.id)

    def enlist_blocking(self, worker: WorkerId, *, ttl_s: float) -> None:
        check_worker(worker)
        self._writer.submit_blocking(lambda connection: leases.enlist(connection, worker, ttl_s))
        self._enlisted.add(worker.id)

    async def claim(self, debate_id: str, worker_id: str) -> Lease | None:
        check_text(debate_id, "id")
        check_text(worker_id, "worker_id")
        return await self._writer.submit(
            lambda connection: leases.claim(connection, debate_id, worker_id)
        )

    async def begin(self, lease: Lease) -> Lease:
        return await self._writer.submit(lambda connection: leases.begin(connection, lease))

    async def count_death(self, lease: Lease, *, next_try_at: datetime) -> None:
        at = log.text_of(next_try_at)
        await self._writer.submit(lambda connection: leases.count_death(connection, lease, at))

    async def custody(self, debate_id: str) -> Custody:
        check_text(debate_id, "id")
        return await self._reader.submit(lambda connection: leases.custody(connection, debate_id))

    async def quarantined(self) -> int:
        return await self._reader.submit(leases.quarantined)

    async def holder(self, debate_id: str) -> WorkerId | None:
        check_text(debate_id, "id")
        return await self._reader.submit(lambda connection: leases.holder(connection, debate_id))

    async def release(self, lease: Lease) -> None:
        await self._writer.submit(lambda connection: leases.release(connection, lease))

    async def retire(self, worker_id: str) -> None:
        check_text(worker_id, "worker_id")
        await self._writer.submit(lambda connection: leases.retire(connection, worker_id))
        self._enlisted.discard(worker_id)

    async def workers(self) -> Sequence[WorkerId]:
        return await self._reader.submit(leases.workers)

    async def has_worker(self) -> bool:
        return await self._reader.submit(leases.has_worker)

    async def abandoned(self, *, limit: int = 100) -> DebateIds:
        check_limit(limit)
        return await self._reader.submit(lambda connection: leases.abandoned(connection, limit))

    async def due(self, now: datetime, *, limit: int = 100) -> DebateIds:
        check_limit(limit)
        by = log.text_of(now)
        return await self._reader.submit(lambda connection: leases.due(connection, by, limit))

    async def misled(self, *, limit: int = 100) -> DebateIds:
        check_limit(limit)
        return await self._reader.submit(lambda connection: leases.misled(connection, limit))

    # --- news ---

    async def news(self, watched: Watched, tell: Tell) -> None:
        watch = NewsWatch(self._reader, watched, tell)
        self._news_watches.add(watch)
        try:
            await watch.run()
        finally:
            self._news_watches.discard(watch)

    # --- what it is ---

    async def describe(self) -> dict[str, str]:
        return await self._reader.submit(self._describe)

    def _describe(self, connection: sqlite3.Connection) -> dict[str, str]:
        (journal,) = connection.execute("PRAGMA journal_mode").fetchone()
        (synchronous,) = connection.execute("PRAGMA synchronous").fetchone()
        return {
            "backend": "sqlite",
            "where": str(self._path),
            "version": sqlite3.sqlite_version,
            "schema": revision_of(connection) or "none",
            "journal_mode": journal,
            "synchronous": _SYNCHRONOUS[synchronous],
            "search": "indexed" if self.has_index else NOT_INDEXED,
            "notes": _notes(),
        }


def _connect_writer(path: Path) -> sqlite3.Connection:
    connection = connect_writer(path)
    try:
        searching.prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _retire(connection: sqlite3.Connection, *, worker_id: str) -> None:
    leases.retire(connection, worker_id)


def _notes() -> str:
    if has_wal_reset_bug(sqlite3.sqlite_version_info):
        return (
            "this SQLite has the WAL-reset bug, so a rollback journal is used; "
            "3.51.3 or newer is faster"
        )
    return ""
