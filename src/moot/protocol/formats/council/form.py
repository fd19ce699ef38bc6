"""The format `council`. Formats like it inherit from it and change the tables."""

from __future__ import annotations

from datetime import datetime

from moot.protocol.formats.council.outcome import (
    announced,
    outcome,
    retries,
    stop_reason,
    without,
)
from moot.protocol.formats.council.seats import DEFAULT_ROSTER, cast_council
from moot.protocol.formats.council.settings import CouncilSettings
from moot.protocol.formats.council.tables import STAGES, TRANSITIONS
from moot.protocol.machine import Format, Stage, Transition, walk
from moot.protocol.recovering import Recovery, recovered
from moot.protocol.settings import Settings
from moot.protocol.state import DebateState
from moot.protocol.steps import Next
from moot.protocol.values import Config, Participant
from moot.protocol.words import Role

RECOVERY = Recovery(retries=retries, without=without)


class Council(Format):
    name = "council"
    about = "Members propose, criticise and refine in rounds; a judge makes one solution of it."
    when_to_use = "When you want a considered answer to an open question, not a winner."
    settings: type[Settings] = CouncilSettings
    default_roster: tuple[Participant, ...] = DEFAULT_ROSTER
    stages: tuple[Stage, ...] = STAGES
    transitions: tuple[Transition, ...] = TRANSITIONS

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """Two to ten members and one judge, who is added if nobody is named."""
        del settings
        return cast_council(participants or self.default_roster)

    def most_calls(self, config: Config) -> int:
        """n proposals, n(n-1) critiques and n refinements a round, an evaluation a round unless
        the rounds are fixed, one synthesis; and at the most that many questions, summaries and
        ballots. What members look up in files comes on top of it: a call for each lookup."""
        given = config.settings
        n = sum(one.role is Role.MEMBER for one in config.participants)
        rounds = int(given["rounds"])
        evaluations = 0 if given["termination"] == "fixed" else rounds
        iterations = int(given["clarifications_max_iterations"])
        asks = n * iterations if given["interactive_clarifications"] else 0
        summaries = n * (rounds - 1) + 1
        votes = 0 if given["decision"] == "synthesis" else n
        return n + rounds * (n * (n - 1) + n) + evaluations + 1 + asks + summaries + votes

    def next(self, state: DebateState, now: datetime) -> Next:
        del now  # its limits arrive as events
        decision = walk(self, state, stop_reason=stop_reason, outcome=outcome)
        return announced(state, recovered(self, state, decision, RECOVERY))
