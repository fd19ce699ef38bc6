"""`python -m benchmarks.runtime`: the figures of benchmarks/runtime/README.md."""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import msgspec

from benchmarks.figure import Figure, keep, told
from benchmarks.runtime import crowd, steps

RESULTS = Path(__file__).parents[1] / "results" / "runtime.json"
PACKAGES = (
    *("asyncpg", "pgqueuer", "langgraph", "langgraph-checkpoint-postgres", "psycopg", "dbos"),
    *("uvicorn", "starlette"),
)


class Effort(msgspec.Struct, frozen=True, kw_only=True):
    """How much of everything."""

    debates: int
    """Debates on Postgres at the same time, over all workers."""
    repeat: int
    crowd: int
    """Debates at once, and viewers, on one server."""
    spread: int
    """Debates that viewers are spread over."""
    rounds: int
    """Rounds of a debate at the speed of real models, and of one that is watched."""


FULL = Effort(debates=100, repeat=2, crowd=1000, spread=100, rounds=4)
QUICK = Effort(debates=16, repeat=1, crowd=100, spread=10, rounds=1)
SECTIONS: Mapping[str, Callable[[Effort], Iterator[Figure]]] = {
    "steps": steps.section,
    "debates": crowd.debates,
    "viewers": crowd.viewers,
}


def machine() -> dict[str, str]:
    """What the figures depend on."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "cores": str(os.cpu_count()),
        "load": f"{os.getloadavg()[0]:.1f}",
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        **{name: version(name) for name in PACKAGES},
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.runtime", description=__doc__)
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
