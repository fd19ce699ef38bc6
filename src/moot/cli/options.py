"""Options: those of `moot` itself, and how a command opens the system with them; and options that
several commands have.
"""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from moot.cli import complete
from moot.cli.logs import is_debugging, set_up_logs

if TYPE_CHECKING:
    from moot.models.port import Models
    from moot.settings import MootSettings
    from moot.wiring import System

T = TypeVar("T")

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


@dataclass
class Setup:
    """What the options of `moot` say; in tests, `models` replaces the real ones.

    `is_process`: whether the process ends with the command, so that signals may stay ignored.
    """

    home: str | None = None
    is_verbose: bool = False
    models: Models | None = None
    is_process: bool = False
    has_begun: bool = False
    """Whether the command got as far as doing anything."""

    @property
    def shows_log(self) -> bool:
        """Whether log lines go to stderr, in which case nothing on the screen may be redrawn."""
        return self.is_verbose or bool(os.environ.get("MOOT_LOG_LEVEL")) or is_debugging()

    def settings(self) -> MootSettings:
        from moot.settings import load_settings

        return load_settings(home=self.home, log_level="INFO" if self.is_verbose else None)

    @asynccontextmanager
    async def open(self, *, has_worker: bool = False) -> AsyncIterator[System]:
        """The system, open. Commands that only read need no worker."""
        from moot.wiring import open_system

        settings = self.settings()
        set_up_logs(is_shown=self.shows_log)
        async with open_system(settings, models=self.models, has_worker=has_worker) as system:
            yield system

    def run(
        self, work: Callable[[System], Coroutine[Any, Any, T]], *, has_worker: bool = False
    ) -> T:
        """What `work` returns when it is given the open system."""
        from moot.engine.loops import run

        async def opened() -> T:
            async with self.open(has_worker=has_worker) as system:
                self.has_begun = True
                return await work(system)

        with nullcontext() if self.is_process else _interrupts_restored():
            return run(opened())


@contextmanager
def _interrupts_restored() -> Iterator[None]:
    """Restores the handling of Ctrl-C, for programs that go on after the command, such as tests."""
    import signal

    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        with suppress(ValueError):  # not the main thread
            signal.signal(signal.SIGINT, before)


def discard_output() -> None:
    """Discard standard output, because its reader has gone: what is still buffered must not cause
    an error when the process ends."""
    with suppress(OSError, ValueError):  # not a file, as in tests
        nothing = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nothing, sys.stdout.fileno())
        finally:
            os.close(nothing)


pass_setup = click.make_pass_decorator(Setup, ensure=True)


