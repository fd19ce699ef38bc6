"""What one model at one endpoint has taught: how much it thinks, and which parameters it refuses.

A row of the provider table and the facts of a model are where we begin; refusals and replies that
ran out of budget teach the rest. It is kept while the process lives, so that no lesson is paid for
twice.

Rule 1: what is learned only grows. Each lesson changes what is sent next, so asking again ends.
Rule 2: a lesson may be taught twice, by calls that were under way at once, and is the same then.

Where little is known, one call goes ahead and the others wait: calls that begin at once would each
pay for the same lesson, so one of those that ask for something new is the scout; what it learns
holds for the rest. Nobody waits for long: if the scout meets an outage instead of an answer, or
takes its time, all go.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from itertools import product
from typing import Literal

import msgspec

from moot.errors import BudgetSpent, ModelError
from moot.models.endpoint import Endpoint
from moot.models.messages import CHARACTERS_PER_TOKEN, PER_MESSAGE, characters_in
from moot.models.port import ChatReply, ChatRequest, Learned, ModelFacts
from moot.protocol.values import Sampling
from moot.protocol.words import Effort, Finish

GENEROUS = 16_000
"""Tokens for the thoughts of a model that thinks, unless an effort is asked for. gpt-5 takes about
1,400 for a short answer; a budget that is not used costs nothing."""
ALLOWANCES: Mapping[Effort, int] = {
    Effort.NONE: 0,
    Effort.MINIMAL: 2_000,
    Effort.LOW: 8_000,
    Effort.MEDIUM: GENEROUS,
    Effort.HIGH: 32_000,
}
GROWTH = 4
"""By how much the room for thoughts is multiplied when they have filled a generous one."""

LEAST = 64
"""A stated limit below this is another number, or leaves no room for an answer."""

Form = Literal["json_schema", "json_object", "none"]
SAMPLED = ("temperature", "top_p", "seed", "reasoning_effort")

# A server that names one of these may mean the other: its message often has both.
ALIKE: Mapping[str, str] = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
    "json_schema": "json_object",
    "json_object": "json_schema",
    "tool_choice": "tools",
    "tools": "tool_choice",
}

_EFFORTS = list(Effort)
_QUOTED_EFFORT = re.compile(r"['\"`](minimal|low|medium|high)['\"`]")
# vLLM, OpenAI and OpenRouter name the window and how much of it the messages take.
_WINDOW = re.compile(
    r"maximum context length is (\d+) tokens\b.*?\b(\d+)"
    r" (?:input tokens|in the messages|of text input|in your prompt)",
    re.DOTALL,
)
_LIMIT = re.compile(
    r"at most `?(\d+)|less than or equal to `?(\d+)|\[\d+, ?(\d+)\]"
    r"|> (\d+), which is the maximum|maximum (?:allowed|value)[^\d]{0,60}(\d+)"
)
_ABOUT_LENGTH = re.compile(r"max_?(?:completion_?|output_?)?tokens|(?:output|completion) tokens")

MOST_SCOUT_S = 30.0
"""How long a scout is waited for. A reply that uses up a budget without room for thoughts is short,
and known by then."""

Outcome = ChatReply | tuple[ModelError, int]
"""The reply, or why there is none and after how many milliseconds that was known."""

Kind = tuple[object, ...]
"""What a call asks of a server, as far as a server could refuse it."""


def limit_field(endpoint: Endpoint, request: ChatRequest) -> str:
    """The field in which the budget is sent; "" if the server takes none."""
    first = endpoint.tokens_field(request.model)
    if first not in request.refused:
        return first
    other = ALIKE.get(first, "")
    return other if other not in request.refused else ""


def schema_form(endpoint: Endpoint, refused: frozenset[str]) -> Form:
    """The strictest form in which the server takes a schema."""
    forms: tuple[Form, ...] = ("json_schema", "json_object")
    if endpoint.schema_support != "json_schema":
        forms = forms[1:] if endpoint.schema_support == "json_object" else ()
    return next((form for form in forms if form not in refused), "none")


def sent_parameters(endpoint: Endpoint, request: ChatRequest, *, is_streamed: bool) -> set[str]:
    """Those of PARAMETERS that go with a request."""
    found = {name for name in SAMPLED if getattr(request.sampling, name) is not None}
    if request.budget is not None:
        found.add(limit_field(endpoint, request))
    if request.schema is not None:
        found.add(schema_form(endpoint, request.refused))
    if request.tools:
        found |= {"tools"} if request.may_call else {"tools", "tool_choice"}
    if is_streamed and endpoint.stream_usage:
        found.add("stream_options")
    return (found | set(endpoint.extra)) - request.refused


class Lessons:
    """What is known of one model at one endpoint, and what follows for the next request."""

    def __init__(self, *, endpoint: Endpoint, facts: ModelFacts) -> None:
        self._endpoint = endpoint
        self._facts = facts
        self._refused: frozenset[str] = frozenset()
        self._efforts: dict[Effort, Effort] = {}
        self._allowance = 0
        self._thoughts = 0
        self._output_limit = facts.output_limit
        self._window = facts.context_window

    @property
    def refused(self) -> frozenset[str]:
        return self._refused

    @property
    def learned(self) -> Learned:
        return Learned(
            refused=tuple(sorted(self._refused)),
            allowance=self._wished(Sampling()),
            thinks=True if self._thoughts or self._allowance else self._facts.thinks,
            thoughts=self._thoughts,
            output_limit=self._output_limit,
        )

    def budgeted(self, request: ChatRequest, most: int | None = None) -> ChatRequest:
        """The request with a budget within `most`, what the model can write, and its window."""
        allowance = self._wished(request.sampling)
        length = request.max_tokens
        if length is None or not (allowance or most or self._output_limit):
            return request
        limits = [limit for limit in (most, self._output_limit) if limit is not None]
        if allowance and self._window is not None:
            limits.append(max(length, self._window - _about(request)))
        limit = min(limits, default=length + allowance)
        length = min(length, limit)
        allowance = max(0, min(allowance, limit - length))
        if (length, allowance) == (request.max_tokens, request.allowance):
            return request
        return msgspec.structs.replace(request, max_tokens=length, allowance=allowance)

    def wish(self, sampling: Sampling) -> Sampling:
        """The sampling in values and parameters that the server takes."""
        effort = sampling.reasoning_effort
        if effort is not None and effort in self._efforts:
            sampling = msgspec.structs.replace(sampling, reasoning_effort=self._efforts[effort])
        if not self._refused:
            return sampling
        dropped = {name: None for name in SAMPLED if name in self._refused}
        return msgspec.structs.replace(sampling, **dropped)

    def refuse(self, parameter: str, words: str, sent: ChatRequest, *, is_streamed: bool) -> bool:
        """Take in that the server refused a parameter; False if leaving it out cannot help."""
        was_sent = sent_parameters(self._endpoint, sent, is_streamed=is_streamed)
        blamed = parameter if parameter in was_sent else ALIKE.get(parameter, "")
        if blamed not in was_sent:
            return False
        effort = sent.sampling.reasoning_effort
        if blamed == "reasoning_effort" and effort and (other := _nearest(effort, words)):
            self._efforts[effort] = other
        else:
            self._refused |= {blamed}
        return True

    def limit(self, words: str, sent: ChatRequest) -> int | None:
        """The budget that a refusal leaves for this request; None if it names no smaller one."""
        budget = sent.budget
        if budget is None:
            return None
        if found := _WINDOW.search(words):
            self._window = int(found[1])
            left = self._window - int(found[2])
        elif _ABOUT_LENGTH.search(words) and (found := _LIMIT.search(words)):
            left = int(next(number for number in found.groups() if number))
            if LEAST <= left < budget:
                self._output_limit = left
        else:
            return None
        return left if LEAST <= left < budget else None

    def spent(self, sent: ChatRequest) -> bool:
        """Take in that thoughts used up the budget; False if there is no larger one to be had."""
        self._grow(sent.allowance)
        wider = self.budgeted(msgspec.structs.replace(sent, allowance=0))
        is_told = limit_field(self._endpoint, sent) != ""
        return is_told and (wider.budget or 0) > (sent.budget or 0)

    def heard(self, reply: ChatReply, sent: ChatRequest) -> bool:
        """Take in what a reply shows of the model's thoughts. True if thoughts that nobody knew of
        took the answer's room, and the answer would be whole with the room there is now."""
        thoughts = reply.usage.thought_tokens or len(reply.thought) // int(CHARACTERS_PER_TOKEN)
        if not thoughts:
            return False
        self._thoughts = max(self._thoughts, thoughts)
        self._allowance = max(self._allowance, GENEROUS)
        is_cut = reply.finish is Finish.LENGTH
        if not is_cut or reply.usage.answer_tokens >= (sent.max_tokens or 0):
            return False
        # Where there was room for thoughts and it was not enough, the answer is kept as it is.
        return self.spent(sent) and not sent.allowance

    def _grow(self, allowance: int) -> None:
        wider = GENEROUS if allowance < GENEROUS else allowance * GROWTH
        self._allowance = max(self._allowance, wider)

    def _wished(self, sampling: Sampling) -> int:
        """The room for thoughts that effort, facts and lessons ask for, before any limit."""
        effort = sampling.reasoning_effort
        if effort is not None and "reasoning_effort" not in self._refused:
            known = 0 if self._facts.thinks is False else ALLOWANCES[effort]
        else:
            known = GENEROUS if self._facts.thinks else 0
        return max(known, self._allowance)


