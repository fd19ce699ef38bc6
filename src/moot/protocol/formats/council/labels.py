"""Neutral labels: what members and judge know each other's work by. People read names.

A proposal has a letter for the whole debate, and its critics have numbers that tell nothing about
the letters of their own proposals: nobody can repay a critique, and nobody is believed for a name.
Hashes fix both, so that no seat comes first and nobody can choose.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from string import ascii_uppercase

from moot.protocol.formats.council.seats import members
from moot.protocol.state import DebateState
from moot.protocol.values import Participant

PROPOSAL, CRITIC = "Proposal", "Critic"
_SIGN = r"(?:[A-T]|\d{1,2})\b"
_LABELS = re.compile(
    rf"\b((?i:{PROPOSAL}|{CRITIC})s? )({_SIGN}(?:(?:, | & |/|,? and |,? or ){_SIGN})*)"
)
_ONE = re.compile(_SIGN)


def shuffle_key(*texts: str) -> bytes:
    """By which things are brought into an order that nobody has chosen."""
    return hashlib.blake2b("\0".join(texts).encode("utf-8", "surrogatepass")).digest()


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


def named(text: str, names: Mapping[str, str]) -> str:
    """The text with the names behind its labels: `Proposals A (Ada) and B (Bo)`."""

    def with_name(kind: str, sign: str) -> str:
        name = names.get(f"{kind} {sign}")
        return f"{sign} ({name})" if name else sign

    return _mapped(text, with_name) if names else text


def relabelled(text: str, labels: Mapping[str, str]) -> str:
    """The text with other labels in place of those it has."""

    def other(kind: str, sign: str) -> str:
        return labels.get(f"{kind} {sign}", sign).rpartition(" ")[2]

    return _mapped(text, other)


def _mapped(text: str, sign_for: Callable[[str, str], str]) -> str:
    def group(match: re.Match[str]) -> str:
        kind = match[1].strip().rstrip("sS").capitalize()
        return match[1] + _ONE.sub(lambda sign: sign_for(kind, sign[0]), match[2])

    return _LABELS.sub(group, text)
