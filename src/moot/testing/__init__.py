"""Test doubles that are part of the product: scripted models, a provider, a clock, contracts."""

from __future__ import annotations
