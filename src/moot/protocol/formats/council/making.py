"""How the steps of a council are made: by a member or by the judge, from a row of its order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from moot.protocol.briefs import brief as for_people
from moot.protocol.formats.council import briefing
from moot.protocol.formats.council.briefing import since
from moot.protocol.formats.council.hearing import heard
from moot.protocol.formats.council.order import Pass, settings_of
from moot.protocol.formats.council.seats import index_of, judge
from moot.protocol.recovering import is_settled
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.values import Participant
from moot.protocol.words import View

Steps = tuple[Step, ...]


def by_member(
    state: DebateState,
    row: Pass,
    member: Participant,
    about: Participant | None = None,
    **fields: Any,
) -> Step:
    """A step of a member, which sees its own history as far as it is not summarised."""
    seats = [index_of(state, one.id) for one in (about, member) if one]
    given: dict[str, Any] = {
        "key": row.key(state.round, member.id, about.id if about else ""),
        "participant": member.id,
        "about": about.id if about else "",
        "place": row.place(state.round, *seats),
        # All at once: none of them knows of the others, and a person among them reads none yet.
        "horizon": row.place(state.round),
        "system": briefing.brief(state, member),
        "since": since(state, member.id),
        "hears": heard,
        "max_tokens": settings_of(state).max_tokens,
        "for_people": for_people(state, member, fields["prompt"]),
    }
    return _step(state, row, {**given, **fields})


def by_judge(state: DebateState, row: Pass, **fields: Any) -> Step:
    """A step of the judge, which sees all that was said in the rounds."""
    chair = judge(state)
    given: dict[str, Any] = {
        "key": row.key(state.round, chair.id),
        "participant": chair.id,
        "place": row.place(state.round),
        "system": briefing.judge_brief(state, chair),
        "view": View.TRANSCRIPT,
        "since": since(state, chair.id),
        "hears": heard,
        "max_tokens": settings_of(state).max_tokens_judge,
        "for_people": for_people(state, chair, fields["prompt"]),
    }
    return _step(state, row, {**given, **fields})


def _step(state: DebateState, row: Pass, fields: dict[str, Any]) -> Step:
    given = {"kind": row.kind, "stage": row.stage, "round": state.round, "is_owed": True}
    return Step(**{**given, **fields})


def still_open(state: DebateState, steps: Iterator[Step]) -> Steps:
    """The steps that have no turn yet and are not done without."""
    return tuple(step for step in steps if not is_settled(state, step.key))


def any_open(state: DebateState, steps: Iterator[Step]) -> bool:
    """Whether `still_open` would find a step. Makes only as many steps as it takes to know: a
    prompt costs far more to make than a key."""
    return any(not is_settled(state, step.key) for step in steps)


def is_long(state: DebateState, tokens: int) -> bool:
    """Whether a history of so many tokens is to be summarised."""
    return tokens > settings_of(state).summary_threshold_tokens
