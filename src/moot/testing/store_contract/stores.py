"""The two handles every test of the contract gets: this process's, and another's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from moot.store.port import Store

OpenStore = Callable[[], Awaitable[Store]]


class Stores:
    @pytest.fixture
    async def store(self, open_store: OpenStore) -> AsyncIterator[Store]:
        store = await open_store()
        yield store
        await store.close()

    @pytest.fixture
    async def other(self, open_store: OpenStore) -> AsyncIterator[Store]:
        """The same database, opened once more."""
        store = await open_store()
        yield store
        await store.close()
