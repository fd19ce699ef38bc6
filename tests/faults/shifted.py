"""`python -m tests.faults.shifted FILE ...`: moot, in a process whose time of day is shifted.

By as many seconds as FILE says at the moment. What is shifted are the functions of Python that tell
the time of day, wherever Moot calls them; time that only goes forward goes on as it was.
"""

from __future__ import annotations

import datetime
import importlib
import inspect
import pkgutil
import sys
import time
from pathlib import Path
from typing import Any

import moot

_now, _time = datetime.datetime.now, time.time


def shift(path: Path) -> None:
    def shift_s() -> float:
        return float(path.read_text() or 0)

    class Shifted(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Any:
            return _now(tz) + datetime.timedelta(seconds=shift_s())

    time.time = lambda: _time() + shift_s()
    for module in list(_modules()):
        if getattr(module, "datetime", None) is datetime.datetime and "datetime.now(" in (
            inspect.getsource(module)
        ):
            module.datetime = Shifted


def _modules() -> Any:
    for found in pkgutil.walk_packages(moot.__path__, "moot."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


if __name__ == "__main__":
    shift(Path(sys.argv[1]))
    from moot.cli.app import main

    sys.argv = ["moot", *sys.argv[2:]]
    main()
