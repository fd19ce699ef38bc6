"""Puts the parts together. The only module that names concrete stores, queues and models."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Self, TypedDict, Unpack

import msgspec

from moot import plugins
from moot.engine.clock import Clock, SystemClock
from moot.engine.leases import TTL_S
from moot.engine.live_debates import LiveDebates
from moot.engine.loops import Loop, Loops
from moot.engine.once import load_secret
from moot.engine.performer import Performer
from moot.engine.quarantine import PAUSES_S, Quarantine
from moot.engine.service import Service
from moot.engine.ward import Alone
from moot.engine.worker import Worker
from moot.errors import InvalidInput, StoreUnavailable
from moot.models.endpoint import Endpoint
from moot.models.keys import Keys
from moot.models.messages import TokenEstimator
from moot.models.port import ChatModel, Models
from moot.models.registry import Kept, Registry
from moot.queue.backends.memory import MemoryQueue
from moot.queue.dispatcher import CONCURRENCY, LOOK_EVERY_S, Dispatcher
from moot.queue.port import Queue
from moot.settings import MootSettings, environment, read_configuration
from moot.store.port import ChecksRoom, Store, WorksBeside
from moot.telemetry import Tracing, open_tracing

if TYPE_CHECKING:
    from moot.asking import Asker

VERSION = version("moot")


class System(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is open."""

    service: Service
    store: Store
    models: Models
    settings: MootSettings
    live: LiveDebates
    worker: Worker | None
    dispatcher: Dispatcher | None
    loops: Loops
    asker: Asker | None = None
    """How clients that come and go ask panels; None where there are none."""
    leave_doors: Callable[[], None] = lambda: None
    """Ends what clients hold open, besides event streams: the process is about to leave."""

    async def check_ready(self) -> None:
        """Raise StoreUnavailable if debates cannot be run or written down at the moment."""
        self.loops.check()
        if isinstance(self.store, ChecksRoom):
            await self.store.check_room()
        if reason := self.live.stalled():
            raise StoreUnavailable(reason)
        if self.worker is not None and not self.worker.is_kept:
            raise StoreUnavailable("the database could not be written to when that was last tried")
        if self.dispatcher is not None:
            if not self.dispatcher.is_reaching_queue:
                raise StoreUnavailable("the queue could not be reached when that was last tried")
            await self.dispatcher.check_workers()
        await self.store.list(limit=1)
        self.loops.check()  # one may have died while the others were asked

    async def drain(self, grace_s: float) -> int:
        """Begin nothing more, and let the calls under way finish; see `Worker.drain`."""
        self.loops.is_leaving = True
        if self.dispatcher is not None:
            self.dispatcher.rest()
        return await self.worker.drain(grace_s) if self.worker is not None else 0


async def open_store(settings: MootSettings, *, is_sparing: bool = False) -> Store:
    """The database the settings name, its schema up to date.

    `is_sparing` is for a process that uses it only now and then.
    """
    url = settings.database_url
    if not url:
        from moot.store.backends.sqlite.store import SqliteStore

        return await SqliteStore.open(settings.database_path)
    if _is_postgres(url):
        from moot.store.backends.postgres.store import PostgresStore

        return await PostgresStore.open(url, is_sparing=is_sparing)
    if url.startswith("sqlite:///"):
        from pathlib import Path

        from moot.store.backends.sqlite.store import SqliteStore

        return await SqliteStore.open(Path(url.removeprefix("sqlite:///")))
    message = "must begin with postgresql:// or sqlite:///"
    raise InvalidInput(message, field="MOOT_DATABASE_URL")


def open_models(settings: MootSettings) -> Registry:
    """All models that can be had here. Opens nothing until one is called."""
    plugins.found()  # plugins' providers too; what is wrong with a plugin is told elsewhere
    from moot.models.backends import embedded, pydantic_ai

    path = settings.config_path
    configured = read_configuration(path)
    return Registry(
        environment=Keys(environment(), configured.keys),
        custom=settings.providers,
        kept=Kept(model=configured.model, judge=configured.judge, where=str(path)),
        backends={
            "openai": _openai_compatible,
            "embedded": embedded.Embedded,
            "pydantic_ai": pydantic_ai.PydanticAI,
        },
    )


def _openai_compatible(*, endpoint: Endpoint) -> ChatModel:
    # Importing an HTTP client takes a third of the time of `moot list`, which calls nobody.
    from moot.models.backends.openai_compatible.adapter import OpenAICompatible

    return OpenAICompatible(endpoint=endpoint)


def open_traces(settings: MootSettings) -> Tracing:
    """Traces, if somebody has asked for them. Raises InvalidInput if they cannot be had."""
    return open_tracing(
        environment(),
        wanted=settings.tracing,
        has_content=settings.trace_content,
        version=VERSION,
    )


