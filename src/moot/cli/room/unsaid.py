"""What was typed while a member spoke in auto mode: it is said as soon as the member has finished.

Auto mode is stopped for it, as by Ctrl-C, but between two speakers; saying it lets the room go on.
If anything that a person has typed is lost, they are told so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from moot.cli.view.console import one_line
from moot.protocol import events as e
from moot.protocol.formats.room.floor import floor_of
from moot.protocol.state import DebateState
from moot.protocol.words import Pacing, Status

NEXT = "sent when they finish (Ctrl-C: now): "


class Unsaid:
    def __init__(
        self,
        state: DebateState,
        *,
        say: Callable[[str], Coroutine[Any, Any, None]],
        stop: Callable[[], Coroutine[Any, Any, bool]],
    ) -> None:
        self.text = ""
        self._state = state
        self._say = say
        self._stop = stop
        self._doing: asyncio.Task[Any] | None = None

    def must_wait(self, text: str) -> bool:
        """Whether `text` is a message, and members are taking turns by themselves just now."""
        floor = floor_of(self._state)
        is_auto = self._state.pacing is Pacing.AUTO and self._state.status is Status.RUNNING
        return is_auto and not text.startswith("/") and floor.is_busy(self._state)

    def keep(self, text: str, *, is_quiet: bool) -> None:
        """Keep the text until whoever speaks has finished; `is_quiet` says that nobody does."""
        self.text = "\n".join(filter(None, (self.text, text)))
        if self.text and is_quiet:
            self._doing = asyncio.create_task(self._stop())

    def mind(self, event: e.AnyEvent, *, is_quiet: bool) -> None:
        """Take note of an event: it may be the one that the text was waiting for."""
        if not self.text:
            return
        if not self._state.status.is_active:
            text, self.text = self.text, ""
            self._doing = asyncio.create_task(self._say(text))
        elif is_quiet and isinstance(event, e.TurnRecorded | e.StepFailed):
            self._doing = asyncio.create_task(self._stop())

    def told(self, width: int) -> str:
        """A line that says when the text will be sent."""
        return NEXT + one_line(self.text, max(1, width - len(NEXT)))
