"""Two workers, one store and a provider on a table, all of which can fail at any instant.

A process is all that is behind `moot serve`, put together by `moot.wiring`; whatever it does
reaches the rest of the world by its `Wire` (to the store) and its `Line` (to the provider). To kill
it is to cut both: its tasks may then clean up as they like, nobody hears of it. No real time passes
anywhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from tests.unit.engine.memory_store import MemoryStore

from moot.engine.creation import NewDebate
from moot.engine.service import Service
from moot.engine.worker import Worker
from moot.errors import (
    Conflict,
    LeaseLost,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    MootError,
    StoreUnavailable,
)
from moot.models.port import ChatReply, ChatRequest, OnText
from moot.protocol.values import Participant, Usage
from moot.protocol.words import Finish, Role
from moot.queue.dispatcher import Dispatcher
from moot.settings import load_settings
from moot.store.backends.sqlite import leases
from moot.store.backends.sqlite.store import SqliteStore
from moot.store.port import Lease, Store, WorkerId
from moot.testing.clock import FakeClock
from moot.testing.oracles import Landed
from moot.testing.replies import reply_for_schema
from moot.wiring import System, open_dispatching

TTL_S = 15.0
NEVER_S = 1e12
"""When nobody looks for abandoned debates by himself: tests say when."""
NOWHERE = load_settings(home="nowhere", tracing=False)
OK, RETRY, REFUSE, NONSENSE = "ok", "retry", "refuse", "nonsense"


class JumpingClock(FakeClock):
    """A time of day that can be set; sleepers go by the time that passes."""

    jumped_s = 0.0

    @property
    def is_slept_by(self) -> bool:
        """Whether anybody waits for time to pass, and not for ever."""
        return any(not wake.done() and at_s < NEVER_S for at_s, _, wake in self._sleepers)

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=self.jumped_s)


class Call(msgspec.Struct, eq=False):
    """One entry of the provider's ledger."""

    debate: str
    key: str
    process: Process
    request: ChatRequest
    answer: asyncio.Future[str]
    outcome: str = ""
    excuse: str = ""

    @property
    def is_in_flight(self) -> bool:
        return not self.outcome and not self.answer.cancelled()

    @property
    def was_aborted(self) -> bool:
        return self.answer.cancelled()


def said_by(key: str, request: ChatRequest) -> str:
    """A function of the step and of nothing else, so that every run says the same."""
    if request.schema is not None:
        return reply_for_schema(request.schema.body)
    return "Ada" if key.endswith("/confirm") else f"What there is to say at {key}."


def failure(outcome: str) -> ModelError | None:
    return {RETRY: ModelUnavailable("not now"), REFUSE: ModelRefused("never")}.get(outcome)


class Line:
    """A ChatModel: one process's connection to the provider."""

    def __init__(self, world: World, process: Process) -> None:
        self._world = world
        self._process = process

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        self._process.check()
        debate, _, key = request.label.partition("/")
        answer = asyncio.get_running_loop().create_future()
        call = Call(debate, key, self._process, request, answer)
        if self._world.owners.get(debate) is not self._process:
            self._world.strays.append(call)
        self._world.calls.append(call)
        outcome = await answer
        if error := failure(outcome):
            raise error
        content = "" if outcome == NONSENSE else said_by(key, request)
        usage = Usage(input_tokens=10, output_tokens=5)
        return ChatReply(
            content=content, finish=Finish.STOP, usage=usage, model=request.model, duration_ms=1
        )

    async def close(self) -> None:
        pass


