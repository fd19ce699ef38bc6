"""A store in memory that keeps the port's contract and can be told to fail. For one event loop."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime

import msgspec

from moot.errors import Conflict, LeaseLost, NotFound, StoreError, StoreUnavailable
from moot.protocol.events import Recorded, step_key_of
from moot.protocol.row import DebateRow
from moot.protocol.searching import Wanted, found, text_of
from moot.protocol.words import Status
from moot.store.pages import most_of
from moot.store.port import (
    NO_FILES,
    SUSPECT_AFTER,
    Asked,
    Custody,
    DebateIds,
    Found,
    FoundPage,
    Label,
    Lease,
    Link,
    Page,
    WorkerId,
)
from moot.store.rows import most_claims, wanted_files


class Row(msgspec.Struct):
    records: list[Recorded]
    summary: DebateRow
    owner: str | None = None
    fence: int = 0
    claims: int = 0
    next_try_at: datetime | None = None


class Life(msgspec.Struct):
    worker: WorkerId
    until_s: float
    is_superseded: bool = False


class MemoryStore:
    """`before_append` runs before each append and may raise or append itself; `after_append` runs
    when the records are in the log, so that raising there is an answer to COMMIT that was lost.

    Every method lets others run first, as every real store does: races are races here too.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self.rows: dict[str, Row] = {}
        self.texts: dict[str, str] = {}
        self.lives: dict[str, Life] = {}
        self.links: dict[str, Link] = {}
        self.labelled: dict[tuple[str, str], Label] = {}
        self.questions: dict[str, Asked] = {}
        self.attended: dict[str, float] = {}
        self.appends = 0
        self.read_from: list[int] = []
        self.repairs: list[DebateRow] = []
        self.renewals = 0
        self.is_down = False
        self.before_append: Callable[[Sequence[Recorded]], None] | None = None
        self.after_append: Callable[[Sequence[Recorded]], None] | None = None
        self._monotonic = monotonic

    async def close(self) -> None:
        self.lives.clear()

    # --- the log ---

    async def create(
        self,
        records: Sequence[Recorded],
        summary: DebateRow,
        *,
        files: Mapping[str, str] = NO_FILES,
    ) -> None:
        await asyncio.sleep(0)
        self._check_up()
        wanted = wanted_files(records, files)
        if any(sha not in self.texts and text is None for sha, text in wanted.items()):
            raise NotFound("a file is not there any more")
        if summary.id in self.rows:
            raise Conflict("the debate exists already")
        self.texts |= {sha: text for sha, text in wanted.items() if text is not None}
        self.rows[summary.id] = Row(list(records), summary)

    async def files(self, debate_id: str) -> dict[str, str]:
        await asyncio.sleep(0)
        self._check_up()
        records = self._row(debate_id).records
        return {sha: self.texts[sha] for sha in wanted_files(records, {})}

    async def append(
        self, records: Sequence[Recorded], summary: DebateRow, *, fence: int | None = None
    ) -> None:
        await asyncio.sleep(0)
        self._check_up()
        if self.before_append is not None:
            self.before_append(records)
        self.append_now(records, summary, fence=fence)
        if self.after_append is not None:
            self.after_append(records)

    def append_now(
        self, records: Sequence[Recorded], summary: DebateRow, *, fence: int | None = None
    ) -> None:
        row = self._row(summary.id)
        if fence is not None and fence != row.fence:
            raise LeaseLost("the fence has moved on")
        if row.summary.seq != records[0].seq - 1:
            raise Conflict("the log has grown")
        keys = {key for record in row.records if (key := step_key_of(record.event))}
        if keys & {step_key_of(record.event) for record in records}:
            raise Conflict("a step is recorded already")
        self.appends += 1
        row.claims = min(row.claims, most_claims(records, summary, fence))
        row.records += records
        row.summary = summary

    async def read(
        self, debate_id: str, *, after: int = 0, limit: int | None = None
    ) -> list[Recorded]:
        await asyncio.sleep(0)
        self._check_up()
        self.read_from.append(after)
        found = [record for record in self._row(debate_id).records if record.seq > after]
        return found[:limit]

    async def repair(self, summary: DebateRow) -> bool:
        await asyncio.sleep(0)
        self._check_up()
        row = self._row(summary.id)
        if row.records[-1].seq != summary.seq:
            return False
        self.repairs.append(summary)
        row.summary = summary
        return True

    async def delete(self, debate_id: str, *, seq: int | None = None) -> None:
        await asyncio.sleep(0)
        self._check_up()
        if seq not in (None, self._row(debate_id).summary.seq):
            raise Conflict("the log has grown")
        del self.rows[debate_id]
        self.links.pop(debate_id, None)
        self.labelled = {key: one for key, one in self.labelled.items() if key[0] != debate_id}
        self.questions = {
            key: one for key, one in self.questions.items() if one.debate_id != debate_id
        }

    # --- the list ---

    async def summary(self, debate_id: str) -> DebateRow:
        await asyncio.sleep(0)
        self._check_up()
        return self._row(debate_id).summary

    async def find(self, prefix: str) -> DebateIds:
        return sorted(one for one in self.rows if one.startswith(prefix))[:10]

    async def list(
        self,
        *,
        status: Status | None = None,
        format: str | None = None,  # noqa: A002 - the port's word
        door: str | None = None,
        query: str = "",
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        every = (row.summary for row in self.rows.values())
        found = [one for one in every if format in (None, one.format)]
        return Page(items=tuple(one for one in found if status in (None, one.status))[:limit])

    async def hearings(self, debate_id: str, *, limit: int = 50) -> tuple[DebateRow, ...]:
        found = [row.summary for row in self.rows.values() if row.summary.hears == debate_id]
        return tuple(reversed(found))[:limit]

    # --- links ---

    async def share(self, link: Link) -> Link:
        await asyncio.sleep(0)
        self._check_up()
        self._row(link.debate_id)
        return self.links.setdefault(link.debate_id, link)

    async def link(self, debate_id: str) -> Link | None:
        return self.links.get(debate_id)

    async def link_by(self, token: str) -> Link | None:
        return next((one for one in self.links.values() if one.token == token), None)

    async def revoke(self, debate_id: str) -> bool:
        return self.links.pop(debate_id, None) is not None

    # --- labels ---

    async def label(self, label: Label) -> None:
        await asyncio.sleep(0)
        self._check_up()
        self._row(label.debate_id)
        self.labelled[label.debate_id, label.by] = label

    async def unlabel(self, debate_id: str, by: str) -> bool:
        return self.labelled.pop((debate_id, by), None) is not None

    async def labels(self, debate_ids: Collection[str] | None = None) -> tuple[Label, ...]:
        await asyncio.sleep(0)
        self._check_up()
        found = sorted(self.labelled.items())
        return tuple(one for key, one in found if debate_ids is None or key[0] in debate_ids)

    # --- questions by other doors ---

    async def keep_asked(self, asked: Asked, *, instead_of: str | None = None) -> Asked:
        await asyncio.sleep(0)
        self._check_up()
        there = self.questions.get(asked.fingerprint)
        if there is None or there.debate_id == instead_of:
            self.questions[asked.fingerprint] = asked
        return self.questions[asked.fingerprint]

    async def asked(self, fingerprint: str) -> Asked | None:
        await asyncio.sleep(0)
        self._check_up()
        return self.questions.get(fingerprint)

    async def deliver(self, fingerprint: str, debate_id: str) -> None:
        there = self.questions.get(fingerprint)
        if there is not None and there.debate_id == debate_id:
            self.questions[fingerprint] = msgspec.structs.replace(there, is_delivered=True)

    async def keep_form(self, fingerprint: str, debate_id: str, form: str) -> None:
        there = self.questions.get(fingerprint)
        if there is not None and there.debate_id == debate_id:
            self.questions[fingerprint] = msgspec.structs.replace(there, form=form)

    async def attend(self, debate_ids: Collection[str], *, seconds: float) -> None:
        await asyncio.sleep(0)
        self._check_up()
        known = {one.debate_id for one in self.questions.values()}
        until = self._monotonic() + seconds
        self.attended.update(dict.fromkeys(known.intersection(debate_ids), until))

    async def leave(self, debate_id: str) -> None:
        self.attended.pop(debate_id, None)

    async def unattended(self, *, limit: int = 100) -> DebateIds:
        await asyncio.sleep(0)
        self._check_up()
        now = self._monotonic()
        return sorted(one for one, until in self.attended.items() if until <= now)[:limit]

    async def search(
        self,
        wanted: Wanted,
        *,
        status: Status | None = None,
        format: str | None = None,  # noqa: A002 - the port's word
        limit: int = 50,
        cursor: str | None = None,
    ) -> FoundPage:
        await asyncio.sleep(0)
        self._check_up()
        items = [
            Found(row=one.summary, hits=most_of(one.records, wanted))
            for one in self.rows.values()
            if found((one.summary.title, *(text_of(each.event) for each in one.records)), wanted)
        ]
        return FoundPage(items=tuple(items[:limit]))

    # --- leases ---

    async def enlist(self, worker: WorkerId, *, ttl_s: float) -> None:
        await asyncio.sleep(0)
        self.enlist_blocking(worker, ttl_s=ttl_s)

    def enlist_blocking(self, worker: WorkerId, *, ttl_s: float) -> None:
        self._check_up()
        known = self.lives.get(worker.id)
        if known is not None and known.is_superseded:
            raise LeaseLost("somebody has taken over")
        self.lives[worker.id] = Life(worker, self._monotonic() + ttl_s)
        self.renewals += 1

    async def claim(self, debate_id: str, worker_id: str) -> Lease | None:
        await asyncio.sleep(0)
        self._check_up()
        row = self._row(debate_id)
        if not self._is_alive(worker_id):
            raise LeaseLost("enlist first")
        if row.owner not in (None, worker_id):
            if self._is_alive(row.owner):
                return None
            if row.owner in self.lives:
                self.lives[row.owner].is_superseded = True
        row.owner = worker_id
        row.fence += 1
        return Lease(debate_id=debate_id, worker_id=worker_id, fence=row.fence, deaths=row.claims)

    async def begin(self, lease: Lease) -> Lease:
        await asyncio.sleep(0)
        self._check_up()
        row = self._row(lease.debate_id)
        if (row.fence, row.owner) != (lease.fence, lease.worker_id):
            raise LeaseLost("the fence has moved on")
        row.claims = min(min(row.claims, lease.deaths) + 1, SUSPECT_AFTER)
        return msgspec.structs.replace(lease, has_begun=True)

    async def count_death(self, lease: Lease, *, next_try_at: datetime) -> None:
        await asyncio.sleep(0)
        self._check_up()
        row = self._row(lease.debate_id)
        held = (lease.fence, lease.worker_id, lease.deaths)
        if (row.fence, row.owner, row.claims) == held:
            row.claims += 1
            row.next_try_at = next_try_at

    async def custody(self, debate_id: str) -> Custody:
        await asyncio.sleep(0)
        row = self._row(debate_id)
        life = self.lives.get(row.owner or "")
        return Custody(
            holder=life.worker if life is not None else None,
            is_current=self._is_alive(row.owner),
            deaths=row.claims,
            next_try_at=row.next_try_at,
        )

    async def quarantined(self) -> int:
        rows = self.rows.values()
        return sum(one.claims >= SUSPECT_AFTER and one.summary.status.is_active for one in rows)

    def _is_alive(self, worker_id: str | None) -> bool:
        life = self.lives.get(worker_id or "")
        return life is not None and life.until_s > self._monotonic()

    async def holder(self, debate_id: str) -> WorkerId | None:
        await asyncio.sleep(0)
        owner = self._row(debate_id).owner
        return self.lives[owner].worker if owner and self._is_alive(owner) else None

    async def release(self, lease: Lease) -> None:
        await asyncio.sleep(0)
        row = self.rows.get(lease.debate_id)
        if row is not None and (row.fence, row.owner) == (lease.fence, lease.worker_id):
            row.owner = None
            row.claims = max(row.claims - lease.has_begun, 0)

    async def retire(self, worker_id: str) -> None:
        self.lives.pop(worker_id, None)
        for row in self.rows.values():
            if row.owner == worker_id:
                row.owner = None

    async def count(self) -> dict[Status, int]:
        return dict(Counter(row.summary.status for row in self.rows.values()))

    async def workers(self) -> Sequence[WorkerId]:
        return [life.worker for life in self.lives.values()]

    async def has_worker(self) -> bool:
        return any(self._is_alive(one) for one in self.lives)

    async def abandoned(self, *, limit: int = 100) -> DebateIds:
        return [
            key
            for key, row in self.rows.items()
            if row.summary.status.is_active and not self._is_alive(row.owner)
        ]

    async def due(self, now: datetime, *, limit: int = 100) -> DebateIds:
        found = [
            (row.summary.wake_at, key)
            for key, row in self.rows.items()
            if row.summary.status is Status.WAITING and row.summary.wake_at is not None
        ]
        return [key for at, key in sorted(found) if at <= now][:limit]

    async def misled(self, *, limit: int = 100) -> DebateIds:
        rows = self.rows.items()
        return [key for key, row in rows if row.summary.seq != row.records[-1].seq][:limit]

    async def describe(self) -> dict[str, str]:
        return {"backend": "memory"}

    # --- inside ---

    def _check_up(self) -> None:
        if self.is_down:
            raise StoreUnavailable("the disk is full")

    def _row(self, debate_id: str) -> Row:
        try:
            return self.rows[debate_id]
        except KeyError:
            message = f"there is no debate {debate_id!r}"
            raise NotFound(message) from None


class Once:
    """Raises each of `errors` in turn, then nothing."""

    def __init__(self, *errors: StoreError | None) -> None:
        self.errors = list(errors)

    def __call__(self, records: Sequence[Recorded]) -> None:
        error = self.errors.pop(0) if self.errors else None
        if error is not None:
            raise error
