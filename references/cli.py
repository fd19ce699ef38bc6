"""The reference of the command line as Markdown, made from the commands themselves.

`make references` writes it to `docs/reference/cli.md`.
"""

from __future__ import annotations

from collections.abc import Iterator

import click

from moot.cli.app import cli
from moot.cli.exit_codes import MEANINGS

WIDTH = 80
INTRODUCTION = """# Command line

<!-- Made by `make references`; do not edit. -->

You can shorten an ID as long as it stays unique.
With `--json`, standard output contains nothing but JSON.
Errors go to standard error as `moot: ...`.

`NO_COLOR` turns colours off. Output that does not go to a terminal has no control sequences.
Characters that your terminal's encoding lacks are spelled out in ASCII.
`MOOT_LOG_LEVEL` (or `-v`) prints log lines, and `MOOT_DEBUG=1` shows tracebacks of unexpected
errors.

`-o FILE` writes a debate to a file, in the format that the file's ending names.
An existing file is replaced in one step, so readers see the old text or the new one.
Whether the file can be written is checked before anything is spent.

Events printed by `--json` have the keys `seq`, `at`, `type`, `stage`, `round`, `participant`,
`kind`, `content` and `data`, with `null` where an event has none.
Turns also have `step_key`, `visibility`, `place` and `meta` with `model`, `usage`, `duration_ms`,
`attempts`, `finish` and `flags`.
The first event of a debate, `DebateCreated`, has its id in `data.debate_id`.
Times are in UTC, as over HTTP: `2026-11-18T00:30:12.345678Z`. People are shown local times.

## Signals

While a debate runs, the first Ctrl-C lets the step in flight finish and keeps it;
the second one drops it. SIGTERM lets calls under way finish for at most
`MOOT_GRACE_SECONDS`, and drops those that take longer.
Either way the debate is stopped, and `moot resume` continues it.
"""


def commands(command: click.Command, parent: click.Context | None) -> Iterator[click.Context]:
    """The click contexts of the command and of all commands below it, in the order of the help."""
    name = "moot" if parent is None else command.name
    settings = {**command.context_settings, "terminal_width": WIDTH, "max_content_width": WIDTH}
    context = click.Context(command, info_name=name, parent=parent, **settings)
    yield context
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            if found is not None:
                yield from commands(found, context)


def reference() -> str:
    return "\n".join([INTRODUCTION, _exit_codes(), *map(_section, commands(cli, None))])


def _section(context: click.Context) -> str:
    return f"## {context.command_path}\n\n```text\n{context.get_help().rstrip()}\n```\n"


def _exit_codes() -> str:
    rows = [f"| {int(code)} | {meaning} |" for code, meaning in MEANINGS.items()]
    return "\n".join(["## Exit codes", "", "| code | meaning |", "|---|---|", *rows, ""])


if __name__ == "__main__":
    print(reference(), end="")
