"""`moot formats`: the formats a debate can have, read from the tables that run them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from moot.cli import complete
from moot.cli.complete import Suggesting
from moot.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from rich.text import Text

    from moot.protocol.machine import Format


@click.group(cls=Suggesting, invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print one format per line as JSON.")
@click.pass_context
def formats(ctx: click.Context, as_json: bool) -> None:
    """List the formats a debate can have.

    \b
    Examples:
      moot formats
      moot formats show duel
      moot formats show duel --mermaid
      moot formats check
    """
    from moot import plugins

    plugins.load()
    if ctx.invoked_subcommand is not None:
        return
    from moot.protocol.registry import FORMATS

    if as_json:
        from moot.cli.view.json_lines import as_line

        for rules in FORMATS.values():
            print(as_line(_as_data(rules)))
        return
    from moot.cli.view.console import print_table

    print_table(("format", "what it is"), [(rules.name, rules.about) for rules in FORMATS.values()])


@formats.command("show")
@click.argument("name", shell_complete=complete.formats)
@click.option("--mermaid", is_flag=True, help="Print the stages as a Mermaid diagram.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def show_format(name: str, mermaid: bool, as_json: bool) -> None:
    """Show the stages and the settings of a format.

    \b
    Examples:
      moot formats show duel
      moot formats show duel --mermaid > duel.mmd
    """
    from moot.cli.view.json_lines import as_line
    from moot.protocol.machine import mermaid as diagram
    from moot.protocol.registry import format_named

    rules = format_named(name)
    if mermaid:
        print(diagram(rules))
    elif as_json:
        print(as_line(_as_data(rules)))
    else:
        _print_page(rules)


@formats.command("check")
@click.argument("name", required=False, shell_complete=complete.formats)
@click.option("--json", "as_json", is_flag=True, help="Print one finding per line as JSON.")
def check_formats(name: str | None, as_json: bool) -> None:
    """Check that a format's rules are sound, before it is ever run.

    Checks one format, or all of them without NAME. The exit code is 1 if something is wrong.

    \b
    Examples:
      moot formats check
      moot formats check duel
    """
    from moot.prompts import render
    from moot.protocol.checker import check
    from moot.protocol.registry import FORMATS, format_named

    chosen = list(FORMATS.values()) if name is None else [format_named(name)]
    findings = [(rules.name, one) for rules in chosen for one in check(rules, render)]
    if as_json:
        from moot.cli.view.json_lines import as_line, whole

        for form_name, one in findings:
            print(as_line({"format": form_name, **whole(one)}))
    else:
        from moot.cli.view.console import print_table

        rows = [(form_name, _mark(one.ok), one.what, one.detail) for form_name, one in findings]
        print_table(("format", "", "what was checked", "details"), rows)
    sys.exit(0 if all(one.ok for _, one in findings) else ExitCode.UNEXPECTED)


def _mark(is_ok: bool) -> Text:
    from rich.text import Text

    return Text("ok", style="green") if is_ok else Text("WRONG", style="bold red")


def _as_data(rules: Format) -> dict[str, Any]:
    import msgspec

    from moot.protocol.machine import mermaid

    return {
        "name": rules.name,
        "about": rules.about,
        "when_to_use": rules.when_to_use,
        "settings": msgspec.json.schema(rules.settings),
        "stages": [{"name": stage.name, "about": stage.about} for stage in rules.stages],
        "transitions": [
            {"from": row.source, "event": row.event, "to": row.target} for row in rules.transitions
        ],
        "mermaid": mermaid(rules),
    }


def _print_page(rules: Format) -> None:
    from rich.padding import Padding
    from rich.text import Text

    from moot.cli.view.console import WIDEST, new_console, print_table

    console = new_console()
    width = min(console.width, WIDEST)
    console.print(f"{rules.name}: {rules.about}\n{rules.when_to_use}\n", width=width)
    print_table(("stage", "what happens"), [(stage.name, stage.about) for stage in rules.stages])
    console.print("\nsettings: default, bounds, and what they do", style="dim", width=width)
    for name, row in _properties(rules).items():
        # In two lines: beside the longest bounds no column would be left for the description.
        head = Text.assemble(f"{name} = {_default(row)}", (f" · {_bounds(row)}", "dim"))
        console.print(head, width=width)
        console.print(Padding(str(row.get("description", "")), (0, 0, 0, 4)), width=width)


def _properties(rules: Format) -> dict[str, dict[str, Any]]:
    import msgspec

    schema = msgspec.json.schema(rules.settings)
    definition: dict[str, dict[str, Any]] = schema["$defs"][rules.settings.__name__]["properties"]
    return definition


def _default(row: dict[str, Any]) -> str:
    default = row.get("default")
    if isinstance(default, list | tuple):
        return ", ".join(map(str, default)) or "none"
    # Not "none": that is a reasoning effort, which is not the same as having given no effort.
    return "unset" if default in ("", None) else str(default)


def _bounds(row: dict[str, Any]) -> str:
    from moot.protocol.words import Effort

    typed = next((one for one in row.get("anyOf", ()) if one.get("type") != "null"), row)
    if "$ref" in typed:  # the only setting whose words have a type of their own
        return ", ".join(Effort)
    if "enum" in typed:
        return ", ".join(typed["enum"])
    if "minimum" in typed or "exclusiveMinimum" in typed:
        low = typed.get("minimum", typed.get("exclusiveMinimum"))
        return f"{low} to {typed.get('maximum', '')}".strip()
    if "maxLength" in typed:
        return f"up to {typed['maxLength']} characters"
    if typed.get("type") == "array":
        return f"a list of texts, at most {typed['maxItems']}"
    return str(typed.get("type", ""))
