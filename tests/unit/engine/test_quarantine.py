"""What is decided about suspects; how they are tried is in `tests/faults/test_crash_loop`."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from typing import cast

import msgspec
import pytest
from tests.unit.engine.bench import ALL_STEPS, PLANS, HeldModel, bench, finished

from moot.engine.quarantine import MOST_DEATHS, PAUSES_S, how_it_died, pause_s
from moot.engine.runner import Runner
from moot.engine.ward import (
    BROKE,
    DONE,
    NOT_NOW,
    TAKEN,
    Alone,
    Appended,
    Told,
    _attend,
    is_death,
)
from moot.protocol.events import Recorded
from moot.protocol.row import DebateRow
from moot.protocol.words import Status
from moot.store.port import SUSPECT_AFTER, Store


def test_pauses_grow_from_none_and_the_last_one_repeats() -> None:
    pauses = [pause_s(deaths) for deaths in range(SUSPECT_AFTER, SUSPECT_AFTER + 8)]
    assert pauses == sorted(pauses)
    assert pauses[0] == 0.0
    assert pauses[MOST_DEATHS:] == [PAUSES_S[-1]] * (8 - MOST_DEATHS)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (-9, "signal 9, SIGKILL"),
        (-11, "signal 11, SIGSEGV"),
        (-63, "signal 63"),
        (3, "exit code 3"),
    ],
)
def test_says_what_a_process_died_of(code: int, words: str) -> None:
    assert how_it_died(code) == words


def test_only_an_end_that_nobody_wanted_is_a_death() -> None:
    assert [is_death(code) for code in (BROKE, -9, 137)] == [True] * 3
    assert [is_death(code) for code in (DONE, NOT_NOW, TAKEN, None)] == [False] * 4


async def test_nobody_is_failed_for_deaths_where_there_can_be_no_process_of_its_own() -> None:
    async with bench() as on:
        debate = await on.create()
        await on.service.command(debate, "start")
        on.store.rows[debate].claims = SUSPECT_AFTER + MOST_DEATHS
        assert (await on.worker.advance(debate)).status is Status.COMPLETED
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)


async def test_a_runner_that_is_drained_records_what_is_in_flight_and_begins_nothing() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        runner = on.worker._runners[debate]
        assert isinstance(runner, Runner)
        runner.drain()
        await model.answer(PLANS[0], then=PLANS[1:])
        model.open()
        await finished(running, Status.RUNNING)
        assert sorted(on.turns(debate)) == sorted(PLANS)
        assert model.asked == list(PLANS)


async def test_a_child_tells_all_that_it_counts_even_if_a_record_is_read_before_it_is_counted() -> (
    None
):
    async with bench() as on:
        debate = await on.create()
        await on.service.command(debate, "start")
        lease = await on.store.claim(debate, on.worker.id.id)
        assert lease is not None
        live, append = on.system.live, on.store.append

        async def read_at_once(
            records: Sequence[Recorded], summary: DebateRow, *, fence: int | None = None
        ) -> None:
            await append(records, summary, fence=fence)
            async with live.open(debate) as read:
                await read.catch_up()  # as it does when people have appended
            await asyncio.sleep(0.01)  # meanwhile, what was read is told

        on.store.append = read_at_once  # type: ignore[method-assign]
        alone = Alone(
            store=cast("Store", on.store),
            live=live,
            performer=on.worker._performer,
            clock=on.clock,
        )
        ours, theirs = socket.socketpair()
        with ours:
            assert await _attend(lease, theirs, lambda: nullcontext(alone)) == DONE
            said = ours.recv(1_000_000).splitlines()
        told = Counter[str]()
        for one in (msgspec.json.decode(line, type=Told) for line in said):
            if isinstance(one, Appended):
                told.update(one.counts)
        assert told["calls"] == len(PLANS)
        assert told == +live.counts


async def _breaks() -> None:
    raise RuntimeError("broken by itself")


@pytest.mark.parametrize("what", ["what it is told", "its store"])
async def test_a_child_that_can_hear_or_record_nothing_any_more_breaks_at_once(what: str) -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        await on.service.command(debate, "start")
        lease = await on.store.claim(debate, on.worker.id.id)
        assert lease is not None
        if what == "its store":
            on.store.until_broken = _breaks  # type: ignore[attr-defined]
        alone = Alone(
            store=cast("Store", on.store),
            live=on.system.live,
            performer=on.worker._performer,
            clock=on.clock,
        )
        ours, theirs = socket.socketpair()
        with ours:
            if what == "what it is told":
                ours.send(b"nonsense\n")
            with pytest.raises((RuntimeError, msgspec.DecodeError)):
                await _attend(lease, theirs, lambda: nullcontext(alone))
