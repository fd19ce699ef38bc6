"""A process that leaves begins nothing, and records what comes within the grace."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from tests.unit.engine.bench import PLANS, Bench, HeldModel, bench, by_step, key_of

from moot.engine.attaching import File
from moot.engine.creation import NewDebate
from moot.engine.files import Lookups
from moot.errors import Busy, ModelUnavailable
from moot.models.port import ChatReply, ChatRequest, ModelFacts
from moot.protocol import events as e
from moot.protocol.words import Status
from moot.testing.clock import FakeClock
from moot.testing.scripted import Said, ScriptedModel, looking_up, sensible

GRACE_S = 5.0
SHORT_S = 0.05


async def drained(on: Bench, grace_s: float = GRACE_S) -> int:
    return await on.worker.drain(grace_s)


async def test_what_is_answered_within_the_grace_is_recorded_and_nothing_begins() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        assert on.worker.calls == 2
        draining = asyncio.create_task(drained(on))
        await asyncio.sleep(0)
        model.let(*PLANS)
        assert await draining == 0
        state = await running
        assert state.status is Status.RUNNING
        assert set(on.turns(debate)) == set(PLANS)
        assert model.asked == [*PLANS]
        # Given back: whoever comes next takes it at once, and buys only what is missing.
        assert await on.store.holder(debate) is None
        async with on.another() as other:
            model.open()
            assert (await other.service.run(debate)).status is Status.COMPLETED
        assert set(on.asked().values()) == {1}


async def test_what_takes_longer_is_cut_and_said_so() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        model.let(PLANS[0])
        assert await drained(on, SHORT_S) == 1
        assert (await running).status is Status.RUNNING
        assert on.turns(debate) == [PLANS[0]]
        assert model.dropped == [PLANS[1]]


async def test_a_debate_that_comes_to_its_end_meanwhile_is_over() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        while not model.asked or "announce" not in model.asked[-1]:
            await asyncio.sleep(0)
            model.let(*(key for key in model.in_flight if "announce" not in key))
        draining = asyncio.create_task(drained(on))
        await asyncio.sleep(0)
        model.let(*model.in_flight)
        await draining
        assert (await running).status is Status.COMPLETED


async def test_a_call_that_fails_is_recorded_and_not_tried_again() -> None:
    fails = by_step(ada__plan=[ModelUnavailable("not now")] * 3)
    model = HeldModel(fails)
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        draining = asyncio.create_task(drained(on))
        await asyncio.sleep(0)
        model.let(*PLANS)
        await draining
        await running
        assert len(on.failed_tries(debate)) == 1
        assert model.asked == [*PLANS]


async def test_what_only_waits_for_a_provider_is_not_waited_for() -> None:
    fails = by_step(ada__plan=[ModelUnavailable("not now")] * 100)
    model = HeldModel(fails)
    async with bench(model) as on:
        on.models.clock = FakeClock(is_patient=True)
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        model.let(*PLANS)
        await _until(lambda: len(on.turns(debate)) == 1 and on.worker.calls == 0)
        async with asyncio.timeout(1):
            assert await drained(on, 100) == 0
        assert (await running).status is Status.RUNNING


async def test_an_answer_that_cannot_be_read_is_kept_and_not_asked_for_again() -> None:
    model = HeldModel(by_step(score__ada=["no number"]))
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        score = "opening/1/jo/score/ada"
        while score not in model.in_flight:
            await asyncio.sleep(0)
            model.let(*(key for key in model.in_flight if key != score))
        draining = asyncio.create_task(drained(on))
        await asyncio.sleep(0)
        model.let(*model.in_flight)
        await draining
        await running
        (failed,) = on.failed_tries(debate)
        assert failed.code == "unreadable"
        assert model.asked.count(score) == 1


async def test_nobody_is_taken_up_by_who_leaves() -> None:
    async with bench() as on:
        debate = await on.create()
        await on.service.command(debate, "start")
        await drained(on)
        with pytest.raises(Busy, match="shutting down"):
            await on.worker.advance(debate)
        assert on.asked() == {}


async def test_a_server_that_leaves_says_that_it_is_not_ready_and_passes_debates_on() -> None:
    model = HeldModel()
    async with bench(model) as on, on.serving() as serving:
        debate = await on.create()
        await serving.service.command(debate, "start")
        await model.until(*PLANS)
        await serving.check_ready()
        draining = asyncio.create_task(serving.drain(GRACE_S))
        await asyncio.sleep(0)
        with pytest.raises(Exception, match="leaving"):
            await serving.check_ready()
        model.let(*PLANS)
        assert await draining == 0
        assert model.asked == [*PLANS]


async def _until(holds: Any) -> None:
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 - of other tasks' doing
            await asyncio.sleep(0)


# --- in the middle of a look-up ------------------------------------------------------------------


def looking(request: ChatRequest) -> Said:
    """Asks once for a look-up in each step that may, then answers."""
    if request.may_call and request.messages[-1].role != "tool":
        return looking_up("search_files", query="stone")
    return sensible(request)


@pytest.fixture
def thread(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Holds the thread of the first look-up until it is let go."""
    look_up = Lookups.look_up

    class Held:
        entered, free = threading.Event(), threading.Event()

    def held(self: Lookups, reply: ChatReply, model: str) -> Any:
        Held.entered.set()
        assert Held.free.wait(10)
        return look_up(self, reply, model)

    Held.entered.clear()
    Held.free.clear()
    monkeypatch.setattr(Lookups, "look_up", held)
    yield Held
    Held.free.set()


async def begun(on: Bench, thread: Any) -> tuple[str, asyncio.Task[Any]]:
    """A council whose first proposal has asked for a look-up, which is under way."""
    new = NewDebate(
        topic="Is the plan sound?",
        format="council",
        settings={"rounds": 1},
        files=(File("plan.md", "Build it of stone.\n"),),
    )
    debate = await on.service.create(new)
    running = on.start(debate)
    await _until(thread.entered.is_set)
    return debate, running


@pytest.mark.parametrize("how", ["stop", "hurried stop", "drain", "short drain"])
async def test_a_look_up_that_is_interrupted_loses_nothing_and_buys_nothing_twice(
    how: str, thread: Any
) -> None:
    model = ScriptedModel(looking)
    facts = ModelFacts(has_schema=True, has_tools=True)
    async with bench(model, facts=facts) as on:
        debate, running = await begun(on, thread)
        if "stop" in how:
            await on.service.command(debate, "stop")
            if how == "hurried stop":
                on.service.hurry(debate)
            leaving = None
        else:
            grace_s = SHORT_S if how == "short drain" else GRACE_S
            leaving = asyncio.create_task(drained(on, grace_s))
            if how == "short drain":
                await leaving
        for _ in range(20):
            await asyncio.sleep(0)
        thread.free.set()
        state = await running
        if leaving is not None:
            await leaving
        assert state.status is (Status.STOPPED if "stop" in how else Status.RUNNING)
        bought = len(model.requests)
        used = [one for one in on.log(debate) if isinstance(one, e.ToolUsed)]
        assert used, "what the look-up was paid with is lost"
        assert state.usage.input_tokens >= len("search_files") * len(used)
        assert state.calls == bought
        if how != "stop":  # which lets the step come to its end
            assert bought == len(used)
        async with on.another() as other:
            assert (await other.service.run(debate)).status is Status.COMPLETED
        state = await on.state(debate)
        assert state.calls == len(model.requests)
        asked = [(key_of(one), one.messages[-1].role) for one in model.requests]
        assert len(asked) == len(set(asked)), "bought twice"
