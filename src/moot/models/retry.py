"""Tries again what can succeed by itself, with growing, random pauses, through the provider's gate.

An outage is waited out for as long as the request has patience; so is being turned away for the
rate of calls. A reply that broke off was paid for, so it is bought a few times only. One that used
up its budget is bought once more, at once: `asking` gives it more room. What was refused is never
tried again: a refused key costs one call. A pause is slept outside the gate, so that a call that
waits takes no place from one that could run.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from moot.errors import (
    BudgetSpent,
    ModelError,
    ModelNotOffered,
    ModelUnavailable,
    RateLimited,
    ReplyBroken,
)
from moot.models.gate import Clock, Gate, Sleep
from moot.models.learning import Outcome, Scouts, kind_of
from moot.models.offers import nearest
from moot.models.port import (
    AttemptNotice,
    ChatModel,
    ChatReply,
    ChatRequest,
    OnBegin,
    OnFailure,
    OnText,
)
from moot.protocol.values import Usage

Jitter = Callable[[], float]
"""A number from 0 up to but not including 1."""
Price = Callable[[str, Usage], float | None]
"""What that usage of that model costs in USD, or None if nobody knows."""
Offered = Callable[[], Awaitable[Sequence[str]]]
"""The names of the models that the provider has."""


CHARACTERS_PER_TOKEN = 4
MINUTE_S = 60


class RetryPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """How the pauses grow, and how often something paid for is bought, counting the first try.

    Each request says itself how long to be patient.
    """

    max_broken: int = 4
    max_budgets: int = 2
    first_delay_s: float = 0.5
    max_delay_s: float = 30.0
    max_turned_away_s: float = 2.0

    def delay_s(self, attempt: int, jitter: float) -> float:
        """The pause after failed try number `attempt`: half of it by chance, so that callers spread
        out, and half for certain, so that nobody retries without a pause."""
        # 2.0**1024 overflows; by then every ceiling was reached long ago.
        ceiling = self.first_delay_s * 2.0 ** min(attempt - 1, 64)
        return (0.5 + jitter / 2) * min(self.max_delay_s, ceiling)


class Tries(msgspec.Struct):
    """What became of one call so far. `waited_s` counts pauses and the failed tries after the
    first, but not the time in line: that others are served first is no sign of an outage."""

    made: int = 0
    broken: int = 0
    budgets: int = 0
    waited_s: float = 0.0


class Retrying:
    """A Caller: one model of one backend. An error it raises has `attempts`: how many were made."""

    def __init__(  # noqa: PLR0913  its parts, and what tests replace, each by name
        self,
        *,
        backend: ChatModel,
        model: str,
        gate: Gate,
        policy: RetryPolicy,
        price: Price,
        offered: Offered | None = None,
        scouts: Scouts | None = None,
        sleep: Sleep = asyncio.sleep,
        jitter: Jitter = random.random,
        clock: Clock = time.monotonic,
    ) -> None:
        self._backend = backend
        self._model = model
        self._gate = gate
        self._throttle = gate.throttle(model)
        self._policy = policy
        self._price = price
        self._offered = offered
        self._scouts = scouts
        self._sleep = sleep
        self._jitter = jitter
        self._clock = clock

    async def call(
        self,
        request: ChatRequest,
        on_text: OnText | None = None,
        on_failure: OnFailure | None = None,
        on_begin: OnBegin | None = None,
    ) -> ChatReply:
        """See `port.Caller`."""
        if request.model != self._model:
            request = msgspec.structs.replace(request, model=self._model)
        tries = Tries()
        while True:
            tries.made += 1
            reply = await self._try(request, on_text, on_begin, is_again=tries.made > 1)
            if isinstance(reply, ChatReply):
                return self._accounted(reply, tries.made)
            failure, duration_ms = reply
            if tries.made > 1:
                tries.waited_s += duration_ms / 1000
            if isinstance(failure, ModelNotOffered) and self._offered is not None:
                failure = nearest(self._model, await self._offered(), failure)
            delay_s = self._delay_s(failure, tries, request.patience_s)
            if on_failure is not None:
                notice = AttemptNotice(
                    attempt=tries.made,
                    error=failure,
                    retry_in_s=delay_s,
                    duration_ms=duration_ms,
                    usage=self._spent(request, failure),
                )
                await on_failure(notice)
            if delay_s is None:
                raise _given_up(failure, tries)
            await self._sleep(delay_s)
            tries.waited_s += delay_s

    async def _try(
        self,
        request: ChatRequest,
        on_text: OnText | None,
        on_begin: OnBegin | None,
        *,
        is_again: bool,
    ) -> Outcome:
        scouts = self._scouts
        if scouts is not None:
            kind = kind_of(request, is_streamed=on_text is not None)
            if not scouts.know(kind):
                return await scouts.send(
                    kind, lambda: self._send(request, on_text, on_begin, is_again=is_again)
                )
        return await self._send(request, on_text, on_begin, is_again=is_again)

    async def _send(
        self,
        request: ChatRequest,
        on_text: OnText | None,
        on_begin: OnBegin | None,
        *,
        is_again: bool,
    ) -> Outcome:
        throttle = self._throttle
        entered = await throttle.enter(is_again=is_again)
        try:
            async with self._gate:
                if on_begin is not None:
                    on_begin()
                started = self._clock()
                try:
                    if request.silence_s is None:
                        reply = await self._backend.reply(request, on_text)
                    else:
                        reply = await self._heard(request, on_text, request.silence_s)
                except ModelError as error:
                    if isinstance(error, RateLimited):
                        throttle.refused(entered, error.retry_after_s or 0.0)
                    return error, round((self._clock() - started) * 1000)
                throttle.went_well(entered)
                return reply
        finally:
            throttle.leave()

    async def _heard(
        self, request: ChatRequest, on_text: OnText | None, silence_s: float
    ) -> ChatReply:
        """One attempt, which may not be silent for longer than the request allows."""
        now = asyncio.get_running_loop().time
        try:
            async with asyncio.timeout(silence_s) as waiting:

                def heard(piece: str) -> None:
                    if not waiting.expired():
                        waiting.reschedule(now() + silence_s)
                    if piece and on_text is not None:
                        on_text(piece)

                return await self._backend.reply(request, heard)
        except TimeoutError:
            message = f"nothing was heard for {silence_s:g} s"
            raise ModelUnavailable(message) from None

    def _accounted(self, reply: ChatReply, attempts: int) -> ChatReply:
        usage = self._priced(reply.usage)
        if usage is reply.usage and attempts == reply.attempts:
            return reply
        return msgspec.structs.replace(reply, usage=usage, attempts=attempts)

    def _priced(self, usage: Usage) -> Usage:
        if usage.cost_usd is None:
            cost_usd = self._price(self._model, usage)
            if cost_usd is not None:
                return msgspec.structs.replace(usage, cost_usd=cost_usd)
        return usage

    def _delay_s(self, error: ModelError, tries: Tries, patience_s: float) -> float | None:
        """The pause before the next try; None if there is none."""
        left_s = patience_s - tries.waited_s
        match error:
            case ModelError(retryable=False):
                return None
            case BudgetSpent():
                tries.budgets += 1
                return 0.0 if tries.budgets < self._policy.max_budgets else None
            case ReplyBroken():
                tries.broken += 1
                if tries.broken >= self._policy.max_broken:
                    return None
            case _:
                pass
        asked_s = error.retry_after_s or 0.0
        if left_s <= 0 or asked_s > left_s:
            return None
        delay_s = self._policy.delay_s(tries.made, self._jitter())
        if isinstance(error, RateLimited) and not asked_s:
            # The throttle knows better than one call how long it makes no sense to try.
            delay_s = max(
                min(delay_s, self._policy.max_turned_away_s), self._throttle.blocked_for_s
            )
        if not asked_s:
            return min(delay_s, left_s)
        # Everybody waits as long as the provider asked; the jitter comes on top of it, so that
        # those who were turned away do not all come back in the same instant.
        self._gate.hold(asked_s)
        return asked_s + delay_s

    def _spent(self, request: ChatRequest, error: ModelError) -> Usage:
        """What a reply that came to nothing has cost: what the provider said, or an estimate of
        what had arrived when it broke off."""
        if isinstance(error, BudgetSpent) and isinstance(error.usage, Usage):
            return self._priced(error.usage)
        if not error.written:
            return Usage()
        return self._priced(
            Usage(
                input_tokens=sum(len(one.content) for one in request.messages)
                // CHARACTERS_PER_TOKEN,
                output_tokens=error.written // CHARACTERS_PER_TOKEN,
                is_estimated=True,
            )
        )


def _given_up(error: ModelError, tries: Tries) -> ModelError:
    """The error to raise. If the provider was waited for in vain, it says for how long."""
    last, waited_s = error, tries.waited_s
    if waited_s and isinstance(error, ModelUnavailable | RateLimited):
        provider, colon, reason = str(error).partition(": ")
        if not colon or " " in provider:
            provider, reason = "the provider", str(error)
        said = "turned the call away" if isinstance(error, RateLimited) else "not answered"
        message = f"{provider} has {said} for {_in_words(waited_s)}: {reason}"
        last = type(error)(message, retry_after_s=error.retry_after_s, written=error.written)
        last.waited_s = waited_s
    last.attempts = tries.made
    return last


def _in_words(seconds: float) -> str:
    if seconds < MINUTE_S:
        return f"{seconds:.0f} s"
    minutes = round(seconds / MINUTE_S)
    return f"{minutes} minute{'s' if minutes > 1 else ''}"
