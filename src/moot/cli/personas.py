"""`moot personas` and `moot teams`: the library, and the part of it that is your own."""

from __future__ import annotations

from typing import Any

import click

from moot.cli import complete
from moot.cli.complete import Suggesting
from moot.cli.options import Setup, pass_setup, together

ROLES = ("moderator", "debater", "judge", "member")

_fields = together(
    click.option("--role", type=click.Choice(ROLES), help="The role this persona is made for."),
    click.option("--title", help="Shown next to the name, as in `Ada | Architect`."),
    click.option("--personality", help="Who they are."),
    click.option("--position", help="What they argue for, if it is the same in every debate."),
    click.option("--instructions", help="How they should speak."),
    click.option("--room-instructions", help="The same for rooms, where turns are short."),
    click.option("--judging-criteria", help="What a judge looks for."),
    click.option(
        "--model",
        metavar="PROVIDER:NAME",
        help="The model for this persona; `human` is you.",
        shell_complete=complete.models,
    ),
    click.option("--color", help='"#rrggbb" or a name, such as teal.'),
    click.option(
        "--file",
        "file",
        metavar="FILE",
        type=click.Path(),
        help="Read everything from a YAML file instead.",
    ),
)
_as_lines = click.option(
    "--json", "as_json", is_flag=True, help="Print one persona per line as JSON."
)


@click.group(cls=Suggesting, invoke_without_command=True)
@_as_lines
@click.pass_context
def personas(ctx: click.Context, as_json: bool) -> None:
    """List the personas you can use by name.

    Use a persona by its name, its title, or the beginning of either: `architect` and `ada` are the
    same persona. Your own personas are YAML files in the directory `personas` below MOOT_HOME; they
    take precedence over those that come with moot.

    \b
    Examples:
      moot personas
      moot personas list --role judge
      moot personas show architect
      moot personas add Zed --role member --title Sailor --personality "You are Zed."
      moot personas edit zed
      moot personas remove Zed
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_personas, as_json=as_json)


@personas.command("schema")
def personas_schema() -> None:
    """Print the JSON Schema of persona files, so that an editor can complete and check them.

    \b
    Examples:
      moot personas schema > persona.schema.json
    """
    from moot.definitions.json_schema import persona_schema, written

    print(written(persona_schema()), end="")


@personas.command("list")
@click.option("--role", type=click.Choice(ROLES), help="Only personas made for this role.")
@click.option("--own", "only_own", is_flag=True, help="Only your own personas.")
@_as_lines
@pass_setup
def list_personas(
    setup: Setup, /, role: str | None = None, only_own: bool = False, as_json: bool = False
) -> None:
    """List the personas, your own first.

    \b
    Examples:
      moot personas list
      moot personas list --role member
      moot personas list --own --json
    """
    from moot.cli.library import print_personas
    from moot.cli.view.json_lines import as_line, whole
    from moot.definitions.personas import is_own, library

    entries = [
        entry
        for entry in library(setup.settings().personas_path)
        if role in (None, entry.role) and (is_own(entry) or not only_own)
    ]
    if as_json:
        for entry in entries:
            print(as_line(whole(entry)))
    else:
        print_personas(entries)


@personas.command("show")
@click.argument("name", shell_complete=complete.personas)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@pass_setup
def show_persona(setup: Setup, /, name: str, as_json: bool) -> None:
    """Show everything that a persona is told.

    \b
    Examples:
      moot personas show "Maya Lindqvist"
      moot personas show security
    """
    from moot.cli.library import print_persona
    from moot.cli.view.json_lines import as_line, whole
    from moot.definitions.personas import find

    found = find(name, setup.settings().personas_path)
    if as_json:
        print(as_line(whole(found)))
    else:
        print_persona(found)


@personas.command("add")
@click.argument("name", required=False)
@_fields
@pass_setup
def add_persona(setup: Setup, /, name: str | None, file: str | None, **given: Any) -> None:
    """Add a persona of your own.

    With --file, all personas in a YAML file are added, or none if one of them is wrong. A persona
    with the name of a shipped one replaces it for you.

    \b
    Examples:
      moot personas add Zed --role member --title Sailor --personality "You are Zed, a sailor."
      moot personas add --file my-crew.yaml
    """
    from moot.cli import library

    library.add_personas(setup.settings().personas_path, name, file, given)


@personas.command("edit")
@click.argument("name", shell_complete=complete.personas)
@click.option("--name", "new_name", help="A new name.")
@_fields
@pass_setup
def edit_persona(
    setup: Setup, /, name: str, new_name: str | None, file: str | None, **given: Any
) -> None:
    """Change a persona.

    Without options, your editor (VISUAL or EDITOR) is opened. An empty text clears a field. Editing
    a shipped persona makes your own copy, which replaces it for you. Existing debates keep the
    persona they were created with.

    \b
    Examples:
      moot personas edit Zed
      moot personas edit Zed --title Captain --model openai:gpt-6-luna
      moot personas edit architect --model ollama:llama3.2
    """
    from moot.cli import library

    library.edit_persona(setup.settings().personas_path, name, file, {"name": new_name, **given})


@personas.command("remove")
@click.argument("name", shell_complete=complete.personas)
@click.option("--yes", "-y", is_flag=True, help="Do not ask for confirmation.")
@pass_setup
def remove_persona(setup: Setup, /, name: str, yes: bool) -> None:
    """Remove a persona of your own, by its full name.

    If it replaced a shipped persona, that one is used again. Existing debates keep the persona they
    were created with.

    \b
    Examples:
      moot personas remove Zed
      moot personas remove Zed --yes
    """
    from moot.cli import library

    library.remove_persona(setup.settings().personas_path, name, is_sure=yes)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one team per line as JSON.")
def teams(as_json: bool) -> None:
    """List the teams for councils and rooms.

    \b
    Examples:
      moot teams
      moot personas show architect
      moot run "How should we store events?" --format council --team design
    """
    from moot.definitions.teams import teams as all_teams

    if as_json:
        from moot.cli.view.json_lines import as_line, whole

        for one in all_teams():
            print(as_line(whole(one)))
        return
    from moot.cli.view.console import print_table

    rows = [(one.name, one.judge, f"{one.about} {', '.join(one.members)}.") for one in all_teams()]
    print_table(("name", "judge", "purpose and members"), rows)