class Wire:
    """A Store: one process's connection to the real one, which can break."""

    def __init__(self, world: World, process: Process) -> None:
        self._world = world
        self._process = process

    def __getattr__(self, name: str) -> Callable[..., Any]:
        # Tests say when somebody hears of what others append, and nothing here breaks by itself.
        if name in ("news", "until_broken"):
            raise AttributeError(name)
        method = getattr(self._world.store, name)

        async def call(*given: Any, **named: Any) -> Any:
            return await self._through(lambda: method(*given, **named))

        return call

    async def _through(self, method: Callable[[], Any]) -> Any:
        world, process = self._world, self._process
        process.check()
        if world.is_down:
            await asyncio.sleep(0)
            raise StoreUnavailable("the database is away")
        world.pending += 1
        try:
            result = await method()
        finally:
            world.pending -= 1
            world.changed.set()
        process.check()
        return result

    async def append(self, records: Any, summary: Any, *, fence: int | None = None) -> None:
        world, landed = self._world, self._world.landed

        try:
            await self._through(lambda: world.store.append(records, summary, fence=fence))
        except Conflict:
            landed["conflict"] += 1
            raise
        except LeaseLost:
            landed["fenced"] += 1
            raise
        if fence is not None and self._world.answers_to_lose:
            self._world.answers_to_lose -= 1
            landed["answer lost"] += 1
            raise StoreUnavailable("the answer to COMMIT was lost")

    async def claim(self, debate: str, worker: str) -> Lease | None:
        lease = await self._through(lambda: self._world.store.claim(debate, worker))
        if lease is not None:
            self._world.claimed(debate, self._process)
        return cast("Lease | None", lease)

    async def enlist(self, worker: WorkerId, *, ttl_s: float) -> None:
        if not self._process.is_born:  # one that cannot begin would be started again by somebody
            await self._world.store.enlist(worker, ttl_s=ttl_s)
            return
        try:
            await self._through(lambda: self._world.store.enlist(worker, ttl_s=ttl_s))
        except LeaseLost:
            self._world.lost(self._process)
            raise

    def enlist_blocking(self, worker: WorkerId, *, ttl_s: float) -> None:
        """Called by a thread, in real time: of no use here."""


class Process:
    def __init__(self, world: World) -> None:
        self._world = world
        self.is_born = False
        self.is_dead = False
        self.advances: set[asyncio.Task[Any]] = set()
        self._system: asyncio.Future[System] = asyncio.get_running_loop().create_future()
        self._life = asyncio.create_task(self._live())

    async def _live(self) -> None:
        async with open_dispatching(
            NOWHERE,
            store=cast("Store", Wire(self._world, self)),
            models=self._world.models_for(Line(self._world, self)),
            clock=self._world.clock,
            ttl_s=TTL_S,
            look_every_s=NEVER_S,
        ) as system:
            self.is_born = True
            self._system.set_result(system)
            await asyncio.Event().wait()

    async def born(self) -> None:
        ready: list[asyncio.Future[Any]] = [self._life, self._system]
        await asyncio.wait(ready, return_when=asyncio.FIRST_COMPLETED)
        if self._life.done():
            self._life.result()

    @property
    def service(self) -> Service:
        return self._system.result().service

    @property
    def worker(self) -> Worker:
        worker = self._system.result().worker
        assert worker is not None
        return worker

    @property
    def dispatcher(self) -> Dispatcher:
        dispatcher = self._system.result().dispatcher
        assert dispatcher is not None
        return dispatcher

    def check(self) -> None:
        """Raise if there is nobody any more who could do anything."""
        if self.is_dead:
            raise asyncio.CancelledError

    def hear(self, debate: str) -> None:
        """The store tells it that the debate may have grown."""
        self._system.result().live.tell(debate, 0)

    def runs(self, debate: str) -> bool:
        return debate in self.worker._runners

    async def advance(self, debate: str) -> str:
        """What came of one more delivery of the same job."""
        try:
            await self.worker.advance(debate)
        except MootError as error:
            return error.code
        return "done"

    def deliver(self, debate: str) -> None:
        task = asyncio.create_task(self.advance(debate))
        self.advances.add(task)
        task.add_done_callback(self.advances.discard)

    def die(self) -> None:
        self.is_dead = True
        for task in (self._life, *self.advances):
            task.cancel()

    async def is_over(self) -> None:
        await asyncio.wait([self._life])


