"""`moot watch`: a debate that another process runs, followed from here."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from moot.cli.options import viewing
from moot.cli.setup import Setup, pass_setup

if TYPE_CHECKING:
    from moot.cli.exit_codes import ExitCode
    from moot.wiring import System


@click.command()
@click.argument("debate_id", metavar="ID")
@viewing
@click.option(
    "--after",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Leave out the events up to number N.",
)
@pass_setup
def watch(setup: Setup, /, debate_id: str, **given: Any) -> None:
    """Show a debate and follow it until it is over.

    Works for a debate that a server, a worker or another `moot run` is running; turns appear as
    they are recorded. A debate that stops, fails or waits for a person is still watched: it may
    go on. Ctrl-C ends only the watching, never the debate.

    \b
    Examples:
      moot watch k3f2
      moot watch k3f2 --hide-private
      moot watch k3f2 --json --after 120
      moot watch k3f2 --quiet && moot export k3f2 --as html -o debate.html
    """
    sys.exit(setup.run(lambda system: _watch(system, setup, debate_id, given)))


async def _watch(system: System, setup: Setup, prefix: str, given: dict[str, Any]) -> ExitCode:
    from moot.cli.following import follow_debate
    from moot.cli.view.views import new_view
    from moot.protocol.folding import fold

    debate_id = await system.service.find(prefix)
    log = await system.service.log(debate_id)
    view = new_view(
        debate_id,
        fold(log[: max(1, given["after"])]),
        as_json=given["as_json"],
        is_quiet=given["quiet"],
        hides_private=given["hide_private"],
        shows_log=setup.shows_log,
        is_remote=True,
    )
    if not given["as_json"] or not given["after"]:
        view.begin()
    return await follow_debate(system, debate_id, view, upto=log[-1].seq)
