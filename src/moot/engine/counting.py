"""What this process has done so far: the figures of `/metrics` that only it knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from moot.errors import RateLimited
from moot.protocol.events import AttemptFailed, Recorded, StepFailed, ToolUsed, TurnRecorded
from moot.protocol.values import Usage

COUNTED = {
    "steps": "Steps whose turn was recorded.",
    "calls": "Calls to models that were answered or failed.",
    "failed_attempts": "Attempts at a step that failed.",
    "retries": "Failed attempts that are made again after a pause.",
    "holds": "Attempts refused by a provider's rate limit, which are made again.",
    "quarantine_deaths": "Processes that died while running a debate in quarantine.",
    "tools_used": "Times a model looked something up in a debate's files.",
    "failed_steps": "Steps that were given up.",
    "input_tokens": "Tokens sent to models.",
    "output_tokens": "Tokens written by models, thoughts included.",
    "thought_tokens": "Tokens that models thought before they answered.",
}
"""What is counted, and what it means."""


class Counts(Counter[str]):
    """Counts that only ever grow. `count` takes what this process has appended."""

    def __init__(self) -> None:
        super().__init__(dict.fromkeys(COUNTED, 0))

    def count(self, records: Iterable[Recorded]) -> None:
        for record in records:
            match record.event:
                case TurnRecorded() as turn:
                    self["steps"] += 1
                    self._count_call(turn.usage, is_call=bool(turn.model))
                case AttemptFailed(code=code, usage=usage, retry_in_s=pause_s):
                    self["failed_attempts"] += 1
                    self["retries"] += pause_s is not None
                    self["holds"] += pause_s is not None and code == RateLimited.code
                    self._count_call(usage, is_call=True)
                case ToolUsed(model=model, usage=usage):
                    self["tools_used"] += 1
                    self._count_call(usage, is_call=bool(model))
                case StepFailed():
                    self["failed_steps"] += 1
                case _:
                    pass

    def _count_call(self, usage: Usage, *, is_call: bool) -> None:
        self["calls"] += is_call
        self["input_tokens"] += usage.input_tokens
        self["output_tokens"] += usage.output_tokens
        self["thought_tokens"] += usage.thought_tokens
