"""The embedded store: one SQLite file, no set-up."""

from __future__ import annotations

from moot.store.backends.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
