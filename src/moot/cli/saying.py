"""`moot say`: somebody speaks in a debate without having been asked."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from moot.cli.options import summarizing
from moot.cli.setup import Setup, pass_setup

if TYPE_CHECKING:
    from moot.cli.carrying_out import Told
    from moot.wiring import System


@click.command()
@click.argument("debate_id", metavar="ID")
@click.argument("text", required=False)
@click.option("--as", "participant", metavar="WHO", help="A person who takes part, by id.")
@summarizing
@pass_setup
def say(
    setup: Setup, /, debate_id: str, text: str | None, participant: str | None, as_json: bool
) -> None:
    """Say something in a debate.

    The words go into the transcript as yours, and the next speakers read them. Only some formats
    take that: a room, and the standard debate. Without a TEXT, or with `-`, it is read from
    standard input up to its end.

    \b
    Examples:
      moot say k3f2 "And who pays for it?"
      moot say k3f2 "@Ada what about tests?"
      moot say k3f2 < question.txt
    """
    content = sys.stdin.read() if text in (None, "-") else text or ""

    async def speak(system: System) -> Told:
        from moot.cli.carrying_out import told
        from moot.protocol.words import USER

        found = await system.service.find(debate_id)
        done = await system.service.say(found, content, participant=participant or USER)
        return await told(system, done)

    from moot.cli.carrying_out import print_summary

    print_summary(*setup.run(speak), as_json)
