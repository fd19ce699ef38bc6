"""`moot room`: a conversation with several models, in this terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from moot.cli.options import wishing
from moot.cli.setup import Setup, pass_setup

if TYPE_CHECKING:
    from moot.cli.exit_codes import ExitCode
    from moot.wiring import System


@click.command()
@click.argument("what", metavar="[TOPIC|ID]", required=False)
@click.option(
    "--with", "members", metavar="WHO,...", help="Personas by name or title; see `moot personas`."
)
@click.option(
    "--from", "source", metavar="ID", help="Discuss what a council came to, with its members."
)
@click.option("--team", metavar="NAME", help="A team instead; see `moot teams`.")
@click.option("--model", metavar="PROVIDER:NAME", help="The model for members that name none.")
@wishing
@click.option(
    "--auto/--manual",
    "is_auto",
    default=None,
    help="Members take turns, or you choose which answers count.",
)
@click.option(
    "--set", "pairs", multiple=True, metavar="KEY=VALUE", help="Any other setting; may be repeated."
)
@pass_setup
def room(setup: Setup, /, **given: Any) -> None:
    """Open a room: several models and you.

    Type to say something. An empty line lets the members go on, and `/help` lists the commands.
    Everything is recorded as it is said, and `moot room ID` comes back to it. If the input is not a
    terminal, every line is a message or a command, and the next one waits for the answers.

    \b
    Examples:
      moot room
      moot room --with architect,security,simplicity "Shall we write our own queue?"
      moot room --team design --manual "A page for invoices"
      moot room k3f2
      moot room --from k3f2
      printf 'Hello\\n/pick all\\n' | moot room --manual
    """
    sys.exit(setup.run(lambda system: _open(system, given), has_worker=True))


async def _open(system: System, given: dict[str, Any]) -> ExitCode:
    from moot.cli.models import mention_toy
    from moot.cli.room.opening import opened
    from moot.cli.room.session import hold

    debate_id = await opened(system, given)
    state = await system.service.state(debate_id)
    await mention_toy(system.models, (one.model for one in state.participants.values()))
    return await hold(system, debate_id)
