"""A whole engine on a table: memory for a store, a scripted model, a clock that obeys.

It is the one that ships, put together by `moot.wiring`.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, cast

import msgspec
from tests.unit.engine.memory_store import MemoryStore

from moot.engine.creation import NewDebate
from moot.engine.service import Service
from moot.engine.worker import Worker
from moot.models.port import ChatModel, ChatReply, ChatRequest, ModelFacts, OnText
from moot.models.retry import RetryPolicy
from moot.protocol import events as e
from moot.protocol.log import fold
from moot.protocol.state import DebateState
from moot.protocol.values import Participant
from moot.protocol.words import Role, Status
from moot.settings import load_settings
from moot.store.port import Store
from moot.testing.clock import FakeClock
from moot.testing.scripted import Said, ScriptedModel, ScriptedModels, sensible
from moot.wiring import Parts, System, open_dispatching, open_system

PATIENCE_S = 10
"""How long a test may hang before it fails. Nothing here ever waits so long when it works."""

SETTINGS = load_settings(home="nowhere", tracing=False)

ADA = Participant(id="ada", name="Ada", role=Role.DEBATER, personality="You are Ada.")
BOB = Participant(id="bob", name="Bob", role=Role.DEBATER, personality="You are Bob.")
JO = Participant(id="jo", name="Jo", role=Role.JUDGE, personality="You are Jo.")
ROSTER = (ADA, BOB, JO)

PLANS = ("planning/1/ada/plan", "planning/1/bob/plan")
OPENING = ("opening/1/ada/think", "opening/1/ada/speak")
WEIGHED = ("opening/1/jo/evaluate/ada", "opening/1/jo/score/ada")
ANSWER = ("exchange/1/bob/think", "exchange/1/bob/speak")
ANSWER_WEIGHED = ("exchange/1/jo/evaluate/bob", "exchange/1/jo/score/bob")
VERDICT = tuple(f"verdict/1/jo/{part}" for part in ("deliberate", "confirm", "record", "announce"))
ALL_STEPS = (*PLANS, *OPENING, *WEIGHED, *ANSWER, *ANSWER_WEIGHED, *VERDICT)
"""The steps of a duel of two statements."""


def human(participant: Participant) -> Participant:
    return msgspec.structs.replace(participant, model="human")


def key_of(request: ChatRequest) -> str:
    """The key of the step that a request was made for."""
    return request.label.partition("/")[2]


def by_step(**replies: Said | Iterable[Said]) -> Callable[[ChatRequest], Said]:
    """A script: for steps whose key ends so (`__` for `/`), these replies; sensible ones else."""
    left = {
        end.replace("__", "/"): iter([one] if isinstance(one, str | ChatReply | Exception) else one)
        for end, one in replies.items()
    }

    def script(request: ChatRequest) -> Said:
        for end, said in left.items():
            if key_of(request).endswith(end):
                return next(said, None) or sensible(request)
        return sensible(request)

    return script


class HeldModel:
    """Answers a request only when told to, and knows what is in flight, by step key."""

    def __init__(
        self, script: Callable[[ChatRequest], Said] = sensible, *, inner: ChatModel | None = None
    ) -> None:
        self.asked: list[str] = []
        self.dropped: list[str] = []
        self.is_open = False
        self._inner = inner or ScriptedModel(script)
        self._held: dict[str, asyncio.Future[None]] = {}
        self._changed = asyncio.Event()

    @property
    def in_flight(self) -> set[str]:
        return set(self._held)

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        key = key_of(request)
        self.asked.append(key)
        if not self.is_open:
            await self._hold(key)
        return await self._inner.reply(request, on_text)

    async def _hold(self, key: str) -> None:
        self._held[key] = asyncio.get_running_loop().create_future()
        self._changed.set()
        try:
            await self._held[key]
        except asyncio.CancelledError:
            self.dropped.append(key)
            raise
        finally:
            del self._held[key]
            self._changed.set()

    async def close(self) -> None:
        pass

    async def until(self, *keys: str) -> None:
        """Return when exactly these are in flight."""
        async with asyncio.timeout(PATIENCE_S):
            while self.in_flight != set(keys):
                self._changed.clear()
                await self._changed.wait()

    async def answer(self, *keys: str, then: Sequence[str]) -> None:
        """Let these be answered, and return when `then` is in flight."""
        self.let(*keys)
        await self.until(*then)

    def let(self, *keys: str) -> None:
        for key in keys:
            if not self._held[key].done():
                self._held[key].set_result(None)

    def open(self) -> None:
        """Answer everything from now on."""
        self.is_open = True
        self.let(*self._held)


class Bench:
    """Everything that is on the table, with short words for what tests do all the time."""

    def __init__(
        self,
        model: ChatModel | None = None,
        *,
        facts: ModelFacts | None = None,
        policy: RetryPolicy | None = None,
    ) -> None:
        self.clock = FakeClock()
        # Leases have the store's own time, which the time of day cannot touch.
        self.lease_clock = FakeClock()
        self.store = MemoryStore(self.lease_clock.monotonic)
        self.model = model or ScriptedModel()
        self.models = ScriptedModels(self.model, facts=facts, policy=policy)
        self.system: System

    @property
    def parts(self) -> Parts:
        return {"store": cast("Store", self.store), "models": self.models, "clock": self.clock}

    def another(self, *, has_worker: bool = True) -> AbstractAsyncContextManager[System]:
        """What another process would open, on the same store."""
        return open_system(SETTINGS, has_worker=has_worker, **self.parts)

    def serving(self) -> AbstractAsyncContextManager[System]:
        """What a server would open: it looks for debates by itself, and time flies meanwhile."""
        return open_dispatching(SETTINGS, **self.parts)

    @property
    def service(self) -> Service:
        return self.system.service

    @property
    def worker(self) -> Worker:
        assert self.system.worker is not None
        return self.system.worker

    def hear(self, debate_id: str) -> None:
        """The store tells that somebody else has appended."""
        self.system.live.tell(debate_id, len(self.store.rows[debate_id].records))

    async def create(self, participants: tuple[Participant, ...] = ROSTER, **settings: Any) -> str:
        new = NewDebate(
            topic="Is it so?", settings={"turns": 2, **settings}, participants=participants
        )
        return await self.service.create(new)

    def start(self, debate_id: str) -> asyncio.Task[DebateState]:
        """Run it beside the test."""
        return asyncio.create_task(self.service.run(debate_id))

    async def state(self, debate_id: str) -> DebateState:
        return await self.service.state(debate_id)

    def beat(self, debate_id: str, *events: e.AnyEvent) -> None:
        """Let somebody else append these just before the next append, which is refused then."""

        def quicker(_records: object) -> None:
            self.store.before_append = None
            self.append_now(debate_id, *events)

        self.store.before_append = quicker

    def append_now(self, debate_id: str, *events: e.AnyEvent) -> None:
        """Somebody else does, and tells nobody."""
        row = self.store.rows[debate_id]
        state = fold(row.records)
        records = [
            e.Recorded(state.seq + number, self.clock.now(), event)
            for number, event in enumerate(events, 1)
        ]
        for record in records:
            state.apply(record)
        self.store.append_now(records, state.summary(debate_id, row.summary.cursor))

    def log(self, debate_id: str) -> list[e.AnyEvent]:
        return [record.event for record in self.store.rows[debate_id].records]

    def names(self, debate_id: str) -> list[str]:
        """The types of all events, without the course of the stages."""
        names = [type(event).__name__ for event in self.log(debate_id)]
        return [name for name in names if name != "StageEntered"]

    def turns(self, debate_id: str) -> list[str]:
        """The keys of all turns, in the order they were recorded."""
        return [one.step_key for one in self.log(debate_id) if isinstance(one, e.TurnRecorded)]

    def failed_tries(self, debate_id: str) -> list[e.AttemptFailed]:
        return [one for one in self.log(debate_id) if isinstance(one, e.AttemptFailed)]

    def asked(self) -> Counter[str]:
        """How often each step was asked for."""
        if isinstance(self.model, HeldModel):
            return Counter(self.model.asked)
        assert isinstance(self.model, ScriptedModel)
        return Counter(key_of(request) for request in self.model.requests)


@asynccontextmanager
async def bench(
    model: ChatModel | None = None,
    *,
    facts: ModelFacts | None = None,
    policy: RetryPolicy | None = None,
) -> AsyncIterator[Bench]:
    """A bench whose worker is enlisted, and a time limit for whatever is done on it."""
    made = Bench(model, facts=facts, policy=policy)
    async with asyncio.timeout(PATIENCE_S), made.another() as made.system:
        yield made


async def finished(task: asyncio.Task[DebateState], status: Status) -> DebateState:
    """The end of a run, which must have that status."""
    state = await task
    assert state.status is status
    return state
