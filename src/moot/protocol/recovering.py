"""What becomes of a step that failed: tried again alone, done without, or the end of the debate.

The tables of a format say where each of the three leads (RETRY, FALLBACK, FAILED), and everything
that is decided is recorded first, so that forks and replays agree. If they have no such rows, a
debate fails at its first failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from moot.protocol.events import AnyEvent, NoticePosted, StageEntered, StepRetried
from moot.protocol.machine import FAILED, FALLBACK, RETRY, Format, Rounds, Transition, row_for
from moot.protocol.state import DebateState
from moot.protocol.steps import Next, Record, Run, Step

BROUGHT_BACK = "BROUGHT_BACK"
"""After a retry: something that was left out earlier is made up for."""
LEFT_OUT, SAT_OUT = "left_out", "sat_out"
"""Codes of notices: a step is done without; a participant takes no part any more."""


class Recovery(msgspec.Struct, frozen=True, kw_only=True):
    """`retries` is how often a step may be tried again; `without` what is posted when it is done
    without, or None if the debate cannot do without it. With `despite_outages`, a step is also done
    without if its provider does not answer, once that was waited for."""

    retries: Callable[[DebateState], int]
    without: Callable[[DebateState, Step], NoticePosted | None]
    despite_outages: bool = False


def recoveries(*stages: str) -> tuple[Transition, ...]:
    """The rows for steps that fail in these stages: what is tried again or done without leaves the
    debate where it is."""
    return tuple(row for stage in stages for row in _rows(stage))


def _rows(stage: str) -> Iterator[Transition]:
    for event in (RETRY, FALLBACK):
        yield Transition(source=stage, event=event, target=stage, rounds=Rounds.SAME)
    yield Transition(source=stage, event=FAILED, target=None)


def recovered(rules: Format, state: DebateState, decision: Next, recovery: Recovery) -> Next:
    """`decision`, or what to record about the first failed step that it contains.

    A failed step that stays in the decision fails the debate once nothing else is in flight;
    `retry` then runs what has no turn yet.
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
    failure = state.failures[step.key]
    is_outage = bool(failure.waited_s or failure.of_provider)
    if is_outage and not recovery.despite_outages:
        # An outage was waited out for as long as there was patience. No participant is to blame for
        # it: the debate fails, nobody is done without, and a retry runs what is missing.
        return FAILED, None
    # Once a limit is reached, nothing is tried again: what is there has to suffice.
    if (
        not is_outage
        and not state.limits
        and state.retried.get(step.key, 0) < recovery.retries(state)
    ):
        return RETRY, StepRetried(failed_key=step.key)
    notice = recovery.without(state, step)
    return (FALLBACK, notice) if notice is not None else (FAILED, None)


def _place(step: Step) -> tuple[int, ...]:
    return step.place


def returned(rules: Format, state: DebateState) -> Record | None:
    """Back to the first stage of this round in which something is missing, if the debate has failed
    and was retried since it came here: a retry makes up for whatever and whoever was left out."""
    if state.ending or state.limits or not state.timeline.was_retried_after(state.stage_seq):
        return None
    row = row_for(rules, state, BROUGHT_BACK)
    if row is None or row.target is None:
        return None
    return Record((StageEntered(stage=row.target, round=state.round, by=row.event),))


def is_settled(state: DebateState, key: str) -> bool:
    """Whether nothing more is to come of a step: its turn is there, or it is done without."""
    return key in state.turns or key in left_out(state)


def left_out(state: DebateState) -> frozenset[str]:
    """The keys of the steps that are done without."""
    return frozenset(one.about for one in _standing(state, LEFT_OUT))


def sat_out(state: DebateState) -> tuple[str, ...]:
    """Who takes no part any more, in the order in which they left."""
    return tuple(dict.fromkeys(one.participant for one in _standing(state, SAT_OUT)))


def missing(
    state: DebateState, is_meant: Callable[[str], bool] = lambda _key: True
) -> tuple[str, ...]:
    """What and who is missing from the debate, each with the reason; only for steps whose key
    `is_meant`."""
    out = set(sat_out(state))
    told = {one.about: one for _, one in _posted(state, LEFT_OUT, SAT_OUT)}
    return tuple(
        one.text
        for key, one in told.items()
        if is_meant(key)
        and (one.participant in out if one.code == SAT_OUT else key not in state.turns)
    )


def _standing(state: DebateState, code: str) -> Iterator[NoticePosted]:
    """What was posted with that code since the last retry, which brings everything back."""
    return (one for seq, one in _posted(state, code) if not state.timeline.was_retried_after(seq))


def _posted(state: DebateState, *codes: str) -> Iterator[tuple[int, NoticePosted]]:
    for record in state.notices:
        if isinstance(record.event, NoticePosted) and record.event.code in codes:
            yield record.seq, record.event
