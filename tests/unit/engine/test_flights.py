"""Steps in flight: each has a result, unless somebody wanted it to end without one."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.engine.bench import PLANS, HeldModel, bench, finished

from moot.models.port import ChatReply, ChatRequest, OnText
from moot.protocol import events as e
from moot.protocol.words import Status


class Leaking(HeldModel):
    """Lets an end out that nobody asked for, until it is mended."""

    def __init__(self, ending: type[BaseException]) -> None:
        super().__init__()
        self.open()
        self.ending: type[BaseException] | None = ending

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        if self.ending is not None:
            raise self.ending
        return await super().reply(request, on_text)


@pytest.mark.parametrize("ending", [asyncio.CancelledError, GeneratorExit, SystemExit])
async def test_a_step_whose_model_ends_by_itself_has_failed(ending: type[BaseException]) -> None:
    model = Leaking(ending)
    async with bench(model) as on:
        debate = await on.create()
        await finished(on.start(debate), Status.FAILED)
        failed = [one for one in on.log(debate) if isinstance(one, e.StepFailed)]
        assert {one.error for one in failed} == {f"internal error: {ending.__name__}"}
        model.ending = None
        await on.service.command(debate, "retry")
        await finished(on.start(debate), Status.COMPLETED)


async def test_a_step_that_somebody_ended_has_no_result() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        await on.service.command(debate, "cancel")
        await finished(running, Status.CANCELED)
        assert sorted(model.dropped) == [*PLANS]
        assert not any(isinstance(one, e.StepFailed) for one in on.log(debate))