async def open_queue(settings: MootSettings) -> Queue:
    """The queue beside a Postgres database. Raises InvalidInput if its library is not installed."""
    try:
        from moot.queue.backends.pgqueuer import PgQueue
    except ImportError:
        message = "workers on several machines need: pip install 'moot[workers]'"
        raise InvalidInput(message, field="MOOT_DATABASE_URL") from None
    return await PgQueue.open(settings.database_url)


class Parts(TypedDict, total=False):
    """What programs and tests bring along, in place of what the settings name.

    A store, a queue and tracing that are given stay open; models are closed in any case.
    """

    store: Store
    models: Models | None
    clock: Clock
    tracing: Tracing
    queue: Queue
    ttl_s: float
    """How long a lease lasts."""
    look_every_s: float
    """How often somebody looks for debates that nobody runs."""
    pauses_s: tuple[float, ...]
    """Before each try of a debate in quarantine."""


@asynccontextmanager
async def open_system(
    settings: MootSettings, *, has_worker: bool = True, **parts: Unpack[Parts]
) -> AsyncIterator[System]:
    """Store, models, worker and service, opened in that order and closed in reverse.

    Debates run only when the service is told to run them. If one of the loops that keep things
    going dies, the task inside is cancelled, and the reason is raised on the way out.
    """
    async with AsyncExitStack() as stack:
        base = await _Base.open(stack, settings, parts)
        worker = await base.open_worker(stack) if has_worker else None
        yield await base.running(stack, worker=worker, dispatcher=None)


def load_all(settings: MootSettings) -> None:
    """Import whatever `open_alone` may need, once for all children of this process."""
    plugins.load()
    from moot.models.backends import embedded, pydantic_ai  # noqa: F401
    from moot.models.backends.openai_compatible import adapter  # noqa: F401

    if _is_postgres(settings.database_url):
        import moot.store.backends.postgres.store
    else:
        import moot.store.backends.sqlite.store  # noqa: F401


@asynccontextmanager
async def open_alone(settings: MootSettings) -> AsyncIterator[Alone]:
    """What runs one debate, in a process of its own, for the worker that has its lease."""
    async with AsyncExitStack() as stack:
        store = await open_store(settings, is_sparing=True)
        stack.push_async_callback(store.close)
        base = await _Base.open(stack, settings, {"store": store})
        # It needs none of the loops: the worker tells it what is new.
        performer = await base.open_performer(stack)
        yield Alone(store=base.store, live=base.live, performer=performer, clock=base.clock)


@asynccontextmanager
async def open_worker(
    settings: MootSettings, *, concurrency: int = CONCURRENCY, **parts: Unpack[Parts]
) -> AsyncIterator[System]:
    """The whole of `moot worker`: the debates of a shared database, taken from its queue."""
    async with AsyncExitStack() as stack:
        base = await _Base.open(stack, settings, parts)
        queue = await base.open_queue(stack, is_shared=True)
        worker = await base.open_worker(stack)
        dispatcher = base.dispatcher(queue, worker, concurrency)
        yield await base.running(stack, worker=worker, dispatcher=dispatcher)


@asynccontextmanager
async def open_dispatching(
    settings: MootSettings, *, has_worker: bool = True, **parts: Unpack[Parts]
) -> AsyncIterator[System]:
    """What is behind `moot serve`: every debate that has something to run is advanced.

    Without a worker, debates are handed to the workers that share the database.
    """
    async with AsyncExitStack() as stack:
        base = await _Base.open(stack, settings, parts)
        worker = await base.open_worker(stack) if has_worker else None
        dispatcher = None
        # On SQLite there is nobody to hand them to: they wait for `moot resume`, or for a server
        # with a worker.
        if has_worker or "queue" in parts or _is_postgres(settings.database_url):
            queue = await base.open_queue(stack, is_shared=not has_worker)
            dispatcher = base.dispatcher(queue, worker, settings.max_debates)
        yield await base.running(stack, worker=worker, dispatcher=dispatcher, is_asked=True)


