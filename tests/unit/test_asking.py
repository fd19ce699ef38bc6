"""Asking panels: one debate for the same question, stopped when nobody waits for it any more.

Errands: what a client asked for is done once, whether it waits for it or not.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from tests.unit.engine.bench import PATIENCE_S, Bench, HeldModel

from moot.asking import RESULT_KEPT_S, Asker, Errands
from moot.definitions import panels
from moot.errors import InvalidInput, ModelUnavailable, Refused
from moot.models.port import ChatModel
from moot.protocol.values import Origin
from moot.protocol.words import Status
from moot.staging.panels import Question
from moot.testing.clock import FakeClock
from moot.wiring import System

DUEL = panels.find("duel")
GRACE_S = 20.0


def question(text: str = "Tea or coffee?", mark: str = "f", **changes: object) -> Question:
    origin = Origin(door="v1", panel=DUEL.name, fingerprint=mark) if mark else None
    return Question(panel=DUEL, text=text, origin=origin, settings={"turns": 2}, **changes)  # type: ignore[arg-type]


class Table:
    """A server's asker on a bench."""

    def __init__(self, bench: Bench, system: System) -> None:
        self.bench = bench
        self.system = system

    @property
    def asker(self) -> Asker:
        assert self.system.asker is not None
        return self.system.asker

    async def status(self, debate_id: str) -> Status:
        return (await self.system.service.state(debate_id)).status

    async def until(self, debate_id: str, status: Status) -> None:
        async for _ in self.system.service.follow(debate_id):
            if await self.status(debate_id) is status:
                return
        assert await self.status(debate_id) is status


@asynccontextmanager
async def table(model: ChatModel | None = None, made: Bench | None = None) -> AsyncIterator[Table]:
    bench = made or Bench(model)
    async with asyncio.timeout(PATIENCE_S), bench.serving() as system:
        yield Table(bench, system)


async def test_it_makes_one_debate_of_a_question_that_is_asked_again() -> None:
    async with table() as it:
        found = await asyncio.gather(*(it.asker.ask(question()) for _ in range(8)))
        assert len({debate_id for debate_id, _ in found}) == 1
        assert [is_new for _, is_new in found].count(True) == 1
        debate_id = found[0][0]
        await it.asker.wait(debate_id, seconds=PATIENCE_S)
        assert set(it.bench.asked().values()) == {1}
        assert await it.asker.ask(question()) == (debate_id, False)
        told = await it.asker.report(debate_id)
        assert told.answer
        assert told.done == told.of


async def test_it_puts_the_question_anew_once_the_answer_was_delivered() -> None:
    async with table() as it:
        first, _ = await it.asker.ask(question())
        await it.asker.wait(first, seconds=PATIENCE_S)
        await it.asker.delivered("f", first)
        found = await asyncio.gather(*(it.asker.ask(question()) for _ in range(4)))
        (second,) = {debate_id for debate_id, _ in found}
        assert second != first
        assert len(it.bench.store.rows) == 2


async def test_it_does_not_go_on_with_what_was_canceled() -> None:
    async with table(HeldModel()) as it:
        first, _ = await it.asker.ask(question())
        await it.system.service.command(first, "cancel")
        second, is_new = await it.asker.ask(question())
        assert is_new
        assert second != first


async def test_it_makes_the_debate_whose_id_a_dead_server_had_reserved() -> None:
    bench = Bench()
    async with table(made=bench) as it:
        with pytest.raises(InvalidInput):
            await it.asker.ask(question("  "))
        reserved = bench.store.questions["f"].debate_id
        assert bench.store.rows == {}
        assert await it.asker.ask(question()) == (reserved, True)


async def test_it_stops_a_debate_for_which_nobody_waits_and_goes_on_when_asked_again() -> None:
    model = HeldModel()
    async with table(model) as it:
        debate_id, _ = await it.asker.ask(question())
        async with (
            it.asker.attended(debate_id, grace_s=0),
            it.asker.attended(debate_id, grace_s=0),
        ):
            pass
        model.open()
        await it.until(debate_id, Status.STOPPED)
        assert await it.asker.ask(question()) == (debate_id, False)
        await it.asker.wait(debate_id, seconds=PATIENCE_S)
        assert await it.status(debate_id) is Status.COMPLETED
        assert set(it.bench.asked().values()) == {1}


