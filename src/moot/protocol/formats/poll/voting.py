"""What can be voted for in a poll, and what the ballots came to.

Every distinct answer is a candidate. Its letter is fixed by a hash of the question and its text,
and stays the same whoever is excluded later: a ballot must not come to mean something else.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from moot.protocol.ballots import Tally, tallied
from moot.protocol.formats.poll.counting import Group, grouped
from moot.protocol.formats.poll.order import ballot_key, members, settings_of
from moot.protocol.formats.poll.reading import every_answer, said
from moot.protocol.labelling import LETTERS, shuffle_key
from moot.protocol.recovering import is_settled
from moot.protocol.state import DebateState
from moot.protocol.vocabulary import FLAGS

MOST_REASONS = 5
"""How many of the reasons for one answer voters read."""


class Candidate(msgspec.Struct, frozen=True):
    """`name` is what people read: the short answer, or whose text it is."""

    label: str
    name: str
    text: str
    group: Group


def candidates(state: DebateState) -> tuple[Candidate, ...]:
    """What can be chosen, labelled A, B, C. Answers that were excluded are left out."""
    settings = settings_of(state)
    groups = grouped(every_answer(state), are_numbers=settings.answer_type == "number")
    in_order = sorted(groups, key=lambda one: shuffle_key(state.config.topic, one.answer))
    names = _names(groups, is_prose=settings.is_prose)
    return tuple(
        Candidate(label, names[group.answer], _read_to_voters(group), group)
        for label, group in zip(LETTERS, in_order, strict=False)
        if any(said(state, one.key) for one in group.given)
    )


def _names(groups: tuple[Group, ...], *, is_prose: bool) -> Mapping[str, str]:
    """Short answers are their own names; texts have those of their authors, made distinct."""
    if not is_prose:
        return {one.answer: one.answer for one in groups}
    names: dict[str, str] = {}
    for group in groups:
        name = " and ".join(group.names)
        again = sum(1 for one in names.values() if one.rpartition(" #")[0] == name or one == name)
        names[group.answer] = f"{name} #{again + 1}" if again else name
    return names


def _read_to_voters(group: Group) -> str:
    reasons = [one.reasons for one in group.given if one.reasons][:MOST_REASONS]
    return "\n\n".join((group.answer, *dict.fromkeys(reasons)))


def is_voted(state: DebateState) -> bool:
    """Whether the members decide, and there is something to choose from."""
    return settings_of(state).is_voted and len(candidates(state)) > 1


def are_in(state: DebateState) -> bool:
    """Whether every member has cast its ballot, or is done without."""
    return all(is_settled(state, ballot_key(one)) for one in members(state.config))


def has_begun(state: DebateState) -> bool:
    return any(ballot_key(one) in state.turns for one in members(state.config))


class Vote(msgspec.Struct, frozen=True):
    """The candidates by name, every ballot by voter, and what they came to."""

    candidates: Mapping[str, Candidate]
    ballots: dict[str, list[str]]
    tally: Tally


def counted(state: DebateState) -> Vote:
    standing = {one.label: one for one in candidates(state)}
    names = {label: one.name for label, one in standing.items()}
    ballots = {
        one.name: [names[label] for label in _ballot(state, ballot_key(one)) if label in names]
        for one in members(state.config)
    }
    is_ranked = settings_of(state).decision == "rank"
    tally = tallied(ballots, list(names.values()), is_ranked=is_ranked)
    return Vote({one.name: one for one in standing.values()}, ballots, tally)


def uncounted(state: DebateState) -> tuple[str, ...]:
    """Whose ballot came and counts for nobody, each with the reason."""
    turns = ((one.name, state.turn(ballot_key(one))) for one in members(state.config))
    return tuple(
        f"{name}: no ballot ({_why(turn.said.data or {}) if turn.included else 'it was excluded'})"
        for name, turn in turns
        if turn and not _ballot(state, turn.said.step_key)
    )


def _why(data: Mapping[str, str]) -> str:
    reason = data.get("reason") or "unreadable"
    return FLAGS.get(reason, reason)


def _ballot(state: DebateState, key: str) -> list[str]:
    turn = said(state, key)
    return list((turn.said.data or {}).get("ranking", ())) if turn else []
