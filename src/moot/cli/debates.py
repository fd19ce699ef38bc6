"""`moot list`, `moot show` and `moot export`: debates that have been held, or are being held."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moot.cli.setup import Setup, pass_setup

if TYPE_CHECKING:
    from moot.protocol.row import DebateRow
    from moot.wiring import System

STATUSES = (
    "created",
    "running",
    "waiting",
    "stopping",
    "stopped",
    "failed",
    "completed",
    "canceled",
)
EXPORTS = ("md", "html", "json", "csv", "report", "decision-record")


@click.command("list")
@click.option("--status", type=click.Choice(STATUSES), help="Only debates that stand so.")
@click.option("--format", "format_", metavar="NAME", help="Only debates of that format.")
@click.option("--query", metavar="TEXT", default="", help="Only topics that contain this text.")
@click.option("--limit", type=click.IntRange(1, 500), default=20, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one debate per line as JSON.")
@pass_setup
def list_(
    setup: Setup, /, status: str | None, format_: str | None, query: str, limit: int, as_json: bool
) -> None:
    """List the debates there are, newest first.

    \b
    Examples:
      moot list
      moot list --status stopped
      moot list --query cars --limit 5 --json
    """

    async def read(system: System) -> tuple[tuple[DebateRow, ...], bool]:
        from moot.protocol.words import Status

        page = await system.service.list(
            status=Status(status) if status else None, format=format_, query=query, limit=limit
        )
        return page.items, page.next is not None

    items, has_more = setup.run(read)
    if as_json:
        from moot.cli.view.json_lines import as_line, whole

        for item in items:
            print(as_line(whole(item)))
        return
    from moot.cli.view.debate import list_debates

    list_debates(items, has_more=has_more)


@click.command()
@click.argument("debate_id", metavar="ID")
@click.option("--private", is_flag=True, help="Include plans, thoughts and evaluations.")
@click.option("--json", "as_json", is_flag=True, help="Print one event per line as JSON.")
@pass_setup
def show(setup: Setup, /, debate_id: str, private: bool, as_json: bool) -> None:
    """Show the transcript of a debate.

    Turns are shown in the order in which they belong, which is the order in which `moot run` shows
    them. The id may be cut short while it is unique.

    \b
    Examples:
      moot show k3f2
      moot show k3f2 --private | less
      moot show k3f2 --private --json
    """

    async def read(system: System) -> None:
        from moot.cli.view.debate import print_events, print_transcript

        found = await system.service.find(debate_id)
        log = await system.service.log(found)
        if as_json:
            print_events(found, log, with_private=private)
        else:
            print_transcript(found, log, with_private=private)

    setup.run(read)


@click.command()
@click.argument("debate_id", metavar="ID")
@click.option("--as", "as_", type=click.Choice(EXPORTS), required=True, help="What to write.")
@click.option("-o", "--output", metavar="FILE", help="Where to write it, instead of to stdout.")
@pass_setup
def export(setup: Setup, /, debate_id: str, as_: str, output: str | None) -> None:
    """Write the transcript of a debate to a file.

    Markdown and HTML are for reading (the HTML is one file that needs nothing else), JSON and CSV
    are for programs. All of them contain the private turns, marked as such.

    Of a council there are two more: a report, and a decision record of what it came to.

    \b
    Examples:
      moot export k3f2 --as html -o debate.html
      moot export k3f2 --as md | less
      moot export k3f2 --as csv -o turns.csv
      moot export k3f2 --as report -o report.md
    """

    async def read(system: System) -> str:
        from moot.export import render

        found = await system.service.find(debate_id)
        return render(await system.service.log(found), as_, debate_id=found)

    document = setup.run(read)
    if output is None or output == "-":
        _to_stdout(document)
    else:
        _to_file(document, Path(output))


def _to_stdout(document: str) -> None:
    if sys.stdout.isatty():
        # Texts were cleaned when they came, but a terminal is the one reader that obeys.
        from moot.models.cleaning import clean_text

        document = clean_text(document)
    sys.stdout.write(document if document.endswith("\n") else f"{document}\n")


def _to_file(document: str, path: Path) -> None:
    from moot.errors import InvalidInput

    try:
        # No translation: a CSV has the line ends its standard asks for.
        with path.open("w", encoding="utf-8", newline="") as file:
            file.write(document)
    except OSError as error:
        message = f"cannot be written: {error.strerror}"
        raise InvalidInput(message, field=str(path)) from None
    print(f"written to {path}", file=sys.stderr)
