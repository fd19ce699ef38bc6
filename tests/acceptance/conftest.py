"""Fixtures of the command line."""

from __future__ import annotations

from tests.acceptance.terminals import home, moot, provider

__all__ = ["home", "moot", "provider"]
