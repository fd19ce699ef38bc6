"""What the runner does when the store says no, is away, or has forgotten something."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from tests.unit.engine.bench import (
    ALL_STEPS,
    ANSWER,
    OPENING,
    PLANS,
    WEIGHED,
    Bench,
    HeldModel,
    bench,
    by_step,
    finished,
)
from tests.unit.engine.memory_store import Once

from moot.engine.feed import Stalled
from moot.engine.runner import STORE_PAUSE_S
from moot.errors import (
    Busy,
    Conflict,
    LeaseLost,
    ModelRefused,
    ModelUnavailable,
    StoreUnavailable,
)
from moot.protocol import events as e
from moot.protocol.row import Cursor, DebateRow
from moot.protocol.words import Status
from moot.testing.scripted import Said, ScriptedModel


async def test_folds_the_news_and_decides_again_after_a_conflict() -> None:
    async with bench() as on:
        debate = await on.create()
        on.store.before_append = Once(None, None, Conflict("somebody was quicker"), None)
        state = await on.service.run(debate)
        assert state.status is Status.COMPLETED
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)


async def test_pauses_while_the_store_is_away_and_goes_on_without_buying_again() -> None:
    async with bench() as on:
        debate = await on.create()
        away = [StoreUnavailable("the disk is full")] * 7
        on.store.before_append = Once(None, None, None, *away)
        state = await on.service.run(debate)
        assert state.status is Status.COMPLETED
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)
        assert on.clock.slept[:7] == [*STORE_PAUSE_S, STORE_PAUSE_S[-1], STORE_PAUSE_S[-1]]


async def test_tells_whoever_watches_why_nothing_goes_on_and_when_it_does() -> None:
    async with bench() as on:
        debate = await on.create()
        reasons: list[str] = []

        def down(records: object) -> None:
            reasons.append(on.service.stalled(debate))
            if 3 < len(reasons) < 6:
                raise StoreUnavailable("the disk is full")

        on.store.before_append = down
        told = []
        async with on.service.following(debate, text=False) as viewer:
            await on.service.run(debate)
            async for item in viewer.items(after=0):
                told += [item.reason] if isinstance(item, Stalled) else []
        assert reasons[:7] == ["", "", "", "", "the disk is full", "the disk is full", ""]
        assert told == ["the disk is full", ""]
        assert on.service.stalled(debate) == on.system.live.stalled() == ""


async def test_makes_no_call_while_nothing_can_be_stored() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        asked_while_down: list[str] = []
        model.open()
        tries = 0

        def down(records: object) -> None:
            nonlocal tries
            tries += 1
            asked_while_down.append(str(len(model.asked)))
            if tries <= 3:
                raise StoreUnavailable("read-only")

        on.store.before_append = down
        await finished(running, Status.COMPLETED)
        assert asked_while_down[:4] == ["2"] * 4


async def test_an_answer_to_commit_that_was_lost_doubles_nothing() -> None:
    """Each append is committed and then said to have failed, once."""
    async with bench() as on:
        debate = await on.create()
        flips = iter(range(10_000))

        def lose(records: object) -> None:
            if next(flips) % 2 == 0:
                raise StoreUnavailable("connection lost")

        await on.service.command(debate, "start")
        on.store.after_append = lose
        state = await on.service.run(debate)
        on.store.after_append = None
        assert state.status is Status.COMPLETED
        assert sorted(on.turns(debate)) == sorted(ALL_STEPS)
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)
        assert on.failed_tries(debate) == []
        assert state.calls == len(ALL_STEPS)


STOP_AND_RESUME = (e.StopRequested(), e.DebateResumed())


def _lose(on: Bench, debate: str, kind: type[e.AnyEvent], *then: e.AnyEvent) -> list[e.AnyEvent]:
    """The first append with such an event is not answered, and then somebody else appends."""
    lost: list[e.AnyEvent] = []

    def lose(records: Sequence[e.Recorded]) -> None:
        found = [record.event for record in records if isinstance(record.event, kind)]
        if found and not lost:
            lost.extend(found)
            on.append_now(debate, *then)
            raise StoreUnavailable("connection lost")

    on.store.after_append = lose
    return lost


@pytest.mark.parametrize("said", ["nothing that can be read", ModelUnavailable("not now")])
async def test_a_failed_try_whose_commit_was_not_answered_is_recorded_once(said: Said) -> None:
    model = ScriptedModel(by_step(score__ada=said))
    async with bench(model) as on:
        debate = await on.create()
        lost = _lose(on, debate, e.AttemptFailed, *STOP_AND_RESUME)
        state = await on.service.run(debate)
        assert state.status is Status.COMPLETED
        assert lost == on.failed_tries(debate)
        assert state.calls == sum(on.asked().values()) == len(ALL_STEPS) + 1


async def test_a_failed_step_whose_commit_was_not_answered_is_recorded_once() -> None:
    model = ScriptedModel(by_step(opening__1__ada__think=ModelRefused("never")))
    async with bench(model) as on:
        debate = await on.create()
        lost = _lose(on, debate, e.StepFailed, e.DebateRetried())
        # A person wants it retried, so the step is tried again, and the failure is not told again.
        state = await on.service.run(debate)
        assert state.status is Status.COMPLETED
        assert lost == [one for one in on.log(debate) if isinstance(one, e.StepFailed)]
        assert on.asked()["opening/1/ada/think"] == 2


async def test_a_reply_that_came_too_late_and_was_not_answered_is_recorded_once() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        await model.answer(*PLANS, then=OPENING[:1])
        await model.answer(OPENING[0], then=OPENING[1:])
        await model.answer(OPENING[1], then=[WEIGHED[0], ANSWER[0]])
        lost = _lose(on, debate, e.AttemptFailed, *STOP_AND_RESUME)
        on.append_now(debate, e.EndRequested())
        model.let(ANSWER[0])
        await model.until(WEIGHED[0])
        model.open()
        state = await finished(running, Status.COMPLETED)
        assert [one.code for one in on.failed_tries(debate)] == ["dropped"]
        assert lost == on.failed_tries(debate)
        assert state.calls == sum(on.asked().values())


async def test_the_same_failure_again_is_another_one() -> None:
    """Equal in every detail, but of another call: both are recorded."""
    model = ScriptedModel(by_step(opening__1__ada__think=[ModelRefused("never")] * 2))
    async with bench(model) as on:
        debate = await on.create()
        for _ in range(2):
            assert (await on.service.run(debate)).status is Status.FAILED
        state = await on.service.run(debate)
        assert state.status is Status.COMPLETED
        assert on.names(debate).count("StepFailed") == 2


async def test_stops_everything_when_the_lease_is_lost() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        on.store.rows[debate].fence += 1
        before = len(on.log(debate))
        model.let(PLANS[0])
        with pytest.raises(Busy):
            await running
        assert model.dropped == [PLANS[1]]
        assert len(on.log(debate)) == before
        assert on.store.rows[debate].owner is not None  # not ours to release any more


async def test_a_lease_lost_in_the_first_append_makes_no_call() -> None:
    async with bench() as on:
        debate = await on.create()
        await on.service.command(debate, "start")
        on.store.before_append = Once(LeaseLost("taken over"))
        with pytest.raises(Busy):
            await on.worker.advance(debate)
        assert sum(on.asked().values()) == 0


WRONG: dict[str, dict[str, Any]] = {
    "null": {"cursor": Cursor()},
    "behind": {"cursor": Cursor(stage="planning", next_round=1, next_actor="ada"), "turns": 0},
    "ahead": {"cursor": Cursor(stage="verdict", next_round=9, next_actor="jo"), "turns": 99},
    "row behind": {"seq": 2, "status": Status.CREATED, "cursor": Cursor()},
    "row ahead": {"seq": 999, "status": Status.COMPLETED},
}


@pytest.mark.parametrize("is_stopped", [False, True], ids=["left running", "stopped"])
@pytest.mark.parametrize("wrong", WRONG)
async def test_repairs_the_cursor_before_the_first_call(wrong: str, is_stopped: bool) -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        if is_stopped:
            await on.service.command(debate, "stop")
            model.let(*PLANS)
        else:
            running.cancel()
        await asyncio.wait([running])
        row = on.store.rows[debate]
        row.summary = msgspec.structs.replace(row.summary, **WRONG[wrong])
        again = on.start(debate)
        await model.until(*(["opening/1/ada/think"] if is_stopped else PLANS))
        right = (await on.state(debate)).summary(debate, row.summary.cursor)
        assert row.summary == right
        assert row.summary.cursor == (
            Cursor(stage="opening", next_round=1, next_actor="ada")
            if is_stopped
            else Cursor(stage="planning", next_round=1, next_actor="ada")
        )
        model.open()
        await finished(again, Status.COMPLETED)


@pytest.mark.parametrize("wrong", ["row behind", "row ahead"])
async def test_repairs_a_row_that_goes_wrong_while_it_runs(wrong: str) -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        row = on.store.rows[debate]
        row.summary = msgspec.structs.replace(row.summary, **WRONG[wrong])
        model.open()
        state = await finished(running, Status.COMPLETED)
        assert row.summary == state.summary(debate, row.summary.cursor)
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)


async def test_keeps_the_cached_row_equal_to_the_fold_after_every_append() -> None:
    async with bench() as on:
        debate = await on.create()
        rows: list[DebateRow] = []

        def remember(records: Sequence[e.Recorded]) -> None:
            rows.append(on.store.rows[debate].summary)

        on.store.after_append = remember
        await on.service.run(debate)
        assert [row.seq for row in rows] == sorted({row.seq for row in rows})
        assert rows[-1].status is Status.COMPLETED
        assert rows[-1].turns == len(ALL_STEPS)


async def test_two_foreign_events_at_once_do_not_mix_with_its_own() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        await on.service.command(debate, "start")
        mute, unmute = (
            kind(participant="bob") for kind in (e.ParticipantMuted, e.ParticipantUnmuted)
        )
        on.beat(debate, mute, unmute)
        on.hear(debate)
        model.open()
        state = await on.service.run(debate)
        assert state.status is Status.COMPLETED
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)
        assert state.seq == on.store.rows[debate].summary.seq
