"""What the engine tells about its work. These classes do nothing with it: tracing is off.

A debate is traced as debate, stage, step, call and tool. None of these methods may raise or wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from moot.models.port import AttemptNotice, ChatReply, ChatRequest
from moot.protocol.events import Recorded, StepFailed, ToolUsed, TurnRecorded
from moot.protocol.state import DebateState
from moot.protocol.steps import Step


class _Scope:
    """Something with a beginning and an end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """The scope has ended, with an error or without."""


class CallTrace(_Scope):
    """One call to a model, with all its tries."""

    def failed(self, notice: AttemptNotice) -> None:
        """A try came to nothing."""

    def replied(self, reply: ChatReply) -> None:
        """The model has answered."""


class StepTrace(_Scope):
    """One step, from its beginning in this process to its end."""

    def call(self, model: str, request: ChatRequest) -> CallTrace:
        """A call is about to be made; `model` is `provider:name`."""
        del model, request
        return NO_CALL

    def used(self, use: ToolUsed, result: str) -> None:
        """A tool was used, just now."""

    def ended(self, event: TurnRecorded | StepFailed) -> None:
        """What became of the step."""


class DebateTrace:
    """One debate, for as long as a runner has it."""

    def recorded(self, records: Sequence[Recorded], state: DebateState) -> None:
        """These events are in the log, and `state` knows them; told twice, they count once."""


class Tracing:
    """Where traces begin."""

    def debate(self, debate_id: str, stage: Recorded | None, seq: int) -> DebateTrace:
        """A runner has taken up a debate whose log ends with event `seq`.

        `stage` is the event that entered the stage it is in, if it is in one.
        """
        del debate_id, stage, seq
        return NO_DEBATE

    def step(self, debate_id: str, stage_seq: int, step: Step, name: str) -> StepTrace:
        """A step of the stage that event `stage_seq` entered begins; `name` is who performs it."""
        del debate_id, stage_seq, step, name
        return NO_STEP

    async def close(self) -> None:
        """Send what has not been sent, and wait for that for a few seconds at most."""


NO_CALL, NO_STEP, NO_DEBATE = CallTrace(), StepTrace(), DebateTrace()
OFF = Tracing()
