"""`moot judge`: a bench of judges is asked about a debate that is over."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import click

from moot.cli import complete
from moot.cli.exit_codes import ExitCode
from moot.cli.options import debate_id as by_id, planning, saving, viewing
from moot.cli.setup import Setup, pass_setup
from moot.cli.telling import say

if TYPE_CHECKING:
    from moot.engine.creation import NewDebate
    from moot.engine.forecast import Forecast
    from moot.protocol.values import Config
    from moot.wiring import System

ADAPTIVE = "adaptive"


class Repeats(click.ParamType[int]):
    """`adaptive`, which becomes 0, or a number."""

    name = "repeats"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        if str(value).strip().casefold() == ADAPTIVE:
            return 0
        number = click.IntRange(1, 5).convert(value, param, ctx)
        return int(number)


@click.command()
@by_id
@click.option(
    "--bench",
    metavar="JUDGES",
    default="",
    help="The judges, with commas: models as PROVIDER:NAME, personas, `human`, or one team. "
    "By default, up to three models that are ready here and took no part.",
    shell_complete=complete.models,
)
@click.option(
    "--orders",
    type=click.Choice(["both", "one"]),
    default="both",
    help="Whether judges vote in both orders of the names. One order certifies nothing.",
)
@click.option(
    "--repeats",
    type=Repeats(),
    default=ADAPTIVE,
    metavar="adaptive|N",
    help="How often each judge votes in each order: once, and twice more if the bench is nearly "
    "of one mind (adaptive), or 1 to 5 times.",
)
@click.option(
    "--max-cost", type=click.FloatRange(min=0), metavar="USD", help="Spend at most this much."
)
@click.option("--allow-own", is_flag=True, help="Let a model judge a debate in which it spoke.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask before spending.")
@viewing
@saving
@planning
@pass_setup
def judge(setup: Setup, /, debate_id: str, **given: Any) -> None:
    """Ask a bench of judges about a finished debate.

    Would another judge say the same, or the same judge with the names exchanged? Every judge reads
    what was said under neutral names, in both orders, and the ballots are tested against chance.
    The result says whether the bench agrees more than chance explains, never that it is right. The
    hearing is a debate of its own: it can be stopped, resumed and exported, and the debate it is
    about does not change. People can be judges, too.

    \b
    Examples:
      moot judge k3f2
      moot judge k3f2 --bench openai:gpt-6-luna,anthropic:claude-haiku-5-5,deepseek:deepseek-flash
      moot judge k3f2 --bench openai:gpt-6-luna --repeats 4
      moot judge k3f2 --bench human,openai:gpt-6-luna,ollama:qwen3
      moot judge k3f2 --dry-run
    """
    from moot.cli.run import check_given

    check_given(given)
    is_run = not given["dry_run"]
    sys.exit(setup.run(lambda system: _judge(system, setup, debate_id, given), has_worker=is_run))


async def _judge(system: System, setup: Setup, prefix: str, given: dict[str, Any]) -> ExitCode:
    from moot.cli.run import forecast_or_held

    new = await _staged(system, prefix, given)
    if not given["dry_run"] and not await _is_wanted(system, new, given):
        say("Nothing was asked.")
        return ExitCode.COMPLETED
    code = await forecast_or_held(system, setup, new, given)
    if code is ExitCode.COMPLETED and not given["dry_run"] and not given["as_json"]:
        await _tell_right(system, prefix)
    return code


async def _tell_right(system: System, prefix: str) -> None:
    from moot.cli.view.outcome import print_right

    told = await system.service.certificate(await system.service.find(prefix))
    if told is not None:
        print_right(await system.service.judges.right(told))


async def _staged(system: System, prefix: str, given: dict[str, Any]) -> NewDebate:
    from moot.cli.staging import sources
    from moot.staging import HearingRequest, hearing

    source = await system.service.find(prefix)
    state = await system.service.state(source)
    settings = {key: given[key] for key in ("orders", "repeats", "allow_own")}
    if given["max_cost"] is not None:
        settings["max_cost_usd"] = given["max_cost"]
    wanted = HearingRequest(bench=tuple(given["bench"].split(",")), settings=settings)
    return await asyncio.to_thread(hearing, state, source, wanted, sources(system))


async def _is_wanted(system: System, new: NewDebate, given: dict[str, Any]) -> bool:
    """Whether to go on: says what the hearing takes, and asks only at a terminal."""
    from moot.engine.forecast import forecast, price_of

    config = await system.service.plan(new)
    if given["as_json"] or given["quiet"]:
        return True
    models = system.models
    found = await asyncio.to_thread(forecast, config, models, price_of(models))
    for warning in found.warnings:
        say(warning)
    say(_told(config, found))
    if given["yes"] or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    return click.confirm("Go on?", default=True)


def _told(config: Config, found: Forecast) -> str:
    """`6 ballots now, 12 more only if ...; at most $0.04.`"""
    from moot.protocol.answer_words import plural
    from moot.protocol.formats.hearing import first_calls

    first = first_calls(config)
    more = found.calls - first
    later = f", {more} more only if the bench is nearly but not quite of one mind" if more else ""
    cost = found.cost_usd
    money = (
        f"the price of {', '.join(found.unpriced)} is unknown"
        if cost is None
        else f"at most about ${cost.high:.2f}"
    )
    return (
        f"{plural(first, 'ballot')} now{later}; {money}. A ballot that cannot be read is asked for "
        "again, up to twice."
    )
