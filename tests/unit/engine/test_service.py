"""The door: commands for every status, finding, deleting."""

from __future__ import annotations

import msgspec
import pytest
from tests.unit.engine.bench import ALL_STEPS, Bench, HeldModel, bench
from tests.unit.engine.memory_store import Once

from moot.errors import Conflict, InvalidInput, NotFound, Refused
from moot.protocol import events as e
from moot.protocol.lifecycle import COMMANDS, LIFECYCLE, commands_for
from moot.protocol.log import fold
from moot.protocol.row import Cursor
from moot.protocol.words import Pacing, Status

TO_GET_THERE: dict[Status, tuple[e.AnyEvent, ...]] = {
    Status.CREATED: (),
    Status.RUNNING: (e.DebateStarted(),),
    Status.WAITING: (e.DebateStarted(), e.DebateSuspended()),
    Status.STOPPING: (e.DebateStarted(), e.StopRequested()),
    Status.STOPPED: (e.DebateStarted(), e.StopRequested(), e.DebateStopped()),
    Status.FAILED: (e.DebateStarted(), e.DebateFailed(error="no luck")),
    Status.COMPLETED: (e.DebateStarted(), e.DebateCompleted(stop_reason="done")),  # type: ignore[arg-type]
    Status.CANCELED: (e.DebateCanceled(),),
}


async def _debate(on: Bench, status: Status) -> str:
    debate = await on.create()
    row = on.store.rows[debate]
    for event in TO_GET_THERE[status]:
        row.records.append(e.Recorded(len(row.records) + 1, on.clock.now(), event))
    row.summary = fold(row.records).summary(debate, Cursor())
    assert row.summary.status is status
    return debate


@pytest.mark.parametrize("status", Status)
async def test_carries_a_command_out_or_refuses_it_and_changes_nothing(status: Status) -> None:
    async with bench() as on:
        for command in COMMANDS:
            debate = await _debate(on, status)
            before = on.log(debate)
            if command in commands_for(status):
                summary = await on.service.command(debate, command)
                assert summary.status is LIFECYCLE[status][COMMANDS[command]]
                assert on.log(debate) == [*before, COMMANDS[command]()]
                assert await on.store.summary(debate) == summary
                continue
            with pytest.raises(Refused, match=f"cannot {command} a debate that is {status}"):
                await on.service.command(debate, command)
            assert on.log(debate) == before


@pytest.mark.parametrize("status", Status)
async def test_deletes_what_nobody_is_running(status: Status) -> None:
    async with bench() as on:
        debate = await _debate(on, status)
        if status.is_active:
            with pytest.raises(Refused, match="stop it first"):
                await on.service.delete(debate)
            assert debate in on.store.rows
            return
        await on.service.delete(debate)
        with pytest.raises(NotFound):
            await on.service.state(debate)


@pytest.mark.parametrize("status", Status)
async def test_runs_from_wherever_it_stands(status: Status) -> None:
    async with bench() as on:
        debate = await _debate(on, status)
        state = await on.service.run(debate)
        goes_on = not status.is_terminal and status is not Status.WAITING
        assert state.status is (Status.COMPLETED if goes_on else status)
        assert sum(on.asked().values()) == (len(ALL_STEPS) if goes_on else 0)


async def test_unknown_debates_are_not_found() -> None:
    async with bench() as on:
        for call in (
            on.service.state("nope"),
            on.service.log("nope"),
            on.service.run("nope"),
            on.service.command("nope", "start"),
            on.service.delete("nope"),
            on.service.answer("nope", "q", "a"),
            on.service.find("nope"),
        ):
            with pytest.raises(NotFound):
                await call


async def test_finds_by_the_beginning_of_an_id_if_there_is_only_one() -> None:
    async with bench() as on:
        debate = await on.create()
        row = on.store.rows.pop(debate)
        on.store.rows.update({"abc1": row, "abc2": row, "abc": row, "xyz9": row})
        assert await on.service.find("x") == "xyz9"
        assert await on.service.find("abc") == "abc"
        with pytest.raises(InvalidInput, match="abc1, abc2"):
            await on.service.find("ab")


async def test_tries_a_command_again_when_the_log_has_grown() -> None:
    async with bench() as on:
        debate = await on.create()
        on.store.before_append = Once(Conflict("grown"), Conflict("grown"))
        assert (await on.service.command(debate, "start")).status is Status.RUNNING
        assert on.names(debate) == ["DebateCreated", "DebateStarted"]


async def test_decides_a_command_anew_by_what_has_happened_meanwhile() -> None:
    async with bench() as on:
        debate = await on.create()
        on.beat(debate, e.DebateCanceled())
        with pytest.raises(Refused, match="canceled"):
            await on.service.command(debate, "start")
        assert on.names(debate) == ["DebateCreated", "DebateCanceled"]


async def test_carries_out_a_command_although_the_debate_is_always_a_step_ahead() -> None:
    async with bench() as on:
        debate = await on.create()

        def ahead(_records: object) -> None:
            on.beat(debate, e.PacingChanged(pacing=Pacing.MANUAL))
            assert on.store.before_append is not None
            on.store.before_append(())
            if len(on.log(debate)) < 100:
                on.store.before_append = ahead

        on.store.before_append = ahead
        assert (await on.service.command(debate, "start")).status is Status.RUNNING
        assert len(on.log(debate)) == 101


async def test_gives_up_on_a_debate_that_never_stands_still(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("moot.engine.live.PATIENCE_S", 0.02)
    async with bench() as on:
        debate = await on.create()

        def grown(_records: object) -> None:
            raise Conflict("grown")

        on.store.before_append = grown
        with pytest.raises(Conflict, match="too busy"):
            await on.service.command(debate, "start")


@pytest.mark.parametrize("seq", [0, 7])
async def test_repairs_a_row_that_would_refuse_every_command(seq: int) -> None:
    async with bench() as on:
        debate = await on.create()
        row = on.store.rows[debate]
        row.summary = msgspec.structs.replace(row.summary, seq=seq)
        assert (await on.service.command(debate, "start")).status is Status.RUNNING
        assert row.summary.seq == 2


async def test_a_process_without_a_worker_runs_nothing() -> None:
    async with bench() as on:
        debate = await on.create()
        async with on.another(has_worker=False) as other:
            with pytest.raises(Refused, match="no worker"):
                await other.service.run(debate)
        assert on.names(debate) == ["DebateCreated"]


async def test_can_create_and_start_in_one() -> None:
    from tests.unit.engine.bench import ROSTER  # noqa: PLC0415

    from moot.engine.creation import NewDebate  # noqa: PLC0415

    async with bench() as on:
        new = NewDebate(topic="Is it so?", participants=ROSTER)
        debate = await on.service.create(new, start=True)
        assert on.names(debate) == ["DebateCreated", "DebateStarted"]
        page = await on.service.list(status=Status.RUNNING)
        assert [one.id for one in page.items] == [debate]


async def test_hurrying_what_does_not_run_does_nothing() -> None:
    async with bench(HeldModel()) as on:
        debate = await on.create()
        on.service.hurry(debate)
        async with on.another(has_worker=False) as other:
            other.service.hurry(debate)
        assert on.names(debate) == ["DebateCreated"]
