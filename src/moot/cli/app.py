"""The command `moot`: its commands by name, loaded when they are used, and how errors are told.

Nothing heavy may be imported here: `moot --help` answers in 0.2 s.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from moot.cli.exit_codes import MEANINGS, ExitCode, code_of
from moot.cli.logs import is_debugging
from moot.cli.naming import by_option
from moot.cli.setup import Setup, discard_output
from moot.errors import InvalidInput, MootError

COMMANDS: Mapping[str, tuple[str, str]] = {
    "run": ("moot.cli.run:run", "Stage a debate and watch it."),
    "ask": ("moot.cli.ask:ask", "Ask a panel a question and print its answer."),
    "room": ("moot.cli.room:room", "Open a room: several models and you."),
    "rematch": ("moot.cli.run:rematch", "Hold a debate once more, with sides swapped if you like."),
    "resume": ("moot.cli.run:resume", "Go on with a debate from wherever it stands."),
    "create": ("moot.cli.lifecycle:create", "Create a debate without running it."),
    "start": ("moot.cli.lifecycle:start", "Start a debate that was created."),
    "watch": ("moot.cli.run:watch", "Show a debate and follow it until it is over."),
    "answer": ("moot.cli.people:answer", "Answer a question that a debate asks you."),
    "reveal": (
        "moot.cli.people:reveal",
        "Play with open cards: show what your chair may not know.",
    ),
    "say": ("moot.cli.people:say", "Say something in a debate."),
    "stop": ("moot.cli.lifecycle:stop", "Stop a debate after the step in flight."),
    "end": ("moot.cli.lifecycle:end", "Bring a debate to its close."),
    "cancel": ("moot.cli.lifecycle:cancel", "Call a debate off for good, without a verdict."),
    "retry": ("moot.cli.lifecycle:retry", "Try a failed debate again."),
    "rename": ("moot.cli.debates:rename", "Give a debate a title."),
    "fork": ("moot.cli.debates:fork", "Begin a new debate with what was said in another."),
    "delete": ("moot.cli.debates:delete", "Remove a debate and everything that was said in it."),
    "serve": ("moot.cli.serve:serve", "Serve the web page and the HTTP API, and run debates."),
    "worker": ("moot.cli.worker:worker", "Run the debates of a Postgres database."),
    "list": ("moot.cli.debates:list_", "List the debates there are, newest first."),
    "search": ("moot.cli.search:search", "Search the texts of all debates."),
    "show": ("moot.cli.debates:show", "Show the transcript of a debate."),
    "export": ("moot.cli.debates:export", "Write the transcript of a debate to a file."),
    "import": ("moot.cli.imports:import_", "Take in a debate that was held elsewhere."),
    "samples": ("moot.cli.imports:samples", "List the finished debates that come with moot."),
    "link": ("moot.cli.link:link", "Make a read-only link to a debate, or show the one it has."),
    "debates": ("moot.cli.debates:debates", "List the debates that come with moot."),
    "formats": ("moot.cli.formats:formats", "List the formats a debate can have."),
    "personas": ("moot.cli.personas:personas", "List the personas that debates can use by name."),
    "teams": ("moot.cli.personas:teams", "List the teams for councils and rooms."),
    "models": ("moot.cli.models:models", "List the models that can be used, and why not the rest."),
    "keys": ("moot.cli.keys:keys", "List the keys of providers, and keep them in the keyring."),
    "doctor": ("moot.cli.doctor:doctor", "Show what would be used, or why a debate does not move."),
}
"""Where each command is, and its summary, which a test compares with the command's own."""


class LazyGroup(click.Group):
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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

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
            code = _told(f"{reason}\nMOOT_DEBUG=1 shows the traceback", ExitCode.UNEXPECTED)
        sys.exit(code if isinstance(code, int) else 0)


def _told(message: str, code: ExitCode) -> ExitCode:
    from moot.cli.telling import tell
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
    help="The directory of the database and your personas, instead of MOOT_HOME.",
)
@click.option("-v", "--verbose", is_flag=True, help="Print log lines to stderr.")
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

    Moot stages debates, records every word as it is said, and goes on after any interruption.

    \b
    Examples:
      moot run remote-work
      moot run "Should cities be car-free?" --turns 4
      moot resume k3f
      moot show k3f --private
      moot export k3f --as html -o debate.html
    """
    setup = ctx.ensure_object(Setup)
    setup.home = home or setup.home
    setup.is_verbose = verbose


def main() -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A character the terminal's encoding lacks must not end a debate.
            stream.reconfigure(errors="replace")
    cli.main(obj=Setup(is_process=True))
