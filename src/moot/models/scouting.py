"""Decides who asks first where little is known of a model: one call goes ahead, the others wait.

What a server refuses and how much a model thinks is learned by asking. Calls that begin at once
would each pay for the same lesson, so one of those that ask for something new is the scout; what it
learns holds for the rest. Nobody waits for long: if the scout meets an outage instead of an answer,
or takes its time, all go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import product

from moot.errors import BudgetSpent, ModelError
from moot.models.port import ChatReply, ChatRequest

MOST_S = 30.0
"""How long a scout is waited for. A reply that uses up a budget without room for thoughts is short,
and known by then."""

Outcome = ChatReply | tuple[ModelError, int]
"""The reply, or why there is none and after how many milliseconds that was known."""

Kind = tuple[object, ...]
"""What a call asks of a server, as far as a server could refuse it."""


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
            async with asyncio.timeout(MOST_S):
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
