"""`moot worker`: runs debates of a shared database, beside any number of others."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from moot.cli.setup import Setup, pass_setup

if TYPE_CHECKING:
    from moot.settings import MootSettings


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
    _check(settings)
    set_up_server_logs(settings)
    with faults_told():
        run(_work(setup, settings, concurrency))
    sys.exit(0)


def _check(settings: MootSettings) -> None:
    from moot.errors import InvalidInput

    if not settings.database_url.startswith(("postgresql://", "postgres://")):
        message = (
            "`moot worker` needs a Postgres database: set this to postgresql://... "
            "With SQLite you do not need it, because `moot serve` has its own worker"
        )
        raise InvalidInput(message, field="MOOT_DATABASE_URL")


async def _work(setup: Setup, settings: MootSettings, concurrency: int) -> None:
    from moot.cli.signals import Leaving
    from moot.wiring import open_worker

    async with open_worker(settings, models=setup.models, concurrency=concurrency) as system:
        leaving = Leaving(system, settings.grace_seconds)
        where = (await system.store.describe())["where"]
        name = system.worker.id.id if system.worker is not None else ""
        line = f"moot worker {name} on {where}, up to {concurrency} debates at once"
        print(line, file=sys.stderr, flush=True)
        await leaving.drained()
