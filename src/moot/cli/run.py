"""`moot run`, `moot rematch`, `moot resume` and `moot watch`: a debate in the foreground."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from moot.cli.exit_codes import ExitCode
from moot.cli.options import modelling, staging, viewing
from moot.cli.setup import Setup, pass_setup
from moot.cli.telling import tell

if TYPE_CHECKING:
    from moot.cli.exit_codes import ExitCode
    from moot.cli.view.views import View
    from moot.protocol.state import DebateState
    from moot.wiring import System


@click.command()
@staging
@viewing
@click.option(
    "--reveal",
    is_flag=True,
    help="Take part with open cards: see what your chair may not know, as `moot reveal` does.",
)
@pass_setup
def run(setup: Setup, /, **given: Any) -> None:
    """Stage a debate and watch it.

    Give a YAML file, the name of a debate that comes with moot (see `moot debates`), or simply a
    topic. If no model is named anywhere, moot uses the one that `moot models use` keeps, or the
    first that is available: a provider whose key is set, a local server such as Ollama, or the
    small model that comes with moot. `moot models` shows which, and why.

    Every turn is on disk before it is shown as recorded. Ctrl-C stops after the step in flight, and
    `moot resume` goes on from there. At a terminal, the key e ends the debate early, with its
    summary or verdict.

    \b
    Examples:
      moot run remote-work
      moot run my-debate.yaml --seed 7 --hide-private
      moot run "Tabs or spaces?" --me "Marisol"
      moot run "Tabs or spaces?" --me "Marisol" --as judge
      moot run "Tabs or spaces?" --premise "Tabs are better." --turns 4
      moot run remote-work --model openai:gpt-6-luna --judge-model deepseek:deepseek-flash
      moot run remote-work --set max_tokens=300 --json > events.jsonl
    """
    sys.exit(setup.run(lambda system: _run(system, setup, given), has_worker=True))


@click.command()
@click.argument("debate_id", metavar="ID")
@click.option("--swap", is_flag=True, help="Everybody argues the other side.")
@modelling
@click.option(
    "--seed", type=int, help="Draw who opens with this seed; with the old one, it is as it was."
)
@viewing
@pass_setup
def rematch(setup: Setup, /, debate_id: str, **given: Any) -> None:
    """Hold a debate once more, with sides swapped if you like.

    A new debate is made from what the other was made from: topic, cast, models, settings and files;
    if it was drawn who opens, that is drawn anew. Nothing of what was said goes into it, and the
    other debate does not change. A person who took part is asked again. Runs as `moot run` does.

    \b
    Examples:
      moot rematch k3f2
      moot rematch k3f2 --swap
      moot rematch k3f2 --model openai:gpt-6-luna --judge-model deepseek:deepseek-flash
      moot rematch k3f2 --member-model ada=ollama:qwen3
    """
    sys.exit(setup.run(lambda system: _rematch(system, setup, debate_id, given), has_worker=True))


@click.command()
@click.argument("debate_id", metavar="ID")
@click.option("--detach", is_flag=True, help="Leave it to a server or worker to run.")
@viewing
@pass_setup
def resume(setup: Setup, /, debate_id: str, detach: bool, **given: Any) -> None:
    """Go on with a debate from wherever it stands.

    Works after Ctrl-C, after a crash or `kill -9`, and after a failure: what is recorded is kept,
    and only what is missing is run. The id may be shortened as long as it stays unique.

    \b
    Examples:
      moot resume k3f2
      moot resume k3f2 --hide-private
      moot resume k3f2 --detach
    """
    if detach:
        from moot.cli.advice import go_on, print_summary

        print_summary(*setup.run(lambda system: go_on(system, debate_id)), given["as_json"])
        return
    sys.exit(setup.run(lambda system: _resume(system, setup, debate_id, given), has_worker=True))


@click.command()
@click.argument("debate_id", metavar="ID")
@viewing
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
    they are recorded. A debate that stops, fails or waits for a person is still watched: it may
    go on. Ctrl-C ends only the watching, never the debate.

    \b
    Examples:
      moot watch k3f2
      moot watch k3f2 --hide-private
      moot watch k3f2 --json --after 120
      moot watch k3f2 --quiet && moot export k3f2 --as html -o debate.html
    """
    sys.exit(setup.run(lambda system: _watch(system, setup, debate_id, given)))


async def _run(system: System, setup: Setup, given: dict[str, Any]) -> ExitCode:
    from moot.cli.staging import create_debate

    debate_id = await create_debate(system, given)
    if given["reveal"]:
        await _reveal(system, debate_id)
    return await _held(system, setup, debate_id, given)


async def _rematch(system: System, setup: Setup, prefix: str, given: dict[str, Any]) -> ExitCode:
    from moot.cli.staging import create_rematch

    return await _held(system, setup, await create_rematch(system, prefix, given), given)


async def _held(system: System, setup: Setup, debate_id: str, given: dict[str, Any]) -> ExitCode:
    """A debate that was just made, run to its end."""
    from moot.cli.foreground import run_debate

    state = await system.service.state(debate_id)
    await _mention_toy(system, state, given)
    view = await _view(system, setup, debate_id, state, given)
    grace_s = system.settings.grace_seconds
    return await run_debate(system.service, debate_id, view, grace_s=grace_s)


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
    from moot.cli.foreground import run_debate

    service = system.service
    debate_id = await service.find(prefix)
    state = await service.state(debate_id)
    if state.status.is_terminal:
        told = f"{debate_id} is {state.status} already; see it with: moot show {debate_id}"
        print(told, file=sys.stderr if given["as_json"] else sys.stdout)
        return ExitCode.COMPLETED
    await _refuse_if_busy(system, debate_id)
    await _mention_toy(system, state, given)
    view = await _view(system, setup, debate_id, state, given)
    return await run_debate(service, debate_id, view, grace_s=system.settings.grace_seconds)


async def _mention_toy(system: System, state: DebateState, given: dict[str, Any]) -> None:
    from moot.cli.models import mention_toy

    if not given["as_json"] and not given["quiet"]:
        await mention_toy(system.models, (one.model for one in state.config.participants))


async def _refuse_if_busy(system: System, debate_id: str) -> None:
    """Say so before anything is shown or changed; the lease itself is what really decides."""
    from moot.cli.advice import living_holder
    from moot.errors import Busy

    holder = await living_holder(system, debate_id)
    if holder is not None:
        message = (
            f"debate {debate_id} is being run by process {holder.pid}; let it finish or stop it"
        )
        error = Busy(message)
        error.add_note(f"watch it with: moot watch {debate_id}")
        raise error


async def _watch(system: System, setup: Setup, prefix: str, given: dict[str, Any]) -> ExitCode:
    from moot.cli.foreground import follow_debate
    from moot.protocol.folding import fold

    debate_id = await system.service.find(prefix)
    log = await system.service.log(debate_id)
    state = fold(log[: max(1, given["after"])])
    view = await _view(system, setup, debate_id, state, given, is_remote=True)
    if not given["as_json"] or not given["after"]:
        view.begin()
    return await follow_debate(system, debate_id, view, upto=log[-1].seq)


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
