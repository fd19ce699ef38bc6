"""What people may do to a debate now, besides commands and answers, and who speaks next.

Whoever shows a debate asks here, so as to offer nothing that would be refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from moot.protocol import events as e
from moot.protocol.lifecycle import LIFECYCLE
from moot.protocol.machine import Format
from moot.protocol.state import DebateState
from moot.protocol.values import Participant
from moot.protocol.words import USER, Pacing, Role, Status

_ANYBODY = Participant(id="anybody", name="Anybody", role=Role.MEMBER)


def _events(state: DebateState) -> Mapping[str, e.AnyEvent]:
    """An example event for every action, to ask the format about."""
    other = Pacing.MANUAL if state.pacing is Pacing.AUTO else Pacing.AUTO
    somebody = next(iter(state.participants), USER)
    return MappingProxyType(
        {
            "say": e.MessageSaid(participant=USER, content="..."),
            "pace": e.PacingChanged(pacing=other),
            "join": e.ParticipantJoined(participant=_ANYBODY),
            "leave": e.ParticipantLeft(participant=somebody),
            "mute": e.ParticipantMuted(participant=somebody),
        }
    )


def allowed(rules: Format, state: DebateState) -> tuple[str, ...]:
    """Those of say, pace, join, leave, mute, settings, include and pending that would not be
    refused."""
    if state.status.is_terminal:
        return ()
    is_stopped = state.status in (Status.STOPPED, Status.STOPPING)
    # A conversation that was stopped goes on when somebody speaks.
    row = LIFECYCLE[Status.RUNNING if rules.is_open_ended and is_stopped else state.status]
    names = [
        name
        for name, event in _events(state).items()
        if type(event) in row and rules.refusal(state, event) is None
    ]
    names += ["settings"] if rules.changeable else []
    names += ["include"] if state.turns else []
    names += ["pending"] if state.pending else []
    return tuple(names)


def upcoming(rules: Format, state: DebateState) -> tuple[str, ...]:
    """The next speakers of a debate that is not over, as far as its format can know them."""
    return () if state.status.is_terminal else rules.upcoming(state, state.updated_at)
