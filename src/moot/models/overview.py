"""What people are told of models before they choose one: `moot models` and the page show the same.

Which models there are to choose from, and what comes of trying one: does it answer, think, keep to
a schema, call a tool, how fast and for how much. A trial is up to three short questions to the real
model; nothing of it is recorded.
"""

from __future__ import annotations

import asyncio
import time
from functools import reduce
from operator import add

import msgspec

from moot.errors import ModelError, NoModel
from moot.models.port import (
    Caller,
    ChatReply,
    ChatRequest,
    Learned,
    ModelFacts,
    Models,
    TellsLearned,
    Tool,
)
from moot.models.registry import Availability, Choice, Registry
from moot.protocol.answers import Schema
from moot.protocol.parsing import read_object
from moot.protocol.values import Message, Usage

EMBEDDED = "local"
_A_THOUSAND = 1000

DEADLINE_S = 60.0
"""For all questions together, retries included: somebody sits there and waits."""
MAX_TOKENS = 64
QUESTION = "Answer with one short sentence: are you there?"
TYPED_QUESTION = (
    'How many legs has a spider? Answer with JSON only: {"legs": <a whole number>, "why": "<text>"}'
)
TOOL_QUESTION = "Look up how many pages the file notes.txt has, with the tool you were given."

SCHEMA = Schema(
    name="legs",
    body={
        "type": "object",
        "properties": {"legs": {"type": "integer"}, "why": {"type": "string", "maxLength": 80}},
        "required": ["legs", "why"],
        "additionalProperties": False,
    },
)
TOOL = Tool(
    name="count_pages",
    about="How many pages a file has.",
    parameters={
        "type": "object",
        "properties": {"file": {"type": "string"}},
        "required": ["file"],
        "additionalProperties": False,
    },
)


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a model without asking it. Prices are in USD for a million tokens."""

    context_window: int | None
    output_limit: int | None
    thinks: bool | None
    has_schema: bool
    has_tools: bool
    input_usd: float | None
    output_usd: float | None
    retirement: str


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A provider, and what is known of its default model if it can be used."""

    provider: Availability
    default: Listing | None = None


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """`debaters` and `judges` are what is used where no model is named; None if there is nothing.

    `of_debaters` and `of_judges` are what is known of those two. `toy_notice` is to be shown
    wherever the embedded model is used.
    """

    entries: tuple[Entry, ...] = ()
    debaters: Choice | None = None
    judges: Choice | None = None
    of_debaters: Listing | None = None
    of_judges: Listing | None = None
    toy_notice: str = ""


def overview(registry: Registry) -> Overview:
    """All of it at once. Blocks: for half a second at first, and while local servers are asked."""
    entries = tuple(
        Entry(
            provider=line,
            default=listing(registry, line.default_model)
            if line.is_usable and line.default_model
            else None,
        )
        for line in registry.available()
    )
    debaters, judges = (_choice(registry, is_judge=is_judge) for is_judge in (False, True))
    return Overview(
        entries=entries,
        debaters=debaters,
        judges=judges,
        of_debaters=listing(registry, debaters.model) if debaters else None,
        of_judges=listing(registry, judges.model) if judges else None,
        toy_notice=toy_notice(registry),
    )


def listing(registry: Registry, name: str) -> Listing:
    """What can be said of a model before it is asked."""
    facts = registry.facts(name)
    return Listing(
        context_window=facts.context_window,
        output_limit=facts.output_limit,
        thinks=facts.thinks,
        has_schema=facts.has_schema,
        has_tools=facts.has_tools,
        # Few tokens: some models are dearer where the prompt is long.
        input_usd=_per_million(registry, name, Usage(input_tokens=_A_THOUSAND)),
        output_usd=_per_million(registry, name, Usage(output_tokens=_A_THOUSAND)),
        retirement=registry.retirement(name),
    )


def toy_notice(registry: Registry) -> str:
    """One sentence: that the embedded model is a toy, and how to connect a better one."""
    ready = (
        line.default_model
        for line in registry.available()
        if line.is_usable and line.default_model and line.provider != EMBEDDED
    )
    better = next(ready, "")
    advice = "set a provider's key, such as OPENAI_API_KEY, or start a local server, such as Ollama"
    advice += " (`moot models` lists them all)"
    if better:
        advice = f"use {better}, which is ready here (`moot models use {better}`)"
    elif problem := registry.passed_over():
        advice = f"mend your setup: {problem}"
    return (
        "The embedded model, local:smollm2, is a toy for trying things out;"
        f" for arguments worth reading, {advice}."
    )


