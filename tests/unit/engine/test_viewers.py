"""A debate in memory, and those who watch it: who is told what, and that nobody is waited for."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import Callable

import pytest
from tests.unit.engine.bench import PLANS, HeldModel, bench, finished
from tests.unit.engine.test_performer import SAY, live

from moot.engine import feed as feed_module, live as live_module, live_debates
from moot.engine.feed import Item, StepBegan, StepHeld, TextVoided, TextWritten, Viewer
from moot.engine.live import LiveDebate
from moot.errors import NotFound, StoreUnavailable
from moot.models.gate import Gate
from moot.protocol import events as e
from moot.protocol.log import fold
from moot.protocol.words import Status
from moot.testing.clock import START, FakeClock


def posted(*seqs: int) -> list[e.Recorded]:
    return [e.Recorded(seq, START, e.NoticePosted(code="x", text="x")) for seq in seqs]


def watching(debate: LiveDebate, *, wants_text: bool = False) -> Viewer:
    viewer = Viewer(debate, wants_text=wants_text)
    debate.enter(viewer)
    return viewer


async def read(viewer: Viewer, after: int = 0) -> list[Item]:
    viewer.close()
    return [item async for item in viewer.items(after=after)]


async def test_sends_text_only_to_those_who_want_it() -> None:
    debate = live()
    assert debate.text_sink(SAY) is None
    without = watching(debate)
    assert debate.text_sink(SAY) is None
    viewer = watching(debate, wants_text=True)
    with debate.writing.of(SAY):
        sink = debate.text_sink(SAY)
        assert sink is not None
        sink("Well")
        debate.writing.void(SAY)
        sink("Now ")
        sink("then")
    texts = [
        StepBegan(SAY),
        TextWritten(SAY, "Well"),
        TextVoided(SAY),
        TextWritten(SAY, "Now then"),
    ]
    assert await read(viewer, after=2) == texts
    assert await read(without, after=2) == []


async def test_who_comes_in_the_middle_of_a_turn_gets_all_of_it_once() -> None:
    debate = live()
    early = watching(debate, wants_text=True)
    with debate.writing.of(SAY):
        debate.writing.write(SAY, "One ")
        debate.writing.write(SAY, "two ")
        late = watching(debate, wants_text=True)
        debate.writing.write(SAY, "three")
    for viewer in (early, late):
        items = await read(viewer, after=2)
        text = "".join(item.text for item in items if isinstance(item, TextWritten))
        assert items[0] == StepBegan(SAY)
        assert text == "One two three"


async def test_nothing_follows_the_last_event() -> None:
    """The model may still be writing when somebody cancels: the runner has yet to hear of it."""
    debate = live()
    early = watching(debate, wants_text=True)
    with debate.writing.of(SAY):
        debate.take([e.Recorded(3, START, e.DebateCanceled())])
        debate.writing.write(SAY, "Nobody hears this.")
        debate.writing.void(SAY)
        late = watching(debate, wants_text=True)
    assert [type(item) for item in await read(early, after=2)] == [StepBegan, e.Recorded]
    assert [type(item) for item in await read(late, after=2)] == [e.Recorded]


async def test_sends_what_was_gathered_after_a_pause() -> None:
    debate = live()
    viewer = watching(debate, wants_text=True)
    with debate.writing.of(SAY):
        for piece in ("a", "b", "c"):
            debate.writing.write(SAY, piece)
        seen: list[str] = []
        async for item in viewer.items(after=2):
            if isinstance(item, TextWritten):
                seen.append(item.text)
            if "".join(seen) == "abc":
                break
    assert seen == ["a", "bc"]


async def test_bounds_what_it_keeps_for_a_viewer_that_does_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """FINDINGS F8: no event is lost by it, and no more than so many entries are ever kept."""
    monkeypatch.setattr(feed_module, "MAX_BEHIND", 10)
    debate = live()
    viewer = watching(debate, wants_text=True)
    with debate.writing.of(SAY):
        for seq in range(3, 200):
            debate.take(posted(seq))
            debate.writing.void(SAY)
            assert len(viewer._entries) <= 11
    items = await read(viewer)
    assert [one.seq for one in items if isinstance(one, e.Recorded)] == list(range(1, 200))


async def test_a_viewer_that_never_reads_costs_bounded_memory() -> None:
    """As shipped: whatever the bound is called, and however it is kept."""
    debate = live()
    watching(debate, wants_text=True)
    most = 3_000_000  # a thousand pieces of a thousand characters, and as much again for the rest
    tracemalloc.start()
    try:
        with debate.writing.of(SAY):
            for number in range(20_000):
                debate._tell(TextWritten(SAY, f"{number:1000}"))
        size, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size < most
    assert peak < most


async def test_keeps_only_the_end_of_a_long_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module, "KEPT", 10)
    async with bench() as on:
        debate = await on.create(turns=9)
        await on.service.run(debate)
        async with on.system.live.open(debate) as one:
            assert len(one._tail) <= 20
            assert one.seq > 40
            assert await one.events(after=0) == on.store.rows[debate].records
            assert await one.events(after=one.seq - 3) == on.store.rows[debate].records[-3:]
        seen = [item async for item in on.service.watch(debate)]
        assert seen == on.store.rows[debate].records


async def test_takes_an_event_once_and_in_order_however_often_it_is_told() -> None:
    debate = live()
    debate.take(posted(3, 4))
    debate.take(posted(3, 4, 5))
    debate.take(posted(7))
    assert debate.seq == 5
    assert [one.seq for one in await debate.events(after=0)] == [1, 2, 3, 4, 5]


async def test_tells_the_runner_of_others_only() -> None:
    debate = live()
    told: list[int] = []
    debate.on_news = lambda: told.append(debate.seq)
    debate._take_own(posted(3), Status.RUNNING)
    debate.take(posted(4))
    debate.take(posted(4))
    assert told == [4]


async def test_what_the_runner_appends_is_folded_once_somebody_looks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live_module, "KEPT", 4)
    debate = live()
    debate._take_own(posted(3, 4), Status.STOPPING)
    debate._take_own(posted(4), Status.RUNNING)  # which is known
    assert (debate.seq, debate.status, debate.last.seq) == (4, Status.STOPPING, 4)
    assert debate._state is not None
    assert debate._state.seq == 2
    assert debate.state.seq == 4
    assert debate.status is debate.state.status
    debate._take_own(posted(5, 6, 7), Status.RUNNING)
    assert debate._state.seq == 4
    debate._take_own(posted(8), Status.RUNNING)
    assert debate._state.seq == 8  # so much is not put off


# --- reading costs what is new -------------------------------------------------------------------


@pytest.fixture
def folds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many events were folded from the start, each time that is done in the engine."""
    counted: list[int] = []

    def counting(records: list[e.Recorded]):  # type: ignore[no-untyped-def]
        counted.append(len(records))
        return fold(records)

    monkeypatch.setattr("moot.engine.live.fold", counting)
    return counted


