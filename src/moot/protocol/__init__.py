"""Decides. Pure and synchronous: no clock, no I/O, no randomness, no logging."""

from __future__ import annotations
