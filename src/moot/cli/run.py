"""`moot run`, `moot rematch`, `moot resume` and `moot watch`: a debate in the foreground."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from moot.cli.exit_codes import ExitCode
from moot.cli.options import (
    Setup,
    debate_id as by_id,
    modelling,
    pass_setup,
    planning,
    saving,
    staging,
    viewing,
)
from moot.cli.output import check_kind, check_output, save
from moot.cli.telling import say, tell
from moot.errors import InvalidInput

if TYPE_CHECKING:
    from moot.cli.exit_codes import ExitCode
    from moot.cli.view.views import View
    from moot.engine.creation import NewDebate
    from moot.protocol.state import DebateState
    from moot.wiring import System


@click.command()
@staging
@viewing
@saving
@planning
@click.option(
    "--reveal",
    is_flag=True,
    help="Take part with open cards: see what would be hidden from you, as `moot reveal` does.",
)
@pass_setup
def run(setup: Setup, /, **given: Any) -> None:
    """Hold a debate and watch it.

    Give a YAML file, the name of a debate that comes with moot (see `moot debates`), or just a
    topic. `-` reads a YAML file from standard input. If no model is named anywhere, moot uses the
    one you set with `moot models use`, or else the first one available: a provider whose key is
    set, a local server such as Ollama, or the small model that comes with moot. `moot models`
    shows which one, and why.

    Every turn is saved before it is shown as recorded. Ctrl-C stops the debate after the step in
    flight, and `moot resume` continues it. At a terminal, the key e ends the debate early, with
    its verdict or summary.

    \b
    Examples:
      moot run remote-work
      moot run remote-work --dry-run
      moot run my-debate.yaml --seed 7 --hide-private
      moot run "Tabs or spaces?" --quiet -o verdict.html
      moot run "Tabs or spaces?" --me "Marisol"
      moot run "Tabs or spaces?" --me "Marisol" --as judge
      moot run "Tabs or spaces?" --premise "Tabs are better." --turns 4
      moot run remote-work --model openai:gpt-6-luna --judge-model deepseek:deepseek-flash
      moot run remote-work --set max_tokens=300 --json > events.jsonl
      moot run - < my-debate.yaml
    """
    check_given(given)
    is_run = not given["dry_run"]
    sys.exit(setup.run(lambda system: _run(system, setup, given), has_worker=is_run))


@click.command()
@by_id
@click.option("--swap", is_flag=True, help="Everyone argues the other side.")
@modelling
@click.option(
    "--seed",
    type=int,
    help="Draw who opens with this seed; the seed of the first debate gives the same order.",
)
@viewing
@saving
@planning
@pass_setup
def rematch(setup: Setup, /, debate_id: str, **given: Any) -> None:
    """Hold a debate again, with sides swapped if you like.

    The new debate has the topic, cast, models, settings and files of the first one. If the order
    of speakers was drawn, it is drawn again. Nothing that was said is carried over, and the first
    debate does not change. People who took part are asked again. The new debate runs as with
    `moot run`.

    \b
    Examples:
      moot rematch k3f2
      moot rematch k3f2 --swap
      moot rematch k3f2 --dry-run --model openai:gpt-6-luna
      moot rematch k3f2 --model openai:gpt-6-luna --judge-model deepseek:deepseek-flash
      moot rematch k3f2 --member-model ada=ollama:qwen3
    """
    check_given(given)
    is_run = not given["dry_run"]
    done = setup.run(lambda system: _rematch(system, setup, debate_id, given), has_worker=is_run)
    sys.exit(done)


@click.command()
@by_id
@click.option("--detach", is_flag=True, help="Leave it to a server or worker to run.")
@viewing
@saving
@pass_setup
def resume(setup: Setup, /, debate_id: str, detach: bool, **given: Any) -> None:
    """Continue a debate from where it stopped.

    Works after Ctrl-C, after a crash or `kill -9`, and after a failure: everything recorded is
    kept, and only what is missing is run. You can shorten the id as long as it stays unique.

    \b
    Examples:
      moot resume k3f2
      moot resume k3f2 --hide-private
      moot resume k3f2 --detach
    """
    check_output(given["output"])
    if detach:
        if given["output"]:
            raise InvalidInput("has no effect with --detach; use moot watch ID -o", field="-o")
        from moot.cli.advice import go_on, print_summary

        print_summary(*setup.run(lambda system: go_on(system, debate_id)), given["as_json"])
        return
    sys.exit(setup.run(lambda system: _resume(system, setup, debate_id, given), has_worker=True))


@click.command()
@by_id
@viewing
@saving
@click.option(
    "--after",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Leave out the events up to number N.",
)
@pass_setup
def watch(setup: Setup, /, debate_id: str, **given: Any) -> None:
    """Show a debate and follow it until it is over.

    Works for a debate that a server, a worker or another `moot run` is running; turns appear as
    they are recorded. If the debate stops, fails or waits for a person, moot keeps watching,
    because it may continue. Ctrl-C ends only the watching, never the debate.

    \b
    Examples:
      moot watch k3f2
      moot watch k3f2 --hide-private
      moot watch k3f2 --json --after 120
      moot watch k3f2 --quiet -o debate.html
    """
    check_output(given["output"])
    sys.exit(setup.run(lambda system: _watch(system, setup, debate_id, given)))


def check_given(given: dict[str, Any]) -> None:
    """Check the options. Raises InvalidInput before anything is read or spent."""
    if given["dry_run"] and given["output"]:
        raise InvalidInput("has nothing to write with --dry-run; leave one of them out", field="-o")
    check_output(given["output"])


async def _run(system: System, setup: Setup, given: dict[str, Any]) -> ExitCode:
    from moot.cli.staging import new_debate

    return await forecast_or_held(system, setup, await new_debate(system, given), given)


async def _rematch(system: System, setup: Setup, prefix: str, given: dict[str, Any]) -> ExitCode:
    from moot.cli.staging import new_rematch

    new = await new_rematch(system, prefix, given)
    return await forecast_or_held(system, setup, new, given)


async def forecast_or_held(
    system: System, setup: Setup, new: NewDebate, given: dict[str, Any]
) -> ExitCode:
    from moot.cli.staging import created, tell_forecast

    check_kind(given["output"], new.format)
    if given["dry_run"]:
        await tell_forecast(system, new, as_json=given["as_json"])
        return ExitCode.COMPLETED
    debate_id = await created(system, new)
    if given.get("reveal"):
        await _reveal(system, debate_id)
    return await _held(system, setup, debate_id, given)


async def _held(system: System, setup: Setup, debate_id: str, given: dict[str, Any]) -> ExitCode:
    """Run the debate to its end, or to wherever it stops, and write it to the file of `-o`."""
    from moot.cli.foreground import run_debate

    state = await system.service.state(debate_id)
    await _mention_toy(system, state, given)
    view = await _view(system, setup, debate_id, state, given)
    code = await run_debate(system.service, debate_id, view, grace_s=system.settings.grace_seconds)
    await save(system, debate_id, given["output"])
    return code


async def _reveal(system: System, debate_id: str) -> None:
    """Open the cards and say what that gives away; where nobody takes part, nothing is hidden."""
    from moot.errors import Refused
    from moot.protocol.vocabulary import REVEALS

    try:
        await system.service.reveal(debate_id)
    except Refused as error:
        tell(str(error), label="")
    else:
        tell(REVEALS, label="")


async def _resume(system: System, setup: Setup, prefix: str, given: dict[str, Any]) -> ExitCode:
    debate_id = await system.service.find(prefix)
    _, state = await system.service.standing(debate_id)
    check_kind(given["output"], state.config.format)
    status = state.status
    if status.is_terminal:
        told = f"{debate_id} is already {status}; see it with: moot show {debate_id}"
        tell(told, label="") if given["as_json"] else say(told)
        await save(system, debate_id, given["output"])
        return ExitCode.COMPLETED
    await _refuse_if_busy(system, debate_id)
    return await _held(system, setup, debate_id, given)


async def _mention_toy(system: System, state: DebateState, given: dict[str, Any]) -> None:
    from moot.cli.models import mention_toy

    if not given["as_json"] and not given["quiet"]:
        await mention_toy(system.models, (one.model for one in state.config.participants))


async def _refuse_if_busy(system: System, debate_id: str) -> None:
    """Raises Busy if another process runs the debate, before anything is shown or changed; what
    really decides is the lease."""
    from moot.cli.advice import living_holder
    from moot.errors import Busy

    holder = await living_holder(system, debate_id)
    if holder is not None:
        message = (
            f"another process ({holder.pid}), such as a server, is running debate {debate_id}; "
            f"let it finish, or stop it with: moot stop {debate_id}"
        )
        error = Busy(message)
        error.add_note(f"watch it with: moot watch {debate_id}")
        raise error


async def _watch(system: System, setup: Setup, prefix: str, given: dict[str, Any]) -> ExitCode:
    from moot.cli.foreground import follow_debate
    from moot.protocol.log import fold

    debate_id = await system.service.find(prefix)
    log = await system.service.log(debate_id)
    state = fold(log[: max(1, given["after"])])
    check_kind(given["output"], state.config.format)
    view = await _view(system, setup, debate_id, state, given, is_remote=True)
    if not given["as_json"] or not given["after"]:
        view.begin()
    code = await follow_debate(system, debate_id, view, upto=log[-1].seq)
    await save(system, debate_id, given["output"])
    return code


async def _view(
    system: System,
    setup: Setup,
    debate_id: str,
    state: DebateState,
    given: dict[str, Any],
    *,
    is_remote: bool = False,
) -> View:
    from moot.cli.view.views import new_view

    return new_view(
        debate_id,
        state,
        as_json=given["as_json"],
        is_quiet=given["quiet"],
        hides_private=given["hide_private"],
        shows_log=setup.shows_log,
        is_remote=is_remote,
        sources=await system.service.sources(state.config),
    )
