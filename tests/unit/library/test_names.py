"""`import moot`: what it shows, what it costs, and what type checkers see of it."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from tests.unit.library import caller

import moot
from moot import errors, library, sync


def test_dir_is_the_api_and_all_of_it_is_there() -> None:
    assert dir(moot) == sorted(moot.__all__)
    assert all(getattr(moot, name) is not None for name in dir(moot))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        moot.nothing  # type: ignore[attr-defined]  # noqa: B018 - it is refused


def test_the_version_is_the_packages() -> None:
    assert moot.__version__ == version("moot")


def test_an_import_loads_nothing_but_itself() -> None:
    program = "import sys, moot; dir(moot); print(*(m for m in sys.modules if m[:4] == 'moot'))"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert loaded.stdout.split() == ["moot"]


def test_the_errors_of_a_run_are_all_to_be_caught_at_once() -> None:
    kinds = errors.Unfinished.__subclasses__()
    assert {kind.__name__ for kind in kinds} <= set(moot.__all__)


@pytest.mark.parametrize(
    ("ours", "theirs"), [(sync.Debate, library.Debate), (sync.Moot, library.Moot)]
)
def test_sync_has_the_same_verbs_with_the_same_arguments(ours: type, theirs: type) -> None:
    for name, verb in vars(theirs).items():
        if name.startswith("_"):
            continue
        mine = vars(ours)[name]
        if inspect.isfunction(verb):
            signature = inspect.signature(verb)
            assert inspect.signature(mine).parameters == signature.parameters, name
    assert inspect.signature(sync.open).parameters == inspect.signature(moot.open).parameters


def test_callers_have_strict_types(tmp_path: Path) -> None:
    """`make lint` checks the callers' types; here they are run, so that they stay programs."""
    assert asyncio.run(caller.main(tmp_path / "one")) is None
    assert caller.main_in_a_script(tmp_path / "other") is None
