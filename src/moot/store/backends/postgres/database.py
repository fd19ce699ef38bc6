"""The pool, the schema's upgrade, and how statements reach the server.

Reads are tried again when a connection turns out to be dead; writes never are, because the first
may have been committed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeAlias

import asyncpg
import asyncpg.pool

from moot.errors import StoreUnavailable
from moot.store import migrate
from moot.store.backends.postgres.failures import LOST, translated
from moot.store.revisions import TABLE, needs_upgrade

# Quoted: the classes take parameters only in their stubs.
Connection: TypeAlias = (
    "asyncpg.Connection[asyncpg.Record] | asyncpg.pool.PoolConnectionProxy[asyncpg.Record]"
)

MOST_CONNECTIONS = 8
FEW_CONNECTIONS = 2
IDLE_S = 5.0
"""For a process that runs one debate only: how many connections it may have, and how long an unused
one is kept. Many such processes must not take from others what Postgres has to give."""
CONNECT_TIMEOUT_S = 10.0
STATEMENT_TIMEOUT_S = 30.0
UPGRADE_TIMEOUT_S = 600.0
_HAS_TABLE = "SELECT 1 FROM pg_class WHERE relname = $1 AND pg_table_is_visible(oid)"
_UPGRADE_LOCK = 0x6D6F6F74  # "moot"


def driver_url(url: str) -> str:
    """The URL as asyncpg wants it; SQLAlchemy's way of naming the driver is understood."""
    return url.replace("postgresql+asyncpg://", "postgresql://", 1)


async def _keep(_: Any) -> None:
    """Nothing to reset: no session state is ever set, and resetting is one more round trip."""


class Database:
    """A pool of connections to one database whose schema is up to date."""

    def __init__(self, pool: asyncpg.Pool[asyncpg.Record]) -> None:
        self._pool = pool

    @classmethod
    async def open(cls, url: str, *, is_sparing: bool = False) -> Database:
        sizes: dict[str, Any] = {"min_size": 1, "max_size": MOST_CONNECTIONS}
        if is_sparing:
            sizes = {"min_size": 0, "max_size": FEW_CONNECTIONS}
            sizes["max_inactive_connection_lifetime"] = IDLE_S
        with translated():
            pool = await asyncpg.create_pool(
                driver_url(url),
                **sizes,
                timeout=CONNECT_TIMEOUT_S,
                command_timeout=STATEMENT_TIMEOUT_S,
                reset=_keep,
                server_settings={"application_name": "moot"},
            )
        try:
            async with cls(pool).connection() as connection:
                await _upgrade(connection)
        except BaseException:
            pool.terminate()
            raise
        return cls(pool)

    async def close(self) -> None:
        try:
            await asyncio.wait_for(self._pool.close(), CONNECT_TIMEOUT_S)
        except (TimeoutError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            self._pool.terminate()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        with translated():
            async with self._pool.acquire(timeout=CONNECT_TIMEOUT_S) as connection:
                try:
                    yield connection
                except LOST:
                    connection.terminate()  # nobody must get it again
                    raise

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        async with self.connection() as connection, connection.transaction():
            yield connection

    async def read(self, query: str, *values: Any) -> list[asyncpg.Record]:
        # The idle connections have probably died together; a new one shows if Postgres is there.
        for _ in range(self._pool.get_idle_size()):
            with suppress(StoreUnavailable):
                return await self.write(query, *values)
        return await self.write(query, *values)

    async def write(self, query: str, *values: Any) -> list[asyncpg.Record]:
        """One statement, which is one transaction."""
        async with self.connection() as connection:
            return await connection.fetch(query, *values)


async def revision_of(connection: Connection) -> str | None:
    """The schema's revision; None for a database without one."""
    # Not to_regclass(): it may answer from a cache that has not heard of another's upgrade yet.
    if await connection.fetchval(_HAS_TABLE, TABLE) is None:
        return None
    revision = await connection.fetchval(f"SELECT version_num FROM {TABLE}")  # noqa: S608 - our constant
    return str(revision) if revision is not None else None


async def _upgrade(connection: Connection) -> None:
    if not needs_upgrade(await revision_of(connection)):
        return
    async with connection.transaction():
        # Of two processes the second waits here and then finds the work done.
        lock = "SELECT pg_advisory_xact_lock($1)"
        await connection.execute(lock, _UPGRADE_LOCK, timeout=UPGRADE_TIMEOUT_S)
        current = await revision_of(connection)
        if needs_upgrade(current):
            for statement in migrate.upgrade_statements("postgres", current):
                await connection.execute(statement, timeout=UPGRADE_TIMEOUT_S)
