"""Processes that are spoken to line by line."""

from __future__ import annotations

import subprocess
from pathlib import Path

from benchmarks.figure import PeerFailed

ROOT = Path(__file__).parents[2]


def tell(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def line_of(process: subprocess.Popen[str]) -> str:
    """The next line that it prints. Raises PeerFailed if it has ended: it told why on stderr."""
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if not line:
        # Of `python -m benchmarks.runtime.peers.dbos ...`, the last name of the module is enough.
        name = str(process.args).partition("benchmarks.")[2].partition("'")[0].rpartition(".")[2]
        reason = f"{name} ended with {process.wait()}; the reason is on stderr"
        raise PeerFailed(reason)
    return line