class _Base(msgspec.Struct, frozen=True, kw_only=True):
    """What every process has open, and how it opens the rest."""

    settings: MootSettings
    parts: Parts
    store: Store
    models: Models
    clock: Clock
    live: LiveDebates

    @classmethod
    async def open(cls, stack: AsyncExitStack, settings: MootSettings, parts: Parts) -> Self:
        logging.getLogger("moot").setLevel(settings.log_level)
        plugins.load()
        store = parts.get("store")
        if store is None:
            store = await open_store(settings)
            stack.push_async_callback(store.close)
        models = parts.get("models") or open_models(settings)
        stack.push_async_callback(models.close)
        clock = parts.get("clock") or SystemClock()
        live = LiveDebates(store, clock)
        return cls(
            settings=settings, parts=parts, store=store, models=models, clock=clock, live=live
        )

    async def open_performer(self, stack: AsyncExitStack) -> Performer:
        # Imported now, and not while the first debate waits for its first call.
        from moot.models.backends.openai_compatible import adapter  # noqa: F401

        tracing = self.parts.get("tracing")
        if tracing is None:
            tracing = open_traces(self.settings)
            stack.push_async_callback(tracing.close)
        return Performer(models=self.models, estimator=TokenEstimator(), tracing=tracing)

    async def open_worker(self, stack: AsyncExitStack) -> Worker:
        worker = Worker(
            store=self.store,
            live=self.live,
            performer=await self.open_performer(stack),
            clock=self.clock,
            quarantine=self._quarantine(),
            ttl_s=self.parts.get("ttl_s", TTL_S),
        )
        return await stack.enter_async_context(worker)

    def _quarantine(self) -> Quarantine | None:
        """None where another process cannot be made, or cannot have what this one has."""
        is_ours = "store" in self.parts or self.parts.get("models") is not None
        if is_ours or not hasattr(os, "fork"):
            return None
        return Quarantine(
            module="moot.cli.ward",
            environment=self.settings.passed_on(),
            counts=self.live.counts,
            pauses_s=self.parts.get("pauses_s", PAUSES_S),
        )

    async def open_queue(self, stack: AsyncExitStack, *, is_shared: bool) -> Queue:
        """The database's own queue if other processes share it, otherwise one in memory."""
        queue = self.parts.get("queue")
        if queue is None:
            queue = await open_queue(self.settings) if is_shared else MemoryQueue(self.clock)
            stack.push_async_callback(queue.close)
        return queue

    def dispatcher(self, queue: Queue, worker: Worker | None, concurrency: int) -> Dispatcher:
        return Dispatcher(
            queue=queue,
            store=self.store,
            clock=self.clock,
            worker=worker,
            concurrency=concurrency,
            look_every_s=self.parts.get("look_every_s", LOOK_EVERY_S),
        )

    def _asker(self, service: Service) -> Asker:
        # Not at the top: commands that ask nobody need not wait for YAML and documents.
        from moot.asking import Asker
        from moot.definitions import panels
        from moot.staging import Sources

        settings = self.settings
        sources = Sources(
            models=self.models, personas=settings.personas_path, root=settings.context_root
        )
        return Asker(
            service,
            sources,
            self.clock,
            lambda: panels.library(settings.panels_path, settings.personas_path),
        )

    async def running(
        self,
        stack: AsyncExitStack,
        *,
        worker: Worker | None,
        dispatcher: Dispatcher | None,
        is_asked: bool = False,
    ) -> System:
        """Everything, with all loops going for as long as `stack` is open.

        With `is_asked`, panels can be asked by clients that come and go.
        """
        loops: dict[str, Loop] = {"news": self.live.run}
        if isinstance(self.store, WorksBeside):
            loops["store"] = self.store.until_broken
        if worker is not None:
            loops["leases"] = worker.run
        if dispatcher is not None:
            loops["dispatcher"] = dispatcher.run
        service = Service(
            store=self.store,
            live=self.live,
            models=self.models,
            clock=self.clock,
            worker=worker,
            version=VERSION,
            defaults=_defaults(self.settings),
            on_active=dispatcher.wake if dispatcher is not None else lambda _debate_id: None,
        )
        asker = self._asker(service) if is_asked else None
        if asker is not None:
            loops["asking"] = asker.run
            loops["errands"] = asker.errands.run
        running = Loops(loops)
        await stack.enter_async_context(running)
        stack.push_async_callback(service.close)
        return System(
            service=service,
            store=self.store,
            models=self.models,
            settings=self.settings,
            live=self.live,
            worker=worker,
            dispatcher=dispatcher,
            loops=running,
            asker=asker,
        )


def _defaults(settings: MootSettings) -> Mapping[str, int]:
    """Settings for debates that do not set them."""
    patience_s = settings.provider_patience_seconds
    return {} if patience_s is None else {"provider_patience_seconds": patience_s}


def secret_of(settings: MootSettings) -> bytes:
    """The secret from which the ids of debates with a key are made; see `engine.once`. Blocks."""
    if settings.secret is not None:
        return settings.secret.reveal().encode()
    return load_secret(settings.secret_path)


def _is_postgres(url: str) -> bool:
    return url.startswith(("postgresql://", "postgres://"))
