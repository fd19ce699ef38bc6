"""Fixtures of the page's tests: one server for all of them, a new context for each."""

from __future__ import annotations

from tests.browser.opening import browser, page, provider, server, sight

__all__ = ["browser", "page", "provider", "server", "sight"]
