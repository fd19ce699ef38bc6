"""`moot create`, `start`, `stop`, `end`, `cancel` and `retry`: debates changed, not run.

What is asked for is written to the debate's log, and whoever runs it obeys: a server, a worker, or
`moot run` in another terminal. This process never asks a model anything.
"""

from __future__ import annotations

import sys
from typing import Any

import click

from moot.cli.options import Setup, debate_id as by_id, pass_setup, staging, summarizing, together

_one_debate = together(by_id, summarizing)


@click.command()
@staging
@click.option(
    "--start", "is_started", is_flag=True, help="Also start it, for a server or worker to run."
)
@summarizing
@pass_setup
def create(setup: Setup, /, is_started: bool, as_json: bool, **given: Any) -> None:
    """Create a debate without running it.

    Prints its id. With --start, a running server or worker takes it; otherwise it waits for
    `moot start`. To see what it would cost first, use `moot run --dry-run`.

    \b
    Examples:
      moot create remote-work
      moot create "Tabs or spaces?" --turns 4 --start
      moot watch $(moot create my-debate.yaml --start)
    """
    from moot.cli.advice import Told, print_new, told
    from moot.cli.staging import create_debate
    from moot.wiring import System

    async def write(system: System) -> Told:
        debate_id = await create_debate(system, given, start=is_started)
        return await told(system, await system.service.summary(debate_id))

    print_new(*setup.run(write), as_json)


@click.command()
@_one_debate
@pass_setup
def start(setup: Setup, /, debate_id: str, as_json: bool) -> None:
    """Start a debate that was created.

    A running server or worker takes it. To run it in this terminal, use `moot resume` instead.

    \b
    Examples:
      moot start k3f2
    """
    _carry_out(setup, debate_id, "start", as_json)


@click.command()
@_one_debate
@pass_setup
def stop(setup: Setup, /, debate_id: str, as_json: bool) -> None:
    """Stop a debate after the step in flight.

    The process that runs the debate finishes that step and keeps it. `moot resume` continues from
    there.

    \b
    Examples:
      moot stop k3f2
    """
    _carry_out(setup, debate_id, "stop", as_json)


@click.command()
@_one_debate
@pass_setup
def end(setup: Setup, /, debate_id: str, as_json: bool) -> None:
    """End a debate early, with its verdict or summary.

    Nobody makes another statement. What follows is the closing stage: in most formats a verdict on
    what has been said so far, or a last summary.

    \b
    Examples:
      moot end k3f2
    """
    _carry_out(setup, debate_id, "end", as_json)


@click.command()
@by_id
@click.option("--yes", "-y", "is_sure", is_flag=True, help="Do not ask for confirmation.")
@summarizing
@pass_setup
def cancel(setup: Setup, /, debate_id: str, is_sure: bool, as_json: bool) -> None:
    """Cancel a debate for good, without a verdict.

    The call in flight is aborted and nothing more is spent. You can still read what was said, but
    the debate cannot continue; `moot stop` only interrupts it. At a terminal you are asked first.
    Give at least four characters of the id.

    \b
    Examples:
      moot cancel k3f2
      moot cancel k3f2 --yes
    """
    from moot.cli.advice import what_goes

    # From here on by its whole id: a debate whose id begins the same may be created meanwhile.
    summary, what = setup.run(lambda system: what_goes(system, debate_id))
    if not is_sure and sys.stdin.isatty():
        _confirm_cancel(summary.id, what)
    _carry_out(setup, summary.id, "cancel", as_json)


def _confirm_cancel(debate_id: str, what: str) -> None:
    from moot.cli.lines import confirm
    from moot.errors import Refused

    if not confirm(f"Cancel {what} for good?"):
        message = f"nothing was canceled; `moot stop {debate_id}` only interrupts it"
        raise Refused(message)


@click.command()
@_one_debate
@pass_setup
def retry(setup: Setup, /, debate_id: str, as_json: bool) -> None:
    """Try a failed debate again.

    Only what is missing is tried again; everything recorded is kept. A running server or worker
    takes it. To run it in this terminal, use `moot resume` instead.

    \b
    Examples:
      moot retry k3f2
    """
    _carry_out(setup, debate_id, "retry", as_json)


def _carry_out(setup: Setup, debate_id: str, command: str, as_json: bool) -> None:
    from moot.cli.advice import carry_out, print_summary

    print_summary(*setup.run(lambda system: carry_out(system, debate_id, command)), as_json)
