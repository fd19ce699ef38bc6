"""`moot run` and `moot resume`: a debate in the foreground."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from moot.cli.exit_codes import ExitCode
from moot.cli.setup import Setup, pass_setup

if TYPE_CHECKING:
    from moot.definitions.values import Definition
    from moot.protocol.state import DebateState
    from moot.wiring import System

Decorated = Callable[..., Any]


def _watching(command: Decorated) -> Decorated:
    """The options of everything that shows a debate while it is held."""
    options = (
        click.option(
            "--hide-private", is_flag=True, help="Leave out plans, thoughts, evaluations."
        ),
        click.option("--quiet", "-q", is_flag=True, help="Print nothing but the result."),
        click.option("--json", "as_json", is_flag=True, help="Print one event per line as JSON."),
    )
    for option in options:
        command = option(command)
    return command


@click.command()
@click.argument("debate", metavar="FILE|NAME|TOPIC")
@click.option("--format", "format_", metavar="NAME", help="The format; see `moot formats`.")
@click.option("--premise", help="A claim that one side defends and the other attacks.")
@click.option("--turns", type=int, help="Statements in total, both sides together.")
@click.option("--model", metavar="PROVIDER:NAME", help="The model of everyone who is no person.")
@click.option("--judge-model", metavar="PROVIDER:NAME", help="Another model for the judge.")
@click.option("--seed", type=int, help="Draw the same personas and order as that time.")
@click.option("--no-judge", is_flag=True, help="Hold the debate without a judge.")
@click.option("--set", "pairs", multiple=True, metavar="KEY=VALUE", help="Any other setting.")
@_watching
@pass_setup
def run(setup: Setup, /, **given: Any) -> None:
    """Stage a debate and watch it.

    What to debate is a YAML file, the name of a debate that is shipped with moot (see `moot
    debates`), or simply a topic. Without a model named anywhere, the first that can be had is used:
    a provider whose key is set, a local Ollama, or the small model that comes with moot.

    Every turn is on disk before it is shown as recorded. Ctrl-C stops after the step in flight, and
    `moot resume` goes on from there.

    \b
    Examples:
      moot run remote-work
      moot run my-debate.yaml --seed 7 --hide-private
      moot run "Tabs or spaces?" --premise "Tabs are better." --turns 4
      moot run remote-work --model openai:gpt-5-mini --judge-model deepseek:deepseek-chat
      moot run remote-work --set max_tokens=300 --json > events.jsonl
    """
    sys.exit(setup.run(lambda system: _run(system, setup, given), has_worker=True))


@click.command()
@click.argument("debate_id", metavar="ID")
@_watching
@pass_setup
def resume(setup: Setup, /, debate_id: str, **given: Any) -> None:
    """Go on with a debate from wherever it stands.

    Works after Ctrl-C, after a crash or `kill -9`, and after a failure: what is recorded is kept,
    and only what is missing is run. The id may be cut short while it is unique.

    \b
    Examples:
      moot resume k3f2
      moot resume k3f2 --hide-private
    """
    sys.exit(setup.run(lambda system: _resume(system, setup, debate_id, given), has_worker=True))


async def _run(system: System, setup: Setup, given: dict[str, Any]) -> ExitCode:
    from moot.library import stage

    new = stage(
        _definition(system, given),
        seed=given["seed"],
        model=given["model"],
        judge_model=given["judge_model"],
        with_judge=not given["no_judge"],
    )
    debate_id = await system.service.create(new)
    state = await system.service.state(debate_id)
    return await _watch(system, setup, debate_id, state, given)


async def _resume(system: System, setup: Setup, prefix: str, given: dict[str, Any]) -> ExitCode:
    service = system.service
    debate_id = await service.find(prefix)
    state = await service.state(debate_id)
    if state.status.is_terminal:
        told = f"{debate_id} is {state.status} already; see it with: moot show {debate_id}"
        print(told, file=sys.stderr if given["as_json"] else sys.stdout)
        return ExitCode.COMPLETED
    await _refuse_if_busy(system, debate_id)
    return await _watch(system, setup, debate_id, state, given)


async def _refuse_if_busy(system: System, debate_id: str) -> None:
    """Say so before anything is shown or changed; the lease itself is what really decides."""
    from moot.errors import Busy
    from moot.store.worker_identity import is_gone

    holder = await system.store.holder(debate_id)
    if holder is not None and not is_gone(holder):
        message = (
            f"debate {debate_id} is being run by process {holder.pid}; let it finish or stop it"
        )
        raise Busy(message)


async def _watch(
    system: System, setup: Setup, debate_id: str, state: DebateState, given: dict[str, Any]
) -> ExitCode:
    from moot.cli.session import new_view, run_debate

    view = new_view(
        debate_id,
        state,
        as_json=given["as_json"],
        is_quiet=given["quiet"],
        hides_private=given["hide_private"],
        shows_log=setup.shows_log,
    )
    return await run_debate(system.service, debate_id, view)


def _definition(system: System, given: dict[str, Any]) -> Definition:
    import msgspec

    from moot.definitions import debates

    what = given["debate"]
    settings = _settings(given)
    if not debates.is_name(what):
        return debates.from_topic(what, format=given["format_"] or "duel", settings=settings)
    found = debates.load(what, system.settings.personas_path)
    return msgspec.structs.replace(
        found,
        format=given["format_"] or found.format,
        settings={**found.settings, **settings},
    )


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    named = {key: given[key] for key in ("premise", "turns") if given[key] is not None}
    return {**_pairs(given["pairs"]), **named}


def _pairs(pairs: Sequence[str]) -> dict[str, Any]:
    """`key=value`, the value read as YAML reads a bare word: number, true, false, or text."""
    from moot.definitions.scalars import resolve
    from moot.errors import InvalidInput

    settings: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            message = f"{pair!r} is not KEY=VALUE"
            raise InvalidInput(message, field="--set")
        try:
            settings[key] = resolve(value, is_plain=True)
        except ValueError as error:
            raise InvalidInput(str(error), field=f"--set {key}") from None
    return settings
