"""A debate that nobody watches closely: one line on standard error for each turn."""

from __future__ import annotations

from moot.cli.telling import tell
from moot.cli.view.console import new_console, one_line
from moot.cli.view.views import QuietView
from moot.engine.feed import Item
from moot.protocol import events as e
from moot.protocol.state import DebateState
from moot.protocol.vocabulary import KINDS


class ProgressView(QuietView):
    """Leaves the outcome to whoever asked for it."""

    def __init__(self, debate_id: str, state: DebateState, *, is_quiet: bool) -> None:
        super().__init__(new_console(), state)
        self._debate_id = debate_id
        self._is_quiet = is_quiet

    def begin(self) -> None:
        self._report(f"debate {self._debate_id} ({self.state.config.format})")

    def take(self, item: Item) -> None:
        is_new = isinstance(item, e.Recorded) and item.seq > self.state.seq
        super().take(item)
        if is_new and isinstance(item, e.Recorded) and isinstance(item.event, e.TurnRecorded):
            who = self.state.participants.get(item.event.participant)
            name = who.name if who else item.event.participant
            self._report(f"{one_line(name)}: {KINDS[item.event.kind].noun}")

    def finish(self) -> None:
        pass

    def _report(self, text: str) -> None:
        if not self._is_quiet:
            tell(text, label="")
