"""Test doubles that are part of the product: models, a server, a clock, and the stores' contract."""

from __future__ import annotations
