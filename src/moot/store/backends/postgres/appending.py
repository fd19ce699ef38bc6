"""Appends that wait at the same time, committed together by one task.

Nobody may be told "written" before the commit is acknowledged, nobody may wait for a task that has
died, and two appends of one debate never share a group: the second must see the first.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import asyncpg
import msgspec

from moot.errors import Conflict, InvalidInput, LeaseLost, MootError, NotFound, StoreUnavailable
from moot.store.backends.postgres.database import Database
from moot.store.backends.postgres.searching import TextRow, columns
from moot.store.backends.postgres.statements import APPEND
from moot.store.rows import EventRow

MOST_AT_ONCE = 128
BROKEN = "what writes to the database has broken: start again"


class Append(msgspec.Struct, frozen=True, kw_only=True):
    """One caller's events with the words to index, the new values of the debate's row, and what
    must hold for them to be written."""

    debate_id: str
    events: Sequence[EventRow]
    texts: Sequence[TextRow]
    values: tuple[Any, ...]
    fence: int | None
    future: asyncio.Future[None]

    @property
    def expected(self) -> int:
        return self.events[0][1] - 1


class Appender:
    """Collects appends while a group is under way, then commits them as the next group."""

    def __init__(self, database: Database, origin: str) -> None:
        self._database = database
        self._origin = origin
        self._waiting: deque[Append] = deque()
        self._news = asyncio.Event()
        self._is_closed = False
        self._task = asyncio.create_task(self._run(), name="moot-store-appender")

    async def append(
        self,
        events: Sequence[EventRow],
        texts: Sequence[TextRow],
        values: tuple[Any, ...],
        fence: int | None,
    ) -> None:
        if self._task.done():
            raise StoreUnavailable(BROKEN)
        if self._is_closed:
            raise StoreUnavailable("the store is closed: open it again")
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        wanted = Append(
            debate_id=events[0][0],
            events=events,
            texts=texts,
            values=values,
            fence=fence,
            future=future,
        )
        self._waiting.append(wanted)
        self._news.set()
        await future

    async def until_broken(self) -> None:
        """Waits as long as the task lives; raises what it died of."""
        await asyncio.shield(self._task)

    async def close(self) -> None:
        """Write what is still waiting, then end."""
        self._is_closed = True
        self._news.set()
        with suppress(asyncio.CancelledError, Exception):  # if it broke, that has been told
            await self._task

    async def _run(self) -> None:
        group: list[Append] = []
        try:
            while self._waiting or not self._is_closed:
                await self._news.wait()
                self._news.clear()
                while self._waiting:
                    group = self._next_group()
                    await self._commit(group)
        finally:
            for wanted in (*group, *self._waiting):  # those of the last group have been told
                _settle(wanted, StoreUnavailable(BROKEN))

    def _next_group(self) -> list[Append]:
        """The oldest, at most one of each debate; the others keep their order."""
        group: dict[str, Append] = {}
        later: list[Append] = []
        while self._waiting and len(group) < MOST_AT_ONCE:
            wanted = self._waiting.popleft()
            if wanted.debate_id in group:
                later.append(wanted)
            else:
                group[wanted.debate_id] = wanted
        self._waiting.extendleft(reversed(later))
        return list(group.values())

    async def _commit(self, group: list[Append]) -> None:
        try:
            rows = await self._database.write(APPEND, *_arrays(group), self._origin)
        except (Conflict, InvalidInput) as error:
            # Nothing was written, because one of the step keys is taken: find out which one.
            if len(group) == 1:
                _settle(group[0], error)
                return
            for wanted in group:
                await self._commit([wanted])
        except Exception as error:  # noqa: BLE001 - told to those who wait; the task must live on
            for wanted in group:
                _settle(wanted, error)
        else:
            found = {row["id"]: row for row in rows}
            for wanted in group:
                _settle(wanted, _refusal(wanted, found.get(wanted.debate_id)))


def _arrays(group: list[Append]) -> list[Sequence[Any]]:
    """The columns of the group, then the columns of its events, then those of its texts."""
    rows = [(wanted.debate_id, wanted.expected, wanted.fence, *wanted.values) for wanted in group]
    events = [event for wanted in group for event in wanted.events]
    texts = [text for wanted in group for text in wanted.texts]
    return [*zip(*rows, strict=True), *zip(*events, strict=True), *columns(texts)]


def _refusal(wanted: Append, row: asyncpg.Record | None) -> MootError | None:
    if row is None:
        return NotFound(f"there is no debate {wanted.debate_id!r}")
    if row["is_done"]:
        return None
    if wanted.fence is not None and wanted.fence != row["fence"]:
        return LeaseLost(
            f"debate {wanted.debate_id!r} has fence {row['fence']} and not {wanted.fence}: "
            "it was taken over"
        )
    return Conflict(
        f"the log of debate {wanted.debate_id!r} ends at {row['seq']} and not at {wanted.expected}"
    )


def _settle(wanted: Append, error: Exception | None) -> None:
    if wanted.future.done():  # its task was cancelled meanwhile
        return
    if error is None:
        wanted.future.set_result(None)
    else:
        wanted.future.set_exception(error)
