"""`moot doctor`: what would be used, and what is in the way."""

from __future__ import annotations

import sys

import click

from moot.cli.setup import Setup, pass_setup


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@pass_setup
def doctor(setup: Setup, /, as_json: bool) -> None:
    """Say which models and which database would be used.

    Exits with 0 if a debate could be held now, and with 4 if not.

    \b
    Examples:
      moot doctor
      moot doctor --json
    """
    import asyncio

    from moot.cli.examination import examine, print_report
    from moot.cli.exit_codes import ExitCode

    report = asyncio.run(examine(setup))
    if as_json:
        from moot.cli.view.json_lines import as_line

        print(as_line(report))
    else:
        print_report(report)
    sys.exit(ExitCode.COMPLETED if report["is_ready"] else ExitCode.FAILED)
