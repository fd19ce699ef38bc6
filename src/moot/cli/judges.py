"""`moot judge`, `moot label` and `moot judges`: what a bench of judges says about a debate that is
over, what you say about who really made the better case, and what is known of the judges
themselves, from their ballots and from exams.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from moot.cli import complete
from moot.cli.complete import Suggesting
from moot.cli.exit_codes import ExitCode
from moot.cli.options import Setup, debate_id as by_id, pass_setup, planning, saving, viewing
from moot.cli.telling import say

if TYPE_CHECKING:
    from moot.engine.creation import NewDebate
    from moot.engine.forecast import Forecast
    from moot.engine.hearings import Examined
    from moot.protocol.hearing.audit import JudgeAudit
    from moot.protocol.values import Config
    from moot.store.port import Label
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
    import asyncio

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
    import asyncio

    from moot.engine.forecast import forecast, price_of

    config = await system.service.plan(new)
    if given["as_json"] or given["quiet"]:
        return True
    models = system.models
    found = await asyncio.to_thread(forecast, config, models, price_of(models))
    for warning in found.warnings:
        say(warning)
    say(_calls_told(config, found))
    if given["yes"] or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    return click.confirm("Go on?", default=True)


def _calls_told(config: Config, found: Forecast) -> str:
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


@click.command()
@by_id
@click.argument("winner", required=False, metavar="[WINNER]")
@click.option("--by", metavar="NAME", default="user", help="Who says so, if that is not you.")
@click.option("--note", metavar="TEXT", default="", help="Why, for yourself; models never see it.")
@click.option("--remove", is_flag=True, help="Take the label back.")
@click.option("--json", "as_json", is_flag=True, help="Print one label per line as JSON.")
@pass_setup
def label(setup: Setup, /, debate_id: str, winner: str | None, **given: Any) -> None:
    """Say who really made the better case in a debate.

    WINNER is the name of a side, `pro`, `con`, or `tie`. Labels tell whether judges are right: once
    20 debates that the same bench has heard are labelled, certificates say how often it agrees
    with you. A label is kept beside the debate, and labelling again replaces it. Without a WINNER,
    it shows the labels or, if there are none yet, whom you can name.

    \b
    Examples:
      moot label k3f2 Ada
      moot label k3f2 tie --note "Both missed the point about costs."
      moot label k3f2
      moot label k3f2 --remove
    """
    from moot.errors import InvalidInput

    if winner is not None and given["remove"]:
        raise InvalidInput("cannot be given together with a winner", field="--remove")
    labels, names, possible = setup.run(lambda system: _labelled(system, debate_id, winner, given))
    if given["as_json"]:
        from moot.cli.view.json_lines import as_line, whole

        for one in labels:
            click.echo(as_line(whole(one)))
        return
    for one in labels:
        say(_label_told(one, names))
    if not labels:
        say(f"Nobody has labelled this debate. You can name {possible}.")


async def _labelled(
    system: System, prefix: str, winner: str | None, given: dict[str, Any]
) -> tuple[tuple[Label, ...], dict[str, str], str]:
    """The labels afterwards, what the sides are called, and who can be named."""
    from moot.engine.beside_the_log import possible
    from moot.errors import NotFound

    service = system.service
    found = await service.find(prefix)
    if winner is not None:
        await service.labels.give(found, winner, by=given["by"], note=given["note"])
    if given["remove"] and not await service.labels.take_back(found, by=given["by"]):
        message = f"{given['by']} has not labelled debate {found}"
        raise NotFound(message)
    names = {side.id: side.name for side in await service.labels.sides(found)}
    return await service.labels.of(found), names, possible(await service.state(found))


def _label_told(one: Label, names: dict[str, str]) -> str:
    winner = names.get(one.winner, "A tie")
    note = f": {one.note}" if one.note else ""
    return f"{winner}, says {one.by}{note}"


@click.group(cls=Suggesting, invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print one judge per line as JSON.")
@click.pass_context
def judges(ctx: click.Context, as_json: bool) -> None:
    """Show what is known of judges from their ballots.

    Every figure comes with a 95 % interval and the number of debates behind it, or says that there
    are too few. These debates were not held to test judges: a figure says what a judge's votes go
    along with, not why. `moot judge ID` adds ballots, and `moot label ID` says who was right.

    \b
    Examples:
      moot judges
      moot judges --json
      moot judges exam openai:gpt-6-luna
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(_listed, as_json=as_json)


