"""The format `council`. Formats like it inherit from it and change the tables."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType

import msgspec

from moot.protocol.documents import Write
from moot.protocol.formats.council.documents import DOCUMENTS
from moot.protocol.formats.council.order import longest_chain, most_calls
from moot.protocol.formats.council.outcome import announced, outcome, reached, retries, without
from moot.protocol.formats.council.seats import DEFAULT_ROSTER, cast_council
from moot.protocol.formats.council.settings import CouncilSettings
from moot.protocol.formats.council.tables import STAGES, TRANSITIONS
from moot.protocol.formats.council.view import CouncilView, council_view
from moot.protocol.machine import Format, Stage, Transition, walk
from moot.protocol.outcomes import Solution
from moot.protocol.recovering import Recovery, recovered
from moot.protocol.settings import Settings, frozen
from moot.protocol.state import DebateState
from moot.protocol.steps import Next
from moot.protocol.values import Config, Participant
from moot.protocol.words import Role, StopReason

RECOVERY = Recovery(retries=retries, without=without)


class Council(Format):
    name = "council"
    about = "Members propose, criticise and refine in rounds; a judge makes one solution of it."
    when_to_use = "When you want a considered answer to an open question, not a winner."
    settings: type[Settings] = CouncilSettings
    default_roster: tuple[Participant, ...] = DEFAULT_ROSTER
    documents: Mapping[str, Write] = MappingProxyType(DOCUMENTS)
    view_type: type[msgspec.Struct] | None = CouncilView
    stages: tuple[Stage, ...] = STAGES
    transitions: tuple[Transition, ...] = TRANSITIONS
    ends_by = StopReason.MAX_ROUNDS

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """Two to ten members and one judge, who is added if nobody is named."""
        del settings
        return cast_council(participants or self.default_roster)

    def most_calls(self, config: Config) -> int:
        members = sum(one.role is Role.MEMBER for one in config.participants)
        return most_calls(frozen(CouncilSettings, config.settings), members)

    def longest_chain(self, config: Config) -> int:
        return longest_chain(frozen(CouncilSettings, config.settings))

    def next(self, state: DebateState, now: datetime) -> Next:
        del now
        decision = walk(self, state)
        return announced(state, recovered(self, state, decision, RECOVERY))

    def reached(self, state: DebateState) -> StopReason | None:
        return reached(state)

    def outcome(self, state: DebateState) -> Solution | None:
        return outcome(state)

    def view(self, state: DebateState) -> CouncilView:
        return council_view(state)
