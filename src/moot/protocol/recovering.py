"""What becomes of a step that failed: tried again alone, done without, or the end of the debate.

The tables of a format say where each of the three leads (RETRY, FALLBACK, FAILED), and everything
that is decided is recorded first, so that forks and replays agree. A format without such rows fails
at the first failure, as any other.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from moot.protocol.events import AnyEvent, NoticePosted, StageEntered, StepRetried
from moot.protocol.machine import FAILED, FALLBACK, RETRY, Format, row_for
from moot.protocol.state import DebateState
from moot.protocol.steps import Next, Record, Run, Step

LEFT_OUT, SAT_OUT = "left_out", "sat_out"
"""Codes of notices: a step is done without; a participant takes no part any more."""


class Recovery(msgspec.Struct, frozen=True, kw_only=True):
    """`retries` is how often a step may be tried again; `without` what is posted when it is done
    without, or None if the debate cannot do without it."""

    retries: Callable[[DebateState], int]
    without: Callable[[DebateState, Step], NoticePosted | None]


def recovered(rules: Format, state: DebateState, decision: Next, recovery: Recovery) -> Next:
    """`decision`, or what to record about the first failed step that it contains.

    A failed step that stays in it fails the debate once nothing else is in flight; `retry` then
    runs what has no turn yet.
    """
    steps = decision.steps if isinstance(decision, Run) else ()
    failed = min((s for s in steps if s.key in state.failures), key=_place, default=None)
    if failed is None:
        return decision
    event, fact = _remedy(state, failed, recovery)
    row = row_for(rules, state, event)
    if fact is None or row is None or row.target is None:
        return decision
    return Record((fact, StageEntered(stage=row.target, round=state.round, by=event)))


def _remedy(state: DebateState, step: Step, recovery: Recovery) -> tuple[str, AnyEvent | None]:
    if state.failures[step.key].waited_s:
        # An outage was waited out for as long as there was patience. It is nobody's failure who
        # takes part: the debate fails, nobody is done without, and a retry runs what is missing.
        return FAILED, None
    # Once a limit is reached, what is there has to do.
    if not state.limits and state.retried.get(step.key, 0) < recovery.retries(state):
        return RETRY, StepRetried(failed_key=step.key)
    notice = recovery.without(state, step)
    return (FALLBACK, notice) if notice is not None else (FAILED, None)


def _place(step: Step) -> tuple[int, ...]:
    return step.place


def left_out(state: DebateState) -> frozenset[str]:
    """The keys of the steps that are done without."""
    return frozenset(one.about for one in notices(state, LEFT_OUT))


def sat_out(state: DebateState) -> tuple[str, ...]:
    """Who takes no part any more, in the order in which they left."""
    return tuple(dict.fromkeys(one.participant for one in notices(state, SAT_OUT)))


def notices(state: DebateState, *codes: str) -> list[NoticePosted]:
    """What was posted with one of these codes."""
    events = (record.event for record in state.notices)
    return [one for one in events if isinstance(one, NoticePosted) and one.code in codes]
