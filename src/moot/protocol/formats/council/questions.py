"""Clarifications: what members want to know from the user, and what they were told.

A question is known by its member and its number within one round of questions.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from moot.protocol.formats.council.order import ASK, CLARIFICATION_INPUT, settings_of
from moot.protocol.formats.council.positions import is_settled
from moot.protocol.formats.council.seats import active, members
from moot.protocol.state import DebateState


class Clarification(msgspec.Struct, frozen=True, kw_only=True):
    """`answer` is None while it is open, and empty if there is none."""

    iteration: int
    member: str
    number: int
    question: str
    answer: str | None

    @property
    def key(self) -> str:
        return f"{CLARIFICATION_INPUT}/{self.iteration}/{self.member}/{self.number}/answer"


def asked_in(state: DebateState, iteration: int) -> Iterator[Clarification]:
    """The questions of one round of questions, member by member."""
    for member in members(state):
        turn = state.turn(ASK.key(iteration, member.id))
        questions = (turn.said.data or {}).get("questions", ()) if turn else ()
        for number, question in enumerate(questions, 1):
            made = Clarification(
                iteration=iteration,
                member=member.id,
                number=number,
                question=question,
                answer=None,
            )
            answered = state.turn(made.key)
            answer = answered.said.content if answered else None
            yield msgspec.structs.replace(made, answer=answer)


def clarifications(state: DebateState) -> tuple[Clarification, ...]:
    """All questions so far, in order."""
    most = settings_of(state).clarifications_max_iterations
    return tuple(one for n in range(1, most + 1) for one in asked_in(state, n))


def may_ask(state: DebateState) -> bool:
    """Whether this round of questions is held at all."""
    return state.round <= ASK.times(settings_of(state))


def has_asked(state: DebateState) -> bool:
    """Whether every member has said what it wants to know in this round of questions."""
    return all(is_settled(state, ASK.key(state.round, one.id)) for one in active(state))
