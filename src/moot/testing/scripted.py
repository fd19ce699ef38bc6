"""A chat model that says what it is told to, and remembers what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from moot.errors import ModelError, ModelRefused
from moot.models.gate import Gate, Sleep
from moot.models.port import Caller, ChatModel, ChatReply, ChatRequest, ModelFacts, OnText
from moot.models.retry import Price, Retrying, RetryPolicy
from moot.protocol.values import Function, ToolCall, Usage
from moot.protocol.words import Finish
from moot.testing.clock import FakeClock
from moot.testing.replies import reply_for, reply_for_schema

Said = str | ChatReply | ModelError
"""A text, a whole reply, or an error to raise."""
Script = Callable[[ChatRequest], Said]


def sensible(request: ChatRequest) -> str:
    """The default script: the same reply to the same messages, JSON where it is asked for."""
    # A model that may look something up is not held to the schema of its answer.
    if request.schema is not None and not (request.tools and request.may_call):
        return reply_for_schema(request.schema.body)
    return reply_for([(message.role, message.content) for message in request.messages])


class ScriptedModel:
    """A ChatModel. The script is a function of the request, or the replies one after the other.

    `requests` has every request in the order they came. Text is streamed word by word.
    """

    def __init__(
        self,
        script: Script | Iterable[Said] = sensible,
        *,
        latency_s: float = 0.0,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.requests: list[ChatRequest] = []
        self.is_closed = False
        self._script = script if callable(script) else _one_by_one(iter(script))
        self._latency_s = latency_s
        self._sleep = sleep

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        """See `port.ChatModel`."""
        self.requests.append(request)
        # Even without latency a model answers later and not at once: others get their turn.
        await self._sleep(self._latency_s)
        said = self._script(request)
        if isinstance(said, ModelError):
            raise said
        reply = said if isinstance(said, ChatReply) else _whole(request, said)
        if on_text is not None:
            for piece in _pieces(reply.content):
                on_text(piece)
        return reply

    async def close(self) -> None:
        self.is_closed = True


class ScriptedModels:
    """Models that are all one ChatModel, behind the real retry, whose pauses take no time."""

    def __init__(
        self,
        model: ChatModel | None = None,
        *,
        facts: ModelFacts | None = None,
        policy: RetryPolicy | None = None,
        price: Price = lambda _model, _usage: None,
        max_concurrent: int = 1000,
    ) -> None:
        self.model = model or ScriptedModel()
        self._facts = facts or ModelFacts(has_schema=True)
        self._policy = policy or RetryPolicy()
        self._price = price
        self.clock = FakeClock()
        self._gate = Gate(max_concurrent, clock=self.clock.monotonic, sleep=self.clock.sleep)

    def get(self, name: str) -> Caller:
        return Retrying(
            backend=self.model,
            model=name,
            gate=self._gate,
            policy=self._policy,
            price=self._price,
            sleep=self.clock.sleep,
        )

    def facts(self, name: str) -> ModelFacts:
        return self._facts

    def held_for_s(self, name: str) -> float:
        return self._gate.held_for_s

    def expected_s(self, name: str) -> float:
        return self._gate.throttle(name).expected_s

    def price(self, name: str, usage: Usage) -> float | None:
        return self._price(name, usage)

    def default(self, *, is_judge: bool) -> str:
        return "scripted:judge" if is_judge else "scripted:debater"

    async def close(self) -> None:
        await self.model.close()


def looking_up(tool: str, **arguments: Any) -> ChatReply:
    """A reply that calls for a tool before it answers."""
    text = msgspec.json.encode(arguments).decode()
    called = ToolCall(id="", function=Function(tool, text))
    usage = Usage(input_tokens=len(tool), output_tokens=len(arguments) + 1)
    return ChatReply(
        content="",
        finish=Finish.OTHER,
        usage=usage,
        model="scripted",
        duration_ms=0,
        tool_calls=(called,),
    )


def _one_by_one(replies: Iterator[Said]) -> Script:
    def script(request: ChatRequest) -> Said:
        return next(replies, ModelRefused("the script has no more replies"))

    return script


def _whole(request: ChatRequest, content: str) -> ChatReply:
    sent = sum(len(message.content.split()) for message in request.messages)
    usage = Usage(input_tokens=sent, output_tokens=len(content.split()))
    return ChatReply(
        content=content, finish=Finish.STOP, usage=usage, model=request.model, duration_ms=0
    )


def _pieces(text: str) -> Iterator[str]:
    """The words of `text`, each with the blank before it."""
    words = text.split(" ")
    yield words[0]
    yield from (f" {word}" for word in words[1:])
