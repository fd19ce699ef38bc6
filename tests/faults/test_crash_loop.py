"""The quarantine, on SQLite: a debate that kills is failed for it, and nobody else ever is.

With Postgres and four workers: `test_workers`.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.faults.holding import PATIENCE_S, ROSTER, Place, _context, books, undisturbed
from tests.faults.poison import (
    LEAVING,
    POISON,
    SLUGGISH,
    deaths,
    poison,
    replaced,
    until_failed,
)

from moot.engine.creation import NewDebate
from moot.engine.quarantine import MOST_DEATHS
from moot.protocol.values import Participant
from moot.protocol.words import Status
from moot.serving import open_server
from moot.settings import load_settings
from moot.store.port import SUSPECT_AFTER
from moot.testing.oracles import check_book, check_spending, read_book, transcript_hash
from moot.testing.server import ScriptedServer
from moot.testing.store_contract.samples import worker
from moot.wiring import System, open_system

pytestmark = [pytest.mark.faults, pytest.mark.xdist_group("quarantine")]

QUICK = (0.0, 0.05)
ONE_TRY = (0.0, 3600.0)
"""Pauses: hardly any, and one that does not end while a test lasts."""


def serve(place: Place, pauses_s: tuple[float, ...]) -> None:
    """All of `moot serve` but the socket."""
    asyncio.run(_serve(place, pauses_s))


async def _serve(place: Place, pauses_s: tuple[float, ...]) -> None:
    os.environ.update(place.environment())
    poison(place.home)
    settings = load_settings(home=place.home)
    async with open_server(settings, host="127.0.0.1", pauses_s=pauses_s, look_every_s=0.3):
        await asyncio.Event().wait()


class Server:
    """One process after another."""

    def __init__(self, place: Place, pauses_s: tuple[float, ...]) -> None:
        self._given = place, pauses_s
        self.replace()

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive()

    def replace(self) -> None:
        self._process = _context().Process(target=serve, args=self._given, daemon=True)
        self._process.start()

    def kill(self) -> None:
        self._process.kill()
        self._process.join()


class Scene:
    """Some servers, the provider that they call, and a look at their database."""

    def __init__(self, system: System, slots: list[Server], provider: ScriptedServer) -> None:
        self.system = system
        self.store = system.store
        self.slots = slots
        self.provider = provider

    async def start(self, *topics: str, deaths: int = 0) -> list[str]:
        """New debates, running, of which so many workers are said to have died."""
        debates = []
        for topic in topics:
            new = NewDebate(topic=topic, settings={"turns": 2}, participants=ROSTER)
            debates.append(await self.system.service.create(new, start=not deaths))
            if deaths:
                await _die(self.system, debates[-1], deaths)
                await self.system.service.command(debates[-1], "start")
        return debates

    async def until_called(self) -> None:
        async def is_called() -> bool:
            return self.provider.in_flight > 0

        await self.until(is_called)

    async def until(self, is_so: Callable[[], Awaitable[bool]]) -> None:
        """Servers that die meanwhile are replaced."""
        async with asyncio.timeout(PATIENCE_S):
            while not await is_so():
                replaced(self.slots)
                await asyncio.sleep(0.02)

    async def over(self, *debates: str, status: Status = Status.COMPLETED) -> None:
        async def are_over() -> bool:
            found = {(await self.store.summary(debate)).status for debate in debates}
            return found == {status}

        await self.until(are_over)


@asynccontextmanager
async def scene(
    home: Path, *, latency_s: float = 0.2, pauses_s: tuple[float, ...] = QUICK
) -> AsyncIterator[tuple[Scene, Place]]:
    async with ScriptedServer(latency_s=latency_s) as provider:
        place = Place(home=str(home / "home"), base_url=provider.base_url)
        os.environ.update(place.environment())
        async with open_system(load_settings(home=place.home), has_worker=False) as system:
            server = Server(place, pauses_s)
            try:
                yield Scene(system, [server], provider), place
            finally:
                server.kill()


# --- a real poison -------------------------------------------------------------------------------

INNOCENT = tuple(f"Innocent {number}: is it so?" for number in range(4))


async def test_a_debate_that_kills_fails_after_five_deaths_of_its_own_and_hurts_no_other(
    tmp_path: Path,
) -> None:
    quiet = await undisturbed(tmp_path, *INNOCENT, turns=2)
    expected = [transcript_hash(one.records) for one in quiet]
    async with scene(tmp_path) as (at, place):
        killer, *innocent = await at.start(POISON, *INNOCENT)
        assert await until_failed(at.store, at.slots, killer) == SUSPECT_AFTER
        assert deaths(place.home) == SUSPECT_AFTER + MOST_DEATHS
        # A person may want it tried again, and it is: by itself from the beginning.
        await at.system.service.command(killer, "retry")
        assert await until_failed(at.store, at.slots, killer) == 0
        assert deaths(place.home) == SUSPECT_AFTER + 2 * MOST_DEATHS
        await at.over(*innocent)
        dead, *alive = await books(place, [killer, *innocent])
    check_book(dead, status=Status.FAILED)
    assert dead.state.failure is not None
    assert dead.state.failure.code == "crash_loop"
    assert "signal 9, SIGKILL" in dead.state.failure.error
    for book, transcript in zip(alive, expected, strict=True):
        check_book(book, transcript=transcript)
        assert "DebateFailed" not in {type(one.event).__name__ for one in book.records}


async def test_one_that_ends_its_process_as_if_all_were_well_is_given_up_too(
    tmp_path: Path,
) -> None:
    async with scene(tmp_path) as (at, place):
        (leaving,) = await at.start(LEAVING, deaths=SUSPECT_AFTER)
        await at.over(leaving, status=Status.FAILED)
        failure = (await at.system.service.state(leaving)).failure
        assert failure is not None
        assert (failure.code, "exit code 0" in failure.error) == ("crash_loop", True)
        assert deaths(place.home) == MOST_DEATHS


@pytest.mark.parametrize("topic", [POISON, SLUGGISH])
async def test_nobody_waits_for_a_suspect(tmp_path: Path, topic: str) -> None:
    """Neither for the pause after its death, nor for a process in which nothing else would go on.

    What a guard would have to hold back for them is held here: another debate, begun meanwhile.
    """
    async with scene(tmp_path, pauses_s=ONE_TRY, latency_s=0.01) as (at, _):
        (killer,) = await at.start(topic, deaths=SUSPECT_AFTER)
        expected = SUSPECT_AFTER + (topic == POISON)

        async def is_tried() -> bool:
            found = await at.store.custody(killer)
            return found.is_current and found.deaths == expected

        await at.until(is_tried)
        await at.over(*await at.start(*INNOCENT))
        assert await is_tried()
        assert (await at.store.summary(killer)).status is Status.RUNNING
        # And people are still heard who want it called off.
        await at.system.service.command(killer, "cancel")

        async def is_given_back() -> bool:
            return await at.store.holder(killer) is None

        await at.until(is_given_back)


# --- ordinary kills ------------------------------------------------------------------------------


async def test_kills_from_outside_fail_nobody(tmp_path: Path) -> None:
    """The server is killed again and again before a single call is through."""
    topics = [f"Killed {number}: is it so?" for number in range(6)]
    quiet = await undisturbed(tmp_path, *topics, turns=2)
    expected = [transcript_hash(one.records) for one in quiet]
    chance = random.Random(20261115)  # noqa: S311 - instants to kill at
    async with scene(tmp_path, latency_s=1.0) as (at, place):
        debates = await at.start(*topics)
        lost = 0
        for _ in range(6):
            await at.until_called()
            await asyncio.sleep(chance.uniform(0.0, 0.2))
            lost += at.provider.in_flight
            at.slots[0].kill()
        assert await at.store.quarantined(), "none became a suspect"
        at.provider._latency_s = 0.05
        await at.over(*debates)
        found = await books(place, debates)
        assert check_spending(at.provider.calls, found, kills=lost) <= lost
    for book, transcript in zip(found, expected, strict=True):
        check_book(book, transcript=transcript)


async def test_a_process_ends_with_the_worker_that_started_it_and_that_is_no_death(
    tmp_path: Path,
) -> None:
    async with scene(tmp_path, latency_s=60) as (at, _):
        (debate,) = await at.start("Slow: is it so?", deaths=SUSPECT_AFTER - 1)
        for _ in range(3):
            await at.until_called()
            assert (await at.store.custody(debate)).deaths == SUSPECT_AFTER
            at.slots[0].kill()
            await _until(lambda: not at.provider.in_flight)
        at.provider._latency_s = 0.01
        at.slots[0].kill()
        await at.over(debate)


# --- what people see and want, while it is in quarantine -----------------------------------------


@asynccontextmanager
async def suspected(
    home: Path,
    *,
    latency_s: float = 0.1,
    people: tuple[str, ...] = (),
    pauses_s: tuple[float, ...] = QUICK,
) -> AsyncIterator[tuple[System, str, ScriptedServer]]:
    """A debate that enough workers have died of, ready to be run in this process."""
    roster = tuple(
        Participant(id=one.id, name=one.name, role=one.role, model="human")
        if one.id in people
        else one
        for one in ROSTER
    )
    async with ScriptedServer(latency_s=latency_s) as provider:
        os.environ.update(Place(home="", base_url=provider.base_url).environment())
        async with open_system(load_settings(home=home / "home"), pauses_s=pauses_s) as system:
            new = NewDebate(topic="Is it so?", settings={"turns": 2}, participants=roster)
            debate = await system.service.create(new, start=True)
            await _die(system, debate, SUSPECT_AFTER)
            yield system, debate, provider


async def _die(system: System, debate: str, times: int) -> None:
    """So many workers begin it and are never heard of again."""
    for number in range(times):
        name = f"w{number}"
        await system.store.enlist(worker(name), ttl_s=60)
        lease = await system.store.claim(debate, name)
        assert lease is not None
        await system.store.begin(lease)
        await system.store.retire(name)


async def _until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():  # noqa: ASYNC110 - of other processes' doing
            await asyncio.sleep(0.005)


async def test_text_and_events_are_shown_as_the_child_makes_them(tmp_path: Path) -> None:
    async with suspected(tmp_path) as (system, debate, provider):
        shown: list[str] = []
        async for item in system.service.play(debate, text=True):
            event = getattr(item, "event", item)
            shown.append(type(event).__name__)
        assert shown.index("StepBegan") < shown.index("TextWritten") < shown.index("TurnRecorded")
        # Having got further, it goes on like all others, in this process.
        assert shown[-1] == "DebateCompleted"
        book_of = await system.store.custody(debate)
        assert (book_of.holder, book_of.deaths) == (None, 0)
        # What the child did is counted where it can be seen.
        assert system.live.counts["calls"] == len(provider.calls)
        assert system.live.counts["steps"] == (await system.service.summary(debate)).turns


async def test_a_stop_lets_the_child_finish_its_step(tmp_path: Path) -> None:
    async with suspected(tmp_path, latency_s=1.0) as (system, debate, provider):
        running = asyncio.create_task(system.service.run(debate))
        await _until(lambda: provider.in_flight == 2)
        await system.service.command(debate, "stop")
        assert (await running).status is Status.STOPPED
        assert [call.outcome for call in provider.calls] == ["finished", "finished"]
        assert (await system.service.summary(debate)).turns == 2


@pytest.mark.parametrize("command", ["cancel", "stop and hurry"])
async def test_a_cancel_and_a_hurried_stop_hang_up_at_once(tmp_path: Path, command: str) -> None:
    async with suspected(tmp_path, latency_s=60) as (system, debate, provider):
        running = asyncio.create_task(system.service.run(debate))
        await _until(lambda: provider.in_flight == 2)
        await system.service.command(debate, command.partition(" ")[0])
        if "hurry" in command:
            system.service.hurry(debate)
        expected = Status.STOPPED if "hurry" in command else Status.CANCELED
        async with asyncio.timeout(5):
            assert (await running).status is expected
        await _until(lambda: not provider.in_flight)


async def test_an_answer_that_is_given_to_the_child_is_taken(tmp_path: Path) -> None:
    async with suspected(tmp_path, latency_s=0.5, people=("bob",)) as (system, debate, provider):
        running = asyncio.create_task(system.service.run(debate))
        async with asyncio.timeout(PATIENCE_S):
            while not (await system.service.state(debate)).questions:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
        await system.service.answer(debate, "exchange/1/bob/speak", "I say no.")
        async with asyncio.timeout(PATIENCE_S):
            await running
        state = await system.service.state(debate)
        assert state.status is Status.COMPLETED
        assert {"planning/1/bob/plan", "exchange/1/bob/speak"} <= set(state.turns)
        assert len({str(call.messages) for call in provider.calls}) == len(provider.calls)


async def test_a_process_that_is_asked_to_end_lets_the_child_finish_its_calls(
    tmp_path: Path,
) -> None:
    async with suspected(tmp_path, latency_s=1.0) as (system, debate, provider):
        running = asyncio.create_task(system.service.run(debate))
        await _until(lambda: provider.in_flight == 2)
        assert system.worker is not None
        assert await system.worker.drain(10.0) == 0
        assert (await running).status is Status.RUNNING
        assert [call.outcome for call in provider.calls] == ["finished", "finished"]
        assert (await system.service.summary(debate)).turns == 2
        assert await system.store.holder(debate) is None


async def test_a_process_that_is_asked_to_end_waits_for_no_pause(tmp_path: Path) -> None:
    async with suspected(tmp_path, pauses_s=(3600.0,)) as (system, debate, provider):
        running = asyncio.create_task(system.service.run(debate))
        assert system.worker is not None
        await _until(lambda: system.worker is not None and system.worker._runners)
        await system.worker.drain(10.0)
        assert (await running).status is Status.RUNNING
        assert not provider.calls
        # Nothing was learned about it.
        assert (await system.store.custody(debate)).deaths == SUSPECT_AFTER


async def test_many_suspects_are_tried_in_turn_and_no_call_is_made_twice(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with suspected(tmp_path, latency_s=0.02) as (system, first, provider):
        debates = [first]
        for number in range(9):
            new = NewDebate(topic=f"{number}?", settings={"turns": 2}, participants=ROSTER)
            debates.append(await system.service.create(new, start=True))
            await _die(system, debates[-1], SUSPECT_AFTER)
        assert system.worker is not None
        assert system.worker._quarantine is not None
        system.worker._quarantine.places = asyncio.Semaphore(4)
        assert await system.store.quarantined() == len(debates)
        ran = await asyncio.gather(*(system.service.run(debate) for debate in debates))
        assert {state.status for state in ran} == {Status.COMPLETED}
        found = [await read_book(system.store, debate) for debate in debates]
        assert check_spending(provider.calls, found) == 0
    # Each of them had its process, and none of those was lost sight of.
    assert not [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")]


async def test_leaves_no_process_behind(tmp_path: Path) -> None:
    async with suspected(tmp_path, latency_s=60) as (system, debate, provider):
        running = asyncio.create_task(system.service.run(debate))
        await _until(lambda: provider.in_flight == 2)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await _until(lambda: not provider.in_flight)
        custody = await system.store.custody(debate)
        assert (custody.holder, custody.deaths) == (None, SUSPECT_AFTER)
