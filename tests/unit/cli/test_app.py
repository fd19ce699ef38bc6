"""The command `moot` itself: quick to start, complete in its help, plain about errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from references.cli import commands, reference

from moot import errors
from moot.cli.app import COMMANDS, cli
from moot.cli.exit_codes import MEANINGS, OF_STATUSES, ExitCode, code_of
from moot.cli.options import Setup
from moot.protocol.words import Status
from moot.testing.scripted import ScriptedModels

HEAVY = ("asyncio", "rich", "aiohttp", "pydantic", "msgspec", "asyncpg", "uvicorn", "xllamacpp")
ALL = list(commands(cli, None))
DOCS = Path(__file__).parents[3] / "docs" / "reference" / "cli.md"


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom moot.cli import main\n"
        f"sys.argv[1:] = {arguments!r}\n"
        "try:\n    main()\nexcept SystemExit as error:\n"
        f"    print('HEAVY', [name for name in {HEAVY!r} if name in sys.modules], error.code)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "HEAVY [] 0"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_has_their_own_summaries(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)

    assert command is not None
    assert command.name == name
    assert command.get_short_help_str(200) == COMMANDS[name][1]


@pytest.mark.parametrize("context", ALL, ids=lambda context: context.command_path)
def test_every_help_has_a_summary_sentences_and_examples(context: click.Context) -> None:
    text = context.command.help or ""

    assert text.splitlines()[0].endswith(".")
    assert "Examples:\n" in text
    assert "moot " in text.partition("Examples:")[2]


def test_the_reference_is_up_to_date() -> None:
    assert DOCS.read_text() == reference(), "make references"


def test_every_exit_code_has_a_meaning_and_every_status_a_code() -> None:
    assert set(MEANINGS) == set(ExitCode)
    assert set(OF_STATUSES) == {status.value for status in Status} - {"created"}


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.InvalidInput("x"), 2),
        (errors.NoModel("x"), 2),
        (errors.Refused("x"), 2),
        (errors.NotFound("x"), 7),
        (errors.Busy("x"), 6),
        (errors.StoreUnavailable("x"), 4),
        (errors.ModelUnavailable("x"), 4),
        (errors.IllegalEvent("x"), 1),
    ],
)
def test_every_error_has_its_exit_code(error: errors.MootError, code: int) -> None:
    assert code_of(error) == code


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rnu"], "There is no command 'rnu'. Did you mean run?"),
        (["persona", "list"], "Did you mean personas"),
        (["personas", "lsit"], "Did you mean list?"),
        (["run", "x", "--modle", "y"], "Did you mean"),
        (["zzzzzz"], "There is no command 'zzzzzz'.\n"),
    ],
)
def test_a_typing_error_is_refused_with_what_was_probably_meant(
    words: list[str], said: str
) -> None:
    done = CliRunner().invoke(cli, words)

    assert done.exit_code == 2
    assert said in done.stderr


def test_an_unexpected_error_is_one_line_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("MOOT_DEBUG", raising=False)
    done = CliRunner().invoke(cli, ["list"], obj=_Broken())

    assert done.exit_code == 1
    assert done.stderr == (
        "moot: unexpected error: RuntimeError: broken\n"
        "This is a bug in moot. Set MOOT_DEBUG=1 to see the traceback.\n"
    )


def test_a_traceback_is_shown_to_those_who_debug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_DEBUG", "1")
    done = CliRunner().invoke(cli, ["list"], obj=_Broken())

    assert done.exit_code == 1
    assert "Traceback" in done.stderr


def test_an_interrupt_before_anything_was_started_is_130() -> None:
    done = CliRunner().invoke(cli, ["list"], obj=_Interrupted())

    assert done.exit_code == 130
    assert "nothing was started" in done.stderr


@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_an_interrupt_of_what_serves_does_not_say_that_nothing_was_started(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_given: object) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("moot.cli.interrupts.Leaving.__init__", interrupted)
    setup = Setup(home=str(tmp_path), models=ScriptedModels())
    options = ["--port", "0"] if command == "serve" else []
    done = CliRunner().invoke(cli, [command, *options], obj=setup)
    assert done.exit_code == 130
    assert done.stderr.splitlines()[-1] == "moot: interrupted"


class _Broken(Setup):
    """Cannot run anything."""

    def run(self, *_: object, **__: object) -> Any:
        raise RuntimeError("bro\x1b[31mken")


class _Interrupted(Setup):
    def run(self, *_: object, **__: object) -> Any:
        raise KeyboardInterrupt
