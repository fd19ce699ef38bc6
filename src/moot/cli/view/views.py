"""What a view of a running debate can do. Three keep it: live, quiet and JSON."""

from __future__ import annotations

from typing import Protocol

from moot.engine.feed import Item
from moot.protocol.events import QuestionOpened
from moot.protocol.state import DebateState


class View(Protocol):
    state: DebateState
    wants_text: bool

    @property
    def question(self) -> QuestionOpened | None:
        """What a person must be asked before the view can go on, if it can ask."""

    def begin(self) -> None:
        """Before the first item."""

    def take(self, item: Item) -> None:
        """Show what is new; what has been taken already is passed over."""

    def urge(self, text: str) -> None:
        """Say something at once: somebody has pressed a key."""

    def tick(self) -> None:
        """Some time has passed."""

    def finish(self) -> None:
        """After the last item: whatever is left, and the result."""
