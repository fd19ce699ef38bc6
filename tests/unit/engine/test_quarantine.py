"""What is decided about suspects; how they are tried is in `tests/faults/test_crash_loop`."""

from __future__ import annotations

import pytest
from tests.unit.engine.bench import ALL_STEPS, PLANS, HeldModel, bench, finished

from moot.engine.quarantine import MOST_DEATHS, PAUSES_S, how_it_died, pause_s
from moot.engine.runner import Runner
from moot.engine.ward import BROKE, DONE, NOT_NOW, TAKEN, is_death
from moot.protocol.words import Status
from moot.store.port import SUSPECT_AFTER


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
