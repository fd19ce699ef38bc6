"""Who sits on a council, who sat out, and who is filled in."""

from __future__ import annotations

from moot.errors import InvalidInput
from moot.protocol.recovering import sat_out
from moot.protocol.roster import judge_beside
from moot.protocol.state import DebateState
from moot.protocol.values import Participant
from moot.protocol.words import Role

FEWEST, MOST = 2, 10

DEFAULT_ROSTER = (
    Participant(
        id="pragmatist",
        name="Pragmatist",
        role=Role.MEMBER,
        personality="You look for what can be done with what there is: the smallest step that "
        "really helps, who would have to do it, and what it costs.",
    ),
    Participant(
        id="skeptic",
        name="Skeptic",
        role=Role.MEMBER,
        personality="You look for what can go wrong: hidden assumptions, missing evidence, and "
        "what people will really do. You prefer what can be undone.",
    ),
    Participant(
        id="visionary",
        name="Visionary",
        role=Role.MEMBER,
        personality="You look for what the question is really about, and for the better answer "
        "that nobody has thought of because it is outside the usual frame.",
    ),
    Participant(id="judge", name="Judge", role=Role.JUDGE),
)
"""Three members who see different things in the same question, and a judge to bring it together."""

JUDGES = ("Judge", "Council Judge", "Presiding Judge")
"""What a judge whom nobody named can be called, whatever the members are called."""


def cast_council(participants: tuple[Participant, ...]) -> tuple[Participant, ...]:
    """The members and their one judge, in that order. Raises InvalidInput."""
    members = tuple(one for one in participants if one.role is Role.MEMBER)
    judges = tuple(one for one in participants if one.role is Role.JUDGE)
    if len(members) + len(judges) < len(participants) or len(judges) > 1:
        message = "a council takes members and at most one judge, and nobody else"
        raise InvalidInput(message, field="participants")
    if not FEWEST <= len(members) <= MOST:
        message = f"a council has {FEWEST} to {MOST} members, not {len(members)}"
        raise InvalidInput(message, field="participants")
    return (*members, *(judges or (judge_beside(members, JUDGES),)))


def members(state: DebateState) -> tuple[Participant, ...]:
    """All members, whether they still take part or not."""
    return tuple(one for one in state.config.participants if one.role is Role.MEMBER)


def active(state: DebateState) -> tuple[Participant, ...]:
    """The members that still take part."""
    out = sat_out(state)
    return tuple(one for one in members(state) if one.id not in out)


def judge(state: DebateState) -> Participant:
    return next(one for one in state.config.participants if one.role is Role.JUDGE)


def index_of(state: DebateState, member: str) -> int:
    """The number of the member's seat, which decides its place in every order."""
    return next(n for n, one in enumerate(members(state)) if one.id == member)
