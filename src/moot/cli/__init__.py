"""The command line. One file per group of commands; what is heavy is imported when it is used.

app          the command `moot`: its groups, its options, and how errors are told
exit_codes   every exit code, in one table
run, lifecycle, watch, answering, past, catalogue, doctor   the commands
carrying_out   commands written to a debate's log, and what happens next
following    a debate that other processes run, shown from here
session      a debate run in the foreground: signals, people's answers, the end
view/        what of it the terminal shows
reference    docs/reference/cli.md, made from the commands
"""

from __future__ import annotations

from moot.cli.app import main

__all__ = ["main"]
