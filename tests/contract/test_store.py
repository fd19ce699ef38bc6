"""Every store keeps the whole contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from moot.store.backends.postgres import PostgresStore
from moot.store.backends.sqlite import SqliteStore
from moot.testing.store_contract import StoreContract
from moot.testing.store_contract.stores import OpenStore


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def open_store(self, tmp_path: Path) -> OpenStore:
        return lambda: SqliteStore.open(tmp_path / "home" / "moot.db")


@pytest.mark.postgres
class TestPostgresStore(StoreContract):
    @pytest.fixture
    def open_store(self, postgres_url: str) -> OpenStore:
        return lambda: PostgresStore.open(postgres_url)
