"""How a moderated debate ends: exactly one summary by the moderator, or none without one.

Nobody wins. The outcome is what the moderator wrote and who that was.
"""

from __future__ import annotations

from collections.abc import Iterator

from moot.protocol.moderated.order import COMPLETE, CONCLUSION, Order, Speech
from moot.protocol.moderated.prompting import step_for
from moot.protocol.moderated.roster import moderator
from moot.protocol.outcomes import Summary
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Step
from moot.protocol.words import StepKind, StopReason

MANUAL = "/manual"
"""Ends the key of the summary somebody asked for, so that one already being written is dropped."""


class Closing:
    """The conclusion of a format. `reason` and `signal` are for a debate that went all the way."""

    def __init__(self, order: Order, *, reason: StopReason, signal: str) -> None:
        self._order = order
        self._reason = reason
        self._signal = signal

    def steps(self, state: DebateState) -> Iterator[Step]:
        speech = self.speech(state)
        if speech is not None and self.turn(state) is None:
            yield step_for(self._order, state, speech)

    def emits(self, state: DebateState) -> str | None:
        return COMPLETE if self.turn(state) else None

    def speech(self, state: DebateState) -> Speech | None:
        """The moderator's last word, for the reason that there is."""
        chair = moderator(state.config)
        if chair is None:
            return None
        return Speech(
            stage=CONCLUSION,
            round=1,
            speaker=chair,
            signal=self._instruction(state),
            task="moderated/conclude_task",
            tokens="max_tokens_summary",
            kind=StepKind.SUMMARIZE,
            suffix=MANUAL if state.ending else "",
        )

    def turn(self, state: DebateState) -> Turn | None:
        """The summary, whichever it was: it is written once."""
        chair = moderator(state.config)
        if chair is None:
            return None
        key = f"{CONCLUSION}/1/{chair.id}/{StepKind.SUMMARIZE}"
        return state.turn(key) or state.turn(key + MANUAL)

    def stop_reason(self, state: DebateState) -> StopReason:
        if state.ending:
            return StopReason.ENDED
        return self._reason if self._order.is_through(state) else next(iter(state.limits))

    def outcome(self, state: DebateState) -> Summary | None:
        turn = self.turn(state)
        if turn is None or turn.is_silent:
            return None
        by = turn.said.participant
        return Summary(summary=turn.said.content, by=state.participants[by].name, by_id=by)

    def _instruction(self, state: DebateState) -> str:
        if state.ending:
            return "moderated/ended"
        return self._signal if self._order.is_through(state) else "moderated/limit"
