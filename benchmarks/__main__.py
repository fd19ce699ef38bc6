"""`make bench`: all figures as a table with their targets, and as JSON in benchmarks/results."""

from __future__ import annotations

import argparse
import os
import platform
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from benchmarks.figure import keep, told
from benchmarks.figures import FULL, QUICK, SECTIONS
from moot.store.backends.sqlite.connection import journal_mode
from moot.store.sqlite_driver import sqlite3

RESULTS = Path(__file__).parent / "results" / "latest.json"
PEERS = ("aiohttp", "openai", "httpx2", "langgraph", "langgraph-checkpoint-sqlite", "msgspec")


def machine() -> dict[str, str]:
    """What the figures depend on."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "cores": str(os.cpu_count()),
        "python": platform.python_version(),
        "sqlite": f"{sqlite3.sqlite_version}, {journal_mode(sqlite3.sqlite_version_info)}",
        **{name: version(name) for name in PEERS},
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="less of everything, under a minute")
    parser.add_argument("--only", choices=SECTIONS, action="append", help="this section only")
    given = parser.parse_args()
    effort = QUICK if given.quick else FULL
    started = time.perf_counter()
    where = machine()
    print(", ".join(f"{name} {value}" for name, value in where.items()))
    figures = []
    for name in given.only or SECTIONS:
        print()
        figures += told(SECTIONS[name](effort))
    keep(RESULTS, where, figures, time.perf_counter() - started)


if __name__ == "__main__":
    main()
