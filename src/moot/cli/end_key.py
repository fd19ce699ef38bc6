"""The key that ends a debate in the foreground, read while nobody is asked anything.

Only at a terminal, and only while we are in its foreground: in the background nothing is read or
set. Whatever happens, the terminal is left as it was found; Ctrl-C and Ctrl-Z work as always.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from moot.cli.signals import off_signals, on_signals

try:
    import termios
except ImportError:  # Windows, where no key is read
    termios = None  # type: ignore[assignment]

KEY = "e"
HINT = f"{KEY} ends it"
AT_ONCE = 1024
"""How many bytes are read together: a single key is one, and pasted text is not a key."""


class EndKey:
    """Calls `on_end` when the key is pressed, while `look` lets it listen.

    With `on_first`, the first press calls that, and a second press `on_end`: where people type
    answers, a word typed too early must not end anything.
    """

    def __init__(
        self, on_end: Callable[[], None], on_first: Callable[[], None] | None = None
    ) -> None:
        self._on_end = on_end
        self._on_first = on_first
        self._presses = 0
        self._fd = sys.stdin.fileno()
        self._found: list[Any] | None = None
        """The terminal's own settings, while they are changed; else None."""
        self._is_over = False

    def __enter__(self) -> Self:
        atexit.register(self._pause)
        on_signals(self._suspended, signal.SIGTSTP)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_over = True
        self._pause()
        off_signals(signal.SIGTSTP)
        atexit.unregister(self._pause)

    def look(self, *, is_free: bool) -> None:
        """Listen if the terminal is ours and `is_free`, else let others have it."""
        if is_free and not self._is_over and _is_ours(self._fd):
            self._listen()
        else:
            self._pause()

    def _listen(self) -> None:
        if self._found is not None:
            return
        found = termios.tcgetattr(self._fd)
        changed = [*found]
        changed[3] &= ~(termios.ECHO | termios.ICANON)  # each key as it is pressed, and not shown
        self._found = found
        termios.tcsetattr(self._fd, termios.TCSADRAIN, changed)
        asyncio.get_running_loop().add_reader(self._fd, self._pressed)

    def _pause(self) -> None:
        found, self._found = self._found, None
        if found is None:
            return
        with suppress(RuntimeError):  # at the very end there is no loop
            asyncio.get_running_loop().remove_reader(self._fd)
        if _is_ours(self._fd):  # changing another process's terminal would stop us
            with suppress(OSError, termios.error):
                termios.tcsetattr(self._fd, termios.TCSADRAIN, found)

    def _pressed(self) -> None:
        if not _is_ours(self._fd):
            self._pause()
            return
        try:
            typed = os.read(self._fd, AT_ONCE)
        except OSError:
            typed = b""
        if not typed:  # the terminal is gone
            self._is_over = True
            self._pause()
        else:
            self._presses = self._presses + 1 if typed.decode(errors="replace") == KEY else 0
            self._obey()

    def _obey(self) -> None:
        if self._on_first is None and self._presses:
            self._on_end()
        elif self._on_first is not None and self._presses == 1:
            self._on_first()
        elif self._presses > 1:
            self._on_end()

    def _suspended(self) -> None:
        """Ctrl-Z: the shell gets its terminal back as it was."""
        self._pause()
        off_signals(signal.SIGTSTP)
        os.kill(os.getpid(), signal.SIGTSTP)
        on_signals(self._suspended, signal.SIGTSTP)


def can_listen() -> bool:
    """Whether keys can be read here."""
    return termios is not None and sys.stdin.isatty() and _is_ours(sys.stdin.fileno())


def _is_ours(fd: int) -> bool:
    """Whether we are in the foreground of that terminal."""
    try:
        return os.tcgetpgrp(fd) == os.getpgrp()
    except OSError:
        return False
