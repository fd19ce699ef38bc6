"""The Postgres that half of the fault tests run on, and an environment to plant a key in."""

from __future__ import annotations

import pytest

from moot.testing.oracles import CANARY_KEY
from moot.testing.postgres import empty_postgres_url, postgres_server, postgres_url

__all__ = ["empty_postgres_url", "postgres_server", "postgres_url"]


@pytest.fixture(autouse=True)
def _planted_key(monkeypatch: pytest.MonkeyPatch) -> None:
    # Whatever a test sets in the environment is undone with these.
    monkeypatch.setenv("OPENAI_API_KEY", CANARY_KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
