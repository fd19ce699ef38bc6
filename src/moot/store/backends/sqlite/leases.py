"""Workers and their leases, timed by the machine's monotonic clock.

That clock is one for all processes since the machine was started, and no setting of the date moves
it. Times of an earlier start mean nothing now: a worker from then is gone, whatever its row says.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from moot.errors import LeaseLost
from moot.store.backends.sqlite.log import moment_of, not_found, text_of, too_large
from moot.store.port import SUSPECT_AFTER, Custody, Lease, WorkerId
from moot.store.rows import KNOWN_STATUSES, begun, taken_over
from moot.store.sqlite_driver import sqlite3
from moot.store.worker_identity import boot

_ENLIST = """
INSERT INTO workers (id, machine, pid, started, boot, alive_until, is_superseded)
VALUES (?, ?, ?, ?, ?, ?, 0)
ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until, boot = excluded.boot
WHERE NOT is_superseded
"""
_FORGET_EARLIER_BOOTS = "DELETE FROM workers WHERE boot <> ?"
_HOLDER = """
SELECT w.id, w.machine, w.pid, w.started FROM debates d
JOIN workers w ON w.id = d.owner AND w.boot = ? AND w.alive_until > ?
WHERE d.id = ?
"""
_CUSTODY = """
SELECT w.id, w.machine, w.pid, w.started, w.boot = ? AND w.alive_until > ?,
  d.claimed_at, d.claims, d.next_try_at
FROM debates d LEFT JOIN workers w ON w.id = d.owner
WHERE d.id = ?
"""
_QUARANTINED = """
SELECT count(*) FROM debates WHERE status IN ('running', 'stopping') AND claims >= ?
"""
_COUNT_DEATH = """
UPDATE debates SET claims = claims + 1, next_try_at = ?
WHERE id = ? AND fence = ? AND owner = ? AND claims = ?
"""
_ABANDONED = """
SELECT id FROM debates
WHERE status IN ('running', 'stopping') AND NOT EXISTS (
  SELECT 1 FROM workers w WHERE w.id = debates.owner AND w.boot = ? AND w.alive_until > ?)
ORDER BY created_at, id LIMIT ?
"""
_DUE = """
SELECT id FROM debates WHERE wake_at <= ? AND status = 'waiting' ORDER BY wake_at, id LIMIT ?
"""
# ruff: noqa: S608 - built from the words of this package, never from input
_MISLED = f"""
SELECT id FROM debates WHERE status NOT IN ({KNOWN_STATUSES})
  OR seq <> (SELECT max(seq) FROM events WHERE debate_id = debates.id)
