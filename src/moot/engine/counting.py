"""A feed that counts what passes: the figures of `/metrics` that only this process knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from moot.engine.feed import Feed
from moot.protocol.events import AttemptFailed, Recorded, StepFailed, ToolUsed, TurnRecorded
from moot.protocol.values import Usage

COUNTED = {
    "steps": "Steps whose turn was recorded.",
    "calls": "Calls to models that were answered or failed.",
    "failed_attempts": "Tries of a step that came to nothing.",
    "tools_used": "Times a model looked something up in a debate's files.",
    "failed_steps": "Steps that were given up.",
    "input_tokens": "Tokens sent to models.",
    "output_tokens": "Tokens written by models.",
}
"""What is counted, and what it means."""


class CountingFeed(Feed):
    """Use it in place of `Feed`; `counts` only ever grow."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter(dict.fromkeys(COUNTED, 0))

    def publish(self, debate_id: str, records: Sequence[Recorded]) -> None:
        for record in records:
            match record.event:
                case TurnRecorded(model=model, usage=usage):
                    self.counts["steps"] += 1
                    self._count_call(usage, is_call=bool(model))
                case AttemptFailed(usage=usage):
                    self.counts["failed_attempts"] += 1
                    self._count_call(usage, is_call=True)
                case ToolUsed(model=model, usage=usage):
                    self.counts["tools_used"] += 1
                    self._count_call(usage, is_call=bool(model))
                case StepFailed():
                    self.counts["failed_steps"] += 1
                case _:
                    pass
        super().publish(debate_id, records)

    def _count_call(self, usage: Usage, *, is_call: bool) -> None:
        self.counts["calls"] += is_call
        self.counts["input_tokens"] += usage.input_tokens
        self.counts["output_tokens"] += usage.output_tokens