class World:
    def __init__(self, landed: Landed) -> None:
        self.landed = landed
        self.clock = JumpingClock(is_patient=True)
        self.lease_clock = FakeClock()
        self.store: Store
        self.calls: list[Call] = []
        # Calls by somebody who has no lease any more.
        self.strays: list[Call] = []
        self.owners: dict[str, Process] = {}
        self.is_down = False
        self.answers_to_lose = 0
        self.pending = 0
        self.changed = asyncio.Event()
        self.slots: list[Process] = []
        self.dead: list[Process] = []

    async def open(self, path: Path | None) -> None:
        if path is None:
            self.store = cast("Store", MemoryStore(self.lease_clock.monotonic))
        else:
            self.store = await SqliteStore.open(path)
        self.slots = [await self.born(), await self.born()]

    async def close(self) -> None:
        for process in self.slots:
            process.die()
        await self.quiet()
        for process in (*self.slots, *self.dead):
            await process.is_over()
        await self.store.close()

    def models_for(self, line: Line) -> Any:
        from moot.testing.scripted import ScriptedModels  # noqa: PLC0415

        return ScriptedModels(line)

    async def born(self) -> Process:
        process = Process(self)
        await process.born()
        return process

    async def quiet(self) -> None:
        """Let everything run until all that is left waits for the provider or for time."""
        loop: Any = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(0)
            if loop._ready:
                continue
            if not self.pending:
                return
            self.changed.clear()
            await self.changed.wait()

    async def beats(self, count: int) -> None:
        for _ in range(count):
            await asyncio.sleep(0)

    # --- the provider ---

    def in_flight(self, debate: str | None = None, process: Process | None = None) -> list[Call]:
        return [
            call
            for call in self.calls
            if call.is_in_flight
            and debate in (None, call.debate)
            and process in (None, call.process)
        ]

    def answer(self, call: Call, outcome: str) -> None:
        call.outcome = outcome
        call.answer.set_result(outcome)
        self.landed[f"call {outcome}"] += 1

    # --- faults ---

    def claimed(self, debate: str, process: Process) -> None:
        before = self.owners.get(debate)
        if before is not None and before is not process:
            if self.in_flight(debate, before) or before.runs(debate):
                self.landed["taken from the living"] += 1
            elif before.is_dead:
                self.landed["taken from the dead"] += 1
            self._excuse(debate, before, "taken over")
        self.owners[debate] = process

    def lost(self, process: Process) -> None:
        self.landed["leases lost"] += 1
        self._excuse(None, process, "leases lost")

    def _excuse(self, debate: str | None, process: Process, reason: str) -> None:
        """What this process has bought and may not have written down."""
        for call in self.calls:
            if call.process is process and debate in (None, call.debate):
                call.excuse = call.excuse or reason

    async def kill(self, slot: int, *, is_seen: bool, gone: set[str]) -> None:
        """`is_seen`: others can tell at once, as on one machine."""
        victim = self.slots[slot]
        self.landed["kill"] += 1
        self.landed["kill with calls in flight"] += bool(self.in_flight(process=victim))
        self._excuse(None, victim, "killed")
        victim.die()
        self.dead.append(victim)
        if is_seen:
            gone.add(victim.worker.id.id)
        await self.quiet()
        # What it had sent to the database before it died may still be carried out.
        await self.store.retire("nobody")
        self.slots[slot] = await self.born()

    async def renew(self, slot: int) -> None:
        """What the thread of a worker does. One that lost its leases comes back by itself."""
        process = self.slots[slot]
        try:
            await self.store.enlist(process.worker.id, ttl_s=TTL_S)
        except LeaseLost:
            self.lost(process)
            process.worker._abandon()
            await self.quiet()

    def up(self) -> None:
        self.is_down = False
        self.clock.advance(5.0)


ADA = Participant(id="ada", name="Ada", role=Role.DEBATER)
BOB = Participant(id="bob", name="Bob", role=Role.DEBATER)
JO = Participant(id="jo", name="Jo", role=Role.JUDGE)
MODERATOR = msgspec.structs.replace(JO, role=Role.MODERATOR)
SETTINGS: dict[str, dict[str, Any]] = {
    "duel": {"turns": 2},
    "rounds": {"max_rounds": 2, "max_runtime_seconds": None, "max_total_output_tokens": None},
    "custom": {"max_rounds": 2},
}


def new_debate(form: str, person: str) -> NewDebate:
    roster = tuple(
        msgspec.structs.replace(one, model="human") if one.id == person else one
        for one in (ADA, BOB, MODERATOR if form == "custom" else JO)
    )
    # A provider that is away is soon given up, so that stories have failed debates in them.
    settings = {"provider_patience_seconds": 1, **SETTINGS[form]}
    return NewDebate(topic="Is it so?", format=form, settings=settings, participants=roster)


def use_world(monkeypatch: pytest.MonkeyPatch, clock: Callable[[], float], gone: set[str]) -> None:
    """Leases of files by the world's time, and deaths seen when the world says so."""

    class Time:
        monotonic = staticmethod(clock)

    def is_gone(worker: WorkerId) -> bool:
        return worker.id in gone

    monkeypatch.setattr(leases, "time", Time)
    monkeypatch.setattr("moot.engine.worker.is_gone", is_gone)
