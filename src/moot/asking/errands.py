"""Calls to models outside any debate, for clients that come and go: each is made once.

A client that loses patience leaves, and comes back with the same question. An errand goes on
meanwhile in a task of the process, and whoever asks for it again is given what came of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from moot.engine import failpoints
from moot.engine.clock import Clock
from moot.errors import ModelUnavailable

T = TypeVar("T")

KEPT_S = 60.0
"""For how long a result is kept for whoever may not have received it."""


class _Errand(msgspec.Struct, kw_only=True):
    work: Callable[[], Awaitable[Any]]
    result: asyncio.Future[Any]
    kept_until: float = float("inf")


class Errands:
    """What is under way, and what was done a short while ago."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[str, _Errand] = {}
        self._begun: asyncio.Queue[_Errand] = asyncio.Queue()

    async def done(self, key: str, work: Callable[[], Awaitable[T]]) -> T:
        """What `work` gives, or raises. It is begun unless an errand of that key is known, and goes
        on when this is cancelled. A result is kept for a while, unless `forget` says that it has
        arrived; a failure is not."""
        self._clear()
        errand = self._known.get(key)
        if errand is None:
            future = asyncio.get_running_loop().create_future()
            errand = self._known[key] = _Errand(work=work, result=future)
            self._begun.put_nowait(errand)
        result: T = await asyncio.shield(errand.result)
        return result

    def forget(self, key: str) -> None:
        """Forget an errand whose result has arrived: whoever asks again wants another."""
        self._known.pop(key, None)

    async def run(self) -> None:
        """Until cancelled: do what is asked for, all at once."""
        async with asyncio.TaskGroup() as group:
            while True:
                failpoints.reach("errands")
                errand = await self._begun.get()
                group.create_task(self._do(errand))

    async def _do(self, errand: _Errand) -> None:
        try:
            errand.result.set_result(await errand.work())
        except asyncio.CancelledError:
            errand.result.set_exception(ModelUnavailable("the server is leaving; ask again"))
            errand.result.exception()
            raise
        except Exception as error:  # noqa: BLE001 - it is for whoever asked, not for this loop
            errand.result.set_exception(error)
            errand.result.exception()  # nobody may be there to see it
        finally:
            errand.kept_until = self._clock.monotonic() + KEPT_S

    def _clear(self) -> None:
        """Drop what was kept long enough, and failures: whoever asks again wants another try."""
        now = self._clock.monotonic()
        for key, one in list(self._known.items()):
            has_failed = one.result.done() and one.result.exception() is not None
            if has_failed or one.kept_until <= now:
                del self._known[key]
