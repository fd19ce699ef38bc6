"""The bounds every format obeys, checked against the log and a given time.

Reaching one becomes an event first (`LimitReached`) and only then decides anything, so that a
replay decides the same whatever the clock says by then.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from operator import attrgetter

from moot.protocol.events import LimitReached
from moot.protocol.state import DebateState
from moot.protocol.words import StopReason

LIMITS: Mapping[StopReason, str] = {
    StopReason.MAX_RUNTIME: "max_runtime_seconds",
    StopReason.MAX_TOKENS: "max_total_output_tokens",
    StopReason.MAX_COST: "max_cost_usd",
}
_bounds = attrgetter(*LIMITS.values())
_UNBOUNDED = (None,) * len(LIMITS)


def newly_reached(state: DebateState, now: datetime) -> tuple[LimitReached, ...]:
    """The limits that are met now and not yet in the log."""
    settings = state.settings
    if _bounds(settings) == _UNBOUNDED:
        return ()  # as in most debates, and asked after every turn
    observed = {
        StopReason.MAX_RUNTIME: state.timeline.runtime_s(now),
        StopReason.MAX_TOKENS: float(state.usage.answer_tokens),
        StopReason.MAX_COST: state.usage.cost_usd or 0.0,
    }
    return tuple(
        LimitReached(limit=limit, observed=observed[limit])
        for limit, setting in LIMITS.items()
        if limit not in state.limits and _is_met(getattr(settings, setting), observed[limit])
    )


def time_is_up(state: DebateState) -> datetime | None:
    """When the limit of running time will be met; None if there is none, it has been met, or the
    debate does not run."""
    bound = state.settings.max_runtime_seconds
    if bound is None or StopReason.MAX_RUNTIME in state.limits:
        return None
    due = state.timeline.when_run_for(bound)
    # A little later, lest rounding makes it a little too early.
    return due + timedelta(milliseconds=1) if due is not None else None


def _is_met(bound: float | None, observed: float) -> bool:
    return bound is not None and observed >= bound
