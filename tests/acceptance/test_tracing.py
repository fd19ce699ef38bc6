"""Traces of whole debates, as a collector gets them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.collector import Collector, collecting, plain
from tests.unit.engine.bench import ROSTER

import moot
from moot.errors import InvalidInput, ModelRefused, ModelUnavailable
from moot.library import Debate
from moot.models.port import ChatRequest
from moot.protocol.words import Status
from moot.settings import load_settings
from moot.telemetry import OFF, open_tracing
from moot.testing.scripted import Said, ScriptedModel, ScriptedModels, sensible
from moot.wiring import open_traces

CANARY = "CANARY-TEXT-91ab"
TOPIC = f"Is {CANARY} so?"


@pytest.fixture
async def collector(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Collector]:
    for name in [name for name in os.environ if name.startswith(("OTEL_", "MOOT_"))]:
        monkeypatch.delenv(name)
    with collecting() as found:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", found.url)
        yield found


def said(request: ChatRequest) -> Said:
    reply = sensible(request)
    return reply if request.schema else f"{CANARY} {reply}"


async def held(home: Path, script: Any = said, **settings: Any) -> Debate:
    """A short duel, run as far as it goes."""
    async with moot.open(home=home, models=ScriptedModels(ScriptedModel(script))) as opened:
        given = {"turns": 2, **settings}
        debate = await opened.create(TOPIC, participants=ROSTER, **given)
        async for _ in debate.run():
            pass
    return debate


async def resumed(home: Path, debate: Debate, script: Any = said) -> Debate:
    async with moot.open(home=home, models=ScriptedModels(ScriptedModel(script))) as opened:
        again = await opened.get(debate.id)
        async for _ in again.run():
            pass
    return again


async def test_a_debate_is_one_trace_of_stages_steps_and_calls(
    tmp_path: Path, collector: Collector
) -> None:
    debate = await held(tmp_path)
    spans = collector.spans
    assert collector.paths == {"/v1/traces"}
    assert collector.services == {"moot"}
    assert len({span.trace_id for span in spans}) == 1
    (root,) = (span for span in spans if not span.parent_span_id)
    assert root.name == "invoke_workflow duel"
    stages = {span.span_id: span for span in spans if span.parent_span_id == root.span_id}
    assert {span.name for span in stages.values()} >= {"stage planning", "stage verdict"}
    steps = collector.named("invoke_agent ")
    assert len(steps) == debate.state.calls == 14
    assert all(step.parent_span_id in stages for step in steps)
    calls = collector.named("chat ")
    assert {call.parent_span_id for call in calls} == {step.span_id for step in steps}
    for inner in (*stages.values(), *steps, *calls):
        assert inner.start_time_unix_nano <= inner.end_time_unix_nano


async def test_spans_speak_the_words_of_the_conventions(
    tmp_path: Path, collector: Collector
) -> None:
    debate = await held(tmp_path)
    (root,) = (span for span in collector.spans if not span.parent_span_id)
    told = plain(root.attributes)
    usage = debate.state.usage
    assert told["gen_ai.operation.name"] == "invoke_workflow"
    assert told["gen_ai.conversation.id"] == debate.id
    assert told["gen_ai.usage.output_tokens"] == usage.output_tokens
    assert (told["moot.status"], told["moot.calls"]) == ("completed", 14)
    step = plain(collector.named("invoke_agent Ada")[0].attributes)
    assert (step["gen_ai.agent.id"], step["gen_ai.agent.name"]) == ("ada", "Ada")
    assert step["moot.step.key"].split("/")[2] == "ada"
    call = collector.named("chat judge")[0]
    assert call.kind == 3  # a client's
    told = plain(call.attributes)
    assert told["gen_ai.operation.name"] == "chat"
    assert told["gen_ai.provider.name"] == "scripted"
    assert told["gen_ai.request.model"] == "judge"
    assert told["gen_ai.response.model"] == "scripted:judge"
    assert told["gen_ai.response.finish_reasons"] == ["stop"]
    assert told["gen_ai.request.max_tokens"] > 0
    calls = [plain(one.attributes) for one in collector.named("chat ")]
    assert sum(one["gen_ai.usage.input_tokens"] for one in calls) == usage.input_tokens
    assert sum(one["gen_ai.usage.output_tokens"] for one in calls) == usage.output_tokens


async def test_nothing_that_was_said_is_in_them_unless_asked_for(
    tmp_path: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(request: ChatRequest) -> Said:
        if request.label.endswith("/announce"):
            return ModelRefused(f"what is {CANARY}?")  # providers quote what they were sent
        return said(request)

    await held(tmp_path, refusing)
    assert collector.bodies
    assert not any(CANARY.encode() in body for body in collector.bodies)
    monkeypatch.setenv("MOOT_TRACE_CONTENT", "1")
    await held(tmp_path)
    told = plain(collector.named("chat ")[-1].attributes)
    assert "You are Jo" in told["gen_ai.system_instructions"]
    assert CANARY in told["gen_ai.input.messages"]
    assert '"finish_reason":"stop"' in told["gen_ai.output.messages"]


async def test_a_debate_that_another_process_goes_on_with_stays_one_trace(
    tmp_path: Path, collector: Collector
) -> None:
    def failing(request: ChatRequest) -> Said:
        return ModelRefused("no") if "verdict" in request.label else said(request)

    debate = await held(tmp_path, failing)
    assert debate.status is Status.FAILED
    (failed,) = (one for one in collector.named("invoke_agent ") if one.status.code == 2)
    assert plain(failed.attributes)["error.type"] == "model_refused"
    assert all(span.parent_span_id for span in collector.spans)  # it is not over
    done = await resumed(tmp_path, debate)
    assert done.status is Status.COMPLETED
    spans = collector.spans
    assert len({span.trace_id for span in spans}) == 1
    (root,) = (span for span in spans if not span.parent_span_id)
    stages = [span for span in spans if span.name.startswith("stage ")]
    assert len({span.span_id for span in stages}) == len(stages)
    known = {root.span_id, *(span.span_id for span in spans)}
    assert {span.parent_span_id for span in spans if span.parent_span_id} <= known
    assert failed.parent_span_id in {span.span_id for span in stages}


async def test_tries_that_failed_are_told_with_their_call(
    tmp_path: Path, collector: Collector
) -> None:
    calls = 0

    def shaky(request: ChatRequest) -> Said:
        nonlocal calls
        calls += 1
        return ModelUnavailable("gone") if calls == 1 else said(request)

    await held(tmp_path, shaky)
    (event,) = (event for span in collector.named("chat ") for event in span.events)
    assert event.name == "moot.attempt_failed"
    assert plain(event.attributes)["error.type"] == "model_unavailable"


async def test_what_is_sampled_is_sampled_whole(
    tmp_path: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0")
    await held(tmp_path)
    assert collector.spans == []
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "1")
    await held(tmp_path)
    assert len(collector.named("chat ")) == 14


async def test_a_collector_that_is_gone_stops_no_debate(
    tmp_path: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    assert (await held(tmp_path)).status is Status.COMPLETED
    assert collector.bodies == []


# --- when nobody asks for it ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"OTEL_SERVICE_NAME": "x"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": " "},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_SDK_DISABLED": "true"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_TRACES_EXPORTER": "none"},
    ],
)
def test_is_off_unless_a_collector_is_named(variables: dict[str, str]) -> None:
    found = open_tracing(variables, wanted=None, has_content=False, version="")
    assert found is OFF


def test_is_off_where_it_is_switched_off(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_TRACING", "0")
    assert open_traces(load_settings()) is OFF


def test_loads_nothing_of_it_while_it_is_off(tmp_path: Path) -> None:
    code = (
        "import sys, moot.wiring, moot.engine.runner\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def test_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "moot.telemetry.spans", None)
    with pytest.raises(InvalidInput, match=r"moot\[tracing\]"):
        open_tracing({}, wanted=True, has_content=False, version="")
    named = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}
    assert open_tracing(named, wanted=None, has_content=False, version="") is OFF
