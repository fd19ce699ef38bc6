"""Tries again what can succeed by itself, with growing, random pauses, through the provider's gate.

Never tries again what was refused: a refused key costs one call. A pause is slept outside the gate,
so that a call that waits takes no place from one that could run.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable

import msgspec

from moot.errors import BudgetSpent, ModelError, RateLimited
from moot.models.gate import Clock, Gate, Sleep
from moot.models.port import AttemptNotice, ChatModel, ChatReply, ChatRequest, OnFailure, OnText
from moot.protocol.values import Usage

Jitter = Callable[[], float]
"""A number from 0 up to but not including 1."""
Price = Callable[[str, Usage], float | None]
"""What that usage of that model costs in USD, or None if nobody knows."""


CHARACTERS_PER_TOKEN = 4
MOST_SPENT = 1
"""Tries that may end because thoughts used up the budget, and are followed by another."""


class RetryPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """How often and how patiently. `max_attempts` counts the first try too.

    Being turned away costs nothing and passes by itself, but limits are counted by the minute: so
    `max_rate_limited` tries are made before giving up on those.
    """

    max_attempts: int = 4
    max_rate_limited: int = 8
    first_delay_s: float = 0.5
    max_delay_s: float = 30.0

    def delay_s(self, attempt: int, jitter: float) -> float:
        """The pause after failed try number `attempt`: full jitter, so that callers spread out."""
        # 2.0**1024 overflows; by then every ceiling was reached long ago.
        ceiling = self.first_delay_s * 2.0 ** min(attempt - 1, 64)
        return jitter * min(self.max_delay_s, ceiling)


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
        sleep: Sleep = asyncio.sleep,
        jitter: Jitter = random.random,
        clock: Clock = time.monotonic,
    ) -> None:
        self._backend = backend
        self._model = model
        self._gate = gate
        self._policy = policy
        self._price = price
        self._sleep = sleep
        self._jitter = jitter
        self._clock = clock

    async def call(
        self,
        request: ChatRequest,
        on_text: OnText | None = None,
        on_failure: OnFailure | None = None,
    ) -> ChatReply:
        """See `port.Caller`."""
        if request.model != self._model:
            request = msgspec.structs.replace(request, model=self._model)
        attempt = spent = 0
        while True:
            attempt += 1
            async with self._gate:
                started = self._clock()
                try:
                    reply = await self._backend.reply(request, on_text)
                    return self._accounted(reply, attempt)
                except ModelError as error:
                    failure, duration_ms = error, round((self._clock() - started) * 1000)
            spent += isinstance(failure, BudgetSpent)
            delay_s = self._delay_s(failure, attempt, spent)
            if on_failure is not None:
                notice = AttemptNotice(
                    attempt=attempt,
                    error=failure,
                    retry_in_s=delay_s,
                    duration_ms=duration_ms,
                    usage=self._spent(request, failure),
                )
                await on_failure(notice)
            if delay_s is None:
                failure.attempts = attempt
                raise failure
            await self._sleep(delay_s)

    def _accounted(self, reply: ChatReply, attempts: int) -> ChatReply:
        usage = reply.usage
        if usage.cost_usd is None:
            cost_usd = self._price(self._model, usage)
            if cost_usd is not None:
                usage = msgspec.structs.replace(usage, cost_usd=cost_usd)
        if usage is reply.usage and attempts == reply.attempts:
            return reply
        return msgspec.structs.replace(reply, usage=usage, attempts=attempts)

    def _delay_s(self, error: ModelError, attempt: int, spent: int) -> float | None:
        """The pause before the next try; None if there is none.

        A budget that was `spent` is larger with the next try, so nothing is waited for; what was
        thought is paid for, so there is only one.
        """
        if isinstance(error, BudgetSpent):
            return 0.0 if error.retryable and spent <= MOST_SPENT else None
        is_limited = isinstance(error, RateLimited)
        most = self._policy.max_rate_limited if is_limited else self._policy.max_attempts
        if not error.retryable or attempt >= most:
            return None
        delay_s = self._policy.delay_s(attempt, self._jitter())
        if error.retry_after_s:
            # Everybody waits as long as the provider asked; the jitter comes on top of it, so that
            # those who were turned away do not all come back in the same instant.
            self._gate.hold(error.retry_after_s)
            delay_s += error.retry_after_s
        return delay_s

    def _spent(self, request: ChatRequest, error: ModelError) -> Usage:
        """What a failed try has cost: as the provider said, or estimated from what had come."""
        if isinstance(error, BudgetSpent) and isinstance(error.usage, Usage):
            usage = error.usage
        elif error.written:
            usage = Usage(
                input_tokens=sum(len(one.content) for one in request.messages)
                // CHARACTERS_PER_TOKEN,
                output_tokens=error.written // CHARACTERS_PER_TOKEN,
                is_estimated=True,
            )
        else:
            return Usage()
        if usage.cost_usd is not None:
            return usage
        return msgspec.structs.replace(usage, cost_usd=self._price(self._model, usage))
