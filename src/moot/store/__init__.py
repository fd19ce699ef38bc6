"""Remembers debates. `port` is the contract; `backends` hold SQLite and Postgres."""

from __future__ import annotations