def together(*decorators: Decorator) -> Decorator:
    """One decorator for all of these, in the order in which the help lists their options."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


wishing = together(
    click.option(
        "--effort",
        "efforts",
        multiple=True,
        metavar="[WHO=]LEVEL",
        help="How long models think first: none, minimal, low, medium or high. "
        "WHO is a role or a participant; can be repeated.",
        shell_complete=complete.efforts,
    ),
    click.option(
        "--temperature",
        "temperatures",
        multiple=True,
        metavar="[WHO=]NUMBER",
        help="How freely models choose their words, from 0 to 2; can be repeated.",
    ),
    click.option(
        "--top-p",
        "top_ps",
        multiple=True,
        metavar="[WHO=]NUMBER",
        help="The share of likely words to choose from, up to 1; can be repeated.",
    ),
    click.option(
        "--sampling-seed",
        "sampling_seeds",
        multiple=True,
        metavar="[WHO=]NUMBER",
        help="A seed for models that can repeat their answers; can be repeated.",
    ),
)
"""Wishes for models, such as how long they think first; read by `staging.wishes`."""

debate_id = click.argument("debate_id", metavar="ID", shell_complete=complete.ids)
"""A debate, by its id or the beginning of it."""

modelling_some = together(
    click.option(
        "--judge-model",
        metavar="PROVIDER:NAME",
        help="A different model for the judge or moderator.",
        shell_complete=complete.models,
    ),
    click.option(
        "--member-model",
        "member_models",
        multiple=True,
        metavar="WHO=PROVIDER:NAME",
        help="A different model for one participant, given by name or role; `human` is you. "
        "Can be repeated.",
        shell_complete=complete.member_models,
    ),
)
"""Models for some of those who take part; read by `staging.models_of`."""

modelling = together(
    click.option(
        "--model",
        metavar="PROVIDER:NAME",
        help="The model for every participant who is not a person.",
        shell_complete=complete.models,
    ),
    modelling_some,
)
"""Which models take part; read by `staging.models_of`."""

of_format = click.option(
    "--format",
    "format_",
    metavar="NAME",
    help="Only debates of this format.",
    shell_complete=complete.formats,
)

setting = click.option(
    "--set",
    "pairs",
    multiple=True,
    metavar="KEY=VALUE",
    help="Any other setting; can be repeated. `moot formats show NAME` lists them. "
    "A list is written with commas, or as a JSON list.",
)

staging = together(
    click.argument("debate", metavar="FILE|NAME|TOPIC", shell_complete=complete.debates),
    click.option(
        "--format",
        "format_",
        metavar="NAME",
        help="The format; see `moot formats`.",
        shell_complete=complete.formats,
    ),
    click.option("--premise", help="A claim that one side defends and the other attacks."),
    click.option("--turns", type=int, help="How many statements in total, both sides together."),
    modelling,
    wishing,
    click.option(
        "--team",
        metavar="NAME",
        help="The team for a council or room; see `moot teams`.",
        shell_complete=complete.teams,
    ),
    click.option(
        "--me",
        "me",
        multiple=True,
        metavar="NAME",
        help="Take part yourself: your own name, or the role or participant you take over.",
    ),
    click.option(
        "--as",
        "seat",
        metavar="SEAT",
        help="Where you sit, with --me: debater, pro, con, judge, moderator, member, or a name.",
        shell_complete=complete.seats,
    ),
    click.option("--seed", type=int, help="Draw the same personas and order as an earlier debate."),
    click.option(
        "--strict-budget",
        is_flag=True,
        help="Refuse to begin if a model's price is unknown: max_cost_usd could not hold then.",
    ),
    click.option("--no-judge", is_flag=True, help="Hold the debate without a judge."),
    click.option(
        "--attach",
        multiple=True,
        metavar="FILE",
        help="A text file that everyone can read; can be repeated.",
        type=click.Path(),
    ),
    click.option(
        "--context",
        metavar="DIR",
        help="A directory of files to attach, with everything below it.",
        type=click.Path(),
    ),
    click.option(
        "--allow-secret-files",
        is_flag=True,
        help="Attach files such as .env or id_rsa too; they are refused otherwise.",
    ),
    click.option(
        "--answer",
        "answers",
        multiple=True,
        metavar="TEXT",
        help="Something a council should know from the start: a fact, or a question with its "
        "answer; can be repeated.",
    ),
    setting,
)
"""What is to be debated, and how; read by `staging.new_debate`."""

viewing = together(
    click.option("--json", "as_json", is_flag=True, help="Print one event per line as JSON."),
    click.option("--quiet", "-q", is_flag=True, help="Print only the result."),
    click.option("--hide-private", is_flag=True, help="Leave out plans, thoughts and evaluations."),
)
"""What is shown of a debate while it is held."""

saving = click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(),
    help="Also write the debate to this file once it is over, replacing what is there. The ending "
    "chooses the format: .md, .html, .json, .csv, .jsonl, .answer.md, .report.md or "
    ".decision-record.md.",
)
"""Where the debate is written to; obeyed by `output.save`."""

planning = click.option(
    "--dry-run",
    is_flag=True,
    help="Print who would take part and the most it would cost, and create nothing. "
    "With --json, as JSON.",
)
"""Asks what a debate would take; obeyed by `staging.tell_forecast`."""

summarizing = click.option(
    "--json", "as_json", is_flag=True, help="Print a summary of the debate as JSON."
)
