"""The store for several machines: PostgreSQL by asyncpg."""

from __future__ import annotations

from moot.store.backends.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
