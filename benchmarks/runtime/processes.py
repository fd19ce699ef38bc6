"""Processes that are spoken to in lines."""

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
    """The next line it says. Raises PeerFailed if it has ended: it has told why on stderr."""
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if not line:
        # `python -m benchmarks.runtime.peers.dbos ...`: its last name tells enough.
        name = str(process.args).partition("benchmarks.")[2].partition("'")[0].rpartition(".")[2]
        reason = f"{name} ended with {process.wait()}; the reason is on stderr"
        raise PeerFailed(reason)
    return line
