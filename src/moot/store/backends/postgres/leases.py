"""Workers and their leases, timed by the database's own clock.

A worker that renews and another that takes over lock the same row of `workers`; whoever is second
sees what the first did, so a debate is never kept and taken at once.
Rows are locked debate first, worker second, everywhere.
"""

from __future__ import annotations

from datetime import datetime

from moot.errors import LeaseLost, NotFound
from moot.store.backends.postgres.database import Connection, Database
from moot.store.port import SUSPECT_AFTER, Custody, Lease, WorkerId
from moot.store.rows import KNOWN_STATUSES, begun, taken_over, utc

_ENLIST = """
INSERT INTO workers (id, machine, pid, started, boot, alive_until)
VALUES ($1, $2, $3, $4, '', clock_timestamp() + make_interval(secs => $5))
ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until
WHERE NOT workers.is_superseded
RETURNING id
"""
# A process that comes back after a month finds its fences moved on all the same.
_FORGET = "DELETE FROM workers WHERE alive_until < clock_timestamp() - interval '30 days'"
_SUPERSEDE = """
UPDATE workers SET is_superseded = true WHERE id = $1 AND alive_until <= clock_timestamp()
RETURNING id
"""
_TAKE = """
UPDATE debates SET owner = $2, fence = fence + 1, claimed_at = clock_timestamp()
WHERE id = $1 AND EXISTS (
  SELECT 1 FROM workers WHERE id = $2 AND alive_until > clock_timestamp())
RETURNING fence, claims AS deaths
"""
_NOTHING_IF_ALIVE = "SELECT 0 FROM workers WHERE id = $1 AND alive_until > clock_timestamp()"
_HOLDER = """
SELECT w.id, w.machine, w.pid, w.started FROM debates d
JOIN workers w ON w.id = d.owner AND w.alive_until > clock_timestamp()
WHERE d.id = $1
"""
_CUSTODY = """
SELECT w.id, w.machine, w.pid, w.started, w.alive_until > clock_timestamp() AS is_current,
  d.claimed_at, d.claims, d.next_try_at
FROM debates d LEFT JOIN workers w ON w.id = d.owner
WHERE d.id = $1
"""
_QUARANTINED = """
SELECT count(*) AS number FROM debates WHERE status IN ('running', 'stopping') AND claims >= $1
"""
_COUNT_DEATH = """
UPDATE debates SET claims = claims + 1, next_try_at = $5
WHERE id = $1 AND fence = $2 AND owner = $3 AND claims = $4
"""
_ABANDONED = """
SELECT id FROM debates d
WHERE status IN ('running', 'stopping') AND NOT EXISTS (
  SELECT 1 FROM workers w WHERE w.id = d.owner AND w.alive_until > clock_timestamp())
ORDER BY created_at, id LIMIT $1
"""
_DUE = """
SELECT id FROM debates WHERE wake_at <= $1 AND status = 'waiting' ORDER BY wake_at, id LIMIT $2
"""
# ruff: noqa: S608 - built from the words of this package, never from input
_MISLED = f"""
SELECT id FROM debates d WHERE status NOT IN ({KNOWN_STATUSES})
  OR seq <> (SELECT max(seq) FROM events WHERE debate_id = d.id)
ORDER BY created_at, id LIMIT $1
"""


async def enlist(connection: Connection, worker: WorkerId, ttl_s: float) -> None:
    values = (worker.id, worker.machine, worker.pid, worker.started, float(ttl_s))
    if await connection.fetchval(_ENLIST, *values) is None:
        message = (
            f"worker {worker.id} had run out and a debate of its was taken over: stop its work"
        )
        raise LeaseLost(message)


