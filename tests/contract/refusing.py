"""Debates of every format against a server that checks what it is sent."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import msgspec
from tests.unit.engine.memory_store import MemoryStore

from moot.engine.attaching import File
from moot.engine.creation import NewDebate
from moot.models.backends.openai_compatible.adapter import OpenAICompatible
from moot.models.port import Caller, ChatReply, ChatRequest, Learned, ModelFacts
from moot.models.registry import Registry
from moot.protocol import events as e
from moot.protocol.state import DebateState
from moot.protocol.values import Participant, Sampling
from moot.protocol.words import Effort, Role
from moot.settings import load_settings
from moot.store.port import Store
from moot.testing.clock import FakeClock
from moot.testing.server import Script, ScriptedServer
from moot.testing.server_rules import Rules
from moot.testing.server_wire import ChatCall, Lookups
from moot.wiring import System, open_system

PATIENCE_S = 20
SETTINGS = load_settings(home="nowhere", tracing=False)
MODEL = "strict:thinker"
WISHES = Sampling(temperature=0.0, top_p=0.9, seed=7, reasoning_effort=Effort.LOW)
PLAN = File(name="plan.md", content="Build it of stone.\nOr of wood.")


def seat(name: str, role: Role = Role.DEBATER) -> Participant:
    personality = f"You are {name}."
    return Participant(id=name.lower(), name=name, role=role, personality=personality, model=MODEL)


TWO = (seat("Ada"), seat("Bo"))
JUDGED = (*TWO, seat("Jo", Role.JUDGE))
LED = (*TWO, seat("Mo", Role.MODERATOR))
FORMATS: dict[str, NewDebate] = {
    name: NewDebate(topic="Is it so?", format=name, settings=settings, participants=seats)
    for name, settings, seats in (
        ("duel", {"turns": 2}, JUDGED),
        ("rounds", {"max_rounds": 2, "judge_each_round": True}, JUDGED),
        ("standard", {"max_rounds": 2}, LED),
        ("custom", {"max_rounds": 1}, LED),
        ("classic", {"free_rounds": 1}, LED),
        ("room", {"max_messages": 6}, tuple(seat(name, Role.MEMBER) for name in ("Al", "Ed"))),
        (
            "council",
            {"rounds": 1, "decision": "rank", "max_tool_calls": 1},
            (seat("Al", Role.MEMBER), seat("Ed", Role.MEMBER), seat("Jo", Role.JUDGE)),
        ),
    )
}
FORMATS["council"] = msgspec.structs.replace(FORMATS["council"], files=(PLAN,))


class Wishing:
    """Models that are asked for `sampling`, whoever asks."""

    def __init__(self, models: Registry, sampling: Sampling) -> None:
        self._models = models
        self._sampling = sampling

    def get(self, name: str) -> Caller:
        return _Wishing(self._models.get(name), self._sampling)

    def facts(self, name: str) -> ModelFacts:
        return self._models.facts(name)

    def default(self, *, is_judge: bool) -> str:
        return MODEL

    async def close(self) -> None:
        await self._models.close()


class _Wishing:
    def __init__(self, caller: Caller, sampling: Sampling) -> None:
        self._caller = caller
        self._sampling = sampling

    async def call(self, request: ChatRequest, *told: Any, **named: Any) -> ChatReply:
        wished = msgspec.structs.replace(request, sampling=self._sampling)
        return await self._caller.call(wished, *told, **named)


class Table:
    """A server with rules, and Moot talking to it by everything that ships."""

    def __init__(
        self, server: ScriptedServer, registry: Registry, models: Wishing, system: System
    ) -> None:
        self.server = server
        self.models = models
        self._registry = registry
        self.service = system.service

    @property
    def learned(self) -> Learned:
        return self._registry.learned(MODEL)

    @property
    def refused(self) -> Counter[str]:
        """What the server has refused, and how often."""
        return Counter(call.refused for call in self.server.calls if call.refused)

    async def play(self, new: NewDebate, *, is_watched: bool = True) -> DebateState:
        """A debate from its beginning to where it comes to rest."""
        debate = await self.service.create(new)
        state = await self.go_on(debate, is_watched=is_watched)
        if new.format == "room":  # which waits for somebody to speak
            await self.service.say(debate, "Well?")
            state = await self.go_on(debate, is_watched=is_watched)
        return state

    async def go_on(self, debate: str, *, is_watched: bool = True) -> DebateState:
        if is_watched:  # and so streamed
            async for _ in self.service.play(debate, text=True):
                pass
        else:
            await self.service.run(debate)
        return await self.service.state(debate)

    async def failed(self, debate: str) -> list[e.AttemptFailed]:
        log = await self.service.log(debate)
        return [one.event for one in log if isinstance(one.event, e.AttemptFailed)]


@asynccontextmanager
async def table(
    rules: Rules, *, script: Script | None = None, sampling: Sampling = WISHES, **row: Any
) -> AsyncIterator[Table]:
    async with (
        asyncio.timeout(PATIENCE_S),
        ScriptedServer(rules=rules, script=script or looking, words=12) as server,
    ):
        custom = {"base_url": server.base_url, "tools": True, **row}
        registry = Registry(
            environment={}, backends={"openai": OpenAICompatible}, custom={"strict": custom}
        )
        store = cast("Store", MemoryStore(FakeClock().monotonic))
        models = Wishing(registry, sampling)
        async with open_system(SETTINGS, store=store, models=models, clock=FakeClock()) as system:
            yield Table(server, registry, models, system)


def looking(call: ChatCall) -> Any:
    """Looks something up once before each answer for which it may, and then answers readably."""
    request = call.request
    if request.may_call and request.messages[-1].role != "tool":
        return Lookups((("read_file", '{"name": "plan.md"}'),))
    return None
