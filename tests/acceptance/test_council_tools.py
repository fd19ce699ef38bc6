"""A council that was given files, and whose members look into them by tools."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.collector import collecting, plain
from tests.acceptance.test_council import ADA, BO, JO, events_of
from tests.unit.api.serving import Serving, serving
from tests.unit.engine.bench import key_of

import moot
from moot.engine.attaching import File
from moot.engine.creation import NewDebate
from moot.models.port import ChatRequest, ModelFacts
from moot.protocol.values import Participant
from moot.protocol.words import Role, Status
from moot.testing.scripted import Said, ScriptedModel, ScriptedModels, looking_up, sensible

LINES = [f"Line {number} of the plan." for number in range(1, 3001)]
PLAN = "\n".join(LINES)
WITH_TOOLS = ModelFacts(has_schema=True, has_tools=True, context_window=128_000)
LOOKING = ("proposal/", "critique/", "refinement/")


def reading(request: ChatRequest) -> Said:
    """Reads two lines that no prompt quotes before each answer that may be looked up for."""
    if request.may_call and request.tools and request.messages[-1].role != "tool":
        return looking_up("read_file", name="plan.md", from_line=2000, to_line=2001)
    return sensible(request)


async def council(on: Serving, **settings: Any) -> str:
    return await on.create(
        format="council",
        topic="Is the plan sound?",
        settings={"rounds": 1, **settings},
        participants=[ADA, BO, JO],
        attachments=[{"name": "plan.md", "content": PLAN}],
        start=True,
    )


async def test_members_read_a_file_by_tool_before_they_propose_criticise_and_refine(
    tmp_path: Path,
) -> None:
    model = ScriptedModel(reading)
    async with serving(tmp_path, model, facts=WITH_TOOLS) as on:
        debate = await council(on)
        found = await on.until(debate, "completed")
        used = await events_of(on, debate, "ToolUsed")
    looked = [one for one in model.requests if key_of(one).startswith(LOOKING)]
    assert len(looked) == 12  # each of the six twice
    assert found["calls"] == len(model.requests) == 14  # and the judge twice
    told = "2000| Line 2000 of the plan.\n2001| Line 2001 of the plan."
    for request in looked:
        last = request.messages[-1]
        assert last.content == told if last.role == "tool" else last.role == "user"
    assert not any(LINES[1999] in one.messages[0].content for one in model.requests)
    assert [one["tool"] for one in used] == ["read_file"] * 6
    assert {one["result_sha256"] for one in used} == {hashlib.sha256(told.encode()).hexdigest()}
    assert {one["result_chars"] for one in used} == {len(told)}
    sent = sum(turn["meta"]["usage"]["input_tokens"] for turn in await _turns(tmp_path, debate))
    assert found["usage"]["input_tokens"] == sent + sum(
        one["usage"]["input_tokens"] for one in used
    )


async def _turns(path: Path, debate: str) -> Any:
    async with serving(path, worker=False) as on:
        return (await on.get(f"/api/debates/{debate}/turns?private=1"))["items"]


async def test_the_judge_has_no_tools_and_a_model_without_them_gets_the_quotation(
    tmp_path: Path,
) -> None:
    model = ScriptedModel(reading)
    async with serving(tmp_path, model, facts=ModelFacts(has_schema=True)) as on:
        debate = await council(on)
        found = await on.until(debate, "completed")
        assert found["calls"] == len(model.requests) == 7
        assert await events_of(on, debate, "ToolUsed") == []
    assert all("  Line 1 of the plan." in one.messages[0].content for one in model.requests)
    assert all(one.tools == () for one in model.requests)


async def test_a_member_that_never_stops_looking_is_made_to_answer(tmp_path: Path) -> None:
    def curious(request: ChatRequest) -> Said:
        return looking_up("list_files") if request.tools and request.may_call else sensible(request)

    model = ScriptedModel(curious)
    async with serving(tmp_path, model, facts=WITH_TOOLS) as on:
        debate = await council(on, max_tool_calls=3)
        found = await on.until(debate, "completed")
        assert len(await events_of(on, debate, "ToolUsed")) == 6 * 3
    assert found["outcome"]["status"] == "decided"
    assert len(model.requests) == 6 * 4 + 1


async def test_what_the_members_look_up_is_not_shown_to_everybody(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(reading), facts=WITH_TOOLS) as on:
        debate = await council(on)
        await on.until(debate, "completed")
        async with on.stream(debate) as stream:
            public = [one.data for one in await stream.events() if one.event == "ToolUsed"]
    assert {one["tool"] for one in public} == {"read_file"}
    assert {one["arguments"] for one in public} == {None}


async def test_a_council_without_files_is_offered_no_tools(tmp_path: Path) -> None:
    model = ScriptedModel(reading)
    async with serving(tmp_path, model, facts=WITH_TOOLS) as on:
        debate = await on.create(
            format="council", settings={"rounds": 1}, participants=[ADA, BO, JO], start=True
        )
        await on.until(debate, "completed")
    assert all(one.tools == () for one in model.requests)


async def test_tools_are_spans_below_their_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    roster = (
        *(Participant(id=one, name=one.title(), role=Role.MEMBER) for one in ("ada", "bo")),
        Participant(id="jo", name="Jo", role=Role.JUDGE),
    )
    new = NewDebate(
        topic="Is the plan sound?",
        format="council",
        settings={"rounds": 1},
        participants=roster,
        files=(File("plan.md", PLAN),),
    )
    models = ScriptedModels(ScriptedModel(reading), facts=WITH_TOOLS)
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        async with moot.open(home=tmp_path, models=models) as opened:
            debate = await opened.service.create(new)
            state = await opened.service.run(debate)
        assert state.status is Status.COMPLETED
        tools = collector.named("execute_tool read_file")
        steps = {span.span_id for span in collector.named("invoke_agent ")}
    assert len(tools) == 6
    assert {span.parent_span_id for span in tools} <= steps
    told = plain(tools[0].attributes)
    assert told["gen_ai.operation.name"] == "execute_tool"
    assert told["gen_ai.tool.name"] == "read_file"
    assert "gen_ai.tool.call.arguments" not in told
