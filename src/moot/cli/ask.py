"""`moot ask`: a question for a panel, and nothing but the answer on standard output.

Progress and everything else goes to standard error, so that the answer can be piped on.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moot.cli import complete
from moot.cli.exit_codes import ExitCode
from moot.cli.options import Setup, modelling, pass_setup, planning, wishing
from moot.cli.output import check_place, document, to_stdout, write

if TYPE_CHECKING:
    from moot.definitions.values import Panel
    from moot.staging.panels import Question
    from moot.wiring import System

STANDARD = "-"
"""Standard input in place of a question, standard output in place of a file."""


@click.command()
@click.argument("panel", metavar="PANEL", shell_complete=complete.askable)
@click.argument("question", metavar="QUESTION")
@modelling
@wishing
@click.option("--seed", type=int, help="Draw the same personas and order as an earlier debate.")
@click.option(
    "--after",
    metavar="ID",
    shell_complete=complete.ids,
    help="Follow up on an earlier debate: everyone may read its question and answer.",
)
@click.option(
    "--attach",
    multiple=True,
    metavar="FILE",
    help="A text file that everyone may read; can be repeated.",
)
@click.option(
    "--context", metavar="DIR", help="A directory of files to attach, with everything below it."
)
@click.option(
    "--answer",
    "answers",
    multiple=True,
    metavar="TEXT",
    help="Something a council should know from the start; can be repeated.",
)
@click.option(
    "--set",
    "pairs",
    multiple=True,
    metavar="KEY=VALUE",
    help="A setting; can be repeated. A list is written with commas, or as a JSON list.",
)
@click.option(
    "-o", "--output", metavar="FILE", help="Write the answer to a file instead of standard output."
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as one JSON object.")
@click.option("--quiet", "-q", is_flag=True, help="Do not report progress.")
@planning
@pass_setup
def ask(setup: Setup, /, **given: Any) -> None:
    """Ask a panel a question and print its answer.

    A panel is one of `moot panels`, a format (rounds, custom and so on), a team (see `moot teams`),
    the file of a panel, or a debate file, whose topic your question replaces. Names are looked up
    in this order. If the question is `-`, it is read from standard input.

    Only the answer goes to standard output. The debate behind it is kept like any other: look at
    it with `moot show`. If it is interrupted, `moot resume` continues it, and then
    `moot export ID --as answer` prints the answer.

    \b
    Examples:
      moot ask council "Postgres or SQLite for a desktop app?"
      moot ask red-team "Should we move to a monorepo?" --after k3f
      moot ask design "How should we cut over?" --attach plan.md -o answer.md
      moot ask my-panel.yaml - < question.txt
      moot ask duel "Tabs or spaces?" --set turns=2 --json
      moot ask council "Which database?" --dry-run
    """
    if given["output"] not in (None, STANDARD):
        check_place(given["output"])
    sys.exit(setup.run(lambda system: _ask(system, given), has_worker=not given["dry_run"]))


async def _ask(system: System, given: dict[str, Any]) -> ExitCode:
    from moot.asking import staged
    from moot.cli.foreground import run_debate
    from moot.cli.models import mention_toy
    from moot.cli.staging import created, sources, tell_forecast
    from moot.cli.view.views import ProgressView
    from moot.library import panels

    settings = system.settings
    panel = panels.find(given["panel"], settings.panels_path, settings.personas_path)
    after = await system.service.find(given["after"]) if given["after"] else ""
    new = await staged(_question(panel, given, after), system.service, sources(system))
    if given["dry_run"]:
        await tell_forecast(system, new, as_json=given["as_json"])
        return ExitCode.COMPLETED
    debate_id = await created(system, new)
    state = await system.service.state(debate_id)
    if not given["quiet"]:
        await mention_toy(system.models, (one.model for one in state.config.participants))
    view = ProgressView(debate_id, state, is_quiet=given["quiet"])
    grace_s = system.settings.grace_seconds
    code = await run_debate(system.service, debate_id, view, grace_s=grace_s)
    if code is ExitCode.COMPLETED:
        _give(await _answer(system, debate_id, panel, given), given["output"])
    return code


def _question(panel: Panel, given: dict[str, Any], after: str) -> Question:
    from moot.cli.staging import models_of, read_pairs, wishes
    from moot.errors import InvalidInput
    from moot.protocol.registry import FORMATS
    from moot.staging.panels import Question

    text = given["question"]
    settings = read_pairs(given["pairs"])
    if given["answers"]:
        if "answers" not in FORMATS[panel.format].settings.__struct_fields__:
            message = f"has no effect on a {panel.format}, which asks no questions"
            raise InvalidInput(message, field="--answer")
        settings["answers"] = list(given["answers"])
    here = Path.cwd()
    return Question(
        panel=panel,
        text=sys.stdin.read() if text == STANDARD else text,
        settings=settings,
        models=models_of(given),
        wishes=tuple(wishes(given)),
        attach=tuple(str(here / path) for path in given["attach"]),
        context_directory=str(here / given["context"]) if given["context"] else "",
        follows=after,
        seed=given["seed"],
    )


async def _answer(system: System, debate_id: str, panel: Panel, given: dict[str, Any]) -> str:
    from moot.cli.view.json_lines import as_line, whole

    text = await document(system, debate_id, panel.export)
    if not given["as_json"]:
        return text
    state = await system.service.state(debate_id)
    answer = {
        "debate_id": debate_id,
        "text": text.rstrip("\n"),
        "outcome": whole(state.outcome),
        "cost_usd": state.usage.cost_usd,
    }
    return f"{as_line(answer)}\n"


def _give(answer: str, output: str | None) -> None:
    if output in (None, STANDARD):
        to_stdout(answer)
    else:
        write(output, answer)
