"""Who may perform steps beside whom, when workers have died."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from tests.unit.engine.bench import ALL_STEPS, PLANS, HeldModel, bench, finished

from moot.engine.quarantine import ALONE_FROM, GROUPS, MOST_DEATHS, Quarantine, Stay
from moot.protocol import events as e
from moot.protocol.values import Participant
from moot.protocol.words import Role, Status


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def admitted(quarantine: Quarantine, deaths: int, count: int) -> list[Stay]:
    return [await quarantine.admit(deaths) for _ in range(count)]


def waiting(quarantine: Quarantine, deaths: int) -> asyncio.Task[Stay]:
    return asyncio.create_task(quarantine.admit(deaths))


async def test_takes_in_everybody_whom_at_most_one_has_died_of() -> None:
    quarantine = Quarantine()
    await admitted(quarantine, 0, 300)
    assert all(stay.may_start for stay in await admitted(quarantine, 1, 300))


async def test_tries_suspects_in_smaller_groups() -> None:
    for deaths, room in GROUPS.items():
        quarantine = Quarantine()
        first, *_ = await admitted(quarantine, deaths, room)
        await admitted(quarantine, 0, 5)
        late = waiting(quarantine, deaths)
        await settle()
        assert not late.done()
        first.clear()
        assert (await late).may_start


async def test_puts_no_larger_group_around_a_suspect_than_it_may_have() -> None:
    quarantine = Quarantine()
    await admitted(quarantine, 2, GROUPS[3])
    late = waiting(quarantine, 3)
    await settle()
    assert not late.done()
    late.cancel()
    quarantine = Quarantine()
    await admitted(quarantine, 3, 1)
    await admitted(quarantine, 2, GROUPS[3] - 1)
    late = waiting(quarantine, 2)
    await settle()
    assert not late.done()
    late.cancel()


async def test_the_last_try_begins_when_all_others_have_done_what_they_do() -> None:
    quarantine = Quarantine()
    busy, idle = await admitted(quarantine, 0, 2)
    idle.note(is_busy=False)
    isolated = waiting(quarantine, ALONE_FROM)
    await settle()
    assert not isolated.done()
    assert not busy.may_start
    assert not idle.may_start
    busy.note(is_busy=False)
    assert (await isolated).may_start


async def test_nobody_begins_while_one_is_alone_and_all_do_afterwards() -> None:
    quarantine = Quarantine()
    (other,) = await admitted(quarantine, 1, 1)
    other.note(is_busy=False)
    woken: list[str] = []
    other.wake = lambda: woken.append("other")
    isolated = await quarantine.admit(ALONE_FROM)
    new, next_isolated = waiting(quarantine, 0), waiting(quarantine, ALONE_FROM)
    await settle()
    assert (other.may_start, new.done(), next_isolated.done()) == (False, False, False)
    isolated.clear()
    assert woken == ["other"]
    await settle()
    assert new.done() or next_isolated.done()
    for stay in (isolated, other):
        stay.leave()
    await settle()
    for one in (new, next_isolated):
        if one.done():
            (await one).leave()
    await asyncio.wait_for(asyncio.gather(new, next_isolated), 10)


async def test_one_that_gives_up_waiting_holds_up_nobody() -> None:
    quarantine = Quarantine()
    (busy,) = await admitted(quarantine, 0, 1)
    isolated = waiting(quarantine, ALONE_FROM)
    await settle()
    assert not busy.may_start
    isolated.cancel()
    await settle()
    assert busy.may_start


async def test_one_that_ends_without_getting_further_makes_room() -> None:
    quarantine = Quarantine()
    isolated = await quarantine.admit(ALONE_FROM)
    new = waiting(quarantine, 0)
    await settle()
    assert not new.done()
    isolated.leave()
    assert (await new).may_start


# --- in a worker ---------------------------------------------------------------------------------


async def _died(on: Any, debate: str, times: int) -> None:
    """So many workers began it and were never heard of again."""
    await on.service.command(debate, "start")
    on.store.rows[debate].claims = times


OTHERS = tuple(
    Participant(id=name.lower(), name=name, role=role)
    for name, role in (("Amy", Role.DEBATER), ("Ben", Role.DEBATER), ("Kim", Role.JUDGE))
)
THEIR_PLANS = ("planning/1/amy/plan", "planning/1/ben/plan")


async def test_a_debate_on_its_last_try_is_alone_until_it_gets_further() -> None:
    model = HeldModel()
    async with bench(model) as on:
        suspect, other = await on.create(), await on.create(OTHERS)
        running = on.start(other)
        await model.until(*THEIR_PLANS)
        await _died(on, suspect, ALONE_FROM)
        trying = asyncio.create_task(on.worker.advance(suspect))
        await settle()
        model.let(THEIR_PLANS[0])
        await model.until(THEIR_PLANS[1])
        assert on.store.rows[suspect].claims == ALONE_FROM, "it has not begun"
        # What the other does is done, and recorded; then it waits.
        await model.answer(THEIR_PLANS[1], then=PLANS)
        assert on.store.rows[suspect].claims == ALONE_FROM + 1
        assert on.store.rows[other].summary.turns == 2
        model.let(PLANS[0])
        await model.until(PLANS[1], "opening/1/ada/think", "opening/1/amy/think")
        assert on.store.rows[suspect].claims == 1
        model.open()
        await finished(running, Status.COMPLETED)
        await finished(trying, Status.COMPLETED)
        assert [row.claims for row in on.store.rows.values()] == [0, 0]


async def test_who_waits_to_be_admitted_can_be_stopped_and_hears_of_what_people_want() -> None:
    model = HeldModel()
    async with bench(model) as on:
        suspect, other = await on.create(), await on.create()
        running = on.start(other)
        await model.until(*PLANS)
        await _died(on, suspect, ALONE_FROM)
        trying = asyncio.create_task(on.worker.advance(suspect))
        await settle()
        await on.service.command(suspect, "cancel")
        model.open()
        await finished(running, Status.COMPLETED)
        await finished(trying, Status.CANCELED)
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)


async def test_one_that_is_retried_as_it_is_given_up_is_counted_anew() -> None:
    async with bench() as on:
        debate = await on.create()
        await _died(on, debate, MOST_DEATHS)

        def retried(records: Sequence[e.Recorded]) -> None:
            on.store.after_append = None
            on.append_now(debate, e.DebateRetried())

        on.store.after_append = retried
        state = await on.worker.advance(debate)
        assert state.status is Status.RUNNING
        assert on.names(debate)[-2:] == ["DebateFailed", "DebateRetried"]
        assert on.store.rows[debate].claims == 0
        assert sum(on.asked().values()) == 0
        state = await on.worker.advance(debate)
        assert state.status is Status.COMPLETED