async def test_it_lets_a_debate_go_on_while_one_of_two_still_waits() -> None:
    model = HeldModel()
    async with table(model) as it:
        debate_id, _ = await it.asker.ask(question())
        async with it.asker.attended(debate_id, grace_s=0):
            async with it.asker.attended(debate_id, grace_s=0):
                pass
            model.open()
            await it.asker.wait(debate_id, seconds=PATIENCE_S)
        assert await it.status(debate_id) is Status.COMPLETED


async def test_it_stops_what_a_dead_server_left_running_for_nobody() -> None:
    bench = Bench(HeldModel())
    async with table(made=bench) as it:
        debate_id, _ = await it.asker.ask(question())
        background, _ = await it.asker.ask(question("Cats or dogs?", "g"))
        await it.system.service.asked.attend([debate_id], seconds=GRACE_S)
    bench.lease_clock.advance(GRACE_S + 600)
    assert isinstance(bench.model, HeldModel)
    bench.model.open()
    async with table(made=bench) as it:
        await it.until(debate_id, Status.STOPPED)
        await it.until(background, Status.COMPLETED)


async def test_it_gives_a_follow_up_the_question_and_the_answer_before_it() -> None:
    async with table() as it:
        first, _ = await it.asker.ask(question(mark=""))
        with pytest.raises(Refused, match="no answer to go on from yet"):
            await it.asker.create(question("And with milk?", follows=first, mark=""))
        await it.asker.wait(first, seconds=PATIENCE_S)
        second = await it.asker.create(question("And with milk?", follows=first, mark=""))
        config = (await it.system.service.state(second)).config
        assert config.follows == first
        (text,) = (await it.system.service.files(second)).values()
        assert "Tea or coffee?" in text
        answer = (await it.asker.report(first)).answer
        assert answer in text


async def test_it_keeps_a_question_that_is_too_long_for_a_topic_in_a_file() -> None:
    long = "Why? " * 2000
    async with table() as it:
        debate_id = await it.asker.create(question(long, mark=""))
        config = (await it.system.service.state(debate_id)).config
        assert len(config.topic) <= 2000
        assert "question.md" in config.topic
        assert list((await it.system.service.files(debate_id)).values()) == [long.strip()]


class Work:
    """Counts how often it is done; waits until it may go on."""

    def __init__(self, error: Exception | None = None) -> None:
        self.times = 0
        self.may_go_on = asyncio.Event()
        self.error = error

    async def __call__(self) -> int:
        self.times += 1
        await self.may_go_on.wait()
        if self.error is not None:
            raise self.error
        return self.times


@asynccontextmanager
async def running(clock: FakeClock) -> AsyncIterator[Errands]:
    errands = Errands(clock)
    loop = asyncio.create_task(errands.run())
    try:
        yield errands
    finally:
        loop.cancel()
        with suppress(asyncio.CancelledError):
            await loop


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_two_who_ask_at_once_share_one() -> None:
    async with running(FakeClock()) as errands:
        work = Work()
        both = asyncio.gather(errands.done("a", work), errands.done("a", work))
        await settled()
        work.may_go_on.set()
        assert list(await both) == [1, 1]
        assert await errands.done("a", work) == 1  # it may not have arrived
        assert await errands.done("b", work) == 2
        errands.forget("a")
        assert await errands.done("a", work) == 3


async def test_it_goes_on_when_its_client_leaves_and_is_kept_for_a_while() -> None:
    clock = FakeClock()
    async with running(clock) as errands:
        work = Work()
        client = asyncio.create_task(errands.done("a", work))
        await settled()
        client.cancel()
        await settled()
        work.may_go_on.set()
        await settled()
        assert await errands.done("a", work) == 1
        clock.advance(RESULT_KEPT_S + 1)
        assert await errands.done("a", work) == 2


async def test_a_failure_is_told_and_tried_again() -> None:
    async with running(FakeClock()) as errands:
        work = Work(ValueError("no"))
        work.may_go_on.set()
        with pytest.raises(ValueError, match="no"):
            await errands.done("a", work)
        work.error = None
        assert await errands.done("a", work) == 2


async def test_whoever_waits_is_told_when_the_process_leaves() -> None:
    async with running(FakeClock()) as errands:
        client = asyncio.create_task(errands.done("a", Work()))
        await settled()
    with pytest.raises(ModelUnavailable, match="ask again"):
        await client