async def test_a_debate_that_was_created_here_is_never_folded_from_the_start_again(
    folds: list[int],
) -> None:
    async with bench() as on:
        debate = await on.create()
        await on.service.run(debate)
        await on.service.state(debate)
        await on.service.standing(debate)
        assert [item async for item in on.service.watch(debate)]
        assert folds == [1]


async def test_reads_only_what_is_new_and_what_it_knew_last(folds: list[int]) -> None:
    async with bench() as on:
        debate = await on.create()
        await on.service.run(debate)
        async with on.another(has_worker=False) as other:
            first = await other.service.state(debate)
            await other.service.state(debate)
        assert folds == [1, first.seq]
        assert on.store.read_from[-2:] == [0, first.seq - 1]


async def test_reads_everything_anew_if_the_log_is_another_one() -> None:
    """A database that was put back, or a debate that was deleted elsewhere and made again."""
    async with bench() as on:
        debate, other = await on.create(), await on.create(turns=1)
        await on.service.run(debate)
        on.clock.advance(1)
        await on.service.run(other)
        on.store.rows[debate] = on.store.rows[other]
        state = await on.service.state(debate)
        assert state.seq == len(on.store.rows[other].records)
        assert state.config.settings["turns"] == 1


async def test_a_state_that_was_given_away_does_not_move_any_more() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        before = await on.service.state(debate)
        running = on.start(debate)
        await model.until(*PLANS)
        assert before.status is Status.CREATED
        assert (await on.service.state(debate)).status is Status.RUNNING
        model.open()
        await finished(running, Status.COMPLETED)


async def test_nobody_sees_what_is_not_committed() -> None:
    async with bench() as on:
        debate = await on.create()
        seen: list[int] = []

        def look(_records: object) -> None:
            # The runner has applied its events to its own copy; the store does not have them yet.
            seen.append(on.system.live._debates[debate].seq - len(on.store.rows[debate].records))

        on.store.before_append = look
        await on.service.run(debate)
        assert set(seen) == {0}
        assert len(seen) > 5


async def test_readers_do_not_hang_while_the_store_is_away() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        on.store.is_down = True
        with pytest.raises(StoreUnavailable):
            await asyncio.wait_for(on.service.state(debate), 1)
        on.store.is_down = False
        assert (await on.service.state(debate)).status is Status.RUNNING
        model.open()
        await finished(running, Status.COMPLETED)


# --- what stays in memory ------------------------------------------------------------------------


