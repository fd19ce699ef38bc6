"""Ctrl-C and SIGTERM, as callbacks of the event loop.

Where there are none (on Windows, or in a thread that is not the main one) nothing is set, and
Python's own KeyboardInterrupt has to do.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress

ASKED_TO_END = (signal.SIGINT, signal.SIGTERM)

# asyncio and uvloop say it differently that they cannot.
_NOT_HERE = (NotImplementedError, RuntimeError, ValueError)


def on_signals(call: Callable[[], object], *numbers: signal.Signals) -> None:
    """Have the running loop call it whenever one of these signals comes."""
    loop = asyncio.get_running_loop()
    with suppress(*_NOT_HERE):
        for number in numbers:
            loop.add_signal_handler(number, call)


def off_signals(*numbers: signal.Signals) -> None:
    """Let these signals do again what they do by themselves."""
    loop = asyncio.get_running_loop()
    with suppress(*_NOT_HERE):
        for number in numbers:
            loop.remove_signal_handler(number)
