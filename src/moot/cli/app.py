"""The command `moot`: its commands by name, loaded when they are used, and how errors are reported.

Nothing heavy may be imported here: `moot --help` answers in 0.2 s. An error names the field of a
request, as programs and HTTP know it; at the command line people know it as an option.
"""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import click

from moot.cli.complete import Suggesting
from moot.cli.exit_codes import MEANINGS, ExitCode, code_of
from moot.cli.logs import is_debugging
from moot.cli.options import Setup, discard_output
from moot.cli.telling import SPELLED_OUT, spelled_out, tell
from moot.errors import InvalidInput, MootError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

SECTIONS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Hold a debate": {
        "run": ("moot.cli.run:run", "Hold a debate and watch it."),
        "ask": ("moot.cli.ask:ask", "Ask a panel a question and print its answer."),
        "room": ("moot.cli.room:room", "Open a room: several models and you."),
        "resume": ("moot.cli.run:resume", "Continue a debate from where it stopped."),
        "rematch": ("moot.cli.run:rematch", "Hold a debate again, with sides swapped if you like."),
        "fork": ("moot.cli.debates:fork", "Begin a new debate from a point in another one."),
        "create": ("moot.cli.lifecycle:create", "Create a debate without running it."),
        "start": ("moot.cli.lifecycle:start", "Start a debate that was created."),
    },
    "Take part": {
        "answer": ("moot.cli.people:answer", "Answer a question that a debate asks you."),
        "say": ("moot.cli.people:say", "Say something in a debate."),
        "reveal": ("moot.cli.people:reveal", "See what is hidden from you while you take part."),
    },
    "Steer a debate": {
        "stop": ("moot.cli.lifecycle:stop", "Stop a debate after the step in flight."),
        "end": ("moot.cli.lifecycle:end", "End a debate early, with its verdict or summary."),
        "retry": ("moot.cli.lifecycle:retry", "Try a failed debate again."),
        "cancel": ("moot.cli.lifecycle:cancel", "Cancel a debate for good, without a verdict."),
        "rename": ("moot.cli.debates:rename", "Give a debate a title."),
        "delete": ("moot.cli.debates:delete", "Delete a debate and everything said in it."),
    },
    "Look at debates": {
        "list": ("moot.cli.debates:list_", "List your debates, newest first."),
        "search": ("moot.cli.search:search", "Search the texts of all debates."),
        "show": ("moot.cli.debates:show", "Show the transcript of a debate."),
        "judge": ("moot.cli.judges:judge", "Ask a bench of judges about a finished debate."),
        "label": ("moot.cli.judges:label", "Say who really made the better case in a debate."),
        "watch": ("moot.cli.run:watch", "Show a debate and follow it until it is over."),
        "export": ("moot.cli.debates:export", "Write a debate to a file."),
        "import": ("moot.cli.imports:import_", "Import a debate that was held elsewhere."),
        "link": ("moot.cli.link:link", "Make a read-only link to a debate, or show its link."),
    },
    "What there is to choose from": {
        "debates": ("moot.cli.debates:debates", "List the debates that come with moot."),
        "samples": ("moot.cli.imports:samples", "List the finished debates that come with moot."),
        "formats": ("moot.cli.formats:formats", "List the formats a debate can have."),
        "panels": ("moot.cli.panels:panels", "List the panels you can ask."),
        "judges": ("moot.cli.judges:judges", "Show what is known of judges from their ballots."),
        "personas": ("moot.cli.personas:personas", "List the personas you can use by name."),
        "teams": ("moot.cli.personas:teams", "List the teams for councils and rooms."),
        "models": ("moot.cli.models:models", "List the models you can use, and what others need."),
    },
    "Set up and serve": {
        "keys": ("moot.cli.keys:keys", "List your API keys, or keep one in the keyring."),
        "doctor": ("moot.cli.doctor:doctor", "Check your setup, or why a debate is not moving."),
        "completion": ("moot.cli.completion:completion", "Print a script for completion with Tab."),
        "serve": ("moot.cli.serve:serve", "Serve the web page and the HTTP API, and run debates."),
        "mcp": ("moot.cli.mcp:mcp", "Serve MCP on standard input and output."),
        "worker": ("moot.cli.serve:worker", "Run the debates of a Postgres database."),
    },
}
"""Where each command is, and its summary, which a test compares with the command's own."""

COMMANDS: Mapping[str, tuple[str, str]] = {
    name: row for section in SECTIONS.values() for name, row in section.items()
}
COMPLETE = "_MOOT_COMPLETE"
"""The environment variable that the scripts of `moot completion` set."""

