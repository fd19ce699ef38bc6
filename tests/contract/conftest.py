"""The Postgres that the contract runs over."""

from __future__ import annotations

from moot.testing.postgres import empty_postgres_url, postgres_server, postgres_url

__all__ = ["empty_postgres_url", "postgres_server", "postgres_url"]
