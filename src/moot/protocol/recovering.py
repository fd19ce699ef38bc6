"""What becomes of a step that failed: it is tried again, is left out, or fails the debate.

The tables of a format say where each of the three leads (RETRY, FALLBACK, FAILED), and everything
that is decided is recorded first, so that forks and replays agree. In a format without such rows,
the first step that fails for good fails the debate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from moot.protocol.events import AnyEvent, NoticePosted, StageEntered, StepRetried
from moot.protocol.machine import FAILED, FALLBACK, RETRY, Format, Rounds, Transition, row_for
from moot.protocol.state import DebateState
from moot.protocol.steps import Next, Record, Run, Step

BROUGHT_BACK = "BROUGHT_BACK"
"""The event that leads back, after a retry, to what was left out earlier."""
LEFT_OUT, SAT_OUT = "left_out", "sat_out"
"""Codes of notices: a step was left out; a participant no longer takes part."""


class Recovery(msgspec.Struct, frozen=True, kw_only=True):
    """What a format does about failed steps. `retries` says how often one may be tried again.
    `without` gives the notice to post when one is left out, or None if the debate cannot go on
    without it. If the provider is to blame, the step is not tried again: the debate fails or, with
    `despite_outages`, goes on without the step if it can."""

    retries: Callable[[DebateState], int]
    without: Callable[[DebateState, Step], NoticePosted | None]
    despite_outages: bool = False


def recoveries(*stages: str) -> tuple[Transition, ...]:
    """The rows for steps that fail in these stages: a step that is tried again or left out keeps
    the debate where it is."""
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
        # No participant is to blame for an outage, so nobody is left out: the debate fails, and a
        # retry runs what is missing.
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
    """Whether nothing more will come of a step: it has its turn, or was left out."""
    return key in state.turns or key in left_out(state)


def left_out(state: DebateState) -> frozenset[str]:
    """The keys of the steps that were left out."""
    return frozenset(one.about for one in _standing(state, LEFT_OUT))


def sat_out(state: DebateState) -> tuple[str, ...]:
    """Who no longer takes part, in the order in which they left."""
    return tuple(dict.fromkeys(one.participant for one in _standing(state, SAT_OUT)))


def missing(
    state: DebateState, is_meant: Callable[[str], bool] = lambda _key: True
) -> tuple[str, ...]:
    """The notices about whoever no longer takes part, and about steps that were left out and have
    no turn since, as texts. Only those about a step whose key `is_meant`."""
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
