"""`moot room`: a conversation with several models, in this terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from moot.cli import complete
from moot.cli.options import Setup, pass_setup, setting, wishing

if TYPE_CHECKING:
    from moot.cli.exit_codes import ExitCode
    from moot.wiring import System


@click.command()
@click.argument("what", metavar="[TOPIC|ID]", required=False, shell_complete=complete.ids)
@click.option(
    "--with",
    "members",
    metavar="WHO,...",
    help="Personas, by name or title; see `moot personas`.",
    shell_complete=complete.several_personas,
)
@click.option(
    "--from",
    "source",
    metavar="ID",
    help="Discuss the solution of a council with its members.",
    shell_complete=complete.ids,
)
@click.option(
    "--team",
    metavar="NAME",
    help="A team, instead of --with; see `moot teams`.",
    shell_complete=complete.teams,
)
@click.option(
    "--model",
    metavar="PROVIDER:NAME",
    help="The model for members who have none of their own.",
    shell_complete=complete.models,
)
@wishing
@click.option(
    "--auto/--manual",
    "is_auto",
    default=None,
    help="Members take turns by themselves, or all answer and you choose which answers count.",
)
@setting
@pass_setup
def room(setup: Setup, /, **given: Any) -> None:
    """Open a room: several models and you.

    Type a message and press Enter. An empty line lets the members continue, and `/help` lists the
    commands. Everything is recorded as it is said; come back at any time with `moot room ID`.

    If standard input is not a terminal, each line of it is a message or a command, and moot waits
    for the answers before it reads the next line. A new room then begins in manual mode, so that
    members answer once for each line; with --auto they go on until their limit.

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
