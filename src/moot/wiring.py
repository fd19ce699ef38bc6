"""Puts the parts together. The only module that names concrete classes."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.metadata import version

import msgspec

from moot.engine.clock import Clock, SystemClock
from moot.engine.feed import Feed
from moot.engine.performer import Performer
from moot.engine.service import Service
from moot.engine.worker import Worker
from moot.errors import InvalidInput
from moot.models.port import Models
from moot.models.registry import Registry
from moot.models.window import TokenEstimator
from moot.settings import MootSettings, environment
from moot.store.port import Store

VERSION = version("moot")


class System(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is open."""

    service: Service
    store: Store
    models: Models
    settings: MootSettings


async def open_store(settings: MootSettings) -> Store:
    """The database the settings name, its schema up to date."""
    url = settings.database_url
    if not url:
        from moot.store.backends.sqlite import SqliteStore

        return await SqliteStore.open(settings.database_path)
    if url.startswith(("postgresql://", "postgres://")):
        from moot.store.backends.postgres import PostgresStore

        return await PostgresStore.open(url)
    if url.startswith("sqlite:///"):
        from pathlib import Path

        from moot.store.backends.sqlite import SqliteStore

        return await SqliteStore.open(Path(url.removeprefix("sqlite:///")))
    message = "must begin with postgresql:// or sqlite:///"
    raise InvalidInput(message, field="MOOT_DATABASE_URL")


def open_models(settings: MootSettings) -> Registry:
    """All models that can be had here. Opens nothing until one is called."""
    from moot.models.backends import embedded, openai_compatible, pydantic_ai

    return Registry(
        environment=environment(),
        custom=settings.providers,
        backends={
            "openai": openai_compatible.OpenAICompatible,
            "embedded": embedded.Embedded,
            "pydantic_ai": pydantic_ai.PydanticAI,
        },
    )


@asynccontextmanager
async def open_system(
    settings: MootSettings,
    *,
    models: Models | None = None,
    clock: Clock | None = None,
    has_worker: bool = True,
) -> AsyncIterator[System]:
    """Store, models, worker and service, opened in that order and closed in the other.

    `models` and `clock` replace the real ones, for tests and for programs that bring their own.
    """
    logging.getLogger("moot").setLevel(settings.log_level)
    clock = clock or SystemClock()
    feed = Feed()
    async with AsyncExitStack() as stack:
        store = await open_store(settings)
        stack.push_async_callback(store.close)
        models = models or open_models(settings)
        stack.push_async_callback(models.close)
        worker = None
        if has_worker:
            performer = Performer(models=models, feed=feed, estimator=TokenEstimator())
            made = Worker(store=store, performer=performer, feed=feed, clock=clock)
            worker = await stack.enter_async_context(made)
        service = Service(
            store=store, models=models, feed=feed, clock=clock, worker=worker, version=VERSION
        )
        yield System(service=service, store=store, models=models, settings=settings)
