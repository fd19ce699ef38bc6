"""Puts the parts together. The only module that names concrete classes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

import msgspec

from moot.engine.clock import Clock, SystemClock
from moot.engine.counting import CountingFeed
from moot.engine.dispatcher import Dispatcher
from moot.engine.news import NewsDesk
from moot.engine.performer import Performer
from moot.engine.service import Service
from moot.engine.steady import SteadyWorker
from moot.errors import InvalidInput
from moot.models.port import Models
from moot.models.registry import Availability, Registry
from moot.models.window import TokenEstimator
from moot.protocol.values import Usage
from moot.queue.outbox import Outbox
from moot.queue.port import Queue
from moot.settings import MootSettings, environment
from moot.store.port import Store
from moot.telemetry import Tracing, open_tracing

if TYPE_CHECKING:
    from starlette.types import ASGIApp

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
    if _is_postgres(url):
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


def open_traces(settings: MootSettings) -> Tracing:
    """Traces, if somebody has asked for them. Raises InvalidInput if they cannot be had."""
    return open_tracing(
        environment(),
        wanted=settings.tracing,
        has_content=settings.trace_content,
        version=VERSION,
    )


async def open_queue(settings: MootSettings) -> Queue:
    """The queue beside a Postgres database. Raises InvalidInput where there can be none."""
    try:
        from moot.queue.backends.pgqueuer import PgQueue
    except ImportError:
        message = "workers on several machines need: pip install 'moot[workers]'"
        raise InvalidInput(message, field="MOOT_DATABASE_URL") from None
    return await PgQueue.open(settings.database_url)


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
    Debates run only when the service is told to run them.
    """
    async with AsyncExitStack() as stack:
        base = await _open_base(stack, settings, models, clock or SystemClock())
        worker = await base.open_worker(stack) if has_worker else None
        desk = await base.open_desk(stack, worker)
        yield base.system(worker=worker, desk=desk)


@asynccontextmanager
async def open_server(
    settings: MootSettings, *, host: str, models: Models | None = None, has_worker: bool = True
) -> AsyncIterator[tuple[ASGIApp, System]]:
    """The whole of `moot serve`: the app, what is behind it, and a worker for all that runs.

    Without a worker, debates are handed to those that share the database.
    """
    # Here, and not above: commands that serve nothing need not wait for a web framework.
    from moot.api import ApiParts, create_app
    from moot.api.exposure import host_header
    from moot.definitions.personas import library

    async with AsyncExitStack() as stack:
        base = await _open_base(stack, settings, models, SystemClock())
        worker = await base.open_worker(stack) if has_worker else None
        desk = await base.open_desk(stack, worker)
        on_active, running = await base.open_dispatch(stack, worker)
        system = base.system(worker=worker, desk=desk, on_active=on_active)
        token = settings.token.get_secret_value() if settings.token else None
        app = create_app(
            ApiParts(
                service=system.service,
                secret=_secret(settings),
                available_models=_availability(base.models),
                personas=lambda: library(settings.personas_path),
                own_personas=settings.personas_path,
                models=base.models,
                price=_price(base.models),
                context_root=settings.context_root,
                version=VERSION,
                token=token,
                allowed_hosts=settings.allowed_hosts | {host_header(host)},
                counts=lambda: base.feed.counts,
                running=running,
                count_debates=base.store.count,
            )
        )
        yield app, system


class _Base(msgspec.Struct, frozen=True, kw_only=True):
    """What every process has open, and how it opens the rest."""

    settings: MootSettings
    store: Store
    models: Models
    feed: CountingFeed
    clock: Clock

    async def open_worker(self, stack: AsyncExitStack) -> SteadyWorker:
        tracing = open_traces(self.settings)
        stack.push_async_callback(tracing.close)
        performer = Performer(
            models=self.models, feed=self.feed, estimator=TokenEstimator(), tracing=tracing
        )
        worker = SteadyWorker(
            store=self.store, performer=performer, feed=self.feed, clock=self.clock
        )
        return await stack.enter_async_context(worker)

    async def open_desk(self, stack: AsyncExitStack, worker: SteadyWorker | None) -> NewsDesk:
        desk = (
            NewsDesk(self.store, held=lambda: worker.held, poke=worker.poke)
            if worker
            else NewsDesk(self.store)
        )
        await stack.enter_async_context(_beside(desk.run()))
        return desk

    async def open_dispatch(
        self, stack: AsyncExitStack, worker: SteadyWorker | None
    ) -> tuple[Callable[[str], None], Callable[[], int]]:
        """Who is told of debates that become active, and how many are being run here."""
        if worker is not None:
            dispatcher = Dispatcher(worker=worker, store=self.store, clock=self.clock)
            await stack.enter_async_context(_beside(dispatcher.run()))
            return dispatcher.wake, lambda: dispatcher.running
        if not _is_postgres(self.settings.database_url):
            # Nobody to hand them to: they wait for `moot resume`, or for a server with a worker.
            return lambda _debate_id: None, lambda: 0
        queue = await open_queue(self.settings)
        stack.push_async_callback(queue.close)
        outbox = Outbox(queue, self.clock)
        await stack.enter_async_context(_beside(outbox.run()))
        return outbox.put, lambda: 0

    def system(
        self,
        *,
        worker: SteadyWorker | None,
        desk: NewsDesk,
        on_active: Callable[[str], None] = lambda _debate_id: None,
    ) -> System:
        service = Service(
            store=self.store,
            models=self.models,
            feed=self.feed,
            clock=self.clock,
            worker=worker,
            version=VERSION,
            on_active=on_active,
            news=desk.wait,
        )
        return System(service=service, store=self.store, models=self.models, settings=self.settings)


async def _open_base(
    stack: AsyncExitStack, settings: MootSettings, models: Models | None, clock: Clock
) -> _Base:
    logging.getLogger("moot").setLevel(settings.log_level)
    store = await open_store(settings)
    stack.push_async_callback(store.close)
    models = models or open_models(settings)
    stack.push_async_callback(models.close)
    return _Base(settings=settings, store=store, models=models, feed=CountingFeed(), clock=clock)


@asynccontextmanager
async def _beside(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Runs `work` for as long as the block lasts."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _secret(settings: MootSettings) -> bytes:
    if settings.secret is not None:
        return settings.secret.get_secret_value().encode()
    from moot.api import load_secret

    return load_secret(settings.secret_path)


def _availability(models: Models) -> Callable[[], Sequence[Availability]]:
    return models.available if isinstance(models, Registry) else tuple


def _price(models: Models) -> Callable[[str, Usage], float | None]:
    return models.price if isinstance(models, Registry) else lambda _model, _usage: None


def _is_postgres(url: str) -> bool:
    return url.startswith(("postgresql://", "postgres://"))
