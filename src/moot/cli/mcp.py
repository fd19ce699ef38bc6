"""`moot mcp`: Moot as tools of a coding assistant, which starts this and talks to it by pipes.

Standard output belongs to the protocol, and nothing else may ever be written there.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from moot.cli.options import Setup, pass_setup

if TYPE_CHECKING:
    from moot.mcp.pipes import Pipes
    from moot.settings import MootSettings


@click.command()
@click.option(
    "--url",
    metavar="URL",
    help="Go through the Moot server at this address, and run nothing here. "
    "Its token is taken from MOOT_TOKEN.",
)
@pass_setup
def mcp(setup: Setup, /, url: str | None) -> None:
    """Serve MCP on standard input and output.

    Coding assistants and other MCP hosts start this command; it is of no use by itself in a
    terminal. They get tools to ask a council, hold a debate, wait for one and answer its questions.
    Debates are kept like all others: `moot list` shows them, and they go on when the host is
    started again. For hosts that take an address, `moot serve` has the same tools at /mcp.

    This needs the extra `mcp`: pip install 'moot[mcp]'

    \b
    Examples:
      claude mcp add moot -- moot mcp
      moot mcp --url http://127.0.0.1:8420
    """
    from moot.cli.logs import faults_told, set_up_server_logs
    from moot.engine.loops import run
    from moot.mcp.pipes import Pipes

    settings = setup.settings()
    _check(url)
    pipes = Pipes()
    set_up_server_logs(settings)
    with faults_told():
        run(_through(settings, pipes, url) if url else _serve(setup, settings, pipes))
    sys.exit(0)


def _check(url: str | None) -> None:
    from importlib.util import find_spec

    from moot.errors import InvalidInput

    if find_spec("mcp") is None:
        raise InvalidInput("`moot mcp` needs: pip install 'moot[mcp]'")
    if url is not None and not url.startswith(("http://", "https://")):
        raise InvalidInput("must begin with http:// or https://", field="--url")


async def _serve(setup: Setup, settings: MootSettings, pipes: Pipes) -> None:
    """Serve until the host closes its end, or a signal comes; calls under way may finish."""
    import asyncio

    from moot.cli.interrupts import Leaving
    from moot.mcp.server import over_stdio
    from moot.serving import mcp_door
    from moot.wiring import VERSION, open_dispatching, secret_of

    secret = secret_of(settings)
    async with open_dispatching(settings, models=setup.models) as system:
        setup.has_begun = True
        leaving = Leaving(system, settings.grace_seconds)
        door = mcp_door(system, secret)
        serving = asyncio.create_task(over_stdio(door, pipes, secret=secret, version=VERSION))
        drained = asyncio.create_task(leaving.drained())
        try:
            await asyncio.wait({serving, drained}, return_when=asyncio.FIRST_COMPLETED)
            if serving.done():
                serving.result()
                await system.drain(settings.grace_seconds)
        finally:
            for task in (serving, drained):
                task.cancel()
            await asyncio.gather(serving, drained, return_exceptions=True)


async def _through(settings: MootSettings, pipes: Pipes, url: str) -> None:
    from moot.mcp.remote import Remote
    from moot.mcp.server import over_stdio
    from moot.wiring import VERSION, secret_of

    token = settings.token.reveal() if settings.token else None
    await over_stdio(Remote(url, token), pipes, secret=secret_of(settings), version=VERSION)
