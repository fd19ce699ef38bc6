"""What can be read of debates. Nothing here changes one, but a row that is wrong is put right.

`shown`, `summary`, `list` and `search` leave out what may not be shown now. The others leave out
nothing: they are for callers who draw the veil themselves.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, suppress

from moot.engine import listing
from moot.engine.feed import Item, Viewer
from moot.engine.hearings import MOST, Heard, heard, newest
from moot.engine.live_debates import LiveDebates
from moot.engine.searching import SearchPage, searched
from moot.errors import InvalidInput, NotFound
from moot.protocol import events as e
from moot.protocol.log import begin
from moot.protocol.outcomes import Certificate
from moot.protocol.row import DebateRow
from moot.protocol.state import DebateState
from moot.protocol.values import Config
from moot.protocol.visibility import Veil, shown, veil_of
from moot.protocol.words import Status
from moot.store.port import Page, Store


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
            with suppress(*listing.UNREADABLE):  # a row that is wrong can be put right another time
                await live.row()
        return log, await self.sources(begin(log[0]).config)

    async def files(self, debate_id: str) -> dict[str, str]:
        """The texts of a debate's attachments, by their hash."""
        return await self._store.files(debate_id)

    async def summary(self, debate_id: str) -> DebateRow:
        """The row that is kept beside the log: cheap, and with the cursor. Raises NotFound."""
        return await listing.shown(await self._store.summary(debate_id), self._live)

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
        rows = [await listing.completed(row, self._live) for row in page.items]
        items = [await listing.shown(row, self._live) for row in rows]
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
