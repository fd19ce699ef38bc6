"""`moot formats` and `moot debates`: what there is to choose from."""

from __future__ import annotations

import click

TOPIC_SHOWN = 160


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print one format per line as JSON.")
@click.pass_context
def formats(ctx: click.Context, as_json: bool) -> None:
    """List the formats a debate can have.

    \b
    Examples:
      moot formats
      moot formats show duel
      moot formats show duel --mermaid
    """
    if ctx.invoked_subcommand is not None:
        return
    from moot.protocol.registry import FORMATS

    if as_json:
        from moot.cli.format_pages import as_data
        from moot.cli.view.json_lines import as_line

        for form in FORMATS.values():
            print(as_line(as_data(form)))
        return
    from moot.cli.view.console import print_table

    print_table(("format", "what it is"), [(form.name, form.about) for form in FORMATS.values()])


@formats.command("show")
@click.argument("name")
@click.option("--mermaid", is_flag=True, help="Print the stages as a Mermaid diagram.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def show_format(name: str, mermaid: bool, as_json: bool) -> None:
    """Show the stages and the settings of a format.

    \b
    Examples:
      moot formats show duel
      moot formats show duel --mermaid > duel.mmd
    """
    from moot.cli import format_pages
    from moot.cli.view.json_lines import as_line
    from moot.protocol.machine import mermaid as diagram
    from moot.protocol.registry import format_named

    form = format_named(name)
    if mermaid:
        print(diagram(form))
    elif as_json:
        print(as_line(format_pages.as_data(form)))
    else:
        format_pages.print_page(form)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one debate per line as JSON.")
def debates(as_json: bool) -> None:
    """List the debates that are shipped with moot.

    \b
    Examples:
      moot debates
      moot run remote-work
    """
    from moot.definitions.debates import shipped

    if as_json:
        from moot.cli.view.json_lines import as_line, whole

        for one in shipped():
            print(as_line(whole(one)))
        return
    from moot.cli.view.console import one_line, print_table

    rows = [(one.name, one.format, one_line(one.topic, TOPIC_SHOWN)) for one in shipped()]
    print_table(("name", "format", "topic"), rows)
