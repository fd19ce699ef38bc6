"""What a bench is asked about: one debate by its sides and what they said, as it stood then.

Only what everybody heard goes into it: public statements, or the proposals that a council ended
with. Plans, thoughts, scores and the verdict of the debate's own judge never do.
"""

from __future__ import annotations

import msgspec

from moot.protocol.hearing.neutral import Said, Side, labels, neutral
from moot.protocol.hearing.plan import Order
from moot.protocol.parsing import words
from moot.protocol.quoting import quotations
from moot.protocol.sides import has_two_sides
from moot.protocol.state import DebateState
from moot.protocol.values import Participant
from moot.protocol.words import Role, Stance, StepKind, Visibility

STANCES = (Stance.PRO, Stance.CON)
"""Pro is listed first, so that it is X in the first order."""
PROPOSAL = "Proposal"


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """`sides` argued about the topic, and `said` is what they said, in its order; with
    `are_proposals`, each side is a proposal and has one text."""

    topic: str
    premise: str = ""
    sides: tuple[Side, ...]
    said: tuple[Said, ...]
    are_proposals: bool = False

    def names(self, order: Order) -> dict[str, str]:
        """What a ballot in that order calls each side, by its id: `X`, or `Proposal A`."""
        noun = f"{PROPOSAL} " if self.are_proposals else ""
        return {side: f"{noun}{label}" for side, label in labels(self.sides, order).items()}

    def read_in(self, order: Order) -> str:
        """All that was said, as a ballot in that order reads it; proposals by their letters."""
        names = self.names(order)
        told = [(names[one.side], neutral(one.text, self.sides, order)) for one in self.said]
        return quotations(sorted(told) if self.are_proposals else told)

    def sides_in(self, order: Order) -> str:
        """A line for each side that says what it argues, X first; "" if that is not known."""
        names = self.names(order)
        known = sorted((names[one.id], one.argues) for one in self.sides if one.argues)
        return "\n".join(f"- {name} argues {argues}" for name, argues in known)


def spoken(state: DebateState) -> Case | None:
    """The case of a debate with two sides; None if it has not, or one of them has said nothing."""
    roster = state.config.participants
    if not has_two_sides(roster):
        return None
    teams = {stance: _team(roster, stance) for stance in STANCES}
    ids = {stance: _id(team, stance) for stance, team in teams.items()}
    of = {one.id: ids[stance] for stance, team in teams.items() for one in team}
    said = tuple(
        Said(side=of[turn.said.participant], text=turn.said.content)
        for turn in state.transcript()
        if turn.said.participant in of
        and turn.said.kind is StepKind.SPEAK
        and turn.said.visibility is Visibility.PUBLIC
        and turn.included
        and not turn.is_silent
    )
    if {one.side for one in said} != set(ids.values()):
        return None
    sides = tuple(
        Side(
            id=ids[stance],
            names=tuple(one.name for one in team),
            argues=_argues(team, stance, state.settings.premise),
        )
        for stance, team in teams.items()
    )
    return Case(topic=state.config.topic, premise=state.settings.premise, sides=sides, said=said)


def word_counts(case: Case) -> dict[str, int]:
    """How many words each side has, by its id."""
    found = {side.id: 0 for side in case.sides}
    for one in case.said:
        found[one.side] += len(words(one.text))
    return found


def _team(roster: tuple[Participant, ...], stance: Stance) -> tuple[Participant, ...]:
    return tuple(one for one in roster if one.stance is stance and one.role is Role.DEBATER)


def _id(team: tuple[Participant, ...], stance: Stance) -> str:
    """Of one who argues alone, their own id, as verdicts have it."""
    return team[0].id if len(team) == 1 else stance.value


def _argues(team: tuple[Participant, ...], stance: Stance, premise: str) -> str:
    if premise.strip():
        return "for the premise" if stance is Stance.PRO else "against the premise"
    return team[0].argues
