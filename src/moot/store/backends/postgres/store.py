"""The store in a Postgres database, shared by any number of machines.

No transaction stays open between two calls: a worker waits for its model without holding a row.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, Self
from urllib.parse import urlsplit

from moot.errors import Conflict, NotFound, StoreError
from moot.protocol.events import Recorded
from moot.protocol.lifecycle import TITLES
from moot.protocol.row import DebateRow
from moot.protocol.searching import Wanted
from moot.protocol.words import Status
from moot.store.backends.postgres import (
    attachments,
    beside_the_log as beside,
    leases,
    log,
    searching,
)
from moot.store.backends.postgres.database import BlockingConnection, Database, revision_of
from moot.store.backends.postgres.log import Appender
from moot.store.backends.postgres.news import Listener
from moot.store.pages import checked_filter, found_page, page_of
from moot.store.port import (
    NO_FILES,
    Asked,
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
    counted,
    event_rows,
    fixed_values,
    fold,
    most_claims,
    moving_values,
    recorded,
    summary_of,
    utc,
    wanted_files,
)


class PostgresStore(Store, TellsNews, WorksBeside):
    """Opened by `PostgresStore.open(url)`; the methods' contract is the port's."""

    def __init__(self, url: str, database: Database) -> None:
        self._url = url
        self._database = database
        # Its own appends are no news to this process.
        self._origin = secrets.token_hex(4)
        self._appender = Appender(database, self._origin)
        self._blocking = BlockingConnection(url)
        self._enlisted: set[str] = set()
        self._is_closed = False

    @classmethod
    async def open(cls, url: str, *, is_sparing: bool = False) -> Self:
        """The store in the database `url` (postgresql://...), its schema brought up to date.

        `is_sparing` keeps no connection that is not used.
        """
        return cls(url, await Database.open(url, is_sparing=is_sparing))

    async def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        await self._appender.close()
        with suppress(StoreError):  # unreachable: the leases run out by themselves
            while self._enlisted:
                await leases.retire(self._database, self._enlisted.pop())
        await asyncio.to_thread(self._blocking.close)
        await self._database.close()

    async def until_broken(self) -> None:
        await self._appender.until_broken()

    # --- the log ---

    async def create(
        self,
        records: Sequence[Recorded],
        summary: DebateRow,
        *,
        files: Mapping[str, str] = NO_FILES,
    ) -> None:
        events = event_rows(records, summary, utc, begins_at=1)
        row = _columns(fixed_values(summary, utc) + moving_values(summary, utc))
        wanted = wanted_files(records, files)
        texts = searching.columns(searching.texts_in(summary.id, records, summary.title))
        values = (*row, *zip(*events, strict=True), *texts)
        try:
            if not wanted:
                await self._database.write(log.CREATE, *values)
                return
            async with self._database.transaction() as connection:
                await connection.fetch(log.CREATE, *values)
                await attachments.attach(connection, summary.id, wanted)
        except Conflict as error:
            message = f"debate {summary.id!r} exists already"
            raise Conflict(message) from error

    async def files(self, debate_id: str) -> dict[str, str]:
        check_text(debate_id, "id")
        return await attachments.files(self._database, debate_id)

    async def append(
        self, records: Sequence[Recorded], summary: DebateRow, *, fence: int | None = None
    ) -> None:
        events = event_rows(records, summary, utc)
        values = (*moving_values(summary, utc), most_claims(records, summary, fence))
        is_renamed = any(isinstance(one.event, TITLES) for one in records)
        texts = searching.texts_in(summary.id, records, summary.title if is_renamed else None)
        await self._appender.append(events, texts, values, fence)

    async def read(
        self, debate_id: str, *, after: int = 0, limit: int | None = None
    ) -> list[Recorded]:
        check_text(debate_id, "id")
        check_limit(limit)
        rows = await self._database.read(log.READ, debate_id, after, limit)
        if not rows:
            await self.summary(debate_id)  # raises NotFound if there is no such debate
        return [recorded(row[0], row[1], row[2]) for row in rows]

    async def repair(self, summary: DebateRow) -> bool:
        values = _columns(fixed_values(summary, utc) + moving_values(summary, utc))
        async with self._database.transaction() as connection:
            is_done = bool(await connection.fetch(log.REPAIR, *values))
            if is_done:
                title = searching.vector(summary.title)
                await connection.execute(log.RETITLE, summary.id, title)
            return is_done

    async def delete(self, debate_id: str, *, seq: int | None = None) -> None:
        check_text(debate_id, "id")
        if not await self._database.write(log.DELETE, debate_id, seq):
            end = (await self.summary(debate_id)).seq
            message = f"the log of debate {debate_id!r} ends at {end} and not at {seq}"
            raise Conflict(message)
        await attachments.tidy(self._database)
        await beside.tidy_links(self._database)
        await beside.tidy_labels(self._database)

    # --- the list ---

    async def summary(self, debate_id: str) -> DebateRow:
        check_text(debate_id, "id")
        rows = await self._database.read(log.SUMMARY, debate_id)
        if not rows:
            raise _not_found(debate_id)
        return summary_of(tuple(rows[0]), utc)

    async def find(self, prefix: str) -> DebateIds:
        check_text(prefix, "prefix")
        rows = await self._database.read(log.FIND, prefix, prefix + "\U0010ffff")
        return [row["id"] for row in rows]

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
        after = (wanted.after.created_at, wanted.after.id) if wanted.after else (None, None)
        values = (wanted.status, wanted.format, fold(query), *after, limit + 1, wanted.door)
        rows = await self._database.read(log.LIST, *values)
        return page_of([summary_of(tuple(row), utc) for row in rows], limit)

    async def hearings(self, debate_id: str, *, limit: int = 50) -> tuple[DebateRow, ...]:
        check_limit(limit)
        check_text(debate_id, "id")
        rows = await self._database.read(log.HEARINGS, debate_id, limit)
        return tuple(summary_of(tuple(row), utc) for row in rows)

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
        await searching.catch_up(self._database)
        return found_page(await searching.search(self._database, wanted, limits, limit + 1), limit)

    async def count(self) -> dict[Status, int]:
        rows = await self._database.read(
            "SELECT status, count(*) AS number FROM debates GROUP BY status"
        )
        return counted((row["status"], row["number"]) for row in rows)

    # --- links ---

    async def share(self, link: Link) -> Link:
        check_link(link)
        return await beside.share(self._database, link)

    async def link(self, debate_id: str) -> Link | None:
        check_text(debate_id, "id")
        return await beside.link_of(self._database, debate_id)

    async def link_by(self, token: str) -> Link | None:
        check_text(token, "token")
        return await beside.link_by(self._database, token)

    async def revoke(self, debate_id: str) -> bool:
        check_text(debate_id, "id")
        return await beside.revoke(self._database, debate_id)

    # --- labels ---

    async def label(self, label: Label) -> None:
        check_label(label)
        await beside.label(self._database, label)

    async def unlabel(self, debate_id: str, by: str) -> bool:
        check_text(debate_id, "id")
        check_text(by, "by")
        return await beside.unlabel(self._database, debate_id, by)

    async def labels(self, debate_ids: Collection[str] | None = None) -> tuple[Label, ...]:
        check_ids(debate_ids)
        return await beside.labels_of(self._database, debate_ids)

    # --- questions by other doors ---

    async def keep_asked(self, asked: Asked, *, instead_of: str | None = None) -> Asked:
        check_asked(asked, instead_of)
        return await beside.keep_asked(self._database, asked, instead_of)

    async def asked(self, fingerprint: str) -> Asked | None:
        check_text(fingerprint, "fingerprint")
        return await beside.asked_of(self._database, fingerprint)

    async def deliver(self, fingerprint: str, debate_id: str) -> None:
        check_text(fingerprint, "fingerprint")
        check_text(debate_id, "id")
        await beside.deliver(self._database, fingerprint, debate_id)

    async def keep_form(self, fingerprint: str, debate_id: str, form: str) -> None:
        check_form(fingerprint, debate_id, form)
        await beside.keep_form(self._database, fingerprint, debate_id, form)

    async def attend(self, debate_ids: Collection[str], *, seconds: float) -> None:
        await beside.attend(self._database, debate_ids, seconds)

    async def leave(self, debate_id: str) -> None:
        check_text(debate_id, "id")
        await beside.leave(self._database, debate_id)

    async def unattended(self, *, limit: int = 100) -> DebateIds:
        check_limit(limit)
        return await beside.unattended(self._database, limit)

    # --- leases ---

    async def enlist(self, worker: WorkerId, *, ttl_s: float) -> None:
        check_worker(worker)
        async with self._database.connection() as connection:
            await leases.enlist(connection, worker, ttl_s)
        self._enlisted.add(worker.id)

    def enlist_blocking(self, worker: WorkerId, *, ttl_s: float) -> None:
        check_worker(worker)
        self._blocking.run(partial(leases.enlist, worker=worker, ttl_s=ttl_s))
        self._enlisted.add(worker.id)

    async def claim(self, debate_id: str, worker_id: str) -> Lease | None:
        check_text(debate_id, "id")
        check_text(worker_id, "worker_id")
        return await leases.claim(self._database, debate_id, worker_id)

    async def begin(self, lease: Lease) -> Lease:
        return await leases.begin(self._database, lease)

    async def count_death(self, lease: Lease, *, next_try_at: datetime) -> None:
        await leases.count_death(self._database, lease, utc(next_try_at))

    async def custody(self, debate_id: str) -> Custody:
        check_text(debate_id, "id")
        return await leases.custody(self._database, debate_id)

    async def quarantined(self) -> int:
        return await leases.quarantined(self._database)

    async def holder(self, debate_id: str) -> WorkerId | None:
        check_text(debate_id, "id")
        return await leases.holder(self._database, debate_id)

    async def release(self, lease: Lease) -> None:
        await leases.release(self._database, lease)

    async def retire(self, worker_id: str) -> None:
        check_text(worker_id, "worker_id")
        await leases.retire(self._database, worker_id)
        self._enlisted.discard(worker_id)

    async def workers(self) -> Sequence[WorkerId]:
        return await leases.workers(self._database)

    async def has_worker(self) -> bool:
        return await leases.has_worker(self._database)

    async def abandoned(self, *, limit: int = 100) -> DebateIds:
        check_limit(limit)
        return await leases.abandoned(self._database, limit)

    async def due(self, now: datetime, *, limit: int = 100) -> DebateIds:
        check_limit(limit)
        return await leases.due(self._database, utc(now), limit)

    async def misled(self, *, limit: int = 100) -> DebateIds:
        check_limit(limit)
        return await leases.misled(self._database, limit)

    # --- news ---

    async def news(self, watched: Watched, tell: Tell) -> None:
        await Listener(self._url, self._origin, watched, tell).run()

    # --- what it is ---

    async def describe(self) -> dict[str, str]:
        async with self._database.connection() as connection:
            version = await connection.fetchval("SHOW server_version")
            database = await connection.fetchval("SELECT current_database()")
            synchronous = await connection.fetchval("SHOW synchronous_commit")
            revision = await revision_of(connection)
        return {
            "backend": "postgres",
            # Never the URL itself: it may hold a password.
            "where": f"{urlsplit(self._url).hostname or 'local socket'}/{database}",
            "version": version,
            "schema": revision or "none",
            "journal_mode": "wal",
            "synchronous": synchronous,
            "notes": ""
            if synchronous == "on"
            else "synchronous_commit is not on: a power cut "
            "can lose turns that were shown as recorded",
        }


def _columns(values: tuple[Any, ...]) -> tuple[tuple[Any], ...]:
    """One array of one element per column, as the statements take them."""
    return tuple((value,) for value in values)


def _not_found(debate_id: str) -> NotFound:
    return NotFound(f"there is no debate {debate_id!r}")
