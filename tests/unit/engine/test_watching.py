"""Watching: every event once, in order, however the viewer comes, goes and dawdles (P7)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.unit.engine.bench import ADA, BOB, JO, PLANS, HeldModel, bench, finished, human

from moot.engine import feed
from moot.engine.feed import Item, StepBegan, TextWritten
from moot.errors import Busy, NotFound
from moot.protocol.events import Recorded, TurnRecorded
from moot.protocol.words import Status


async def _seqs(items: AsyncIterator[Item]) -> list[int]:
    return [item.seq async for item in items if isinstance(item, Recorded)]


async def test_shows_every_event_once_to_who_watches_from_the_start() -> None:
    async with bench() as on:
        debate = await on.create()
        watching = asyncio.create_task(_seqs(on.service.watch(debate)))
        await asyncio.sleep(0)
        state = await on.service.run(debate)
        assert await watching == list(range(1, state.seq + 1))


@pytest.mark.parametrize("after", [0, 1, 5, 20])
async def test_goes_on_after_the_last_event_a_viewer_has_seen(after: int) -> None:
    async with bench() as on:
        debate = await on.create()
        state = await on.service.run(debate)
        seen = await _seqs(on.service.watch(debate, after=after))
        assert seen == list(range(after + 1, state.seq + 1))


async def test_ends_at_once_for_who_has_seen_all_of_a_debate_that_is_over() -> None:
    async with bench() as on:
        debate = await on.create()
        state = await on.service.run(debate)
        assert await _seqs(on.service.watch(debate, after=state.seq)) == []


async def test_shows_what_came_after_an_earlier_stop_too() -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), BOB, JO))
        state = await on.service.run(debate)
        await on.service.command(debate, "stop")
        while (state := await on.service.run(debate)).status is Status.WAITING:
            (question,) = state.questions
            await on.service.answer(debate, question, "Indeed.")
        assert await _seqs(on.service.watch(debate)) == list(range(1, state.seq + 1))


@pytest.mark.parametrize("after", [0, 2])
async def test_viewers_that_come_in_the_middle_miss_nothing(after: int) -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        watching = asyncio.create_task(_seqs(on.service.watch(debate, after=after)))
        model.open()
        state = await finished(running, Status.COMPLETED)
        assert await watching == list(range(after + 1, state.seq + 1))


async def test_a_viewer_that_falls_behind_reads_the_log_instead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(feed, "MAX_BEHIND", 3)
    async with bench() as on:
        debate = await on.create()
        seen: list[int] = []

        async def dawdle() -> None:
            async for item in on.service.watch(debate, text=True):
                if isinstance(item, Recorded):
                    seen.append(item.seq)
                if len(seen) == 2:
                    await done.wait()

        done = asyncio.Event()
        watching = asyncio.create_task(dawdle())
        await asyncio.sleep(0)
        state = await on.service.run(debate)
        done.set()
        await watching
        assert seen == list(range(1, state.seq + 1))


async def test_sees_what_another_process_appended_as_soon_as_anything_comes() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        watching = asyncio.create_task(_seqs(on.service.watch(debate)))
        await model.until(*PLANS)
        # Appended without a word to this process's feed.
        from moot.protocol.events import ParticipantMuted  # noqa: PLC0415

        on.beat(debate, ParticipantMuted(participant="jo"))
        model.open()
        state = await finished(running, Status.COMPLETED)
        assert await watching == list(range(1, state.seq + 1))


async def test_plays_all_new_events_of_a_run_and_then_ends() -> None:
    async with bench() as on:
        debate = await on.create()
        played = await _seqs(on.service.play(debate))
        state = await on.state(debate)
        assert state.status is Status.COMPLETED
        assert played == list(range(2, state.seq + 1))
        assert await _seqs(on.service.play(debate)) == []


async def test_plays_text_that_amounts_to_the_turns() -> None:
    async with bench() as on:
        debate = await on.create()
        written: dict[str, str] = {}
        began: list[str] = []
        async for item in on.service.play(debate, text=True):
            if isinstance(item, StepBegan):
                began.append(item.step.key)
            elif isinstance(item, TextWritten):
                written[item.step.key] = written.get(item.step.key, "") + item.text
            elif isinstance(item, Recorded) and isinstance(item.event, TurnRecorded):
                assert written[item.event.step_key] == item.event.content
        assert sorted(began) == sorted(on.turns(debate))


async def test_playing_raises_what_running_raises() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        with pytest.raises(Busy):
            await _seqs(on.service.play(debate))
        with pytest.raises(NotFound):
            await _seqs(on.service.play("nope"))
        model.open()
        await finished(running, Status.COMPLETED)


async def test_leaving_a_play_early_abandons_the_run_where_it_stands() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        playing = on.service.play(debate)
        await anext(playing)
        await playing.aclose()
        assert model.in_flight == set()
        assert on.store.rows[debate].owner is None
        assert (await on.state(debate)).status is Status.RUNNING


async def test_does_not_stream_when_nobody_wants_text() -> None:
    streamed: list[bool] = []

    class Noticing(HeldModel):
        async def reply(self, request, on_text=None):  # type: ignore[no-untyped-def]
            streamed.append(on_text is not None)
            return await super().reply(request, on_text)

    model = Noticing()
    model.open()
    async with bench(model) as on:
        debate = await on.create()
        watching = asyncio.create_task(_seqs(on.service.watch(debate)))
        await asyncio.sleep(0)
        await on.service.run(debate)
        await watching
        assert not any(streamed)
