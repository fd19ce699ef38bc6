"""What is found in the texts of debates, as far as it may be shown.

What somebody who takes part may not know is not found either: that a debate is among the results
would tell as much as its words. A debate that has something to hide is looked through once more, as
it may be shown; one that cannot be read is not found.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from moot.engine import listing
from moot.engine.live_debates import LiveDebates
from moot.protocol import events as e
from moot.protocol.row import DebateRow
from moot.protocol.searching import Piece, Wanted, found, had, read_query, snippet, text_of
from moot.protocol.visibility import Veil, veil_of
from moot.protocol.words import Status, StepKind
from moot.store.best import most_of
from moot.store.port import MOST_HITS, Found, Store

TITLE, TOPIC, OUTCOME = "title", "topic", "outcome"


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A text in which something was found. `turn` is its number in the log, for turns only; `kind`
    that of the turn, or `title`, `topic` or `outcome`. `snippet` is in pieces, of which some are
    what was looked for; none has any markup of ours."""

    turn: int | None = None
    participant: str = ""
    kind: str
    snippet: tuple[Piece, ...]


class FoundDebate(msgspec.Struct, frozen=True, kw_only=True):
    """A debate in which all that was looked for occurs, with up to three of the texts."""

    row: DebateRow
    hits: tuple[Hit, ...]


class SearchPage(msgspec.Struct, frozen=True, kw_only=True):
    """What was found, the newest debate first, and the cursor of the next page or None."""

    items: tuple[FoundDebate, ...]
    next: str | None = None


async def searched(  # noqa: PLR0913 - whom to ask, and what for
    store: Store,
    debates: LiveDebates,
    query: str,
    *,
    status: Status | None,
    format: str | None,  # noqa: A002 - the glossary's word
    limit: int,
    cursor: str | None,
) -> SearchPage:
    wanted = read_query(query)
    items: list[FoundDebate] = []
    while True:
        page = await store.search(
            wanted, status=status, format=format, limit=limit - len(items), cursor=cursor
        )
        shown = [await _shown(one, wanted, debates) for one in page.items]
        items += filter(None, shown)
        cursor = page.next
        if cursor is None or len(items) == limit:
            return SearchPage(items=tuple(items), next=cursor)


async def _shown(one: Found, wanted: Wanted, debates: LiveDebates) -> FoundDebate | None:
    row = await listing.completed(one.row, debates)
    hits: Sequence[e.Recorded] | None = one.hits
    if _may_hide(row):
        hits = await _visible(one, wanted, debates)
    if hits is None:
        return None
    row = await listing.shown(row, debates)
    named = [
        Hit(kind=kind, snippet=snippet(text, wanted))
        for kind, text in ((TITLE, row.title), (TOPIC, row.topic))
        if had(text, wanted)
    ]
    told = [_hit(record, wanted) for record in hits]
    return FoundDebate(row=row, hits=tuple([*named, *told][:MOST_HITS]))


def _may_hide(row: DebateRow) -> bool:
    """Whether something of it may be hidden, so that its log has to be read; most hide nothing."""
    if row.forked_from or row.cast is None:
        return True
    has_people = row.cast_size > len(row.cast) or any(seat.is_person for seat in row.cast)
    return has_people and not row.status.is_terminal and not row.has_open_cards


async def _visible(one: Found, wanted: Wanted, debates: LiveDebates) -> Sequence[e.Recorded] | None:
    """The hits that may be shown; None if what may be shown lacks something that is wanted."""
    try:
        async with debates.open(one.row.id) as live:
            sources = await debates.veiled_sources(live.state.config)
            veil = veil_of(live.state, tuple(sources.values()))
            if not veil.is_drawn:
                return one.hits
            log = await live.events(after=0)
    except listing.UNREADABLE:
        return None
    return _found_behind(veil, log, one.row.title, wanted)


def _found_behind(
    veil: Veil, log: Sequence[e.Recorded], title: str, wanted: Wanted
) -> Sequence[e.Recorded] | None:
    seen = [record for record in map(veil.seen, log) if text_of(record.event)]
    if not found((title, *(text_of(record.event) for record in seen)), wanted):
        return None
    return most_of(seen, wanted)


def _hit(record: e.Recorded, wanted: Wanted) -> Hit:
    event = record.event
    words = snippet(text_of(event), wanted)
    match event:
        case e.TurnRecorded():
            who, kind = event.participant, event.kind
            return Hit(turn=record.seq, participant=who, kind=kind, snippet=words)
        case e.MessageSaid():
            who = event.participant
            return Hit(turn=record.seq, participant=who, kind=StepKind.SPEAK, snippet=words)
        case _:
            return Hit(kind=OUTCOME, snippet=words)