async def test_keeps_a_bounded_number_of_debates_that_nobody_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live_debates, "MOST_KEPT", 3)
    async with bench() as on:
        debates = [await on.create() for _ in range(5)]
        assert list(on.system.live._debates) == debates[2:]
        await on.service.state(debates[2])
        await on.service.state(debates[0])
        assert list(on.system.live._idle) == [debates[4], debates[2], debates[0]]


async def test_bounds_their_events_too_but_keeps_the_one_used_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live_debates, "MOST_KEPT_EVENTS", 20)
    async with bench() as on:
        small, large = await on.create(), await on.create()
        assert len(on.system.live._debates) == 2
        state = await on.service.run(large)
        assert state.seq > 20
        assert list(on.system.live._debates) == [large]
        await on.service.state(small)
        assert list(on.system.live._debates) == [small]
        assert on.system.live._idle_events == 1


async def test_keeps_what_a_viewer_or_a_runner_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_debates, "MOST_KEPT", 0)
    model = HeldModel()
    async with bench(model) as on:
        watched, run = await on.create(), await on.create()
        assert not on.system.live._debates
        async with on.service.following(watched):
            running = on.start(run)
            await model.until(*PLANS)
            assert set(on.system.live._debates) == {watched, run}
            model.open()
            await finished(running, Status.COMPLETED)
        assert not on.system.live._debates


async def test_forgets_what_is_deleted_and_lets_its_viewers_go() -> None:
    async with bench() as on:
        debate = await on.create()
        async with on.service.following(debate) as viewer:
            await on.service.delete(debate)
            assert [item async for item in viewer.items(after=2)] == []
        assert debate not in on.system.live._debates
        with pytest.raises(NotFound):
            await on.service.state(debate)


async def test_remembers_nothing_of_a_debate_that_is_not_there() -> None:
    async with bench() as on:
        with pytest.raises(NotFound):
            await on.service.state("nope")
        assert not on.system.live._debates


async def test_many_who_look_at_once_share_a_read() -> None:
    async with bench() as on:
        debate = await on.create()
        before = len(on.store.read_from)
        await asyncio.gather(*(on.service.state(debate) for _ in range(50)))
        assert len(on.store.read_from) - before <= 2


# --- what other processes do ---------------------------------------------------------------------


async def test_a_viewer_sees_what_another_process_appends_when_that_is_told() -> None:
    async with bench() as on:
        debate = await on.create()
        async with on.service.following(debate) as viewer, on.another(has_worker=False) as other:
            items = viewer.items(after=2)
            await other.service.command(debate, "cancel")
            on.hear(debate)
            seen = [item async for item in items]
        assert [type(one.event) for one in seen if isinstance(one, e.Recorded)] == [
            e.DebateCanceled
        ]


async def test_a_debate_that_cannot_be_read_ends_its_viewers_and_nothing_else() -> None:
    async with bench() as on:
        debate = await on.create()
        async with on.service.following(debate) as viewer:
            row = on.store.rows[debate]
            # Such an event can never follow: a log that was tampered with.
            row.records.append(e.Recorded(2, START, e.DebateStopped()))
            on.hear(debate)
            assert [item async for item in viewer.items(after=2)] == []
        assert (await on.service.run(await on.create())).status is Status.COMPLETED


# --- held back by a rate limit -------------------------------------------------------------------


async def test_who_watches_sees_that_a_rate_limit_of_others_holds_a_call_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("moot.engine.work.HELD_TOLD_S", 0.001)
    model = HeldModel()
    async with bench(model) as on:
        on.models.clock = FakeClock(is_patient=True)
        gate = on.models._gate = Gate(
            10, clock=on.models.clock.monotonic, sleep=on.models.clock.sleep
        )
        gate.hold(30)  # because of a refusal that another debate got
        debate = await on.create()
        seen: list[Item] = []

        async def watch() -> None:
            async for item in on.service.follow(debate, text=True):
                seen.append(item)  # noqa: PERF401 - seen as they come

        watching = asyncio.create_task(watch())
        await asyncio.sleep(0)
        running = on.start(debate)
        await _until(lambda: any(isinstance(one, StepHeld) for one in seen))
        held = next(one for one in seen if isinstance(one, StepHeld))
        assert held.reason == "scripted takes no more calls for now"
        assert (held.until - on.clock.now()).total_seconds() == pytest.approx(30)
        assert model.asked == []
        # Who comes later is told too.
        async with on.service.following(debate, text=True) as viewer:
            items = viewer.items(after=0)
            late = [await anext(items) for _ in range(6)]
            assert any(isinstance(one, StepHeld) for one in late)
        before = len(seen)
        on.models.clock.advance(31)
        await model.until(*PLANS)
        await _until(lambda: any(isinstance(one, StepBegan) for one in seen[before:]))
        model.open()
        await finished(running, Status.COMPLETED)
        watching.cancel()


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 - of other tasks' doing
            await asyncio.sleep(0.001)
