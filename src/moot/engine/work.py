"""A step that is made ready to be performed, how far it is, and whether a rate limit holds it back.

The performer says how far it is; the runner asks, to know what may be dropped, and when.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Mapping
from typing import Self

import msgspec

from moot.engine.files import Files
from moot.engine.live import LiveDebate
from moot.engine.lookups import Lookups
from moot.models.port import TellsHold
from moot.protocol.events import AttemptFailed, ToolUsed
from moot.protocol.steps import Step
from moot.protocol.values import Message, Participant, Sampling
from moot.telemetry.port import NO_STEP, StepTrace

HELD_TOLD_S = 1.0
"""How long a call must have waited in line before people are told, and how often they are told."""


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
    failed: list[AttemptFailed]
    flags: list[str]
    files: Files
    used: list[ToolUsed]
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