async def claim(database: Database, debate_id: str, worker_id: str) -> Lease | None:
    async with database.transaction() as connection:
        query = "SELECT owner FROM debates WHERE id = $1 FOR UPDATE"
        row = await connection.fetchrow(query, debate_id)
        if row is None:
            message = f"there is no debate {debate_id!r}"
            raise NotFound(message)
        is_free = await _is_free(connection, row["owner"], worker_id)
        if is_free:
            taken = await connection.fetchrow(_TAKE, debate_id, worker_id)
        else:
            taken = await connection.fetchrow(_NOTHING_IF_ALIVE, worker_id)
        if taken is None:
            message = f"worker {worker_id} is not enlisted, or has run out: enlist it first"
            raise LeaseLost(message)
    return Lease(debate_id=debate_id, worker_id=worker_id, **dict(taken)) if is_free else None


async def _is_free(connection: Connection, owner: str | None, worker_id: str) -> bool:
    if owner is None or owner == worker_id:
        return True
    if await connection.fetchval(_SUPERSEDE, owner) is not None:
        return True
    return await connection.fetchval("SELECT 1 FROM workers WHERE id = $1", owner) is None


async def begin(database: Database, lease: Lease) -> Lease:
    rows = await database.write(
        # `least`: a second call counts nothing more, and a count begun anew meanwhile stays low.
        "UPDATE debates SET claims = least(least(claims, $4) + 1, $5) "
        "WHERE id = $1 AND fence = $2 AND owner = $3 RETURNING id",
        *(lease.debate_id, lease.fence, lease.worker_id, lease.deaths, SUSPECT_AFTER),
    )
    if not rows:
        raise taken_over(lease)
    return begun(lease)


async def count_death(database: Database, lease: Lease, next_try_at: datetime) -> None:
    held = (lease.debate_id, lease.fence, lease.worker_id, lease.deaths)
    await database.write(_COUNT_DEATH, *held, next_try_at)


async def custody(database: Database, debate_id: str) -> Custody:
    rows = await database.read(_CUSTODY, debate_id)
    if not rows:
        message = f"there is no debate {debate_id!r}"
        raise NotFound(message)
    row = rows[0]
    worker = {name: row[name] for name in ("id", "machine", "pid", "started")}
    return Custody(
        holder=WorkerId(**worker) if worker["id"] is not None else None,
        is_current=bool(row["is_current"]),
        since=utc(row["claimed_at"]) if row["claimed_at"] is not None else None,
        deaths=row["claims"],
        next_try_at=utc(row["next_try_at"]) if row["next_try_at"] is not None else None,
    )


async def quarantined(database: Database) -> int:
    (row,) = await database.read(_QUARANTINED, SUSPECT_AFTER)
    return int(row["number"])


async def holder(database: Database, debate_id: str) -> WorkerId | None:
    rows = await database.read(_HOLDER, debate_id)
    return WorkerId(**dict(rows[0])) if rows else None


async def workers(database: Database) -> list[WorkerId]:
    rows = await database.read("SELECT id, machine, pid, started FROM workers ORDER BY id")
    return [WorkerId(**dict(row)) for row in rows]


async def has_worker(database: Database) -> bool:
    return bool(
        await database.read("SELECT 1 FROM workers WHERE alive_until > clock_timestamp() LIMIT 1")
    )


async def release(database: Database, lease: Lease) -> None:
    await database.write(
        "UPDATE debates SET owner = NULL, claims = greatest(claims - $4, 0) "
        "WHERE id = $1 AND fence = $2 AND owner = $3",
        *(lease.debate_id, lease.fence, lease.worker_id, int(lease.has_begun)),
    )


async def retire(database: Database, worker_id: str) -> None:
    async with database.transaction() as connection:
        await connection.execute("UPDATE debates SET owner = NULL WHERE owner = $1", worker_id)
        await connection.execute("DELETE FROM workers WHERE id = $1", worker_id)
        await connection.execute(_FORGET)


async def abandoned(database: Database, limit: int) -> list[str]:
    return [row["id"] for row in await database.read(_ABANDONED, limit)]


async def due(database: Database, now: datetime, limit: int) -> list[str]:
    return [row["id"] for row in await database.read(_DUE, now, limit)]


async def misled(database: Database, limit: int) -> list[str]:
    return [row["id"] for row in await database.read(_MISLED, limit)]
