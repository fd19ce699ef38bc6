"""The debates that this process runs because somebody reads along, for as long as somebody does.

A debate has one run here, however many read along. Whoever comes while it is being run joins it.
When the last reader leaves, no more calls begin; those under way were paid for, so they finish and
are recorded, and then the debate is given back. Whoever comes back before that keeps it.

If the last reader is cancelled, the calls are cut at once, as they are by any cancellation.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from moot.engine.worker import Worker
from moot.errors import Busy
from moot.protocol.state import DebateState
from moot.protocol.words import Status

log = logging.getLogger(__name__)

Run = Callable[[str], Awaitable[DebateState]]
STOPS = (Status.STOPPING, Status.STOPPED)


class Play:
    """One run of one debate, and how many read along."""

    def __init__(self, debate_id: str, before: Play | None) -> None:
        self.debate_id = debate_id
        self.before = before
        """The run that was cut and has not ended yet: this one begins when it has."""
        self.readers = 0
        self.was_let_go = False
        self.goes_on = False
        """Whether somebody who wants it to go on came while it was being stopped."""
        self.is_cut = False
        self.task: asyncio.Task[None]


class Plays:
    """The runs of one event loop. `close` it before the worker is gone."""

    def __init__(self, run: Run, worker: Worker | None) -> None:
        self._run = run
        self._worker = worker
        self._plays: dict[str, Play] = {}

    @asynccontextmanager
    async def joined(
        self, debate_id: str, *, goes_on: bool = False
    ) -> AsyncIterator[asyncio.Task[None]]:
        """The run of that debate, begun or found, which goes on while the block lasts.

        With `goes_on`, it goes on even if the run that is found is just coming to a stop.
        """
        play = self._joined(debate_id)
        play.goes_on |= goes_on
        is_cancelled = False
        try:
            yield play.task
        except asyncio.CancelledError:
            is_cancelled = True
            raise
        finally:
            play.readers -= 1
            if not play.readers and not play.task.done():
                if is_cancelled:
                    await self._cut(play)
                else:
                    self._let_go(play)

    async def close(self) -> None:
        """End every run, and return when all of them have ended."""
        while self._plays:
            await self._cut(next(iter(self._plays.values())))

    def _joined(self, debate_id: str) -> Play:
        play = self._plays.get(debate_id)
        if play is None or play.is_cut or play.task.done():
            play = self._begun(debate_id, play)
        elif not play.readers and self._worker is not None:
            self._worker.keep(debate_id)
        play.readers += 1
        return play

    def _begun(self, debate_id: str, before: Play | None) -> Play:
        play = self._plays[debate_id] = Play(debate_id, before)
        play.task = asyncio.create_task(self._keep_running(play))
        play.task.add_done_callback(lambda _: self._ended(play))
        return play

    def _let_go(self, play: Play) -> None:
        play.was_let_go = True
        if self._worker is not None:
            self._worker.let_go(play.debate_id)

    async def _cut(self, play: Play) -> None:
        play.is_cut = True
        play.task.cancel()
        await asyncio.wait([play.task])
        self._forget(play)

    async def _keep_running(self, play: Play) -> None:
        if play.before is not None:
            await asyncio.wait([play.before.task])
            play.before = None
        while True:
            play.goes_on = False  # whoever came so far goes on with this run
            state = await self._run(play.debate_id)
            # Somebody came back when it was too late to keep it: then it is taken up anew.
            is_taken_up = play.was_let_go and state.status.is_active
            is_resumed = play.goes_on and state.status in STOPS
            if not play.readers or not (is_taken_up or is_resumed):
                return
            play.was_let_go = False

    def _ended(self, play: Play) -> None:
        self._forget(play)
        error = None if play.task.cancelled() else play.task.exception()
        if error is not None and not play.readers and not isinstance(error, Busy):
            # Those who read along are told of it; here there are none.
            extra = {"debate": play.debate_id, "error": f"{type(error).__name__}: {error}"}
            log.warning("run broke", extra=extra)

    def _forget(self, play: Play) -> None:
        if self._plays.get(play.debate_id) is play:
            del self._plays[play.debate_id]
