"""A step that is made ready to be performed, how far it is, and what it reports.

The performer says how far it is, and whether a rate limit holds it back; the runner asks, to know
what may be dropped, and when. A result was paid for, so the runner keeps it until the append that
carries it has succeeded. The answer to an append can be lost, so a result knows the numbers under
which it may be in the log, and can be looked for there.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Iterable, Mapping
from typing import Self

import msgspec

from moot.engine.files import Files, Lookups
from moot.engine.live import LiveDebate
from moot.models.port import TellsHold
from moot.protocol import events as e
from moot.protocol.deciding import INTERNAL
from moot.protocol.steps import Step
from moot.protocol.values import Message, Participant, Sampling
from moot.store.rows import is_storable
from moot.telemetry.port import NO_STEP, StepTrace

HELD_TOLD_S = 1.0
"""How long a call must have waited in line before people are told, and how often they are told."""

ON_THE_WAY = (e.AttemptFailed, e.ToolUsed)
"""What a step reports before it is over."""

Told = e.TurnRecorded | e.StepFailed | e.AttemptFailed | e.ToolUsed


class Phase(enum.Enum):
    """How far a step in flight is with the call that it makes."""

    WAITING = "waiting"
    """No call is under way: it waits in line, for a time, or for a provider to come back."""
    CALLING = "calling"
    """A model is at work on it."""
    HOLDING = "holding"
    """A reply has come, and nobody else knows of it yet: to give up now would lose it."""
    TOLD = "told"
    """The reply is on its way into the log, and another call is to follow."""


class Work(msgspec.Struct, kw_only=True):
    """A step made ready to be performed: all it takes from the state, taken at one moment."""

    live: LiveDebate
    step: Step
    model: str
    wished: Sampling
    sampling: Sampling
    """What is sent: the wishes, and for judges a default where nobody wished for anything."""
    prompt: str
    messages: list[Message]
    max_tokens: int | None
    deadline_s: float
    patience_s: float
    failed: list[e.AttemptFailed]
    flags: list[str]
    files: Files
    used: list[e.ToolUsed]
    prompted: int
    """How many of the messages come first, up to the prompt; the others belong to this step."""
    stage_seq: int
    name: str
    thoughts: list[str]
    """What its author thought before it looked something up."""
    roster: Mapping[str, Participant] = {}
    lookups: Lookups | None = None
    trace: StepTrace = NO_STEP
    phase: Phase = Phase.WAITING


class Holding:
    """Tells viewers while a call waits in line because of a rate limit; a context manager.

    Not at once: most waits are over before anybody could read of them.
    """

    def __init__(self, work: Work, models: TellsHold | None) -> None:
        self._work = work
        self._models = models
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        self.look_after(HELD_TOLD_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._cancel()

    def look_after(self, seconds: float) -> None:
        self._cancel()
        if self._models is not None and self._work.live.viewers:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._look, self._models)

    def end(self) -> None:
        self._cancel()
        self._work.live.writing.go_on(self._work.step)

    def _look(self, models: TellsHold) -> None:
        left_s = models.expected_s(self._work.model)
        if left_s > 0:
            self._work.live.hold(self._work.step, self._work.model, left_s)
        self.look_after(HELD_TOLD_S)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


# --- what a step reports, on its way into the log -------------------------------------------------


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
    is_spoilt: bool = False
    """Whether it is a turn that cannot be recorded as one, though it was paid for."""

    @property
    def is_last(self) -> bool:
        """Whether the step has nothing more to report."""
        return not isinstance(self.event, ON_THE_WAY)

    def look_for(self, log: Mapping[int, e.Recorded]) -> None:
        """Find out whether it is in the log after all; `log` has the events by number."""
        self.is_in_log |= any(one.seq in log and _is_same(log[one.seq], one) for one in self.tried)

    def spoil(self, *, is_certain: bool) -> None:
        """Have it recorded as what was bought and no more, if it cannot be recorded as it is."""
        if not is_storable(self.event):
            self.is_spoilt, self.tried = True, []  # so it is not in the log
        elif is_certain:
            self.is_spoilt = True

    def through(self) -> None:
        """Let whoever waits for it go on: it is in the log, or was dropped."""
        if self.recorded is not None and not self.recorded.done():
            self.recorded.set_result(None)


def first_tried(results: Iterable[Result]) -> int | None:
    """The lowest number under which one of these may be in the log; None if none was tried."""
    return min((one.seq for result in results for one in result.tried), default=None)


def as_dropped(turn: e.TurnRecorded) -> e.AttemptFailed:
    """The event for a turn that came too late to count, but was paid for."""
    return _as_bought(turn, "dropped", "the debate had moved on when the reply came")


def as_spoilt(turn: e.TurnRecorded) -> e.AttemptFailed:
    """The event for a turn that the format made of a reply, and that cannot be recorded."""
    content: object = turn.content  # whatever the format made of it
    text = str(content).replace("\0", "").encode("utf-8", "replace").decode()
    turn = msgspec.structs.replace(turn, content=text)
    return _as_bought(turn, INTERNAL, "what the format made of the reply cannot be recorded")


def _as_bought(turn: e.TurnRecorded, code: str, error: str) -> e.AttemptFailed:
    return e.AttemptFailed(
        attempt_of=turn.step_key,
        attempt=turn.attempts,
        code=code,
        error=error,
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
