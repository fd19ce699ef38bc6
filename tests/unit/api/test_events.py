"""Event streams: every event once and in order, whoever reads how slowly (P7)."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.unit.api.serving import serving
from tests.unit.engine.bench import HeldModel

from moot.api import ApiLimits
from moot.engine import feed, live
from moot.protocol import events as e
from moot.protocol.log import fold
from moot.testing.scripted import ScriptedModel

A_1 = "debate/1/debater_a/speak"
B_1 = "debate/1/debater_b/speak"


def _numbers(last: int, first: int = 1) -> list[int]:
    return list(range(first, last + 1))


async def test_replays_a_debate_that_is_over_and_ends(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create(start=True)
        last = (await on.until(debate, "completed"))["seq"]
        async with on.stream(debate) as stream:
            assert stream.status == 200
            assert stream.headers["content-type"].startswith("text/event-stream")
            assert stream.headers["cache-control"] == "no-store"
            frames = await stream.events()
        assert [frame.id for frame in frames] == _numbers(last)
        log = await on.service.log(debate)
        assert [frame.event for frame in frames] == [type(r.event).__name__ for r in log]
        assert [frame.data["seq"] for frame in frames] == _numbers(last)


async def test_says_how_soon_to_come_back(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create()
        async with on.stream(debate) as stream:
            first = await stream.next()
            assert first is not None
            assert first.raw == "retry: 2000"


async def test_shows_what_happens_as_it_happens(tmp_path: Path) -> None:
    model = HeldModel()
    async with serving(tmp_path, model) as on:
        debate = await on.create()
        async with on.stream(debate, "text=0") as stream:
            assert await stream.seqs(until=1) == [1]
            await on.command(debate, "start")
            await model.until(A_1)
            model.open()
            rest = await stream.events()
            assert [frame.id for frame in rest] == _numbers((await on.debate(debate))["seq"], 2)
            assert rest[-1].event == "DebateCompleted"


async def test_goes_on_through_a_stop_and_ends_only_with_the_debate(tmp_path: Path) -> None:
    model = HeldModel()
    async with serving(tmp_path, model) as on:
        debate = await on.create(start=True)
        async with on.stream(debate, "text=0") as stream:
            await model.until(A_1)
            await on.command(debate, "stop")
            model.let(A_1)
            stopped = await on.until(debate, "stopped")
            await stream.events(until=stopped["seq"])
            await asyncio.sleep(0.1)
            assert not stream.is_over
            model.open()
            await on.command(debate, "resume")
            assert (await stream.events())[-1].event == "DebateCompleted"


async def test_tells_a_browser_that_has_read_everything_to_stay_away(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create(start=True)
        last = (await on.until(debate, "completed"))["seq"]
        for seq, status in ((last - 1, 200), (last, 204), (last + 7, 204)):
            async with on.stream(debate, last_event_id=str(seq)) as stream:
                assert stream.status == status


async def test_the_header_wins_over_the_address(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create(start=True)
        last = (await on.until(debate, "completed"))["seq"]
        async with on.stream(debate, "after=2", last_event_id="4") as stream:
            assert await stream.seqs() == _numbers(last, 5)
        async with on.stream(debate, "after=2") as stream:
            assert await stream.seqs() == _numbers(last, 3)


async def test_who_comes_back_is_told_the_status_as_who_read_all_of_it(tmp_path: Path) -> None:
    model = HeldModel()
    async with serving(tmp_path, model) as on:
        debate = await on.create(start=True)
        await model.until(A_1)
        await on.command(debate, "stop")
        model.let(A_1)
        await on.until(debate, "stopped")
        model.open()
        await on.command(debate, "resume")
        last = (await on.until(debate, "completed"))["seq"]
        async with on.stream(debate) as stream:
            whole = [frame.data["after"]["status"] for frame in await stream.events()]
        assert {"created", "running", "stopping", "stopped", "completed"} == set(whole)
        for seq in range(1, last):
            async with on.stream(debate, last_event_id=str(seq)) as stream:
                rest = [frame.data["after"]["status"] for frame in await stream.events()]
            assert rest == whole[seq:]


async def test_refuses_what_is_no_event_id_and_what_is_no_debate(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create()
        for header in ("x", "-1", "1.5", "²"):
            async with on.stream(debate, last_event_id=header) as stream:
                assert stream.status == 422
        async with on.stream("nosuchdebate") as stream:
            assert stream.status == 404
            assert stream.headers["content-type"] == "application/problem+json"
        assert on.service.viewers == 0


async def test_writes_text_before_its_turn_and_all_of_it(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(latency_s=0.01)) as on:
        debate = await on.create()
        async with on.stream(debate) as stream:
            await on.command(debate, "start")
            written: dict[str, str] = {}
            began: set[str] = set()
            turns = 0
            for frame in await stream.events():
                if frame.event == "step":
                    began.add(frame.data["step"])
                elif frame.event == "text":
                    assert frame.id is None
                    key = frame.data["step"]
                    assert key in began
                    written[key] = written.get(key, "") + frame.data["text"]
                elif frame.event == "TurnRecorded" and frame.data["kind"] == "speak":
                    turns += 1
                    assert written[frame.data["step_key"]] == frame.data["content"]
            assert turns == 2


async def test_shows_who_comes_late_what_is_written_so_far(tmp_path: Path) -> None:
    half = asyncio.Event()
    rest = asyncio.Event()

    class Slow(ScriptedModel):
        async def reply(self, request, on_text=None):  # type: ignore[no-untyped-def]
            if on_text is not None and not half.is_set():
                on_text("first half, ")
                half.set()
                await rest.wait()
            return await super().reply(request, None)

    async with serving(tmp_path, Slow()) as on:
        debate = await on.create()
        async with on.stream(debate) as early:
            await on.command(debate, "start")
            await half.wait()
            while (frame := await early.next()) and frame.event != "text":
                pass
            async with on.stream(debate, "after=9999") as late:
                seen = [await late.next(), await late.next(), await late.next()]
                assert [one.event for one in seen if one] == [None, "step", "text"]
                assert seen[2] is not None
                assert seen[2].data["text"] == "first half, "
            rest.set()
            await early.events()


async def test_keeps_private_words_from_who_did_not_ask_for_them(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(latency_s=0.005)) as on:
        debate = await on.create(format="duel", settings={"turns": 1})
        async with on.stream(debate) as public, on.stream(debate, "private=1") as private:
            await on.command(debate, "start")
            seen, all_seen = await public.events(), await private.events()
        assert [f.id for f in seen if f.id] == [f.id for f in all_seen if f.id]
        turns = [f.data for f in all_seen if f.event == "TurnRecorded"]
        secret = {t["content"] for t in turns if t["visibility"] == "private"}
        told = "".join(f.raw for f in seen)
        assert secret
        assert all(t["prompt"] for t in turns)
        assert '"prompt"' not in told
        for frame in seen:
            if frame.event in ("TurnRecorded", "text") and frame.data["visibility"] == "private":
                assert frame.event == "TurnRecorded"
                assert frame.data["content"] is None
                assert frame.data["data"] is None


async def test_sends_a_comment_when_nothing_happens(tmp_path: Path) -> None:
    limits = ApiLimits(heartbeat_s=0.02)
    async with serving(tmp_path, limits=limits) as on:
        debate = await on.create()
        async with on.stream(debate) as stream:
            await stream.events(until=1)
            for _ in range(3):
                frame = await stream.next()
                assert frame is not None
                assert frame.raw.startswith(":")


async def test_sees_what_another_process_appends(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on, serving(tmp_path) as other:
        debate = await on.create()
        async with on.stream(debate, "text=0") as stream:
            assert await stream.seqs(until=1) == [1]
            await other.command(debate, "start")
            seen = await stream.seqs()
        assert seen == _numbers((await on.debate(debate))["seq"], 2)


async def test_ends_when_the_debate_is_deleted(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create()
        async with on.stream(debate) as stream:
            await stream.events(until=1)
            assert (await on.client.delete(f"/api/debates/{debate}")).status_code == 204
            assert await stream.events() == []


async def test_a_server_that_leaves_ends_its_streams_properly(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create()
        async with on.stream(debate) as one, on.stream(debate) as two:
            await asyncio.gather(one.events(until=1), two.events(until=1))
            on.service.dismiss_viewers()
            assert await one.events() == await two.events() == []


async def test_reads_the_log_once_for_a_thousand_viewers(tmp_path: Path) -> None:
    model = HeldModel()
    async with serving(tmp_path, model) as on:
        debate = await on.create(start=True)
        await model.until(A_1)
        viewers = [on.stream(debate, "text=0") for _ in range(1000)]
        async with asyncio.TaskGroup() as group:
            for viewer in viewers:
                group.create_task(viewer.__aenter__())
        assert on.service.viewers == 1000
        before = on.reads
        model.open()
        seen = await asyncio.gather(*(viewer.seqs() for viewer in viewers))
        # Those of looking for news, at most; not one for a viewer.
        assert on.reads - before < 20
        last = (await on.debate(debate))["seq"]
        assert all(numbers == _numbers(last) for numbers in seen)
        await asyncio.gather(*(viewer.__aexit__() for viewer in viewers))
        assert on.service.viewers == 0


async def test_refuses_more_viewers_than_there_are_places(tmp_path: Path) -> None:
    async with serving(tmp_path, limits=ApiLimits(viewers=2)) as on:
        debate = await on.create()
        async with on.stream(debate), on.stream(debate), on.stream(debate) as third:
            assert third.status == 503
            assert third.headers["retry-after"]
        async with on.stream(debate) as again:
            assert again.status == 200


async def test_drops_who_does_not_read_and_holds_nobody_else_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "MAX_BEHIND", 5)
    limits = ApiLimits(send_s=0.05)
    async with serving(tmp_path, ScriptedModel(latency_s=0.02), limits=limits) as on:
        debate = await on.create()
        async with on.stream(debate) as slow, on.stream(debate) as quick:
            seen = await slow.seqs(until=1)
            slow.may_read.clear()
            await on.command(debate, "start")
            last = (await quick.seqs())[-1]
            await slow.over()
            slow.may_read.set()
        async with on.stream(debate, last_event_id=str(seen[-1])) as again:
            assert await again.seqs() == _numbers(last, seen[-1] + 1)
        assert on.service.viewers == 0


async def test_who_falls_behind_loses_text_and_no_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "MAX_BEHIND", 3)
    monkeypatch.setattr(live, "KEPT", 2)
    monkeypatch.setattr(feed, "PAGE", 4)
    async with serving(tmp_path, ScriptedModel(latency_s=0.005)) as on:
        debate = await on.create()
        async with on.stream(debate) as slow:
            slow.may_read.clear()
            await on.command(debate, "start")
            last = (await on.until(debate, "completed"))["seq"]
            slow.may_read.set()
            assert await slow.seqs() == _numbers(last)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32), cuts=st.lists(st.integers(1, 4), max_size=8))
def test_a_viewer_cut_off_at_random_points_reads_every_event_once(
    seed: int, cuts: list[int]
) -> None:
    asyncio.run(_cut_and_resume(random.Random(seed), cuts))  # noqa: S311 - no secret


async def _cut_and_resume(chance: random.Random, cuts: list[int]) -> None:
    import tempfile  # noqa: PLC0415 - one directory per example

    with tempfile.TemporaryDirectory() as path:
        async with serving(Path(path), ScriptedModel(latency_s=0.001)) as on:
            debate = await on.create(start=True)
            seen: list[int] = []
            for count in cuts:
                async with on.stream(debate, last_event_id=str(len(seen))) as stream:
                    if stream.status == 204:
                        break
                    for _ in range(count):
                        frame = await stream.next()
                        if frame is None:
                            break
                        if frame.id is not None:
                            seen.append(frame.id)
                await asyncio.sleep(chance.random() * 0.01)
            async with on.stream(debate, last_event_id=str(len(seen))) as stream:
                seen += await stream.seqs()
            assert seen == _numbers((await on.debate(debate))["seq"])


async def test_the_service_follows_and_ends_like_the_stream(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create(start=True)
        records = [r async for r in on.service.follow(debate) if isinstance(r, e.Recorded)]
        assert fold(records).status.is_terminal
        assert [r.seq for r in records] == _numbers(len(records))
