"""For all tests: how long they may take, where they were waiting when that was over, who runs them.

The limit of ordinary tests is in pyproject.toml. Its traceback ends in the event loop, which tells
nobody which of the tasks never came to an end.
"""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Generator, Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import settings
from tests.scheduling import WholeFiles
from xdist.remote import Producer

from moot.engine.loops import COLLECT_AFTER

# How long an example takes says something about the machine, and nothing about Moot.
settings.register_profile("moot", deadline=None)
if "CI" not in os.environ:  # there Hypothesis has a profile of its own, without a deadline too
    settings.load_profile("moot")

LIMITS_S = {"embedded": 300, "faults": 180, "browser": 180, "acceptance": 180}
"""Of tests with such a mark or in such a folder; a test that has a limit of its own keeps it."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        longer = [limit_s for name, limit_s in LIMITS_S.items() if name in item.keywords]
        if longer and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(max(longer)))


def pytest_collection_finish() -> None:
    """Thousands of tests stay in memory to the end, and Python would look through all of them for
    cycles again and again."""
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, 10, 10)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> WholeFiles | None:
    return WholeFiles(config, log) if config.option.dist == "loadgroup" else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    is_late = call.excinfo is not None and "pytest-timeout" in str(call.excinfo.value)
    if is_late and (waiting := "\n".join(_tasks())):
        report.sections.append(("Tasks that were waiting", waiting))
    return report


def _tasks() -> Iterator[str]:
    with suppress(RuntimeError):  # there is no loop
        for task in asyncio.all_tasks(asyncio.get_event_loop_policy().get_event_loop()):
            yield task.get_name()
            yield from _frames(task.get_coro())


def _frames(awaited: Any) -> Iterator[str]:
    while (frame := getattr(awaited, "cr_frame", None)) is not None:
        yield f"  {frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_qualname}"
        awaited = awaited.cr_await
