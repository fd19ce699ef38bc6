"""Talks to language models. `port` is the contract; `backends` hold the adapters."""

from __future__ import annotations
