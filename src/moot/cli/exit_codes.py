"""Every exit code of `moot`, and which error or status leads to it. Part of the interface."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from moot import errors


class ExitCode(IntEnum):
    COMPLETED = 0
    UNEXPECTED = 1
    USAGE = 2
    STOPPED = 3
    FAILED = 4
    WAITING = 5
    BUSY = 6
    NOT_FOUND = 7
    INTERRUPTED = 130
    UNREAD = 141


MEANINGS: Mapping[ExitCode, str] = {
    ExitCode.COMPLETED: "success; if a debate was run, it is completed",
    ExitCode.UNEXPECTED: "an unexpected error, or a format that failed its check",
    ExitCode.USAGE: (
        "wrong usage, bad input (a file, an option or a model name), "
        "or a command that the debate's status does not allow"
    ),
    ExitCode.STOPPED: "the debate was stopped or canceled; `moot resume` continues a stopped one",
    ExitCode.FAILED: "a model or the database failed; `moot resume` tries again",
    ExitCode.WAITING: "the debate is waiting for a person's answer",
    ExitCode.BUSY: "another process is running this debate",
    ExitCode.NOT_FOUND: "there is no such debate, format, persona or debate file",
    ExitCode.INTERRUPTED: "interrupted before anything was started, or while watching",
    ExitCode.UNREAD: (
        "the program that read the output closed it, as `head` does; if a debate was being run, "
        "it is stopped and the code is 3"
    ),
}

# The first row that fits counts. A model that can't be had is noticed before anything is written,
# so there is nothing to resume: it is bad input, not a failed debate.
OF_ERRORS: tuple[tuple[type[errors.MootError], ExitCode], ...] = (
    (errors.InvalidInput, ExitCode.USAGE),
    (errors.NoModel, ExitCode.USAGE),
    (errors.Refused, ExitCode.USAGE),
    (errors.NotFound, ExitCode.NOT_FOUND),
    (errors.Busy, ExitCode.BUSY),
    (errors.IllegalEvent, ExitCode.UNEXPECTED),
    (errors.MootError, ExitCode.FAILED),
)

OF_STATUSES: Mapping[str, ExitCode] = {
    "completed": ExitCode.COMPLETED,
    "canceled": ExitCode.STOPPED,
    "stopped": ExitCode.STOPPED,
    "stopping": ExitCode.STOPPED,
    "running": ExitCode.STOPPED,  # left as it stood by a third Ctrl-C
    "failed": ExitCode.FAILED,
    "waiting": ExitCode.WAITING,
}


def code_of(error: errors.MootError) -> ExitCode:
    return next(code for kind, code in OF_ERRORS if isinstance(error, kind))
