"""Ids that follow from the debate, so that whichever process goes on with it adds to one trace.

A debate and its stages may begin in one process and end in another, which then writes their span;
steps of both refer to it by an id that each can work out.
"""

from __future__ import annotations

import hashlib

from opentelemetry.sdk.trace.id_generator import RandomIdGenerator


def trace_id(debate_id: str) -> int:
    return _number(f"moot/{debate_id}", 16)


def debate_span(debate_id: str) -> int:
    return _number(f"moot/{debate_id}/debate", 8)


def stage_span(debate_id: str, seq: int) -> int:
    """Of the stage that event `seq` entered; of the debate itself before the first."""
    return _number(f"moot/{debate_id}/stage/{seq}", 8) if seq else debate_span(debate_id)


def _number(text: str, size: int) -> int:
    # Zero is no valid id.
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:size], "big") or 1


class PlantedIds(RandomIdGenerator):
    """Random ids, except for the one span that is about to be made. Not for several threads."""

    def __init__(self) -> None:
        self._trace: int | None = None
        self._span: int | None = None

    def plant(self, *, span: int, trace: int | None = None) -> None:
        self._span, self._trace = span, trace

    def generate_span_id(self) -> int:
        planted, self._span = self._span, None
        return super().generate_span_id() if planted is None else planted

    def generate_trace_id(self) -> int:
        planted, self._trace = self._trace, None
        return super().generate_trace_id() if planted is None else planted
