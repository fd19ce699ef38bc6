"""`moot label`: what you say about who really made the better case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from moot.cli.options import debate_id as by_id
from moot.cli.setup import Setup, pass_setup
from moot.cli.telling import say

if TYPE_CHECKING:
    from moot.store.port import Label
    from moot.wiring import System


@click.command()
@by_id
@click.argument("winner", required=False, metavar="[WINNER]")
@click.option("--by", metavar="NAME", default="user", help="Who says so, if that is not you.")
@click.option("--note", metavar="TEXT", default="", help="Why, for yourself; models never see it.")
@click.option("--remove", is_flag=True, help="Take the label back.")
@click.option("--json", "as_json", is_flag=True, help="Print one label per line as JSON.")
@pass_setup
def label(setup: Setup, /, debate_id: str, winner: str | None, **given: Any) -> None:
    """Say who really made the better case in a debate.

    WINNER is the name of a side, `pro`, `con`, or `tie`. Labels tell whether judges are right: once
    20 debates that the same bench has heard are labelled, certificates say how often it agrees
    with you. A label is kept beside the debate, and labelling again replaces it. Without a WINNER,
    it shows the labels or, if there are none yet, whom you can name.

    \b
    Examples:
      moot label k3f2 Ada
      moot label k3f2 tie --note "Both missed the point about costs."
      moot label k3f2
      moot label k3f2 --remove
    """
    from moot.errors import InvalidInput

    if winner is not None and given["remove"]:
        raise InvalidInput("cannot be given together with a winner", field="--remove")
    labels, names, possible = setup.run(lambda system: _labelled(system, debate_id, winner, given))
    if given["as_json"]:
        from moot.cli.view.json_lines import as_line, whole

        for one in labels:
            click.echo(as_line(whole(one)))
        return
    for one in labels:
        say(_told(one, names))
    if not labels:
        say(f"Nobody has labelled this debate. You can name {possible}.")


async def _labelled(
    system: System, prefix: str, winner: str | None, given: dict[str, Any]
) -> tuple[tuple[Label, ...], dict[str, str], str]:
    """The labels afterwards, what the sides are called, and who can be named."""
    from moot.engine.beside_the_log import possible
    from moot.errors import NotFound

    service = system.service
    found = await service.find(prefix)
    if winner is not None:
        await service.labels.give(found, winner, by=given["by"], note=given["note"])
    if given["remove"] and not await service.labels.take_back(found, by=given["by"]):
        message = f"{given['by']} has not labelled debate {found}"
        raise NotFound(message)
    names = {side.id: side.name for side in await service.labels.sides(found)}
    return await service.labels.of(found), names, possible(await service.state(found))


def _told(one: Label, names: dict[str, str]) -> str:
    winner = names.get(one.winner, "A tie")
    note = f": {one.note}" if one.note else ""
    return f"{winner}, says {one.by}{note}"
