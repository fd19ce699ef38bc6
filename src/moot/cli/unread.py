"""Output that nobody reads any more: the other end of a pipe was closed, as `head` does.

Whoever meets it writes nothing more; a debate that runs in the foreground is stopped.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moot.cli.view.views import View
    from moot.engine.feed import Item
    from moot.protocol.events import QuestionOpened
    from moot.protocol.state import DebateState


def discard_output() -> None:
    """What is buffered still would otherwise be an error when the process ends."""
    with suppress(OSError, ValueError):  # not a file, as in tests
        nothing = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nothing, sys.stdout.fileno())
        finally:
            os.close(nothing)


class ReadView:
    """A view for as long as it is read; then only its state is kept up."""

    def __init__(self, view: View, on_unread: Callable[[], None]) -> None:
        self._view = view
        self._on_unread = on_unread
        self.is_unread = False
        self.wants_text = view.wants_text

    @property
    def state(self) -> DebateState:
        return self._view.state

    @state.setter
    def state(self, state: DebateState) -> None:
        self._view.state = state

    @property
    def question(self) -> QuestionOpened | None:
        return None if self.is_unread else self._view.question

    def begin(self) -> None:
        self.write(self._view.begin)

    def take(self, item: Item) -> None:
        from moot.protocol.events import Recorded

        self.write(lambda: self._view.take(item))
        # The view may have been behind, or have failed before or after it took the item. Whatever
        # cannot be taken here is taken when the log is read at the end.
        if self.is_unread and isinstance(item, Recorded) and item.seq == self.state.seq + 1:
            self.state.apply(item)

    def urge(self, text: str) -> None:
        self.write(lambda: self._view.urge(text))

    def tick(self) -> None:
        self.write(self._view.tick)

    def finish(self) -> None:
        self.write(self._view.finish)

    def write(self, how: Callable[[], object]) -> None:
        """Whatever goes to the same place as the view."""
        if self.is_unread:
            return
        try:
            how()
        except BrokenPipeError:
            self.is_unread = True
            discard_output()
            self._on_unread()