@click.command()
@click.option("--json", "as_json", is_flag=True)
@pass_setup
def _listed(setup: Setup, /, as_json: bool) -> None:
    from moot.cli.view.json_lines import as_line, whole

    found, exams = setup.run(_known)
    if as_json:
        for one in found:
            click.echo(as_line(whole(one)))
        for examined in exams.values():
            click.echo(as_line(whole(examined)))
        return
    if not found and not exams:
        click.echo(
            "No judge has cast a ballot yet; ask a bench with: moot judge ID, or examine a judge "
            "with: moot judges exam MODEL"
        )
        return
    for one in found:
        _print(one)
    for examined in exams.values():
        _print_exam(examined)


async def _known(system: System) -> tuple[tuple[JudgeAudit, ...], dict[str, Examined]]:
    judges_ = system.service.judges
    return await judges_.audits(), await judges_.exams()


def _print_exam(examined: Examined) -> None:
    from moot.cli.telling import say
    from moot.protocol.judge_words import EXAM, exam_figures, told

    report = examined.report
    say(f"{report.model}: exam {examined.id[:8]}, {report.exam.pairs} pairs")
    widest = max(len(word.label) for word in EXAM.values())
    for name, figure in exam_figures(report.exam).items():
        say(f"  {EXAM[name].label:<{widest}}  {told(figure, EXAM[name].unit)}")
    say()


@judges.command("exam")
@click.argument("model", metavar="PROVIDER:NAME", shell_complete=complete.models)
@click.option(
    "--max-cost", type=click.FloatRange(min=0), metavar="USD", help="Spend at most this much."
)
@viewing
@saving
@planning
@pass_setup
def exam(setup: Setup, /, model: str, **given: Any) -> None:
    """Examine a judge before you trust it.

    The model is asked about 40 short debates in which the answer is known, each in both orders of
    the names: 80 calls. In some, both sides say the same; in others, one side says the same in
    twice the words; in others still, one side invents a quotation or draws a false conclusion. The
    exam is a debate of its own: it can be stopped, resumed and exported.

    \b
    Examples:
      moot judges exam openai:gpt-6-luna
      moot judges exam ollama:qwen3 --dry-run
      moot judges exam deepseek:deepseek-flash --quiet --max-cost 0.10
    """
    from moot.cli.run import check_given

    check_given(given)
    is_run = not given["dry_run"]
    sys.exit(setup.run(lambda system: _exam(system, setup, model, given), has_worker=is_run))


async def _exam(system: System, setup: Setup, model: str, given: dict[str, Any]) -> ExitCode:
    import asyncio

    from moot.cli.run import forecast_or_held
    from moot.staging import exam as staged

    settings = {} if given["max_cost"] is None else {"max_cost_usd": given["max_cost"]}
    new = await asyncio.to_thread(staged, model, settings)
    return await forecast_or_held(system, setup, new, given)


def _print(one: JudgeAudit) -> None:
    from moot.cli.telling import say
    from moot.protocol.answer_words import plural
    from moot.protocol.judge_words import AUDIT, audit_figures, told

    say(f"{one.judge}: {plural(one.calls, 'ballot')} on {plural(one.debates, 'debate')}")
    widest = max(len(word.label) for word in AUDIT.values())
    for name, figure in audit_figures(one).items():
        word = AUDIT[name]
        say(f"  {word.label:<{widest}}  {told(figure, word.unit)}")
    say()
