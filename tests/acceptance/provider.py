"""A provider on loopback that plays all parts of a duel, and Moot talking to it over real HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import moot
from moot.library import Debate, Moot
from moot.models.backends.openai_compatible.adapter import OpenAICompatible
from moot.models.endpoint import Endpoint
from moot.models.gate import Gate
from moot.models.port import Caller, ModelFacts
from moot.models.retry import Retrying, RetryPolicy
from moot.protocol.values import Participant
from moot.protocol.words import Role
from moot.testing.clock import FakeClock
from moot.testing.oracles import CANARY_KEY
from moot.testing.server import FaultPlan, ScriptedServer
from moot.testing.server_ledger import Entry
from moot.testing.server_wire import ChatCall

TOPIC = "Should cities be car-free?"
PREMISE = "Private cars should be banned from city centres."

ADA = Participant(
    id="ada",
    name="Ada",
    role=Role.DEBATER,
    personality="You are Ada, a planner.",
    position="Streets are for people.",
    instructions="Be brief.",
)
BOB = Participant(
    id="bob",
    name="Bob",
    role=Role.DEBATER,
    personality="You are Bob, a baker.",
    position="Deliveries matter.",
    instructions="Be concrete.",
)
JO = Participant(
    id="jo",
    name="Jo",
    role=Role.JUDGE,
    personality="You are Jo, a judge.",
    judging_criteria="Weigh evidence.",
)
ROSTER = (ADA, BOB, JO)

Reply = str | Callable[[], str] | Sequence[str] | None


class Models:
    """The real adapter on the real wire behind the real retry; only the pauses take no time."""

    def __init__(self, base_url: str) -> None:
        self.clock = FakeClock()
        endpoint = Endpoint(provider="test", base_url=base_url, api_key=CANARY_KEY)
        self._backend = OpenAICompatible(endpoint=endpoint)
        self._gate = Gate(64, clock=self.clock.monotonic, sleep=self.clock.sleep)

    def get(self, name: str) -> Caller:
        return Retrying(
            backend=self._backend,
            model=name,
            gate=self._gate,
            policy=RetryPolicy(),
            price=lambda _model, _usage: None,
            sleep=self.clock.sleep,
        )

    def facts(self, name: str) -> ModelFacts:
        return ModelFacts(has_schema=True)

    def default(self, *, is_judge: bool) -> str:
        return "scripted"

    async def close(self) -> None:
        await self._backend.close()


class Part:
    """What the provider says. `instead` has other replies for prompts that begin so, in turn."""

    def __init__(self, names: tuple[str, str] = ("Ada", "Bob"), **instead: Any) -> None:
        self.names = names
        self._instead = {KINDS[kind]: _each(reply) for kind, reply in instead.items()}

    def __call__(self, call: ChatCall) -> str:
        asked = [content for role, content in call.messages if role == "user"]
        for beginning, replies in self._instead.items():
            # Asked again, the prompt itself stands further up.
            at = max((n for n, one in enumerate(asked) if beginning in one), default=-1)
            if at >= 0 and all("could not be used" in one for one in asked[at + 1 :]):
                return replies()
        return self._usual(call, asked[-1])

    def _usual(self, call: ChatCall, prompt: str) -> str:
        a, b = self.names
        if KINDS["confirm"] in prompt:
            return a
        if KINDS["record"] in prompt:
            return json.dumps({"winner": a, "scores": {a: 8, b: 6}})
        if "out of 10" in prompt and "JSON" in prompt:
            return json.dumps({"score": 7, "reasoning": f"CANARY-{call.number}"})
        return f"CANARY-{call.number}: this is what I think."


KINDS: Mapping[str, str] = {
    "first_score": "an initial score out of 10",
    "running_score": "your current running score",
    "confirm": "who won?",
    "record": "Now express that verdict as a JSON object",
    "deliberate": "Privately weigh up what you just heard",
    "announce": "Now deliver your verdict",
    "opening": "Deliver your opening argument now",
    "plan": "privately plan your argument",
}


def _each(reply: Any) -> Callable[[], str]:
    """The same reply for ever, or these one by one and the last of them for ever."""
    replies = [reply] if isinstance(reply, str) else list(reply)

    def say() -> str:
        return str(replies.pop(0) if len(replies) > 1 else replies[0])

    return say


class Stage:
    """A provider and a Moot that knows no other."""

    def __init__(self, server: ScriptedServer, moot_: Moot) -> None:
        self.server = server
        self.moot = moot_

    @property
    def calls(self) -> list[Entry]:
        return self.server.calls

    async def duel(
        self, participants: Sequence[Participant] = ROSTER, *, text: bool = False, **settings: Any
    ) -> Debate:
        """A duel, run as far as it goes."""
        debate = await self.moot.create(TOPIC, participants=participants, seed=1, **settings)
        return await self.go_on(debate, text=text)

    async def go_on(self, debate: Debate, *, text: bool = False) -> Debate:
        async for _ in debate.stream(text=text):
            pass
        return debate


@asynccontextmanager
async def stage(
    home: Path,
    script: Callable[[ChatCall], Any] | None = None,
    *,
    faults: FaultPlan = (),
    latency_s: float = 0.0,
) -> AsyncIterator[Stage]:
    server = ScriptedServer(script=script or Part(), faults=faults, latency_s=latency_s)
    async with server, moot.open(home=home, models=Models(server.base_url)) as opened:
        yield Stage(server, opened)
