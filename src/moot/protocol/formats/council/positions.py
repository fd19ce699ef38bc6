"""Proposals, critiques and refinements as the log has them, how far positions moved, and the case.

A member's position is what it last put forward and nobody has excluded: its proposal, then its
refinements. A refinement is carried over as the proposal of the next round without a call. A bench
is asked to choose from the proposals that the council ended with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from moot.protocol.bench.spoken import judged_by
from moot.protocol.formats.council.order import (
    CRITICIZE,
    EVALUATE,
    MEASURES,
    PROPOSE,
    REFINE,
    settings_of,
)
from moot.protocol.formats.council.seats import active, authors, critics_names, judge, members
from moot.protocol.hearing.case import Case, Said, Side, lettered
from moot.protocol.labelling import unlabelled
from moot.protocol.parsing import words
from moot.protocol.recovering import is_settled
from moot.protocol.state import DebateState, Turn
from moot.protocol.values import Participant

LONGEST_WORD = 20
"""Longer words are taken letter by letter: not all languages put spaces between words."""


def said(state: DebateState, key: str) -> Turn | None:
    """The turn of that step, if something was said in it and nobody has excluded it."""
    turn = state.turn(key)
    return turn if turn is not None and turn.is_heard else None


def position(state: DebateState, member: str, round_: int) -> Turn | None:
    """What `member` goes into `round_` with."""
    for earlier in range(round_ - 1, 0, -1):
        if turn := said(state, REFINE.key(earlier, member)):
            return turn
    return next((turn for n in range(1, round_ + 1) if (turn := _proposal(state, member, n))), None)


def _proposal(state: DebateState, member: str, round_: int) -> Turn | None:
    """What the member proposed in that round: the first, or one that a retry brought it back to."""
    return said(state, PROPOSE.key(round_, member))


def has_proposed(state: DebateState, member: str) -> bool:
    """Whether the member has had its say, even if it passed."""
    rounds = range(1, state.round + 1)
    return any(PROPOSE.key(number, member) in state.turns for number in rounds)


def final_position(state: DebateState, member: str) -> Turn | None:
    """The position that the member ended with, or has come to so far."""
    return position(state, member, settings_of(state).rounds + 1)


def has_refined(state: DebateState) -> bool:
    """Whether anybody has had the chance to change a position, even if they passed."""
    rounds = range(1, state.round + 1)
    return any(state.turn(REFINE.key(n, one.id)) for one in members(state) for n in rounds)


def text_of(turn: Turn) -> str:
    """The proposal itself, without what its author says about it."""
    return str((turn.said.data or {}).get("proposal") or turn.said.content)


def holders(state: DebateState, round_: int) -> tuple[Participant, ...]:
    """The members that still take part and have a position in that round."""
    return tuple(one for one in active(state) if position(state, one.id, round_))


def has_proposals(state: DebateState) -> bool:
    rounds = range(1, state.round + 1)
    return any(_proposal(state, one.id, number) for one in members(state) for number in rounds)


def pairs(state: DebateState, round_: int) -> Iterator[tuple[Participant, Participant]]:
    """Who is to criticise whom: every member everybody else's position."""
    for of in holders(state, round_):
        for by in active(state):
            if by.id != of.id:
                yield by, of


def critiques_of(state: DebateState, round_: int, member: str) -> list[Turn]:
    """What the others said of the member's position in that round, in their order."""
    keys = (CRITICIZE.key(round_, by.id, member) for by in members(state) if by.id != member)
    return [turn for key in keys if (turn := said(state, key))]


# --- how far positions moved ----------------------------------------------------------------------

MOST_COMPARED = 30_000
"""Characters of a position that are compared: about ten pages."""


def similarity(one: str, other: str) -> float:
    """How much two texts have in common, from 0 to 1: Dice's coefficient of their words and pairs
    of neighbouring words, each counted as often as it occurs. Only the beginnings of texts are
    compared."""
    return 1.0 if one == other else _dice(one[:MOST_COMPARED], other[:MOST_COMPARED])


@lru_cache(maxsize=64)
def _dice(one: str, other: str) -> float:
    # Needed several times in a round: is it over, what is told of it, why did it end?
    a, b = _parts(one), _parts(other)
    size = a.total() + b.total()
    return 2 * (a & b).total() / size if size else 1.0


def _parts(text: str) -> Counter[tuple[str, ...]]:
    units = [
        unit for word in words(text) for unit in ([word] if len(word) <= LONGEST_WORD else word)
    ]
    return Counter([*((unit,) for unit in units), *pairwise(units)])


def stability(state: DebateState, round_: int) -> int | None:
    """How much of their positions the members kept in that round, in percent; None if nobody has
    refined one. A member that passed has kept all of its position."""
    refined = [one.id for one in members(state) if state.turn(REFINE.key(round_, one.id))]
    kept = [one for one in (_kept(state, member, round_) for member in refined) if one is not None]
    return round(100 * sum(kept) / len(kept)) if kept else None


def least_kept(state: DebateState, round_: int) -> int | None:
    """How much of its position the member that changed most kept in that round, in percent; None
    until all are through."""
    everybody = holders(state, round_)
    if not all(is_settled(state, REFINE.key(round_, one.id)) for one in everybody):
        return None
    kept = [one for one in (_kept(state, each.id, round_) for each in everybody) if one is not None]
    return round(100 * min(kept)) if kept else None


def _kept(state: DebateState, member: str, round_: int) -> float | None:
    before, after = (position(state, member, one) for one in (round_, round_ + 1))
    return similarity(text_of(before), text_of(after)) if before and after else None


# --- how far a round has come ---------------------------------------------------------------------


def number(state: DebateState, round_: int, name: str) -> float | None:
    """One of the judge's numbers of a round; None if there is none that can be read."""
    turn = state.turn(EVALUATE.key(round_, judge(state).id))
    found: float | None = (turn.said.data or {}).get(name) if turn else None
    return found


def figure(state: DebateState, round_: int) -> float | None:
    """The figure that this council's termination looks at, as it stood after a round."""
    termination = settings_of(state).termination
    if termination == "stable":
        return least_kept(state, round_)
    measure = MEASURES.get(termination)
    return number(state, round_, measure) if measure else None


def is_reached(state: DebateState, round_: int) -> bool:
    """Whether that figure is at least the threshold."""
    found = figure(state, round_)
    return found is not None and found >= settings_of(state).threshold


# --- what a bench is asked to choose from ---------------------------------------------------------

FEWEST = 2


def have_proposed(state: DebateState) -> bool:
    """Whether there are proposals to choose from."""
    return sum(final_position(state, one.id) is not None for one in members(state)) >= FEWEST


def proposed(state: DebateState) -> Case | None:
    """Everybody's last proposal, even if they sat out; None if there are fewer than two."""
    found = [(one, turn) for one in members(state) if (turn := final_position(state, one.id))]
    if len(found) < FEWEST:
        return None
    case = Case(
        topic=state.config.topic,
        premise=state.settings.premise,
        sides=tuple(Side(id=one.id, names=(one.name,), models=(one.model,)) for one, _ in found),
        said=tuple(Said(side=one.id, text=_text(state, one.id, turn)) for one, turn in found),
        are_proposals=True,
        judged_by=judged_by(state.config.participants),
    )
    return lettered(case)


def _text(state: DebateState, member: str, turn: Turn) -> str:
    return unlabelled(text_of(turn), {**authors(state), **critics_names(state, member)})
