"""`moot search`: what was said in all debates, found by its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from moot.cli.debates import STATUSES
from moot.cli.options import Setup, of_format, pass_setup
from moot.errors import InvalidInput

if TYPE_CHECKING:
    from moot.engine.reads import SearchPage
    from moot.wiring import System


@click.command()
@click.argument("words", nargs=-1, required=True)
@click.option("--status", type=click.Choice(STATUSES), help="Only debates with this status.")
@of_format
@click.option(
    "--limit", type=click.IntRange(1, 200), default=10, show_default=True, help="How many to show."
)
@click.option("--json", "as_json", is_flag=True, help="Print one debate per line as JSON.")
@pass_setup
def search(
    setup: Setup,
    /,
    words: tuple[str, ...],
    status: str | None,
    format_: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """Search the texts of all debates.

    Finds the debates that contain all of the words, newest first. The words can be in the title,
    the topic, public turns or the outcome, and need not be in the same place. The beginning of a
    word is enough; case and accents do not matter. For a phrase, use double quotes inside single
    quotes, as in the second example.

    \b
    Examples:
      moot search monolith cost
      moot search '"operational cost"' --format duel
      moot search monolith --json | jq -r .id
    """

    async def read(system: System) -> SearchPage:
        from moot.protocol.words import Status

        wanted = Status(status) if status else None
        return await system.service.search(
            " ".join(words), status=wanted, format=format_, limit=limit
        )

    if not " ".join(words).strip():
        raise InvalidInput("give at least one word to look for", field="WORDS")
    if format_ is not None:
        from moot.protocol.registry import format_named

        format_named(format_)
    page = setup.run(read)
    if as_json:
        from moot.cli.view.json_lines import as_line, whole

        for one in page.items:
            print(as_line({**whole(one.row), "hits": whole(one.hits)}))
        return
    from moot.cli.view.debate import print_found

    print_found(page, " ".join(words))
