"""Processes that are spoken to in lines."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def tell(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def line_of(process: subprocess.Popen[str]) -> str:
    """The next line it says. Raises if it has ended: it has told why on stderr."""
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if not line:
        message = f"{process.args!r} ended with {process.wait()}"
        raise RuntimeError(message)
    return line
