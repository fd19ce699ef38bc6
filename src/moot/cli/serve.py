"""`moot serve` and `moot worker`: processes that run debates until they are asked to leave.

The one has HTTP, and a worker for every debate that is running; the other runs debates of a shared
database, beside any number of others.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

import click

from moot.cli import complete
from moot.cli.options import Setup, pass_setup
from moot.cli.telling import say, tell

if TYPE_CHECKING:
    import socket

    from starlette.types import ASGIApp

    from moot.api.server import Doors, Server
    from moot.cli.logs import OnceHandler
    from moot.settings import MootSettings
    from moot.wiring import System

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8420
BACKLOG = 2048
LONGEST = 1000
REQUESTS_S = 5
"""How long requests in progress may take to end when the server is asked to, within its grace."""
LEAST_FOR_REQUESTS_S = 0.5
"""How long they may take at least, even if there is no time left."""
TELL_EVERY_S = 5
"""How often to check whether a failure has repeated itself."""


@click.command()
@click.option("--host", default=DEFAULT_HOST, show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help=f"The port; 0 takes any free one. Default: {DEFAULT_PORT}, or another if that is taken.",
)
@click.option(
    "--no-worker",
    is_flag=True,
    help="Do not run debates here; `moot worker` processes on the same Postgres database do.",
)
@click.option(
    "--prepare",
    metavar="NAME",
    help="If you have no debates yet, create this one, ready to start on the page.",
    shell_complete=complete.debates,
)
@pass_setup
def serve(
    setup: Setup, /, host: str, port: int | None, no_worker: bool, prepare: str | None
) -> None:
    """Serve the web page and the HTTP API, and run debates.

    Debates continue when every client has gone, and when the server is restarted, even after it
    was killed. To listen on an address that other machines can reach, set MOOT_TOKEN.

    On SIGTERM or Ctrl-C, the server finishes the calls under way, records their replies and exits
    within ten seconds (MOOT_GRACE_SECONDS); meanwhile /readyz answers 503. A second signal ends it
    at once.

    \b
    Examples:
      moot serve
      moot serve --port 9000
      moot serve --prepare remote-work
      MOOT_TOKEN=$(openssl rand -hex 32) moot serve --host 0.0.0.0
      MOOT_DATABASE_URL=postgresql://moot@db/moot moot serve --no-worker
    """
    from moot.api import check_exposure
    from moot.cli.logs import faults_told, set_up_server_logs
    from moot.engine.loops import run

    settings = setup.settings()
    check_exposure(host, settings.token.reveal() if settings.token else None)
    listening = _listen_somewhere(host) if port is None else _listen(host, port)
    opened = _Opened(setup, settings, host, listening, not no_worker, prepare)
    logs = set_up_server_logs(settings)
    with faults_told():
        run(_serve(opened, logs))
    sys.exit(0)


def _listen_somewhere(host: str) -> socket.socket:
    """Listen on the usual port, so that the address stays the same; on another if that is taken."""
    from moot.errors import InvalidInput

    try:
        return _listen(host, DEFAULT_PORT)
    except InvalidInput:
        return _listen(host, 0)


def _listen(host: str, port: int) -> socket.socket:
    """A listening socket. It is bound before anything is opened, so that a taken port costs nothing
    and is reported at once."""
    import socket

    from moot.errors import InvalidInput

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host.strip("[]"), port))
        listening.listen(BACKLOG)  # whoever comes before the server is ready waits a moment
    except OSError as error:
        listening.close()
        message = f"cannot listen on {host}:{port} ({error.strerror}); choose another port"
        raise InvalidInput(message, field="--port") from None
    return listening


class _Opened(NamedTuple):
    """Everything that the options of `moot serve` ask for."""

    setup: Setup
    settings: MootSettings
    host: str
    listening: socket.socket
    has_worker: bool
    prepare: str | None


async def _serve(given: _Opened, logs: OnceHandler) -> None:
    import asyncio

    from moot.cli.interrupts import Leaving
    from moot.serving import open_server

    doors = _doors(given.settings)
    async with open_server(
        given.settings,
        host=given.host,
        models=given.setup.models,
        has_worker=given.has_worker,
        connections=doors.connections,
    ) as (app, system):
        given.setup.has_begun = True
        server = _server(app, given.listening, doors, logs)
        leaving = Leaving(system, given.settings.grace_seconds)

        async def leave() -> None:
            """Serve until all calls are over, so that viewers see what still comes."""
            try:
                await leaving.drained()
            finally:
                # Event streams never end by themselves, and would hold everything else up.
                system.service.dismiss_viewers()
                system.leave_doors()
                left_s = min(max(leaving.left_s / 2, LEAST_FOR_REQUESTS_S), REQUESTS_S)
                server.config.timeout_graceful_shutdown = left_s  # type: ignore[assignment]
                server.should_exit = True

        say(f"Moot is at {_address(given.listening)}")
        beside = [asyncio.create_task(_introduce(system, given)), asyncio.create_task(leave())]
        try:
            await server.serve()
        finally:
            for task in beside:
                task.cancel()
            ended = await asyncio.gather(*beside, return_exceptions=True)
        for error in ended:
            if isinstance(error, Exception):
                raise error


def _server(app: ASGIApp, listening: socket.socket, doors: Doors, logs: OnceHandler) -> Server:
    from contextlib import nullcontext

    import uvicorn

    from moot.api.server import Server

    async def tell_repeats() -> None:
        logs.tell_repeats()

    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        # `guards.sites` decides which proxies to believe, and there are no WebSockets.
        proxy_headers=False,
        ws="none",
        callback_notify=tell_repeats,
        timeout_notify=TELL_EVERY_S,
    )
    server = Server(config, listening, doors)
    # uvicorn would raise the signal again before anything of ours is closed.
    server.capture_signals = nullcontext  # type: ignore[assignment]
    return server


def _doors(settings: MootSettings) -> Doors:
    """The limits on connections: as the settings say, and as the limit of open files allows."""
    from moot.api.server import LEAST_ROOM, Doors, most_connections, raise_open_files
    from moot.errors import InvalidInput

    files = raise_open_files()
    most = most_connections(files)
    wanted = settings.max_connections
    if files is not None and wanted is not None and wanted > files - LEAST_ROOM:
        message = (
            f"{wanted} connections need {wanted + LEAST_ROOM} open files in all, but this process "
            f"may have only {files}: raise `ulimit -n`, or leave this out to allow {most}"
        )
        raise InvalidInput(message, field="MOOT_MAX_CONNECTIONS")
    return Doors(
        connections=wanted or most,
        header_s=settings.header_seconds,
        unread_s=settings.unread_seconds,
    )


async def _introduce(system: System, given: _Opened) -> None:
    """Say what people want to know when they have just started the server."""
    from moot.cli.models import tell_choice

    await tell_choice(system.models)
    await _prepare(system, given)


async def _prepare(system: System, given: _Opened) -> None:
    """Create a first debate for somebody who has none. If that fails, the server still serves."""
    if given.prepare is None:
        return
    from moot.cli.view.console import one_line
    from moot.errors import MootError

    try:
        await _prepare_first(system, given, given.prepare)
    except MootError as error:
        tell(one_line(str(error), LONGEST))
    except Exception as error:  # noqa: BLE001 - nobody awaits this task's result
        reason = one_line(f"{type(error).__name__}: {error}", LONGEST)
        tell(f"cannot prepare {one_line(given.prepare)}: {reason}")


async def _prepare_first(system: System, given: _Opened, name: str) -> None:
    """Create the debate, but do not start it: that is the first thing to do on the page."""
    address = _address(given.listening)
    if (await system.service.list(limit=1)).items:
        say(f"Open {address} in a browser to see your debates. Ctrl-C stops the server.")
        return
    from moot.cli.staging import sources
    from moot.staging import DebateRequest, stage

    new = stage(DebateRequest(file=name), sources(system))
    debate_id = await system.service.create(new)
    say(f"Open {address}/debates/{debate_id} in a browser and press Start.")
    say("Ctrl-C stops the server; debates that are not over go on when you start it again.")


def _address(listening: socket.socket) -> str:
    name, port = listening.getsockname()[:2]
    return f"http://{f'[{name}]' if ':' in name else name}:{port}"


@click.command()
@click.option(
    "--concurrency",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="How many debates to run at once.",
)
@pass_setup
def worker(setup: Setup, /, concurrency: int) -> None:
    """Run the debates of a Postgres database.

    Any number of workers, on any number of machines, share the work. If one is killed, the others
    continue its debates. On SIGTERM or Ctrl-C, the worker finishes the calls under way, records
    their replies and exits within ten seconds (MOOT_GRACE_SECONDS). A second signal ends it at
    once.

    You do not need this with an SQLite database: `moot serve` has its own worker.

    \b
    Examples:
      MOOT_DATABASE_URL=postgresql://moot@db/moot moot worker
      moot worker --concurrency 500
    """
    from moot.cli.logs import faults_told, set_up_server_logs
    from moot.engine.loops import run

    settings = setup.settings()
    _check_database(settings)
    set_up_server_logs(settings)
    with faults_told():
        run(_work(setup, settings, concurrency))
    sys.exit(0)


def _check_database(settings: MootSettings) -> None:
    from moot.errors import InvalidInput

    if not settings.database_url.startswith(("postgresql://", "postgres://")):
        message = (
            "`moot worker` needs a Postgres database: set this to postgresql://... "
            "With SQLite you do not need it, because `moot serve` has its own worker"
        )
        raise InvalidInput(message, field="MOOT_DATABASE_URL")


async def _work(setup: Setup, settings: MootSettings, concurrency: int) -> None:
    from moot.cli.interrupts import Leaving
    from moot.wiring import open_worker

    async with open_worker(settings, models=setup.models, concurrency=concurrency) as system:
        setup.has_begun = True
        leaving = Leaving(system, settings.grace_seconds)
        where = (await system.store.describe())["where"]
        name = system.worker.id.id if system.worker is not None else ""
        line = f"moot worker {name} on {where}, up to {concurrency} debates at once"
        print(line, file=sys.stderr, flush=True)
        await leaving.drained()
