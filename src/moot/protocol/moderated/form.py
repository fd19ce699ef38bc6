"""A moderated format but for its tables."""

from __future__ import annotations

from datetime import datetime

from moot.protocol.machine import UPCOMING, Format, walk
from moot.protocol.moderated import roster
from moot.protocol.moderated.closing import Closing
from moot.protocol.moderated.order import Order
from moot.protocol.moderated.prompting import next_speakers
from moot.protocol.settings import Settings
from moot.protocol.state import DebateState
from moot.protocol.steps import Next
from moot.protocol.values import Config, Participant


class Moderated(Format):
    order: Order
    closing: Closing
    default_roster: tuple[Participant, ...] = ()
    gives_verdict = False

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """At most one moderator, who comes first, and two to twelve others."""
        del settings
        roster.check(self.name, participants)
        return roster.moderator_first(participants)

    def most_calls(self, config: Config) -> int:
        summaries = 1 if roster.moderator(config) else 0
        return self.order.most_speeches(config) + summaries

    def next(self, state: DebateState, now: datetime) -> Next:
        del now  # its limits arrive as events
        return walk(self, state, stop_reason=self.closing.stop_reason, outcome=self.closing.outcome)

    def upcoming(self, state: DebateState, now: datetime) -> tuple[str, ...]:
        """As often as they will speak: of two debaters, four are known."""
        del now
        if self.closing.turn(state):
            return ()
        return tuple(one.id for one in next_speakers(self.order, state, UPCOMING))