OPTIONS: Mapping[str, str] = {
    "judge_model": "--judge-model",
    "with_judge": "--no-judge",
    "team": "--team",
    "at": "--at",
    "as": "--as",
    "changes.settings": "--set",
    "settings.turns": "--turns",
    "settings.premise": "--premise",
}

PREFIXES: Mapping[str, str] = {
    "changes.models.": "--member-model ",
    "changes.settings.": "--set ",
    "settings.": "--set ",
}
"""For fields that end in a name, of a participant or a setting: the option that takes it."""


class LazyGroup(Suggesting):
    """Imports a command when it is called, and lists commands without importing any."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        found = [
            CompletionItem(name, help=summary)
            for name, (_, summary) in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        widest = max(map(len, COMMANDS))
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                rows = [(f"{name:<{widest}}", text) for name, (_, text) in commands.items()]
                formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(int(code)), text) for code, text in MEANINGS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Whoever reads the output may leave early, as `head` does: that is no error."""
        try:
            try:
                return super().invoke(ctx)
            finally:
                sys.stdout.flush()
        except BrokenPipeError:
            discard_output()
            ctx.exit(ExitCode.UNREAD)

    def main(  # type: ignore[override]  # click's has overloads for standalone_mode, always off here
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run the command line and exit. Nothing but SystemExit ever comes out of here."""
        extra["standalone_mode"] = False
        setup: Setup = extra.get("obj") or Setup()
        extra["obj"] = setup
        try:
            code = super().main(args, prog_name or "moot", **extra)
        except click.ClickException as error:
            error.show()
            code = error.exit_code
        except (click.Abort, KeyboardInterrupt):
            message = "interrupted" if setup.has_begun else "interrupted; nothing was started"
            code = _told(message, ExitCode.INTERRUPTED)
        except MootError as error:
            notes = getattr(error, "__notes__", ())
            told = by_option(error) if isinstance(error, InvalidInput) else error
            code = _told("\n".join([str(told), *notes]), code_of(error))
        except Exception as error:  # noqa: BLE001 - a user is told in a line, not by a traceback
            reason = f"unexpected error: {type(error).__name__}: {error}"
            message = f"{reason}\nThis is a bug in moot. Set MOOT_DEBUG=1 to see the traceback."
            code = _told(message, ExitCode.UNEXPECTED)
        sys.exit(code if isinstance(code, int) else 0)


def _told(message: str, code: ExitCode) -> ExitCode:
    from moot.models.cleaning import clean_text

    if is_debugging():
        import traceback

        traceback.print_exc()
    # It may quote a file or a model's words: nothing in it may control the terminal.
    tell(clean_text(message))
    return code


def _print_version(ctx: click.Context, _param: click.Parameter, is_given: bool) -> None:
    if is_given:
        from importlib.metadata import version

        click.echo(f"moot {version('moot')}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--home",
    metavar="DIR",
    type=click.Path(),
    help="Where the database and your personas are kept, instead of MOOT_HOME.",
)
@click.option("-v", "--verbose", is_flag=True, help="Print log lines to standard error.")
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and exit.",
)
@click.pass_context
def cli(ctx: click.Context, home: str | None, verbose: bool) -> None:
    """Durable debates between language models.

    Moot records every word as it is said, so a debate can continue after any interruption.

    \b
    Examples:
      moot run remote-work
      moot run "Should cities be car-free?" --turns 4 -o verdict.html
      moot run remote-work --dry-run
      moot resume k3f
      moot show k3f --private
    """
    setup = ctx.ensure_object(Setup)
    setup.home = home or setup.home
    setup.is_verbose = verbose


def main() -> NoReturn:
    codecs.register_error(SPELLED_OUT, spelled_out)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A character the terminal's encoding lacks must not end a debate.
            stream.reconfigure(errors=SPELLED_OUT)
    if COMPLETE in os.environ:
        from moot.cli.completion import answer

        answer(cli, os.environ[COMPLETE])
        sys.exit(0)
    cli.main(obj=Setup(is_process=True))


def by_option(error: InvalidInput) -> InvalidInput:
    """The same error with the option in place of the field. A field of a file keeps its name."""
    return InvalidInput(
        error.message,
        field=_named(error),
        source=error.source,
        line=error.line,
        others=tuple(by_option(one) for one in error.others),
    )


def _named(error: InvalidInput) -> str | None:
    field = error.field or ""
    if error.source:
        return error.field
    named = OPTIONS.get(field) or next(
        (to + field.removeprefix(part) for part, to in PREFIXES.items() if field.startswith(part)),
        "",
    )
    return named or error.field
