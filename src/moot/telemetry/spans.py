"""Traces as OpenTelemetry spans, sent to the collector that the standard variables name.

Steps, calls and tools are written when they end. Debates and stages may outlive any process, so
they are written from the log when they are over, by the process that runs them then.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Sequence
from datetime import datetime
from types import TracebackType
from typing import Any

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace import (
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    Tracer,
    set_span_in_context,
)

from moot.models.port import AttemptNotice, ChatReply, ChatRequest
from moot.protocol.events import (
    DebateCanceled,
    DebateCompleted,
    Recorded,
    StageEntered,
    StepFailed,
    ToolUsed,
    TurnRecorded,
)
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.telemetry import attributes
from moot.telemetry.port import NO_DEBATE, NO_STEP, CallTrace, DebateTrace, StepTrace, Tracing

LAST_WAIT_S = 5.0
"""How long the end of the process may wait for a collector."""


# --- ids ------------------------------------------------------------------------------------------
#
# They follow from the debate's id, so that whichever process goes on with it adds to the same
# trace. A debate and its stages may begin in one process and end in another, which then writes
# their span; steps in both refer to it by an id that each process can work out.


def trace_id(debate_id: str) -> int:
    return _number(f"moot/{debate_id}", 16)


def debate_span(debate_id: str) -> int:
    return _number(f"moot/{debate_id}/debate", 8)


def stage_span(debate_id: str, seq: int) -> int:
    """The span of the stage that event `seq` entered; the debate's own before the first."""
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


# --- spans ----------------------------------------------------------------------------------------


class SpanTracing(Tracing):
    def __init__(
        self, provider: TracerProvider, exporter: OTLPSpanExporter, planted: PlantedIds, *,
        has_content: bool, version: str,
    ) -> None:  # fmt: skip
        self._provider = provider
        self._exporter = exporter
        self._tracer = provider.get_tracer("moot", version)
        self._planted = planted
        self._has_content = has_content

    @classmethod
    def open(cls, *, has_content: bool, version: str) -> SpanTracing:
        planted = PlantedIds()
        resource = Resource.create()
        if str(resource.attributes.get(SERVICE_NAME, "")).startswith("unknown_service"):
            resource = resource.merge(Resource({SERVICE_NAME: "moot"}))
        provider = TracerProvider(resource=resource, id_generator=planted, shutdown_on_exit=False)
        exporter = OTLPSpanExporter()
        provider.add_span_processor(BatchSpanProcessor(exporter))
        return cls(provider, exporter, planted, has_content=has_content, version=version)

    def debate(self, debate_id: str, stage: Recorded | None, seq: int) -> DebateTrace:
        if not self._is_sampled(debate_id):
            return NO_DEBATE
        has_topic = self._has_content
        return _DebateTrace(self._tracer, self._planted, debate_id, stage, seq, has_topic=has_topic)

    def step(self, debate_id: str, stage_seq: int, step: Step, name: str) -> StepTrace:
        if not self._is_sampled(debate_id):
            return NO_STEP
        span = self._tracer.start_span(
            f"invoke_agent {name}",
            context=_below(debate_id, stage_span(debate_id, stage_seq)),
            attributes=attributes.of_step(debate_id, step, name),
        )
        return _StepTrace(self._tracer, span, has_content=self._has_content)

    async def close(self) -> None:
        flushing = asyncio.create_task(asyncio.to_thread(self._provider.force_flush))
        await asyncio.wait([flushing], timeout=LAST_WAIT_S)
        # Ends the tries of what is still being sent, so that nobody waits for a dead collector.
        await asyncio.to_thread(self._exporter.shutdown)
        await asyncio.gather(flushing, return_exceptions=True)
        await asyncio.to_thread(self._provider.shutdown)

    def _is_sampled(self, debate_id: str) -> bool:
        """Decided by the trace's id, so that all processes decide alike."""
        sampler = self._provider.sampler
        result = sampler.should_sample(Context(), trace_id(debate_id), "debate")
        return result.decision is Decision.RECORD_AND_SAMPLE


