"""Votes and rankings of the members, and the answer they had before they debated.

Ballots are cast on proposals without names, in an order that a hash of their texts fixes: nobody is
favoured by sitting first, and nobody can choose a place. A tie is shown as a tie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from string import ascii_uppercase
from typing import Any

import msgspec

from moot.protocol.ballots import leading, tallied
from moot.protocol.formats.council.order import CRITICIZE, PROPOSE, VOTE, settings_of
from moot.protocol.formats.council.positions import final_position, said, text_of
from moot.protocol.formats.council.seats import active, members
from moot.protocol.labelling import shuffle_key
from moot.protocol.recovering import is_settled
from moot.protocol.state import DebateState, Turn
from moot.protocol.values import Participant
from moot.protocol.vocabulary import FLAGS


class Candidate(msgspec.Struct, frozen=True):
    label: str
    member: Participant
    text: str


def rule(state: DebateState) -> str:
    return settings_of(state).decision


def is_voted(state: DebateState) -> bool:
    """Whether the members decide, and there is something to choose from."""
    return VOTE.times(settings_of(state)) > 0 and len(candidates(state)) > 1


def candidates(state: DebateState) -> tuple[Candidate, ...]:
    """What can be chosen: the members' last positions, labelled A, B, C."""
    turns = ((one, final_position(state, one.id)) for one in active(state))
    found = [(one, text_of(turn)) for one, turn in turns if turn]
    in_order = sorted(found, key=lambda pair: shuffle_key(state.config.topic, pair[1]))
    return tuple(
        Candidate(label, one, text)
        for label, (one, text) in zip(ascii_uppercase, in_order, strict=False)
    )


def are_in(state: DebateState) -> bool:
    """Whether every member has cast its ballot, or is done without."""
    return all(is_settled(state, VOTE.key(state.round, one.id)) for one in active(state))


def count(state: DebateState) -> dict[str, Any]:
    """The result: points by name, who leads, and every ballot; see `tallied`."""
    names = {one.label: one.member.name for one in candidates(state)}
    is_ranked = rule(state) == "rank"
    ballots = {one.name: [names[each] for each in _ballot(state, one)] for one in active(state)}
    found = tallied(ballots, list(names.values()), is_ranked=is_ranked)
    return {
        "rule": rule(state),
        **_named(state, found.leaders),
        "points": found.points,
        "is_majority": found.is_majority,
        "ballots": ballots,
    }


def uncounted(state: DebateState) -> tuple[str, ...]:
    """Whose ballot came and counts for nobody, each with the reason."""
    turns = ((one, state.turn(VOTE.key(state.round, one.id))) for one in active(state))
    return tuple(
        f"{one.name}: no ballot ({_why(turn)})"
        for one, turn in turns
        if turn and not _ballot(state, one)
    )


def _why(turn: Turn) -> str:
    if not turn.included:
        return "it was excluded"
    reason = (turn.said.data or {}).get("reason") or "unreadable"
    return FLAGS.get(reason, reason)


def leaders(state: DebateState, result: Mapping[str, Any]) -> list[str]:
    """Who has won, or is tied, by id."""
    named = [result["winner"]] if result["winner"] else result["tied"]
    return [one.id for one in members(state) if one.name in named]


def _ballot(state: DebateState, voter: Participant) -> list[str]:
    turn = said(state, VOTE.key(state.round, voter.id))
    return list((turn.said.data or {}).get("ranking", ())) if turn else []


def _named(state: DebateState, leaders: Sequence[str]) -> dict[str, Any]:
    """A single leader has won; several are tied, and nobody has won."""
    winner = leaders[0] if len(leaders) == 1 else None
    ids = {one.name: one.id for one in members(state)}
    return {
        "winner": winner,
        "winner_id": ids[winner] if winner else None,
        "tied": list(leaders) if len(leaders) > 1 else [],
    }


# --- before the debate ----------------------------------------------------------------------------


def before_debate(state: DebateState) -> dict[str, Any] | None:
    """What the members would have chosen among their first proposals, without any debate.

    Each member rates the others' in its first critiques, which costs no further call; the highest
    mean leads. None if nobody gave a rating that can be read.
    """
    ratings = {one.name: _ratings(state, one.id) for one in members(state)}
    means = {name: round(fmean(rated), 1) for name, rated in ratings.items() if rated}
    if not means:
        return None
    leaders = leading(means)
    by_name = {one.name: one for one in members(state)}
    turns = {name: said(state, PROPOSE.key(1, by_name[name].id)) for name in leaders}
    return {
        **_named(state, leaders),
        "ratings": means,
        "proposals": {name: text_of(turn) for name, turn in turns.items() if turn},
    }


def _ratings(state: DebateState, member: str) -> list[float]:
    turns = (
        said(state, CRITICIZE.key(1, by.id, member)) for by in members(state) if by.id != member
    )
    given = ((turn.said.data or {}).get("rating") for turn in turns if turn)
    return [float(one) for one in given if one is not None]
