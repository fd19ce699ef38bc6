"""Which turn may be shown when, so that a terminal reads like the transcript."""

from __future__ import annotations

from datetime import UTC, datetime

from moot.protocol.deciding import open_steps
from moot.protocol.events import TurnRecorded
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.visibility import Veil


class Order:
    """Holds turns back, so that the terminal reads like the transcript.

    Steps overlap, so turns arrive out of order. What may be shown is bounded by the frontier: the
    open step with the lowest place. Everything recorded before the frontier is final; the frontier
    alone may be shown while it is being written; everything behind it waits.
    """

    def __init__(self, state: DebateState) -> None:
        self._state = state
        self._rules = format_named(state.config.format)
        self._held: dict[str, TurnRecorded] = {}
        self._open: tuple[Step, ...] = ()
        self.update()

    @property
    def frontier(self) -> Step | None:
        """The open step that comes first in the transcript."""
        return min(self._open, key=lambda step: step.place, default=None)

    def step(self, key: str) -> Step | None:
        """The open step of that key."""
        return next((step for step in self._open if step.key == key), None)

    def update(self) -> bool:
        """Look at the state again. False if it is in the middle of a change: more will follow."""
        steps = open_steps(self._rules, self._state, datetime.now(UTC))
        if steps is None:
            return False
        self._open = steps
        return True

    def hold(self, said: TurnRecorded) -> None:
        self._held[said.step_key] = said

    def release(self, veil: Veil) -> list[TurnRecorded]:
        """The turns that may be shown now, in order; some must wait until a person has answered."""
        frontier = self.frontier
        ready = (
            said
            for said in self._held.values()
            if (frontier is None or said.place < frontier.place) and not veil.is_early(said)
        )
        return self._given(list(ready))

    def release_all(self) -> list[TurnRecorded]:
        """At the end: whatever is left, in order."""
        return self._given(list(self._held.values()))

    def _given(self, ready: list[TurnRecorded]) -> list[TurnRecorded]:
        for said in ready:
            del self._held[said.step_key]
        return sorted(ready, key=lambda said: said.place)
