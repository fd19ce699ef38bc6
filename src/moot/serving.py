"""Puts a server together: the app with its doors, on top of what `wiring` has opened."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Unpack

import msgspec

from moot.engine.forecast import price_of
from moot.models.overview import Overview, is_toy, overview
from moot.models.port import Models
from moot.models.registry import Registry
from moot.settings import MootSettings
from moot.wiring import VERSION, Parts, System, open_dispatching, secret_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from moot.api import ApiParts
    from moot.api.parts import ApiLimits
    from moot.mcp.port import Door


@asynccontextmanager
async def open_server(
    settings: MootSettings,
    *,
    host: str,
    has_worker: bool = True,
    connections: int | None = None,
    **parts: Unpack[Parts],
) -> AsyncIterator[tuple[ASGIApp, System]]:
    """The whole of `moot serve`: the app, and what is behind it.

    If `connections` are limited, event streams take a share of them and no more.
    """
    # Not at the top: `moot mcp` has no need of a web framework.
    from moot.api import create_app
    from moot.api.mcp import McpMount

    async with open_dispatching(settings, has_worker=has_worker, **parts) as system:
        mcp = McpMount(lambda: open_mcp(system))
        app_parts = api_parts(system, host, connections)
        try:
            app = create_app(msgspec.structs.replace(app_parts, mcp=mcp))
            yield app, msgspec.structs.replace(system, leave_doors=mcp.leave)
        finally:
            await mcp.close()


@asynccontextmanager
async def open_mcp(system: System) -> AsyncIterator[ASGIApp]:
    """What answers at /mcp. Raises ModuleNotFoundError without the extra `mcp`."""
    from moot.api.guards.rates import RateLimit

    # In a thread: it takes a second, in which everybody else would wait.
    server = await asyncio.to_thread(import_module, "moot.mcp.server")
    secret = await asyncio.to_thread(secret_of, system.settings)
    rate = RateLimit(system.settings.creations_per_minute, time.monotonic)
    # One rate for all who come by this door: behind it nobody knows of addresses.
    door = mcp_door(system, secret, wait_s=lambda: rate.wait_s("mcp"))
    opened: AbstractAsyncContextManager[ASGIApp] = server.over_http(
        door, secret=secret, version=VERSION
    )
    async with opened as app:
        yield app


def mcp_door(system: System, secret: bytes, wait_s: Callable[[], int] = lambda: 0) -> Door:
    """The tools behind MCP, in a process with a worker of its own or beside one."""
    from moot.mcp.tools import Tools

    assert system.asker is not None  # noqa: S101 - `open_dispatching` has one

    def choices() -> list[str]:
        entries = _overview(system.models)().entries
        usable = [one.provider.default_model for one in entries if one.provider.is_usable]
        return [model for model in usable if model and not is_toy(model)]

    return Tools(
        system.asker,
        secret,
        choices=choices,
        wait_s=wait_s,
        is_leaving=lambda: system.loops.is_leaving,
    )


def api_parts(system: System, host: str, connections: int | None = None) -> ApiParts:
    """What the app is made of."""
    from moot.api import ApiParts
    from moot.api.guards.tokens import host_header
    from moot.definitions.personas import library

    settings = system.settings
    dispatcher = system.dispatcher
    assert system.asker is not None  # noqa: S101 - `open_dispatching` has one
    return ApiParts(
        service=system.service,
        asker=system.asker,
        secret=secret_of(settings),
        overview=_overview(system.models),
        personas=lambda: library(settings.personas_path),
        own_personas=settings.personas_path,
        own_panels=settings.panels_path,
        models=system.models,
        price=price_of(system.models),
        context_root=settings.context_root,
        version=VERSION,
        token=settings.token.reveal() if settings.token else None,
        allowed_hosts=settings.allowed_hosts | {host_header(host)},
        check_ready=system.check_ready,
        counts=lambda: system.live.counts,
        running=lambda: dispatcher.running if dispatcher is not None else 0,
        waiting=lambda: system.worker.waiting if system.worker is not None else 0,
        held=system.models.held if isinstance(system.models, Registry) else dict,
        count_quarantined=system.store.quarantined,
        count_debates=system.store.count,
        limits=_limits(settings, connections),
        trusted_proxies=settings.trusted_proxies,
        defaults=system.service.defaults,
    )


def _limits(settings: MootSettings, connections: int | None) -> ApiLimits:
    from moot.api.parts import SHARE_OF_VIEWERS, ApiLimits

    most = settings.max_viewers
    return ApiLimits(
        body_bytes=settings.max_body_bytes,
        body_s=settings.body_seconds,
        creations_per_minute=settings.creations_per_minute,
        questions_per_minute=settings.questions_per_minute,
        model_tests_per_minute=settings.model_tests_per_minute,
        viewers=most if connections is None else min(most, int(connections * SHARE_OF_VIEWERS)),
        send_s=settings.unread_seconds,
    )


def _overview(models: Models) -> Callable[[], Overview]:
    # Models that programs and tests bring along have no list to choose from.
    return lambda: overview(models) if isinstance(models, Registry) else Overview()
