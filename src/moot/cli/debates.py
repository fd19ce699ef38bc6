"""Debates listed, shown, exported, renamed, forked and deleted; and those that come with moot."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from moot.cli import complete
from moot.cli.options import (
    Setup,
    debate_id as by_id,
    modelling_some,
    of_format,
    pass_setup,
    summarizing,
)

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
DOORS = ("v1", "mcp", "import")


@click.command("list")
@click.option("--status", type=click.Choice(STATUSES), help="Only debates with this status.")
@of_format
@click.option(
    "--door",
    type=click.Choice(DOORS),
    help="Only debates that came over /v1 or MCP, or were imported.",
)
@click.option(
    "--query",
    metavar="TEXT",
    default="",
    help="Only debates whose title or topic contains this text.",
)
@click.option(
    "--limit", type=click.IntRange(1, 500), default=20, show_default=True, help="How many to list."
)
@click.option("--json", "as_json", is_flag=True, help="Print one debate per line as JSON.")
@pass_setup
def list_(setup: Setup, /, format_: str | None, as_json: bool, **given: Any) -> None:
    """List your debates, newest first.

    \b
    Examples:
      moot list
      moot list --status stopped
      moot list --door mcp
      moot list --query cars --limit 5 --json
    """

    async def read(system: System) -> tuple[tuple[DebateRow, ...], bool]:
        from moot.protocol.words import Status

        status = Status(given["status"]) if given["status"] else None
        page = await system.service.list(**{**given, "status": status}, format=format_)
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

    list_debates(
        items,
        has_more=has_more,
        is_filtered=bool(given["status"] or format_ or given["door"] or given["query"]),
    )


@click.command()
@by_id
@click.option("--private", is_flag=True, help="Include plans, thoughts and evaluations.")
@click.option("--json", "as_json", is_flag=True, help="Print one event per line as JSON.")
@pass_setup
def show(setup: Setup, /, debate_id: str, private: bool, as_json: bool) -> None:
    """Show the transcript of a debate.

    Turns are shown in order, as `moot run` shows them. You can shorten the id as long as it stays
    unique.

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
            if not veiled_by:
                await _print_bench(system, found)

    setup.run(read)


async def _print_bench(system: System, debate_id: str) -> None:
    """Print what a bench said about the debate later, and how far that bench, or the debate's
    own, is right."""
    from moot.cli.view.outcome import print_certificate, print_right
    from moot.engine.hearings import with_debate
    from moot.protocol.outcomes import certificate_in

    later = await system.service.certificate(debate_id)
    if later is not None:
        print_certificate(later)
    own = with_debate(debate_id, certificate_in((await system.service.state(debate_id)).outcome))
    if told := later or own:
        print_right(await system.service.judges.right(told))


@click.command()
@by_id
@click.option(
    "--as",
    "as_",
    metavar="KIND",
    shell_complete=complete.exports,
    help="The kind of document, if -o does not say it: md, html, answer, json, csv, log, and for "
    "councils report or decision-record.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(),
    help="Write to this file, replacing what is there; `-`, the default, is standard output.",
)
@pass_setup
def export(setup: Setup, /, debate_id: str, as_: str | None, output: str | None) -> None:
    """Write a debate to a file.

    The kind of document follows from the ending of FILE, unless you give --as. Markdown (.md) and
    HTML (.html) are for reading; the HTML is one file that needs nothing else. JSON (.json) and CSV
    (.csv) are for programs. All of them contain the private turns, marked as such.

    The answer (.answer.md) is the outcome alone. A council can also be written as a report
    (.report.md), or as a decision record (.decision-record.md) of its solution.

    The log (.jsonl) is everything that was recorded, including attached files, so that
    `moot import` can read it elsewhere.

    \b
    Examples:
      moot export k3f2 -o debate.html
      moot export k3f2 --as md | less
      moot export k3f2 -o turns.csv
      moot export k3f2 --as report -o report.md
      moot export k3f2 -o debate.jsonl
    """
    from moot.cli.output import (
        STDOUT,
        check_place,
        document,
        kind_of,
        tell_written,
        to_stdout,
        write,
    )

    place = None if output == STDOUT else output
    if place is None and as_ is None:
        raise click.UsageError("Say what to write: give -o FILE, or --as with a kind of document.")
    kind = as_ or kind_of(place or "")
    if place is not None:
        check_place(place)

    async def read(system: System) -> str:
        return await document(system, await system.service.find(debate_id), kind)

    text = setup.run(read)
    if place is None:
        to_stdout(text)
    else:
        write(place, text)
        tell_written(place)


@click.command()
@by_id
@click.argument("title")
@summarizing
@pass_setup
def rename(setup: Setup, /, debate_id: str, title: str, as_json: bool) -> None:
    """Give a debate a title.

    The title is shown instead of the topic in lists, headers and exports. The topic itself, which
    the models are told, does not change. You can rename a debate at any time, even when it is
    over. An empty title brings the topic back.

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
@by_id
@click.option(
    "--at",
    type=click.IntRange(min=1),
    metavar="SEQ",
    help="The last event to keep; without it, all of them.",
)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="PROVIDER:NAME",
    help="A different model from here on for every participant who is not a person.",
    shell_complete=complete.models,
)
@modelling_some
@click.option(
    "--set",
    "pairs",
    multiple=True,
    metavar="KEY=VALUE",
    help="A different setting; can be repeated.",
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
    """Begin a new debate from a point in another one.

    The new debate has everything up to one event (`moot show --json` numbers them) and is stopped
    there; its id is printed. The other debate does not change, and what it spent does not count
    against the limits of the new one. WHO is a participant: an id, a name or a role.

    \b
    Examples:
      moot fork k3f2
      moot fork k3f2 --at 12 --set turns=8
      moot resume $(moot fork k3f2 --at 12 --member-model judge=openai:gpt-6-luna)
    """
    from moot.cli.advice import print_new

    async def make(system: System) -> Told:
        return await _make(system, debate_id, at, pairs, {**given, "models": models})

    print_new(*setup.run(make), as_json)


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
    """The model for everybody, then those given as `--model WHO=...`, the way before 0.2."""
    named = [one for one in models if "=" in one and ":" not in one.partition("=")[0]]
    everyone = [one for one in models if one not in named]
    return [everyone[-1] if everyone else "", *named]


@click.command()
@by_id
@click.option("--yes", "-y", "is_sure", is_flag=True, help="Do not ask for confirmation.")
@summarizing
@pass_setup
def delete(setup: Setup, /, debate_id: str, is_sure: bool, as_json: bool) -> None:
    """Delete a debate and everything said in it.

    Its files are deleted too, unless another debate uses them. You are asked first, and this cannot
    be undone. Stop or cancel a running debate before you delete it. Give at least four characters
    of the id.

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
        message = (
            f"nothing was deleted, because nobody can be asked here: moot delete {summary.id} --yes"
        )
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
    """Print the JSON Schema of debate files, so that an editor can complete and check them.

    \b
    Examples:
      moot debates schema > debate.schema.json
    """
    from moot.definitions.json_schema import debate_schema, written

    print(written(debate_schema()), end="")
