"""Ctrl-C while a debate is run in the foreground."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from moot.cli.interrupts import Interrupts
from moot.engine.service import Service
from moot.errors import Refused
from moot.protocol.words import Status


class Beginning:
    """A service whose debate has not begun when it is asked to stop, and begins just then."""

    def __init__(self, *refuses_in: Status, then: Status) -> None:
        self._refuses_in = list(refuses_in)
        self._then = then
        self.asked = 0
        self.is_stopped = False

    async def command(self, _debate_id: str, name: str) -> None:
        assert name == "stop"
        self.asked += 1
        if self._refuses_in:
            self._refuses_in.pop(0)
            raise Refused("not now")
        self.is_stopped = True

    async def state(self, _debate_id: str) -> Any:
        return SimpleNamespace(status=(self._refuses_in or [self._then])[0])

    def calls(self, _debate_id: str) -> int:
        return 0

    def hurry(self, _debate_id: str) -> None:
        pass


async def interrupted(service: Beginning) -> Beginning:
    interrupts = Interrupts(cast("Service", service), "id", lambda _text: None, 10)
    interrupts.interrupt()
    async with asyncio.timeout(30):
        await interrupts.is_asked.wait()
    return service


@pytest.mark.parametrize("refuses_in", [(Status.CREATED,), (Status.CREATED, Status.CREATED), ()])
async def test_a_debate_that_begins_while_it_refuses_is_asked_again(
    refuses_in: tuple[Status, ...],
) -> None:
    service = await interrupted(Beginning(*refuses_in, then=Status.RUNNING))
    assert service.is_stopped
    assert service.asked == len(refuses_in) + 1


@pytest.mark.parametrize("status", [Status.STOPPING, Status.COMPLETED, Status.FAILED])
async def test_one_that_is_over_or_stopping_is_left_alone(status: Status) -> None:
    service = await interrupted(Beginning(status, then=status))
    assert not service.is_stopped
    assert service.asked == 1
