"""Debates that kill whoever runs them.

Python imports this in every process that has this directory on its PYTHONPATH: that is how the
processes get it that a worker starts.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from moot.engine.performer import Performer

POISON = "Poison: is it so?"
"""Kills as it is begun."""
LATE_POISON = "Late poison: is it so?"
"""Kills when a good deal of it has been said."""
LEAVING = "Leaving: is it so?"
"""Ends its process as if all were well."""
SLUGGISH = "Sluggish: is it so?"
"""Kills nobody, but nothing else goes on in its process, which no threads can help either."""
BOOK = "MOOT_TEST_DEATHS"
"""The file in which every death is noted before it happens."""


def swallow() -> None:
    """From now on such debates kill this process."""
    if not hasattr(Performer.prepare, "is_poisonous"):
        Performer.prepare = _poisonous(Performer.prepare)  # type: ignore[method-assign]


def _poisonous(prepare: Callable[..., Any]) -> Callable[..., Any]:
    def prepared(self: Performer, live: Any, state: Any, step: Any, *more: Any) -> Any:
        topic = state.config.topic
        is_late = topic == LATE_POISON and step.stage == "exchange"
        if topic in (POISON, LEAVING) or is_late:
            with Path(os.environ[BOOK]).open("a") as book:
                book.write(f"{os.getpid()}\n")
            if topic == LEAVING:
                os._exit(0)
            os.kill(os.getpid(), signal.SIGKILL)
        if topic == SLUGGISH:
            time.sleep(60)
        return prepare(self, live, state, step, *more)

    prepared.is_poisonous = True  # type: ignore[attr-defined]
    return prepared


if os.environ.get(BOOK):
    swallow()
