"""Connections to the database: the pool, the schema's upgrade, and what is raised when one fails.

Reads are tried again when a connection turns out to be dead; writes never are, because the first
may have been committed. No foreign exception leaves the backend: what asyncpg and the network raise
is told in Moot's words.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, TypeAlias

import asyncpg
import asyncpg.pool

from moot.errors import Conflict, DiskFull, InvalidInput, MootError, StoreError, StoreUnavailable
from moot.store import migrate
from moot.store.migrate import TABLE, needs_upgrade

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


# --- connections ----------------------------------------------------------------------------------


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


# --- one connection that blocks -------------------------------------------------------------------


class BlockingConnection:
    """A connection with an event loop of its own, for a thread that must not depend on another's.

    It is used for nothing but keeping leases; the lock lets any number of threads share it.
    Connected at the first use, and again after a failure.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._is_closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connection: asyncpg.Connection[asyncpg.Record] | None = None

    def run(self, work: Callable[[Connection], Awaitable[None]]) -> None:
        with self._lock:
            if self._is_closed:
                raise StoreUnavailable("the store is closed: open it again")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
            self._loop.run_until_complete(self._run(work))

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            if self._loop is None:
                return
            self._loop.run_until_complete(self._hang_up())
            self._loop.close()
            self._loop = None

    async def _run(self, work: Callable[[Connection], Awaitable[None]]) -> None:
        try:
            with translated():
                await work(await self._connected())
        except StoreUnavailable:
            await self._hang_up()
            raise

    async def _connected(self) -> asyncpg.Connection[asyncpg.Record]:
        if self._connection is None or self._connection.is_closed():
            self._connection = await asyncpg.connect(
                driver_url(self._url),
                timeout=CONNECT_TIMEOUT_S,
                command_timeout=STATEMENT_TIMEOUT_S,
                server_settings={"application_name": "moot leases"},
            )
        return self._connection

    async def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(StoreError), translated():
                await connection.close(timeout=1)


# --- failures -------------------------------------------------------------------------------------


# By the first characters of SQLSTATE (postgresql.org, appendix A), the longest that fits.
_BY_STATE: dict[str, tuple[type[StoreError], str]] = {
    "08": (StoreUnavailable, "the connection to Postgres was lost: check that it is running"),
    "23505": (Conflict, "a step of this debate is recorded already"),
    "25006": (StoreUnavailable, "Postgres is read-only: connect to the primary"),
    "28": (StoreUnavailable, "Postgres refused the login: check user and password in the URL"),
    "3D": (StoreUnavailable, "this database does not exist: create it, or correct the URL"),
    "40": (StoreUnavailable, "Postgres rolled the transaction back: try again"),
    "53": (StoreUnavailable, "Postgres is out of memory or connections"),
    "53100": (
        DiskFull,
        "the disk of the Postgres server is full: free some space, and all goes on by itself",
    ),
    "55": (StoreUnavailable, "Postgres waited for a lock too long: try again"),
    "57": (StoreUnavailable, "Postgres is starting, stopping or was told to stop: try again"),
    "58": (StoreUnavailable, "Postgres reports an error of its disk"),
}
LOST = (
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # told to stop; the connection is closed a moment later
    asyncpg.InternalClientError,  # cut between two messages: its state is unknown
    OSError,
)
"""After these a connection is of no use any more."""

_UNREACHABLE = "Postgres cannot be reached: check that it is running and that the URL is right"


@contextmanager
def translated() -> Iterator[None]:
    try:
        yield
    except MootError:
        raise
    except (asyncpg.DataError, UnicodeError, OverflowError) as error:
        message = f"this value cannot be stored: {error}"
        raise InvalidInput(message) from error
    except asyncpg.PostgresError as error:
        raise _by_state(error) from error
    except (asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, EOFError) as error:
        message = f"{_UNREACHABLE} ({type(error).__name__}: {error})"
        raise StoreUnavailable(message) from error


def _by_state(error: asyncpg.PostgresError) -> StoreError:
    state = error.sqlstate or ""
    for length in (5, 2):
        if known := _BY_STATE.get(state[:length]):
            return known[0](f"{known[1]} ({error})")
    return StoreError(f"Postgres: {error}")
