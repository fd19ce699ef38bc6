"""Tells a cancellation that somebody asked for from one that a task's own code let out.

Whoever waits for another task that was cancelled meets the same CancelledError as one who is
cancelled. A task that ends with it counts as called off: nobody is told, and whoever waits for what
it should have done waits for ever.
"""

from __future__ import annotations

import asyncio
from typing import Any

ENDINGS = (asyncio.CancelledError, GeneratorExit)
"""What is thrown into a task that is to end, and what its own code may raise all the same."""


def is_from_inside(task: asyncio.Task[Any] | None) -> bool:
    """Whether one of ENDINGS, just caught in `task`, was raised by the task's own code.

    If not, somebody wants the task to end, and it must be raised again.
    """
    try:
        running = asyncio.current_task()
    except RuntimeError:  # no loop runs any more, and what is left of the task is thrown away
        return False
    return task is not None and running is task and not task.cancelling()