def is_toy(model: str) -> bool:
    """Whether that is the embedded model."""
    return model.partition(":")[0] == EMBEDDED


def _choice(registry: Registry, *, is_judge: bool) -> Choice | None:
    try:
        return registry.choice(is_judge=is_judge)
    except NoModel:
        return None


def _per_million(registry: Registry, name: str, usage: Usage) -> float | None:
    cost = registry.price(name, usage)
    return None if cost is None else round(cost * _A_THOUSAND, 6)


# --- trying one -----------------------------------------------------------------------------------


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a trial. `error` says why a model that is not working does not work.

    `keeps_schema` and `calls_tools` are None where that was not asked. `refused` names the
    parameters the server does not take, and `allowance` is the room it is given for its thoughts.
    """

    model: str
    is_working: bool
    reply: str = ""
    thought: str = ""
    error: str = ""
    thinks: bool | None = None
    keeps_schema: bool | None = None
    calls_tools: bool | None = None
    refused: tuple[str, ...] = ()
    allowance: int = 0
    usage: Usage = Usage()
    tokens_per_second: float | None = None
    duration_ms: int = 0


async def try_model(models: Models, name: str) -> Trial:
    """Try the model. Never raises a ModelError: that it can't be asked is a result too."""
    began = time.perf_counter()
    try:
        async with asyncio.timeout(DEADLINE_S):
            trial = await _tried(models, name)
    except TimeoutError:
        trial = Trial(model=name, is_working=False, error=f"no answer within {DEADLINE_S:g} s")
    except ModelError as broken:
        trial = Trial(model=name, is_working=False, error=str(broken))
    return msgspec.structs.replace(trial, duration_ms=round((time.perf_counter() - began) * 1000))


async def _tried(models: Models, name: str) -> Trial:
    caller, facts = models.get(name), models.facts(name)
    reply = await caller.call(_request(QUESTION))
    typed = await _asked(caller, _request(TYPED_QUESTION, schema=SCHEMA))
    called = (
        await _asked(caller, _request(TOOL_QUESTION, tools=(TOOL,))) if facts.has_tools else None
    )
    replies = [one for one in (reply, typed, called) if one is not None]
    learned = models.learned(name) if isinstance(models, TellsLearned) else Learned()
    ignored = (parameter for one in replies for parameter in one.ignored)
    return Trial(
        model=name,
        is_working=True,
        reply=reply.content,
        thought=reply.thought,
        thinks=_thinks(learned, facts, replies),
        keeps_schema=typed is not None and _keeps_schema(typed.content),
        calls_tools=called is not None and bool(called.tool_calls) if facts.has_tools else None,
        refused=tuple(dict.fromkeys((*learned.refused, *ignored))),
        allowance=learned.allowance,
        usage=reduce(add, (one.usage for one in replies)),
        tokens_per_second=_speed(replies),
    )


async def _asked(caller: Caller, request: ChatRequest) -> ChatReply | None:
    """None if it fails: the model does answer, which is what matters most."""
    try:
        return await caller.call(request)
    except ModelError:
        return None


def _request(
    question: str, *, schema: Schema | None = None, tools: tuple[Tool, ...] = ()
) -> ChatRequest:
    return ChatRequest(
        model="",
        messages=(Message(role="user", content=question),),
        max_tokens=MAX_TOKENS,
        schema=schema,
        tools=tools,
        deadline_s=DEADLINE_S,
        label="test",
    )


def _thinks(learned: Learned, facts: ModelFacts, replies: list[ChatReply]) -> bool | None:
    """Whether it thinks: what was seen counts more than what is known beforehand."""
    seen = any(one.thought or one.usage.thought_tokens for one in replies)
    return True if learned.thoughts or seen else facts.thinks


def _keeps_schema(text: str) -> bool:
    """Whether the answer can be read in the way that every typed answer is read."""
    found = read_object(text)
    return isinstance(found, dict) and isinstance(found.get("legs"), int)


def _speed(replies: list[ChatReply]) -> float | None:
    """Tokens a second over the whole exchange, thoughts included."""
    written = sum(one.usage.output_tokens for one in replies)
    seconds = sum(one.duration_ms for one in replies) / 1000
    return round(written / seconds, 1) if written and seconds else None