def _about(request: ChatRequest) -> int:
    """About how many tokens the messages of a request are."""
    characters = characters_in(request.messages)
    return int(characters / CHARACTERS_PER_TOKEN) + PER_MESSAGE * len(request.messages)


def _nearest(effort: Effort, words: str) -> Effort | None:
    """The effort nearest to the refused one among those offered; thinking is never switched off."""
    offered = {Effort(one) for one in _QUOTED_EFFORT.findall(words)} - {effort}
    at = _EFFORTS.index(effort)
    return min(offered, key=lambda one: abs(_EFFORTS.index(one) - at), default=None)


# --- who asks first -------------------------------------------------------------------------------


def kind_of(request: ChatRequest, *, is_streamed: bool) -> Kind:
    wish = request.sampling
    return (
        is_streamed,
        request.schema is not None,
        bool(request.tools),
        request.may_call,
        wish.temperature is not None,
        wish.top_p is not None,
        wish.seed is not None,
        wish.reasoning_effort,
    )


_PLAIN = frozenset(
    (*asked, False, False, False, None) for asked in product((False, True), repeat=4)
)
"""Calls that wish for nothing in particular."""


class Scouts:
    """The calls to one model at one endpoint.

    Calls that wish for nothing in particular count as answered if the model `is_known`.
    """

    def __init__(self, *, is_known: bool) -> None:
        self._answered: set[Kind] = set(_PLAIN) if is_known else set()
        self._ahead: _Scout | None = None

    def know(self, kind: Kind) -> bool:
        """Whether a call of this kind has been answered: then it need not wait for anybody."""
        return kind in self._answered

    async def send(self, kind: Kind, send: Callable[[], Awaitable[Outcome]]) -> Outcome:
        """The outcome of `send`, called when no scout is ahead any more, or as the scout."""
        if not await self._is_next(kind):
            return await send()
        self._ahead = scout = _Scout()
        try:
            outcome = await send()
            if _is_answer(outcome):
                scout.was_answered = True
                self._answered.add(kind)
            return outcome
        finally:
            self._ahead = None
            scout.is_back.set()

    async def _is_next(self, kind: Kind) -> bool:
        """Wait for those who are ahead. True if a call of this kind is to be the next scout."""
        with suppress(TimeoutError):
            async with asyncio.timeout(MOST_SCOUT_S):
                while (scout := self._ahead) is not None:
                    await scout.is_back.wait()
                    if self.know(kind) or not scout.was_answered:
                        return False
                return True
        return False


class _Scout:
    def __init__(self) -> None:
        self.is_back = asyncio.Event()
        self.was_answered = False


def _is_answer(outcome: Outcome) -> bool:
    """Whether the call was taken. One that used up its budget was; the next has more room."""
    return isinstance(outcome, ChatReply) or isinstance(outcome[0], BudgetSpent)
