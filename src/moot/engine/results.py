"""The results of a debate's steps, on their way into the log.

A result was paid for, so the runner keeps it until the append that carries it has succeeded. The
answer to an append can be lost, so a result knows the numbers under which it may be in the log, and
can be looked for there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

import msgspec

from moot.protocol import events as e
from moot.protocol.deciding import INTERNAL
from moot.protocol.steps import Step

ON_THE_WAY = (e.AttemptFailed, e.ToolUsed)
"""What a step reports before it is over."""

Told = e.TurnRecorded | e.StepFailed | e.AttemptFailed | e.ToolUsed


class Result(msgspec.Struct):
    """Something that a step reports, and who waits for it to be in the log.

    `tried` has a record for each attempt to append it: it may be in the log as any of them, because
    the answer to COMMIT may have been lost.
    """

    event: Told
    step_key: str
    recorded: asyncio.Future[None] | None = None
    tried: list[e.Recorded] = []
    is_in_log: bool = False

    @property
    def is_last(self) -> bool:
        """Whether the step has nothing more to report."""
        return not isinstance(self.event, ON_THE_WAY)

    def look_for(self, log: Mapping[int, e.Recorded]) -> None:
        """Find out whether it is in the log after all; `log` has the events by number."""
        self.is_in_log |= any(one.seq in log and _is_same(log[one.seq], one) for one in self.tried)

    def through(self) -> None:
        """Let whoever waits for it go on: it is in the log, or was dropped."""
        if self.recorded is not None and not self.recorded.done():
            self.recorded.set_result(None)


def first_tried(results: Iterable[Result]) -> int | None:
    """The lowest number under which one of these may be in the log; None if none was tried."""
    return min((one.seq for result in results for one in result.tried), default=None)


def as_dropped(turn: e.TurnRecorded) -> e.AttemptFailed:
    """The event for a turn that came too late to count, but was paid for."""
    return e.AttemptFailed(
        attempt_of=turn.step_key,
        attempt=turn.attempts,
        code="dropped",
        error="the debate had moved on when the reply came",
        model=turn.model,
        usage=turn.usage,
        duration_ms=turn.duration_ms,
        reply=turn.content,
    )


def broken(step: Step, message: str, attempts: int = 0) -> e.StepFailed:
    """The event for a step that failed by a mistake in Moot, or in a format."""
    return e.StepFailed(failed_key=step.key, code=INTERNAL, error=message, attempts=attempts)


def _is_same(logged: e.Recorded, tried: e.Recorded) -> bool:
    """Whether both are the same event, once read back: a temperature of 0 comes back as 0.0."""
    return logged.at == tried.at and logged.event == e.decode(e.encode(tried.event))
