"""What can be read of debates: one by one, in lists, and by what is found in their texts.

Nothing here changes a debate, but a row that is wrong is put right. `shown`, `summary`, `list` and
`search` leave out what may not be shown now. The others leave out nothing: they are for callers who
draw the veil themselves. A debate that cannot be read must not keep others from a list.

What somebody who takes part may not know is not found either: that a debate is among the results
would tell as much as its words. A debate that has something to hide is looked through once more, as
it may be shown; one that cannot be read is not found.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, suppress

import msgspec

from moot.engine.feed import Item, Viewer
from moot.engine.hearings import MOST, Heard, heard, newest
from moot.engine.live import LiveDebate
from moot.engine.live_debates import LiveDebates
from moot.errors import InvalidInput, MootError, NotFound
from moot.protocol import events as e
from moot.protocol.log import begin
from moot.protocol.outcomes import Certificate
from moot.protocol.row import DebateRow
from moot.protocol.searching import Piece, Wanted, found, had, read_query, snippet, text_of
from moot.protocol.state import DebateState
from moot.protocol.values import Config
from moot.protocol.visibility import Veil, shown, veil_of
from moot.protocol.words import Status, StepKind
from moot.store.pages import most_of
from moot.store.port import MOST_HITS, Found, Page, Store

UNREADABLE = (MootError, msgspec.MsgspecError)
"""What is raised by a log that is damaged or was deleted meanwhile, or by a full disk."""

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


class Reads:
    """The debates of a store, those that are open in this process from memory."""

    def __init__(self, store: Store, live: LiveDebates) -> None:
        self._store = store
        self._live = live

    async def find(self, prefix: str, *, least: int = 1) -> str:
        """The one debate whose id begins with `prefix`. Raises NotFound or InvalidInput.

        `least` is how many characters of the id must be given: callers that destroy something ask
        for more of them, since the beginning of an id may be a slip of the hand.
        """
        prefix = prefix.strip().lower()  # all ids are in lower case
        if len(prefix) < max(1, least):
            wanted = (
                f"at least {least} characters of an id" if least > 1 else "an id, or its beginning"
            )
            short = f"{prefix!r} is too short" if prefix else "is empty"
            message = f"{short}: give {wanted}; `moot list` shows the ids"
            raise InvalidInput(message, field="id")
        found = await self._store.find(prefix)
        if not found:
            message = f"there is no debate {prefix!r}; `moot list` shows what there is"
            raise NotFound(message)
        if len(found) > 1 and prefix not in found:
            message = f"{prefix!r} could be {', '.join(found)}; give more characters of it"
            raise InvalidInput(message, field="id")
        return prefix if prefix in found else found[0]

    async def with_prefix(self, prefix: str) -> list[str]:
        """The ids that begin with `prefix`, at most ten."""
        return await self._store.find(prefix)

    async def log(self, debate_id: str, *, after: int = 0) -> list[e.Recorded]:
        """The events of a debate. Raises NotFound."""
        async with self._live.open(debate_id) as live:
            return await live.events(after=after)

    async def state(self, debate_id: str) -> DebateState:
        """Where a debate stands: a state of the caller's own. Raises NotFound."""
        async with self._live.open(debate_id) as live:
            return live.state.copy()

    async def standing(self, debate_id: str) -> tuple[DebateRow, DebateState]:
        """The row and the state of a debate, of one moment; a row that is wrong is put right.

        The state is the one that everybody in this process shares: read what you need of it before
        you next await, and change nothing. Raises NotFound.
        """
        async with self._live.open(debate_id) as live:
            row = await live.row()
            if row.seq < live.seq:  # it grew while the row was being read
                row = await live.row()
            return row, live.state

    async def veil(self, debate_id: str, *, who: str | None = None) -> tuple[Veil, int]:
        """What may not be shown of a debate now, and after which event; with `who`, what may not be
        shown to that participant. Raises NotFound."""
        async with self._live.open(debate_id) as live:
            sources = await self.sources(live.state.config)
            return veil_of(live.state, sources, who=who), live.state.seq

    async def sources(self, config: Config) -> tuple[Veil, ...]:
        """The veils that are drawn over the debates that a debate was forked from."""
        return tuple((await self._live.veiled_sources(config)).values())

    async def veiled_by(self, debate_id: str) -> list[str]:
        """The debates because of whose people something is hidden in this one: there cards can be
        opened. If this debate is one of them, it comes last. Raises NotFound."""
        state = await self.state(debate_id)
        own = [debate_id] if veil_of(state).is_drawn else []
        return [*await self._live.veiled_sources(state.config), *own]

    async def shown(self, debate_id: str) -> Sequence[e.Recorded]:
        """The events of a debate as they may be shown now. Raises NotFound."""
        return shown(*await self.log_and_sources(debate_id)).log

    async def log_and_sources(
        self, debate_id: str
    ) -> tuple[Sequence[e.Recorded], tuple[Veil, ...]]:
        """All events of a debate, and the veils of those that it was forked from. Raises
        NotFound."""
        async with self._live.open(debate_id) as live:
            log = await live.events(after=0)
            with suppress(*UNREADABLE):  # a row that is wrong can be put right another time
                await live.row()
        return log, await self.sources(begin(log[0]).config)

    async def files(self, debate_id: str) -> dict[str, str]:
        """The texts of a debate's attachments, by their hash."""
        return await self._store.files(debate_id)

    async def summary(self, debate_id: str) -> DebateRow:
        """The row that is kept beside the log: cheap, and with the cursor. Raises NotFound."""
        return await shown_row(await self._store.summary(debate_id), self._live)

    async def list(
        self,
        *,
        status: Status | None = None,
        format: str | None = None,  # noqa: A002 - the glossary's word
        door: str | None = None,
        query: str = "",
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        """Summaries, newest first, as they may be shown. `door` is the one by which they came."""
        page = await self._store.list(
            status=status, format=format, door=door, query=query, limit=limit, cursor=cursor
        )
        rows = [await completed_row(row, self._live) for row in page.items]
        items = [await shown_row(row, self._live) for row in rows]
        return Page(items=tuple(items), next=page.next)

    async def certificate(self, debate_id: str) -> Certificate | None:
        """The certificate of the newest hearing about that debate that was held to its end, as a
        debate of its own; None if none was."""
        found = newest(await self.hearings(debate_id))
        return found.certificate if found else None

    async def hearings(self, debate_id: str) -> tuple[Heard, ...]:
        """The hearings of that debate, newest first; none if there is no such debate."""
        return heard(await self._store.hearings(debate_id, limit=MOST))

    async def search(
        self,
        query: str,
        *,
        status: Status | None = None,
        format: str | None = None,  # noqa: A002 - the glossary's word
        limit: int = 20,
        cursor: str | None = None,
    ) -> SearchPage:
        """Debates in which all words of `query` occur, as far as they may be shown, newest first:
        words by their beginnings, in double quotes a phrase; case and accents do not matter."""
        return await searched(
            self._store,
            self._live,
            query,
            status=status,
            format=format,
            limit=limit,
            cursor=cursor,
        )

    async def watch(
        self, debate_id: str, *, after: int = 0, text: bool = False
    ) -> AsyncIterator[Item]:
        """Every event after `after`, in order and without gap or repetition; live text if asked.

        Ends once the debate is over, stopped, failed or waits for people, and all of that is read.
        """
        async with self.following(debate_id, text=text) as viewer:
            async for item in viewer.items(after=after, until_still=True):
                yield item

    async def follow(
        self, debate_id: str, *, after: int = 0, text: bool = False
    ) -> AsyncIterator[Item]:
        """`watch`, but for as long as the debate is not over, and whoever runs it.

        What other processes append is seen too, within about a second.
        """
        async with self.following(debate_id, text=text) as viewer:
            async for item in viewer.items(after=after):
                yield item

    def following(
        self, debate_id: str, *, text: bool = False
    ) -> AbstractAsyncContextManager[Viewer]:
        """`follow` for callers that must know if the debate is there before anything is read."""
        return self._live.watch(debate_id, wants_text=text)

    @property
    def viewers(self) -> int:
        """How many follow a debate in this process."""
        return self._live.viewers

    def stalled(self, debate_id: str) -> str:
        """Why nothing of that debate can be recorded now, as far as this process knows, or ""."""
        return self._live.stalled(debate_id)

    def dismiss_viewers(self) -> None:
        """End every `follow` of this process, so that a server can leave; they may come back."""
        self._live.dismiss()


# --- rows as they are listed ----------------------------------------------------------------------


async def completed_row(row: DebateRow, debates: LiveDebates) -> DebateRow:
    """The row with all that its log knows: one that an earlier version wrote is written anew. The
    row as it is, if the log cannot be read or the row cannot be written."""
    if row.cast is not None:
        return row
    try:
        async with debates.open(row.id) as live:
            return await live.row()
    except UNREADABLE:
        return row


async def shown_row(row: DebateRow, debates: LiveDebates) -> DebateRow:
    """The row without the outcome of a fork that its source's people may not know yet."""
    if row.outcome is None or not row.forked_from:
        return row
    is_hidden = await _hides_outcome(row.id, debates)
    return msgspec.structs.replace(row, outcome=None) if is_hidden else row


async def _hides_outcome(debate_id: str, debates: LiveDebates) -> bool:
    try:
        async with debates.open(debate_id) as live:
            return (await _veil_over(live, debates)).hides_outcome
    except UNREADABLE:  # then nobody can say
        return True


async def _veil_over(live: LiveDebate, debates: LiveDebates) -> Veil:
    """The debate's own veil, and those of the debates that it was forked from."""
    sources = await debates.veiled_sources(live.state.config)
    return veil_of(live.state, tuple(sources.values()))


# --- what is found in texts -----------------------------------------------------------------------


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
    row = await completed_row(one.row, debates)
    hits: Sequence[e.Recorded] | None = one.hits
    if _may_hide(row):
        hits = await _visible(one, wanted, debates)
    if hits is None:
        return None
    row = await shown_row(row, debates)
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
            veil = await _veil_over(live, debates)
            if not veil.is_drawn:
                return one.hits
            log = await live.events(after=0)
    except UNREADABLE:
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
