"""The Postgres behind the server and the workers of the compose file, and a provider."""

from __future__ import annotations

from tests.acceptance.terminals import provider

from moot.testing.postgres import empty_postgres_url, postgres_server

__all__ = ["empty_postgres_url", "postgres_server", "provider"]
