"""Which texts of a debate a search shows, chosen alike by every backend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from moot.protocol.events import DebateCompleted, DebateCreated, Recorded
from moot.protocol.searching import Wanted, had, text_of
from moot.store.port import MOST_HITS


def most_of(records: Iterable[Recorded], wanted: Wanted) -> tuple[Recorded, ...]:
    """The events whose texts have the most of what is wanted, and at least some of it."""
    some = [one for one in records if not isinstance(one.event, DebateCreated)]
    counts = {one.seq: len(had(text_of(one.event), wanted)) for one in some}
    some = [one for one in some if counts[one.seq]]
    some.sort(key=lambda one: (-counts[one.seq], one.seq))
    return best_of(some[: MOST_HITS + 1], wanted)


def best_of(records: Sequence[Recorded], wanted: Wanted) -> tuple[Recorded, ...]:
    """The first of `records`, without an outcome that has nothing wanted beyond what a turn has."""
    turns = [one for one in records if not isinstance(one.event, DebateCompleted)]
    if len(turns) < len(records):
        told = [had(text_of(one.event), wanted) for one in turns]
        records = [
            one
            for one in records
            if one in turns or not any(had(text_of(one.event), wanted) <= some for some in told)
        ]
    return tuple(records[:MOST_HITS])
