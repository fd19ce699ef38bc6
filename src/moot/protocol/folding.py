"""From a log to the state it amounts to, whichever format it has."""

from __future__ import annotations

from collections.abc import Iterable

from moot.errors import IllegalEvent
from moot.protocol import events as e
from moot.protocol.registry import format_of
from moot.protocol.state import DebateState


def begin(created: e.Recorded) -> DebateState:
    """The state after the first event of a log. Raises IllegalEvent if it is not DebateCreated, and
    FormatMissing if its format is not installed here."""
    if not isinstance(created.event, e.DebateCreated):
        raise IllegalEvent("a log begins with DebateCreated")
    return DebateState(created, format_of(created.event.config))


def fold(records: Iterable[e.Recorded]) -> DebateState:
    """The state that a whole log amounts to."""
    iterator = iter(records)
    try:
        state = begin(next(iterator))
    except StopIteration:
        raise IllegalEvent("an empty log is no debate") from None
    for record in iterator:
        state.apply(record)
    return state
