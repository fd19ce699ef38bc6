"""Debates that were held elsewhere: `moot import`, and the samples that come with moot."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moot.cli import complete
from moot.cli.complete import Suggesting
from moot.cli.options import Setup, pass_setup, summarizing
from moot.cli.telling import tell

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from moot.definitions.samples import Sample
    from moot.intake import Intake
    from moot.protocol.row import DebateRow
    from moot.wiring import System

TOPIC_SHOWN = 120


@click.command("import")
@click.argument("file", metavar="FILE", type=click.Path(allow_dash=True))
@summarizing
@pass_setup
def import_(setup: Setup, /, file: str, as_json: bool) -> None:
    """Import a debate that was held elsewhere.

    FILE is a log that `moot export` wrote, or `-` for standard input. The debate must be over. It
    gets a new id, which is printed, and stays marked as imported. Importing it again finds the
    same debate.

    \b
    Examples:
      moot import debate.jsonl
      ssh there moot export k3f2 --as log | moot import -
    """
    data = _read(file)
    _taken(setup, lambda intake: intake.take(data), as_json, source=file)


@click.group(cls=Suggesting, invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print one sample per line as JSON.")
@click.pass_context
def samples(ctx: click.Context, as_json: bool) -> None:
    """List the finished debates that come with moot.

    There is one for each format, to read before you start your own. We wrote them ourselves: no
    model said any of it.

    \b
    Examples:
      moot samples
      moot show $(moot samples open separate-accounts)
    """
    if ctx.invoked_subcommand is not None:
        return
    from moot.definitions.samples import shipped

    if as_json:
        from moot.cli.view.json_lines import as_line, whole

        for one in shipped():
            print(as_line(whole(one)))
        return
    from moot.cli.view.console import one_line, print_table

    rows = [
        (one.name, one.format, one_line(one.topic, TOPIC_SHOWN), _came_to(one)) for one in shipped()
    ]
    print_table(("name", "format", "topic", "outcome"), rows, wrapped=2)


def _came_to(sample: Sample) -> str:
    return sample.gist or f"{sample.statements} messages"


@samples.command("open")
@click.argument("name", shell_complete=complete.samples)
@summarizing
@pass_setup
def open_sample(setup: Setup, /, name: str, as_json: bool) -> None:
    """Add a sample to your debates, and print its id.

    Opening it again finds the same debate. You can delete it like any other.

    \b
    Examples:
      moot samples open separate-accounts
      moot show $(moot samples open separate-accounts) --private
    """
    _taken(setup, lambda intake: intake.open(name), as_json)


def _read(file: str) -> bytes:
    """The contents, up to a byte more than may be imported. Raises NotFound, or InvalidInput."""
    from moot.engine.importing import MAX_BYTES
    from moot.errors import InvalidInput, NotFound

    if file == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        with Path(file).open("rb") as opened:
            return opened.read(MAX_BYTES + 1)
    except FileNotFoundError:
        message = f"there is no file {file}"
        raise NotFound(message) from None
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise InvalidInput(message, field=file) from None


def _taken(
    setup: Setup,
    take: Callable[[Intake], Awaitable[tuple[str, bool]]],
    as_json: bool,
    *,
    source: str = "",
) -> None:
    from moot.cli.advice import print_summary
    from moot.errors import InvalidInput

    async def taken(system: System) -> tuple[DebateRow, bool]:
        from moot.intake import Intake
        from moot.wiring import secret_of

        made, is_new = await take(Intake(system.service, secret_of(system.settings)))
        return await system.service.summary(made), is_new

    try:
        row, is_new = setup.run(taken)
    except InvalidInput as error:
        raise InvalidInput(error.message, field=error.field or source or None) from None
    told = f"{'imported' if is_new else 'already here'}; see it with: moot show {row.id}"
    if as_json:
        print_summary(row, told, as_json)
        return
    print(row.id)
    tell(told, label="")
