"""`moot judges`: what is known of judges from their ballots, and exams for judges."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import click

from moot.cli import complete
from moot.cli.exit_codes import ExitCode
from moot.cli.options import planning, saving, viewing
from moot.cli.setup import Setup, pass_setup
from moot.cli.suggesting import Suggesting

if TYPE_CHECKING:
    from moot.engine.hearings import Examined
    from moot.protocol.hearing.audit import JudgeAudit
    from moot.wiring import System


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
