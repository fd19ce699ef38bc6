"""The debates there are: listed, shown, exported, renamed, forked, deleted; and shipped ones."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moot.cli.options import modelling_some, summarizing
from moot.cli.setup import Setup, pass_setup
from moot.cli.telling import tell

if TYPE_CHECKING:
    from moot.cli.advice import Told
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
TOPIC_SHOWN = 160
EXPORTS = ("md", "html", "json", "csv", "report", "decision-record", "log")


@click.command("list")
@click.option("--status", type=click.Choice(STATUSES), help="Only debates with this status.")
@click.option("--format", "format_", metavar="NAME", help="Only debates of that format.")
@click.option(
    "--query", metavar="TEXT", default="", help="Only titles and topics that contain this text."
)
@click.option(
    "--limit", type=click.IntRange(1, 500), default=20, show_default=True, help="How many to list."
)
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

    if format_ is not None:
        from moot.protocol.registry import format_named

        format_named(format_)
    items, has_more = setup.run(read)
    if as_json:
        from moot.cli.view.json_lines import as_line, whole

        for item in items:
            print(as_line(whole(item)))
        return
    from moot.cli.view.debate import list_debates

    list_debates(items, has_more=has_more, is_filtered=bool(status or format_ or query))


@click.command()
@click.argument("debate_id", metavar="ID")
@click.option("--private", is_flag=True, help="Include plans, thoughts and evaluations.")
@click.option("--json", "as_json", is_flag=True, help="Print one event per line as JSON.")
@pass_setup
def show(setup: Setup, /, debate_id: str, private: bool, as_json: bool) -> None:
    """Show the transcript of a debate.

    Turns are shown in the order of the transcript, as `moot run` shows them. The id may be
    shortened as long as it stays unique.

    \b
    Examples:
      moot show k3f2
      moot show k3f2 --private | less
      moot show k3f2 --private --json
    """

    async def read(system: System) -> None:
        from moot.cli.view.debate import print_events, print_transcript

        found = await system.service.find(debate_id)
        log, sources = await system.service.log_and_sources(found)
        if as_json:
            print_events(found, log, sources, with_private=private)
        else:
            veiled_by = await system.service.veiled_by(found)
            print_transcript(found, log, sources, with_private=private, veiled_by=veiled_by)

    setup.run(read)


@click.command()
@click.argument("debate_id", metavar="ID")
@click.option(
    "--as", "as_", type=click.Choice(EXPORTS), required=True, help="The kind of document."
)
@click.option("-o", "--output", metavar="FILE", help="Where to write it, instead of to stdout.")
@pass_setup
def export(setup: Setup, /, debate_id: str, as_: str, output: str | None) -> None:
    """Write the transcript of a debate to a file.

    Markdown and HTML are for reading (the HTML is one file that needs nothing else), JSON and CSV
    are for programs. All of them contain the private turns, marked as such.

    A council can also be written as a report, or as a decision record of what it came to.

    The log is everything that was recorded, with the files that the debate was given, so that
    `moot import` can take it in elsewhere.

    \b
    Examples:
      moot export k3f2 --as html -o debate.html
      moot export k3f2 --as md | less
      moot export k3f2 --as csv -o turns.csv
      moot export k3f2 --as report -o report.md
      moot export k3f2 --as log -o debate.jsonl
    """

    async def read(system: System) -> str:
        from moot.export import render

        found = await system.service.find(debate_id)
        log, sources = await system.service.log_and_sources(found)
        files = await system.service.files(found)
        return render(log, as_, sources, debate_id=found, files=files)

    document = setup.run(read)
    if output is None or output == "-":
        _to_stdout(document)
    else:
        _to_file(document, Path(output))


def _to_stdout(document: str) -> None:
    if sys.stdout.isatty():
        # Texts were cleaned when they came, but a terminal is the one reader that obeys.
        from moot.models.cleaning import clean_text

        document = clean_text(document, max_chars=len(document))
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
    tell(f"written to {path}", label="")


@click.command()
@click.argument("debate_id", metavar="ID")
@click.argument("title")
@summarizing
@pass_setup
def rename(setup: Setup, /, debate_id: str, title: str, as_json: bool) -> None:
    """Give a debate a title.

    It is shown instead of the topic, in lists, headers and exports; what the debate is about, and
    what models are told, stays as it is. Works at any time, also when the debate is over. A blank
    title takes it back.

    \b
    Examples:
      moot rename k3f2 "Trams, second attempt"
      moot rename k3f2 ""
    """
    from moot.cli import advice

    advice.print_summary(
        *setup.run(lambda system: advice.rename(system, debate_id, title)), as_json
    )


@click.command()
@click.argument("debate_id", metavar="ID")
@click.option(
    "--at",
    type=click.IntRange(min=1),
    metavar="SEQ",
    help="The last event to share; all of them if left out.",
)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="PROVIDER:NAME",
    help="A different model from here on for every participant that is not a person.",
)
@modelling_some
@click.option(
    "--set",
    "pairs",
    multiple=True,
    metavar="KEY=VALUE",
    help="A different setting; may be repeated.",
)
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
    **given: Any,
) -> None:
    """Begin a new debate with what was said in another.

    The new debate shares everything up to an event (`moot show --json` numbers them) and is stopped
    there; its id is printed. The other debate does not change, and what it has spent does not count
    against the limits of the new one. WHO is a participant, by id, name or role.

    \b
    Examples:
      moot fork k3f2
      moot fork k3f2 --at 12 --set turns=8
      moot resume $(moot fork k3f2 --at 12 --member-model judge=openai:gpt-6-luna)
    """
    from moot.cli.advice import print_summary

    async def make(system: System) -> Told:
        return await _make(system, debate_id, at, pairs, {**given, "models": models})

    summary, text = setup.run(make)
    if as_json:
        print_summary(summary, text, as_json)
        return
    print(summary.id)
    tell(text, label="")


async def _make(
    system: System, prefix: str, at: int | None, pairs: tuple[str, ...], given: dict[str, Any]
) -> Told:
    from moot.cli.advice import told
    from moot.cli.staging import models_of, read_pairs
    from moot.staging import changes

    source = await system.service.find(prefix)
    model, *members = _older(given["models"])
    members += given["member_models"]
    wanted = models_of({**given, "model": model, "member_models": members})
    log = await system.service.log(source)
    made = await system.service.fork(source, at, changes(log, at, wanted, read_pairs(pairs)))
    return await told(system, await system.service.summary(made))


def _older(models: Sequence[str]) -> list[str]:
    """The model for everybody, then those for one: before 0.2, `--model WHO=...` said that too."""
    named = [one for one in models if "=" in one and ":" not in one.partition("=")[0]]
    everyone = [one for one in models if one not in named]
    return [everyone[-1] if everyone else "", *named]


@click.command()
@click.argument("debate_id", metavar="ID")
@click.option("--yes", "-y", "is_sure", is_flag=True, help="Do not ask for confirmation.")
@summarizing
@pass_setup
def delete(setup: Setup, /, debate_id: str, is_sure: bool, as_json: bool) -> None:
    """Remove a debate and everything that was said in it.

    The files it was given go too, unless another debate has them. You are asked first, and told
    what goes; it cannot be undone. A running debate has to be stopped or canceled first. The id may
    be shortened to four characters or more.

    \b
    Examples:
      moot delete k3f2
      moot delete k3f2 --yes
    """
    from moot.cli import advice

    # Asked outside of the event loop, so that Ctrl-C reaches the person's prompt.
    sure_id = debate_id if is_sure else _confirmed(setup, debate_id)
    advice.print_summary(*setup.run(lambda system: advice.delete(system, sure_id)), as_json)


def _confirmed(setup: Setup, prefix: str) -> str:
    """The id of the debate that may be deleted. Raises Refused if it may not."""
    from moot.cli.advice import what_goes
    from moot.cli.lines import confirm
    from moot.errors import Refused

    summary, what = setup.run(lambda system: what_goes(system, prefix))
    if not sys.stdin.isatty():
        message = f"nothing was deleted: there is nobody to ask; moot delete {summary.id} --yes"
        raise Refused(message)
    if not confirm(f"Delete {what} for good?"):
        raise Refused("nothing was deleted")
    return summary.id


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print one debate per line as JSON.")
@click.pass_context
def debates(ctx: click.Context, as_json: bool) -> None:
    """List the debates that come with moot.

    \b
    Examples:
      moot debates
      moot run remote-work
      moot debates schema > debate.schema.json
    """
    if ctx.invoked_subcommand is None:
        _list_shipped(as_json=as_json)


def _list_shipped(*, as_json: bool) -> None:
    from moot.definitions.debates import shipped

    if as_json:
        from moot.cli.view.json_lines import as_line, whole

        for one in shipped():
            print(as_line(whole(one)))
        return
    from moot.cli.view.console import one_line, print_table

    rows = [(one.name, one.format, one_line(one.topic, TOPIC_SHOWN)) for one in shipped()]
    print_table(("name", "format", "topic"), rows)


@debates.command("schema")
def debates_schema() -> None:
    """Print the JSON Schema of debate files, so that an editor completes and checks them.

    \b
    Examples:
      moot debates schema > debate.schema.json
    """
    from moot.definitions.json_schema import debate_schema, written

    print(written(debate_schema()), end="")
