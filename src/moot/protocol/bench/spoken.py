"""The case of a debate between two sides: what everybody heard, and nothing else.

Plans, thoughts, scores and the verdict of the debate's own judge never go into it.
"""

from __future__ import annotations

from moot.protocol.hearing.case import Case, Said, Side, lettered
from moot.protocol.parsing import words
from moot.protocol.roster import has_two_sides
from moot.protocol.state import DebateState
from moot.protocol.turns import Turn
from moot.protocol.values import Participant
from moot.protocol.words import Role, Stance, StepKind, Visibility

STANCES = (Stance.PRO, Stance.CON)
"""Pro is listed first, so that it is X in the first order."""


def have_spoken(state: DebateState) -> bool:
    """Whether there are two sides, and both have said something."""
    roster = state.config.participants
    return has_two_sides(roster) and all(
        any(
            _is_heard(turn)
            for one in _team(roster, stance)
            for turn in state.own_turns.get(one.id, ())
        )
        for stance in STANCES
    )


def spoken(state: DebateState) -> Case | None:
    """The case of a debate with two sides; None if it has none, or a side has said nothing."""
    if not have_spoken(state):
        return None
    roster = state.config.participants
    teams = {stance: _team(roster, stance) for stance in STANCES}
    ids = {stance: _id(team, stance) for stance, team in teams.items()}
    of = {one.id: ids[stance] for stance, team in teams.items() for one in team}
    said = tuple(
        Said(side=of[turn.said.participant], text=turn.said.content)
        for turn in state.transcript()
        if turn.said.participant in of and _is_heard(turn)
    )
    sides = tuple(
        Side(
            id=ids[stance],
            names=tuple(one.name for one in team),
            argues=_argues(team, stance, state.settings.premise),
            models=models_of(team),
        )
        for stance, team in teams.items()
    )
    case = Case(
        topic=state.config.topic,
        premise=state.settings.premise,
        sides=sides,
        said=said,
        judged_by=judged_by(roster),
    )
    return lettered(case)


def judged_by(roster: tuple[Participant, ...]) -> tuple[str, ...]:
    """The models of the debate's own judges."""
    return models_of(tuple(one for one in roster if one.role is Role.JUDGE))


def _is_heard(turn: Turn) -> bool:
    return (
        turn.said.kind is StepKind.SPEAK
        and turn.said.visibility is Visibility.PUBLIC
        and turn.is_heard
    )


def word_counts(case: Case) -> dict[str, int]:
    """How many words each side has, by its id."""
    found = {side.id: 0 for side in case.sides}
    for one in case.said:
        found[one.side] += len(words(one.text))
    return found


def models_of(team: tuple[Participant, ...]) -> tuple[str, ...]:
    """The models that a team spoke with, each once."""
    return tuple(dict.fromkeys(one.model for one in team))


def _team(roster: tuple[Participant, ...], stance: Stance) -> tuple[Participant, ...]:
    return tuple(one for one in roster if one.stance is stance and one.role is Role.DEBATER)


def _id(team: tuple[Participant, ...], stance: Stance) -> str:
    """The id of a side: if one debater argues alone, their own id, as in verdicts."""
    return team[0].id if len(team) == 1 else stance.value


def _argues(team: tuple[Participant, ...], stance: Stance, premise: str) -> str:
    if premise.strip():
        return "for the premise" if stance is Stance.PRO else "against the premise"
    return team[0].argues
