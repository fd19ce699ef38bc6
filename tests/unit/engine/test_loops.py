"""All loops of a process in one group: none ends in silence."""

from __future__ import annotations

import asyncio
import gc

import pytest
from tests.unit.engine.bench import SETTINGS, Bench, bench

from moot.engine import failpoints
from moot.engine.live_debates import LiveDebates
from moot.engine.loops import COLLECT_AFTER, Loops, run
from moot.errors import Refused, StoreUnavailable
from moot.queue.backends.memory import MemoryQueue
from moot.queue.dispatcher import WITHOUT_S, Dispatcher
from moot.wiring import Parts, open_dispatching


async def forever() -> None:
    await asyncio.Event().wait()


async def broken() -> None:
    await asyncio.sleep(0)
    raise ZeroDivisionError("a mistake of ours")


async def ending() -> None:
    await asyncio.sleep(0)


async def test_a_loop_that_dies_ends_the_block_with_its_reason() -> None:
    seen: list[str] = []

    async def block() -> None:
        async with Loops({"good": forever, "bad": broken}) as loops:
            loops.check()
            try:
                await forever()
            finally:
                seen.append(_checked(loops))

    with pytest.raises(ZeroDivisionError, match="a mistake of ours"):
        await block()
    assert "has ended" in seen[0]


def _checked(loops: Loops) -> str:
    with pytest.raises(StoreUnavailable) as caught:
        loops.check()
    return str(caught.value)


async def test_a_loop_that_ends_by_itself_has_died_too() -> None:
    with pytest.raises(RuntimeError, match="'short' ended by itself"):
        async with Loops({"short": ending}):
            await forever()


async def test_the_reason_is_found_in_groups_of_groups() -> None:
    async def nested() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(broken())

    with pytest.raises(ZeroDivisionError):
        async with Loops({"outer": nested}):
            await forever()


async def test_what_the_block_raises_comes_out_as_it_is() -> None:
    refusal = Refused("no")
    with pytest.raises(Refused) as caught:
        async with Loops({"good": forever}):
            raise refusal
    assert caught.value is refusal


async def test_leaving_ends_the_loops() -> None:
    ended: list[str] = []

    async def loop() -> None:
        try:
            await forever()
        finally:
            ended.append("loop")

    async with Loops({"loop": loop}):
        await asyncio.sleep(0)
    assert ended == ["loop"]


async def test_who_is_cancelled_from_outside_is_just_cancelled() -> None:
    async def block() -> None:
        async with Loops({"good": forever}):
            await forever()

    task = asyncio.create_task(block())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


# --- in the engine that ships --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["news", "dispatcher", "reconciler", "consumer"])
async def test_whoever_has_it_open_gets_what_a_loop_died_of(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench() as on:
        await asyncio.sleep(0.01)  # its own loops have begun, and are not meant
        monkeypatch.setattr(failpoints, "_armed", name)
        monkeypatch.setattr(failpoints, "_how", "raise")
        monkeypatch.setattr(failpoints, "_left", 1)
        with pytest.raises(RuntimeError, match=f"planted at the failpoint {name}"):
            async with on.serving():
                await forever()


@pytest.mark.parametrize(
    ("of", "name"),
    [
        (Dispatcher, "_hand_over"),
        (Dispatcher, "_reconcile"),
        (MemoryQueue, "consume"),
        (LiveDebates, "_look"),
    ],
)
async def test_a_loop_that_is_cancelled_by_nobody_has_died_too(
    of: type, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def called_off(*_given: object, **_named: object) -> None:
        await asyncio.sleep(0)
        raise asyncio.CancelledError

    async with bench() as on:
        await asyncio.sleep(0.01)  # its own loops have begun, and are not meant
        monkeypatch.setattr(of, name, called_off)
        with pytest.raises(RuntimeError, match="was cancelled from inside"):
            async with on.serving():
                await forever()


async def test_so_it_does_if_nobody_keeps_the_leases() -> None:
    async def block(on: Bench) -> None:
        async with on.another() as other:
            assert other.worker is not None
            other.worker._die(OSError("no more threads"))
            await forever()

    async with bench() as on:
        with pytest.raises(OSError, match="no more threads"):
            await block(on)


async def test_a_store_that_is_away_is_nothing_to_die_of() -> None:
    async with bench() as on, on.serving() as system:
        on.store.is_down = True
        await asyncio.sleep(0.1)
        system.loops.check()
        on.store.is_down = False


async def test_is_ready_only_while_something_could_be_run_and_written_down() -> None:
    async with bench() as on, on.serving() as system:
        assert system.worker is not None
        assert system.worker._keeper is not None
        assert system.dispatcher is not None
        await system.check_ready()
        system.worker._keeper.is_keeping = False
        with pytest.raises(StoreUnavailable, match="could not be written"):
            await system.check_ready()
        system.worker._keeper.is_keeping = True
        system.dispatcher.is_reaching_queue = False
        with pytest.raises(StoreUnavailable, match="queue"):
            await system.check_ready()


async def test_without_a_worker_is_ready_only_while_there_is_one_elsewhere() -> None:
    async with bench() as on:
        queue = MemoryQueue(on.clock)
        alone = Dispatcher(queue=queue, store=on.store, clock=on.clock, worker=None)
        await alone.check_workers()
        await on.store.retire(on.worker.id.id)
        on.clock.advance(WITHOUT_S - 1)
        await alone.check_workers()  # perhaps it is being restarted
        on.clock.advance(1)
        with pytest.raises(StoreUnavailable, match="moot worker"):
            await alone.check_workers()
        await on.store.enlist(on.worker.id, ttl_s=60)
        await alone.check_workers()


async def test_a_server_without_a_worker_says_so_when_it_is_asked() -> None:
    async with bench() as on:
        parts: Parts = {**on.parts, "queue": MemoryQueue(on.clock)}
        async with open_dispatching(SETTINGS, has_worker=False, **parts) as system:
            await system.check_ready()
            await on.store.retire(on.worker.id.id)
            on.clock.advance(WITHOUT_S)
            with pytest.raises(StoreUnavailable, match="moot worker"):
                await system.check_ready()


def test_runs_on_a_loop_of_its_own_and_returns_what_comes_of_it() -> None:
    async def main() -> str:
        return type(asyncio.get_running_loop()).__module__

    assert run(main()) == "uvloop"


def test_it_looks_for_cycles_seldom_and_leaves_the_rest_of_a_program_as_it_was() -> None:
    async def main() -> int:
        return gc.get_threshold()[0]

    async def breaks() -> None:
        raise ZeroDivisionError

    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    try:
        assert run(main()) == COLLECT_AFTER
        with pytest.raises(ZeroDivisionError):
            run(breaks())
        assert gc.get_threshold() == (700, 10, 10)
    finally:
        gc.set_threshold(*before)


async def test_can_be_left_in_the_very_moment_in_which_news_come() -> None:
    """A cancellation that came together with the news was lost, and the process hung."""
    async with bench() as on:
        debate = await on.create()
        for beats in range(6):
            async with on.another() as other, other.service.following(debate):
                for _ in range(beats):
                    await asyncio.sleep(0)
                other.live.tell(debate, 0)
                await asyncio.sleep(0)
