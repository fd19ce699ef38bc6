"""Nothing but the result."""

from __future__ import annotations

import sys

from rich.console import Console

from moot.cli.view.outcome import outcome_box
from moot.cli.view.transcript import WIDEST
from moot.engine.feed import Item
from moot.protocol import events as e
from moot.protocol.state import DebateState
from moot.protocol.words import Status


class QuietView:
    wants_text = False
    question = None

    def __init__(self, console: Console, state: DebateState) -> None:
        self.state = state
        self._console = console

    def begin(self) -> None:
        pass

    def take(self, item: Item) -> None:
        if isinstance(item, e.Recorded) and item.seq > self.state.seq:
            self.state.apply(item)

    def urge(self, text: str) -> None:
        print(f"moot: {text}", file=sys.stderr, flush=True)

    def tick(self) -> None:
        pass

    def finish(self) -> None:
        if self.state.status is Status.COMPLETED:
            width = min(self._console.width, WIDEST)
            self._console.print(outcome_box(self._console, self.state, width=width))
