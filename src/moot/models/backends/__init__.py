"""Concrete adapters. Only `moot.wiring` and `moot.testing` may import from here."""

from __future__ import annotations
