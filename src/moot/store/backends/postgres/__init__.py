"""The store for several machines: PostgreSQL by asyncpg."""

from __future__ import annotations
