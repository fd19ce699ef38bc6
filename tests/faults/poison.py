"""Debates that kill whoever runs them, and who stands up again."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from tests.faults.holding import PATIENCE_S

from moot.engine.live import LiveDebate
from moot.engine.performer import Performer
from moot.engine.work import Work
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.words import Status
from moot.store.port import Store

POISON = "Poison: is it so?"
"""Kills as it is begun."""
LATE_POISON = "Late poison: is it so?"
"""Kills when a good deal of it has been said."""


def swallow() -> None:
    """In the worker's process: from now on such debates kill."""
    Performer.prepare = _poisonous(Performer.prepare)  # type: ignore[method-assign]


def _poisonous(prepare: Callable[..., Work]) -> Callable[..., Work]:
    def prepared(
        self: Performer, live: LiveDebate, state: DebateState, step: Step, *more: Any
    ) -> Work:
        topic = state.config.topic
        if topic == POISON or (topic == LATE_POISON and step.stage == "exchange"):
            os.kill(os.getpid(), signal.SIGKILL)
        return prepare(self, live, state, step, *more)

    return prepared


class Mortal(Protocol):
    @property
    def is_alive(self) -> bool: ...

    def replace(self) -> None: ...


async def deaths_until_failed(store: Store, slots: Sequence[Mortal], poison: str) -> int:
    """How many workers died before it was given up. They are replaced as they die."""
    deaths = 0
    async with asyncio.timeout(PATIENCE_S):
        while (await store.summary(poison)).status is not Status.FAILED:
            deaths += _replaced(slots)
            await asyncio.sleep(0.02)
    return deaths + _replaced(slots)


async def over(store: Store, debates: Sequence[str]) -> None:
    """Return when none of them runs any more."""
    async with asyncio.timeout(PATIENCE_S):
        for debate in debates:
            while (await store.summary(debate)).status.is_active:  # noqa: ASYNC110 - of others' doing
                await asyncio.sleep(0.05)


def _replaced(slots: Sequence[Mortal]) -> int:
    dead = [slot for slot in slots if not slot.is_alive]
    for slot in dead:
        slot.replace()
    return len(dead)
