"""Who sits on a council, who sat out, and what members and judge know each other's work by.

People read names, and members and judge neutral labels. A proposal has a letter for the whole
debate, and its critics have numbers that tell nothing about the letters of their own proposals:
nobody can repay a critique, and nobody is believed for a name. Hashes fix both, so that no seat
comes first and nobody can choose.
"""

from __future__ import annotations

from string import ascii_uppercase

from moot.errors import InvalidInput
from moot.protocol.labelling import CRITIC, PROPOSAL, shuffle_key
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


# --- what their work is called --------------------------------------------------------------------


def proposal_label(state: DebateState, member: str) -> str:
    """`Proposal B`: what the positions of a member are called in every prompt."""
    in_order = sorted(members(state), key=lambda one: shuffle_key(state.config.topic, one.id))
    number = next(n for n, one in enumerate(in_order) if one.id == member)
    return f"{PROPOSAL} {ascii_uppercase[number]}"


def critics(state: DebateState, of: str) -> dict[str, Participant]:
    """Those who criticise a member's proposal by their labels: `Critic 1`, `Critic 2`."""
    others = (one for one in members(state) if one.id != of)
    in_order = sorted(others, key=lambda one: shuffle_key(state.config.topic, of, one.id))
    return {f"{CRITIC} {number}": one for number, one in enumerate(in_order, 1)}


def critic_label(state: DebateState, by: str, of: str) -> str:
    return next(label for label, one in critics(state, of).items() if one.id == by)


def authors(state: DebateState) -> dict[str, str]:
    """The names behind the labels of proposals."""
    return {proposal_label(state, one.id): one.name for one in members(state)}


def critics_names(state: DebateState, of: str) -> dict[str, str]:
    return {label: one.name for label, one in critics(state, of).items()}
