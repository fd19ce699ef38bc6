"""The embedded store: one SQLite file, no set-up."""

from __future__ import annotations
