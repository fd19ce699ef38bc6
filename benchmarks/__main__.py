"""`make bench`: all figures as a table with their targets, and as JSON in benchmarks/results."""

from __future__ import annotations

import argparse
import os
import platform
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import msgspec

from benchmarks.figures import FULL, QUICK, SECTIONS, Figure
from moot.store.backends.sqlite.journal import journal_mode
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


def line(figure: Figure) -> str:
    target = "" if figure.target is None else f"<= {figure.target:g}"
    digits = 1 if figure.unit == "kB" else 3
    return (
        f"{figure.name:<60}{figure.value:>9.{digits}f} {figure.unit:<3}{target:>8} {figure.verdict}"
    )


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
        for figure in SECTIONS[name](effort):
            print(line(figure).rstrip(), flush=True)
            figures.append(figure)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_bytes(msgspec.json.format(msgspec.json.encode([where, figures])) + b"\n")
    missed = sum(figure.verdict == "MISS" for figure in figures)
    print(f"\n{missed} targets missed, {time.perf_counter() - started:.0f} s, written to {RESULTS}")


if __name__ == "__main__":
    main()
