"""What a bench is asked to choose from: the proposals that a council ended with.

Members know one another's proposals by the council's own letters. A ballot has other letters, so
the letters in the texts first become names, which the ballot then replaces like all names.
"""

from __future__ import annotations

from moot.protocol.bench.spoken import judged_by
from moot.protocol.formats.council.labels import authors, critics_names
from moot.protocol.formats.council.positions import final_position, text_of
from moot.protocol.formats.council.seats import members
from moot.protocol.hearing.case import Case, lettered
from moot.protocol.hearing.neutral import Said, Side
from moot.protocol.labelling import unlabelled
from moot.protocol.state import DebateState, Turn

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
