"""Neutral labels: what members and judge know each other's work by. People read names.

A proposal has a letter for the whole debate, and its critics have numbers that tell nothing about
the letters of their own proposals: nobody can repay a critique, and nobody is believed for a name.
Hashes fix both, so that no seat comes first and nobody can choose.
"""

from __future__ import annotations

from string import ascii_uppercase

from moot.protocol.formats.council.seats import members
from moot.protocol.labelling import CRITIC, PROPOSAL, shuffle_key
from moot.protocol.state import DebateState
from moot.protocol.values import Participant


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