class _DebateTrace(DebateTrace):
    def __init__(
        self,
        tracer: Tracer,
        planted: PlantedIds,
        debate_id: str,
        stage: Recorded | None,
        seq: int,
        *,
        has_topic: bool,
    ) -> None:
        self._tracer = tracer
        self._planted = planted
        self._id = debate_id
        self._has_topic = has_topic
        self._stage = stage
        self._seen = seq

    def recorded(self, records: Sequence[Recorded], state: DebateState) -> None:
        for record in records:
            if record.seq <= self._seen:
                continue
            self._seen = record.seq
            if isinstance(record.event, StageEntered):
                self._leave_stage(record.at)
                self._stage = record
            elif isinstance(record.event, DebateCompleted | DebateCanceled):
                self._leave_stage(record.at)
                self._write_debate(state, record.at)

    def _leave_stage(self, at: datetime) -> None:
        record, self._stage = self._stage, None
        if record is None or not isinstance(record.event, StageEntered):
            return
        stage = record.event
        self._planted.plant(span=stage_span(self._id, record.seq))
        span = self._tracer.start_span(
            f"stage {stage.stage}",
            context=_below(self._id, debate_span(self._id)),
            attributes=attributes.of_stage(self._id, stage.stage, stage.round),
            start_time=_nanoseconds(record.at),
        )
        span.end(_nanoseconds(at))

    def _write_debate(self, state: DebateState, at: datetime) -> None:
        found = attributes.of_debate(self._id, state)
        if self._has_topic:
            found["moot.topic"] = state.config.topic
        self._planted.plant(span=debate_span(self._id), trace=trace_id(self._id))
        span = self._tracer.start_span(
            f"invoke_workflow {state.config.format}",
            context=Context(),
            attributes=found,
            start_time=_nanoseconds(state.created_at),
        )
        span.end(_nanoseconds(at))


class _StepTrace(StepTrace):
    def __init__(self, tracer: Tracer, span: Span, *, has_content: bool) -> None:
        self._tracer = tracer
        self._span = span
        self._context = set_span_in_context(span, Context())
        self._has_content = has_content

    def call(self, model: str, request: ChatRequest) -> CallTrace:
        found = attributes.of_call(model, request)
        span = self._tracer.start_span(
            f"chat {found['gen_ai.request.model']}",
            context=self._context,
            kind=SpanKind.CLIENT,
            attributes=found | (attributes.sent(request) if self._has_content else {}),
        )
        return _CallTrace(span, has_content=self._has_content)

    def used(self, use: ToolUsed, result: str) -> None:
        now = time.time_ns()
        found = attributes.of_tool(use)
        span = self._tracer.start_span(
            f"execute_tool {use.tool}",
            context=self._context,
            attributes=found | (attributes.looked_up(use, result) if self._has_content else {}),
            start_time=now - use.duration_ms * 1_000_000,
        )
        if use.is_error:
            _fail(span, "tool_misused")
        span.end(now)

    def ended(self, event: TurnRecorded | StepFailed) -> None:
        if isinstance(event, StepFailed):
            _fail(self._span, event.code)
        self._span.set_attribute("moot.attempts", event.attempts)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _end(self._span, error)


class _CallTrace(CallTrace):
    def __init__(self, span: Span, *, has_content: bool) -> None:
        self._span = span
        self._has_content = has_content

    def failed(self, notice: AttemptNotice) -> None:
        told: dict[str, Any] = {"error.type": notice.error.code, "moot.attempt": notice.attempt}
        if notice.retry_in_s is not None:
            told["moot.retry_in_s"] = notice.retry_in_s
        self._span.add_event("moot.attempt_failed", told)

    def replied(self, reply: ChatReply) -> None:
        self._span.set_attributes(attributes.of_reply(reply))
        if self._has_content:
            self._span.set_attributes(attributes.received(reply))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _end(self._span, error)


def _below(debate_id: str, span_id: int) -> Context:
    """The context of spans that belong to one which another process may write."""
    above = SpanContext(
        trace_id=trace_id(debate_id),
        span_id=span_id,
        is_remote=True,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
    )
    return set_span_in_context(NonRecordingSpan(above), Context())


def _end(span: Span, error: BaseException | None) -> None:
    if isinstance(error, asyncio.CancelledError):
        _fail(span, "canceled")
    elif error is not None:
        _fail(span, str(getattr(error, "code", type(error).__name__)))
    span.end()


def _fail(span: Span, code: str) -> None:
    # The code and not the message, in which a provider may quote what it was sent.
    span.set_attribute("error.type", code)
    span.set_status(Status(StatusCode.ERROR, code))


def _nanoseconds(at: datetime) -> int:
    return round(at.timestamp() * 1_000_000) * 1000
