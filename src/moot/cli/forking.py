"""`moot fork`: a new debate that shares its beginning with another. Nothing is run here."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from moot.cli.options import summarizing
from moot.cli.setup import Setup, pass_setup

if TYPE_CHECKING:
    from moot.cli.carrying_out import Told
    from moot.engine.forking import Changes
    from moot.wiring import System


@click.command()
@click.argument("debate_id", metavar="ID")
@click.option(
    "--at", type=click.IntRange(min=1), metavar="SEQ", help="The last event to share, if not all."
)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="[WHO=]PROVIDER:NAME",
    help="Another model from here on: of one participant, or of everyone who is no person.",
)
@click.option("--set", "pairs", multiple=True, metavar="KEY=VALUE", help="Another setting.")
@summarizing
@pass_setup
def fork(
    setup: Setup,
    /,
    debate_id: str,
    at: int | None,
    models: tuple[str, ...],
    pairs: tuple[str, ...],
    as_json: bool,
) -> None:
    """Begin a new debate with what was said in another.

    The new debate shares everything up to an event (`moot show --json` numbers them), is stopped
    there, and its id is printed. The other debate is not changed, and what it has spent does not
    count against the limits of the new one. WHO is the id of a participant.

    \b
    Examples:
      moot fork k3f2
      moot fork k3f2 --at 12 --set turns=8
      moot resume $(moot fork k3f2 --at 12 --model judge=openai:gpt-4o)
    """
    from moot.cli.carrying_out import print_summary

    async def make(system: System) -> Told:
        return await _make(system, debate_id, at, models, pairs)

    summary, text = setup.run(make)
    if as_json:
        print_summary(summary, text, as_json)
        return
    print(summary.id)
    print(text, file=sys.stderr)


async def _make(
    system: System, prefix: str, at: int | None, models: tuple[str, ...], pairs: tuple[str, ...]
) -> Told:
    from moot.cli.carrying_out import told

    source = await system.service.find(prefix)
    changes = await _changes(system, source, at, models, pairs)
    made = await system.service.fork(source, at, changes)
    return await told(system, await system.service.summary(made))


async def _changes(
    system: System, source: str, at: int | None, models: tuple[str, ...], pairs: tuple[str, ...]
) -> Changes:
    from moot.cli.staging import read_pairs
    from moot.engine.forking import Changes
    from moot.protocol.folding import fold

    there = fold((await system.service.log(source))[:at]).participants.values()
    everyone: dict[str, str] = {}
    named: dict[str, str] = {}
    for given in models:
        who, equals, model = given.partition("=")
        if equals and ":" not in who:
            named[who] = model
        else:
            everyone = {one.id: given for one in there if not one.is_human}
    return Changes(settings=read_pairs(pairs), models={**everyone, **named})