ORDER BY created_at, id LIMIT ?
"""


def enlist(connection: sqlite3.Connection, worker: WorkerId, ttl_s: float) -> None:
    values = (worker.id, worker.machine, worker.pid, worker.started, boot())
    done = connection.execute(_ENLIST, (*values, time.monotonic() + ttl_s))
    if done.rowcount == 0:
        message = (
            f"worker {worker.id} had run out and a debate of its was taken over: stop its work"
        )
        raise LeaseLost(message)
    connection.execute(_FORGET_EARLIER_BOOTS, (boot(),))


def claim(connection: sqlite3.Connection, debate_id: str, worker_id: str) -> Lease | None:
    query = "SELECT owner, fence, claims FROM debates WHERE id = ?"
    row = connection.execute(query, (debate_id,)).fetchone()
    if row is None:
        raise not_found(debate_id)
    owner, fence, claims = row
    if not _is_alive(connection, worker_id):
        message = f"worker {worker_id} is not enlisted, or has run out: enlist it first"
        raise LeaseLost(message)
    if owner is not None and owner != worker_id:
        if _is_alive(connection, owner):
            return None
        connection.execute("UPDATE workers SET is_superseded = 1 WHERE id = ?", (owner,))
    try:
        connection.execute(
            "UPDATE debates SET owner = ?, fence = ?, claimed_at = ? WHERE id = ?",
            (worker_id, fence + 1, text_of(datetime.now(UTC)), debate_id),
        )
    except OverflowError as error:
        raise too_large() from error
    return Lease(debate_id=debate_id, worker_id=worker_id, fence=fence + 1, deaths=claims)


def begin(connection: sqlite3.Connection, lease: Lease) -> Lease:
    done = connection.execute(
        # `min`: a second call counts nothing more, and a count begun anew meanwhile stays low.
        "UPDATE debates SET claims = min(min(claims, ?) + 1, ?) "
        "WHERE id = ? AND fence = ? AND owner = ?",
        (lease.deaths, SUSPECT_AFTER, lease.debate_id, lease.fence, lease.worker_id),
    )
    if done.rowcount == 0:
        raise taken_over(lease)
    return begun(lease)


def count_death(connection: sqlite3.Connection, lease: Lease, next_try_at: str) -> None:
    held = (lease.debate_id, lease.fence, lease.worker_id, lease.deaths)
    connection.execute(_COUNT_DEATH, (next_try_at, *held))


def custody(connection: sqlite3.Connection, debate_id: str) -> Custody:
    row = connection.execute(_CUSTODY, (boot(), time.monotonic(), debate_id)).fetchone()
    if row is None:
        raise not_found(debate_id)
    *worker, is_current, since, deaths, next_try_at = row
    return Custody(
        holder=_worker(worker) if worker[0] is not None else None,
        is_current=bool(is_current),
        since=moment_of(since) if since is not None else None,
        deaths=deaths,
        next_try_at=moment_of(next_try_at) if next_try_at is not None else None,
    )


def quarantined(connection: sqlite3.Connection) -> int:
    (number,) = connection.execute(_QUARANTINED, (SUSPECT_AFTER,)).fetchone()
    return int(number)


def _is_alive(connection: sqlite3.Connection, worker_id: str) -> bool:
    query = "SELECT 1 FROM workers WHERE id = ? AND boot = ? AND alive_until > ?"
    return connection.execute(query, (worker_id, boot(), time.monotonic())).fetchone() is not None


def holder(connection: sqlite3.Connection, debate_id: str) -> WorkerId | None:
    row = connection.execute(_HOLDER, (boot(), time.monotonic(), debate_id)).fetchone()
    return _worker(row) if row is not None else None


def workers(connection: sqlite3.Connection) -> list[WorkerId]:
    rows = connection.execute(
        "SELECT id, machine, pid, started FROM workers ORDER BY id"
    ).fetchall()
    return [_worker(row) for row in rows]


def has_worker(connection: sqlite3.Connection) -> bool:
    query = "SELECT 1 FROM workers WHERE boot = ? AND alive_until > ? LIMIT 1"
    return connection.execute(query, (boot(), time.monotonic())).fetchone() is not None


def _worker(row: Sequence[Any]) -> WorkerId:
    return WorkerId(id=row[0], machine=row[1], pid=row[2], started=row[3])


def release(connection: sqlite3.Connection, lease: Lease) -> None:
    connection.execute(
        "UPDATE debates SET owner = NULL, claims = max(claims - ?, 0) "
        "WHERE id = ? AND fence = ? AND owner = ?",
        (int(lease.has_begun), lease.debate_id, lease.fence, lease.worker_id),
    )


def retire(connection: sqlite3.Connection, worker_id: str) -> None:
    connection.execute("UPDATE debates SET owner = NULL WHERE owner = ?", (worker_id,))
    connection.execute("DELETE FROM workers WHERE id = ?", (worker_id,))


def abandoned(connection: sqlite3.Connection, limit: int) -> list[str]:
    rows = connection.execute(_ABANDONED, (boot(), time.monotonic(), limit)).fetchall()
    return [debate_id for (debate_id,) in rows]


def due(connection: sqlite3.Connection, now: str, limit: int) -> list[str]:
    return [debate_id for (debate_id,) in connection.execute(_DUE, (now, limit)).fetchall()]


def misled(connection: sqlite3.Connection, limit: int) -> list[str]:
    return [debate_id for (debate_id,) in connection.execute(_MISLED, (limit,)).fetchall()]
