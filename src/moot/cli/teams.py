"""`moot teams`: members of councils and rooms who are used together."""

from __future__ import annotations

import click


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
    print_table(("name", "judge", "what for, and who"), rows)
