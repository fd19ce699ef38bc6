"""Where a model looks things up before it answers: one step's exchanges with the tools.

Each exchange is in the log before the next is bought. A worker that takes over rebuilds the
messages from there and goes on; what was paid for is not bought again.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterable, Sequence
from itertools import groupby

import msgspec

from moot.engine.files import MAX_ARGUMENTS, Misuse, Toolbox, is_object
from moot.models.port import ChatReply
from moot.protocol.events import ToolUsed
from moot.protocol.values import Function, Message, ToolCall

MOST_AT_ONCE = 16
"""Calls of one reply that are answered; more are left out of the history."""
GRACE = 2
"""Replies beyond the limit that may ask for lookups; the next one is taken as the answer."""
ENOUGH = "No more lookups are possible. Answer now with what you know."
_ENOUGH_SHA256 = hashlib.sha256(ENOUGH.encode()).hexdigest()
_NAME = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME = 64


class Lookups:
    """The lookups of one step. `is_open` says whether the model may ask for more."""

    def __init__(
        self, *, step_key: str, toolbox: Toolbox, limit: int, used: Sequence[ToolUsed]
    ) -> None:
        self._step_key = step_key
        self._toolbox = toolbox
        self._limit = limit
        self._made = len(used)
        self._exchanges = used[-1].exchange if used else 0
        self._is_closed = False
        self._replayed = [message for group in _exchanges(used) for message in self._again(group)]

    @property
    def is_open(self) -> bool:
        return not self._is_closed and self._made < self._limit

    @property
    def is_used(self) -> bool:
        return self._exchanges > 0

    @property
    def answers(self) -> bool:
        """Whether calls are still answered, if only with ENOUGH."""
        return not self._is_closed and self._exchanges < self._limit + GRACE

    @property
    def replayed(self) -> list[Message]:
        """The exchanges that were in the log when the step was taken up."""
        return self._replayed

    def close(self) -> None:
        """Allow no more lookups: the answer is being corrected."""
        self._is_closed = True

    def look_up(self, reply: ChatReply, model: str) -> tuple[list[ToolUsed], list[Message]]:
        """Do what the reply asks for. Returns what to record, and the messages that come of it."""
        self._exchanges += 1
        calls = _numbered(reply.tool_calls[:MOST_AT_ONCE], self._exchanges)
        used: list[ToolUsed] = []
        results: list[Message] = []
        for call in calls:
            started = time.perf_counter()
            text, is_error = self._use(call.function)
            results.append(Message(role="tool", content=text, tool_call_id=call.id))
            used.append(
                ToolUsed(
                    used_by=self._step_key,
                    exchange=self._exchanges,
                    tool=call.function.name,
                    arguments=call.function.arguments,
                    call_id=call.id,
                    result_sha256=hashlib.sha256(text.encode()).hexdigest(),
                    result_chars=len(text),
                    is_error=is_error,
                    duration_ms=round((time.perf_counter() - started) * 1000),
                    # What the reply cost stands with its first tool, and only there.
                    said="" if used else reply.content,
                    model="" if used else model,
                    usage=type(reply.usage)() if used else reply.usage,
                    reply_ms=0 if used else reply.duration_ms,
                )
            )
        asked = Message(role="assistant", content=reply.content, tool_calls=tuple(calls))
        return used, [asked, *results]

    def _use(self, function: Function) -> tuple[str, bool]:
        self._made += 1
        if self._made > self._limit:
            return ENOUGH, True
        return self._result(function.name, function.arguments)

    def _result(self, tool: str, arguments: str) -> tuple[str, bool]:
        try:
            return self._toolbox.use(tool, arguments), False
        except Misuse as misuse:
            return f"Error: {misuse}", True

    def _again(self, group: Sequence[ToolUsed]) -> Iterable[Message]:
        """The messages of an exchange that is in the log. Results are looked up again."""
        calls = tuple(
            ToolCall(id=one.call_id, function=Function(one.tool, one.arguments)) for one in group
        )
        yield Message(role="assistant", content=group[0].said, tool_calls=calls)
        for one in group:
            is_enough = one.result_sha256 == _ENOUGH_SHA256
            text = ENOUGH if is_enough else self._result(one.tool, one.arguments)[0]
            yield Message(role="tool", content=text, tool_call_id=one.call_id)


def _exchanges(used: Iterable[ToolUsed]) -> list[list[ToolUsed]]:
    return [list(group) for _, group in groupby(used, key=lambda one: one.exchange)]


def _numbered(calls: Sequence[ToolCall], exchange: int) -> list[ToolCall]:
    """The calls as they can be sent back to any provider, each with an id of its own."""
    found: dict[str, ToolCall] = {}
    for number, call in enumerate(calls, 1):
        call_id = _NAME.sub("", call.id)[:_LONGEST_NAME]
        if not call_id or call_id in found:
            call_id = f"call_{exchange}_{number}"
        name = _NAME.sub("_", call.function.name)[:_LONGEST_NAME] or "unknown"
        arguments = _readable(call.function.arguments)
        found[call_id] = ToolCall(id=call_id, function=Function(name, arguments))
    return list(found.values())


def _readable(arguments: str) -> str:
    """The arguments, or an object with what came in their place: providers refuse anything else."""
    text = arguments.strip() or "{}"
    if len(text) <= MAX_ARGUMENTS and is_object(text):
        return text
    return msgspec.json.encode({"unreadable": text[:_LONGEST_NAME]}).decode()
