"""`moot panels`: what can be asked, and the part of it that is your own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from moot.cli import complete
from moot.cli.complete import Suggesting
from moot.cli.options import Setup, debate_id as by_id, pass_setup

if TYPE_CHECKING:
    from moot.wiring import System

_as_lines = click.option(
    "--json", "as_json", is_flag=True, help="Print one panel per line as JSON."
)
_name = click.argument("name", shell_complete=complete.panels)


@click.group(cls=Suggesting, invoke_without_command=True)
@_as_lines
@click.pass_context
def panels(ctx: click.Context, as_json: bool) -> None:
    """List the panels you can ask.

    A panel is a saved set-up: a format, who takes part, settings and limits. `moot ask` asks one.
    Your own panels are YAML files in the directory `panels` below MOOT_HOME; they take precedence
    over those that come with moot.

    \b
    Examples:
      moot panels
      moot panels show red-team
      moot panels save k3f board --about "Decisions about our shop."
      moot panels edit board
      moot panels check board.yaml
      moot panels remove board
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_panels, as_json=as_json)


@panels.command("list")
@click.option("--own", "only_own", is_flag=True, help="Only your own panels.")
@_as_lines
@pass_setup
def list_panels(setup: Setup, /, only_own: bool = False, as_json: bool = False) -> None:
    """List the panels, your own first.

    \b
    Examples:
      moot panels list
      moot panels list --own --json
    """
    from moot.cli import library

    settings = setup.settings()
    library.print_panels(
        settings.panels_path, settings.personas_path, only_own=only_own, as_json=as_json
    )


@panels.command("show")
@_name
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@pass_setup
def show_panel(setup: Setup, /, name: str, as_json: bool) -> None:
    """Show a panel as it stands in its file.

    The output is YAML, so you can start a panel of your own from it.

    \b
    Examples:
      moot panels show council
      moot panels show red-team > my-team.yaml
    """
    from moot.cli import library

    settings = setup.settings()
    library.print_panel(settings.panels_path, settings.personas_path, name, as_json=as_json)


@panels.command("save")
@by_id
@click.argument("name")
@click.option("--about", required=True, help="What the panel is good for, in a sentence.")
@pass_setup
def save_panel(setup: Setup, /, debate_id: str, name: str, about: str) -> None:
    """Save the set-up of a debate as a panel of your own.

    The panel has the format, the settings, and everyone who took part with their models. The topic,
    the premise, the files and what was said are left out.

    \b
    Examples:
      moot panels save k3f board --about "Decisions about our shop."
      moot ask board "Should we open on Sundays?"
    """

    async def save(system: System) -> None:
        from moot.cli import library

        found = await system.service.find(debate_id)
        config = (await system.service.state(found)).config
        settings = system.settings
        library.save_panel(
            settings.panels_path, settings.personas_path, config, name=name, about=about
        )

    setup.run(save)


@panels.command("edit")
@_name
@click.option(
    "--file",
    "file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Read everything from a YAML file instead.",
)
@pass_setup
def edit_panel(setup: Setup, /, name: str, file: Path | None) -> None:
    """Change a panel.

    Without --file, your editor (VISUAL or EDITOR) is opened. Editing a shipped panel makes your own
    copy, which replaces it for you. Existing debates keep what they were created with.

    \b
    Examples:
      moot panels edit board
      moot panels edit council --file my-council.yaml
    """
    from moot.cli import library

    settings = setup.settings()
    library.edit_panel(settings.panels_path, settings.personas_path, name, file)


@panels.command("remove")
@_name
@click.option("--yes", "-y", is_flag=True, help="Do not ask for confirmation.")
@pass_setup
def remove_panel(setup: Setup, /, name: str, yes: bool) -> None:
    """Remove a panel of your own.

    If it replaced a shipped panel, that one is used again.

    \b
    Examples:
      moot panels remove board
      moot panels remove board --yes
    """
    from moot.cli import library

    library.remove_panel(setup.settings().panels_path, name, is_sure=yes)


@panels.command("check")
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path)
)
@pass_setup
def check_panels(setup: Setup, /, files: tuple[Path, ...]) -> None:
    """Check panel files without asking anybody.

    Every mistake is reported with its file, line and field.

    \b
    Examples:
      moot panels check board.yaml
      moot panels check *.yaml
    """
    from moot.cli import library

    library.check_panels(files, setup.settings().personas_path)


@panels.command("schema")
def panels_schema() -> None:
    """Print the JSON Schema of panel files, so that an editor can complete and check them.

    \b
    Examples:
      moot panels schema > panel.schema.json
    """
    from moot.definitions.json_schema import panel_schema, written

    print(written(panel_schema()), end="")
