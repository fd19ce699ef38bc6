"""`/v1/responses` with the real client: streamed, in the background, asked on, called off."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import openai
import pytest
from openai.types.responses import Response
from tests.unit.api.v1.desk import QUESTION, Gated, by_label, desk

from moot.errors import ModelRefused
from moot.protocol.words import Status
from moot.testing.scripted import ScriptedModel

ASKED = json.dumps({"questions": ["Which editor?"]})
TOOL = {"type": "function", "name": "f", "parameters": {}}


async def test_an_answer_is_a_response(tmp_path: Path) -> None:
    async with desk(tmp_path, listens=True) as at:
        raw = await at.ask({"model": "quick", "input": QUESTION}, "/v1/responses")
        found = Response.model_validate(raw.json())
        assert (found.status, found.object, found.model) == ("completed", "response", "moot/quick")
        assert "moot/quick" in found.output_text
        assert [one.type for one in found.output] == ["reasoning", "message"]
        assert found.usage is not None
        assert found.usage.total_tokens == found.usage.input_tokens + found.usage.output_tokens
        again = await at.client().responses.retrieve(found.id)
        assert again.output_text.partition("---")[0] == found.output_text.partition("---")[0]
        assert again.moot["debate"] == raw.json()["moot"]["debate"]


async def test_a_stream_of_events_amounts_to_the_response(tmp_path: Path) -> None:
    async with desk(tmp_path, listens=True) as at:
        items: list[Any] = [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": [{"type": "input_text", "text": "One?"}]},
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "1"}],
            },
            {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c"},
            {"type": "function_call_output", "call_id": "c", "output": "42"},
            {"role": "user", "content": QUESTION},
        ]
        client = at.client()
        async with client.responses.stream(
            model="quick", input=items, instructions="In French.", tools=[TOOL]
        ) as stream:
            events = [one async for one in stream]
            final = await stream.get_final_response()
        numbers = [one.sequence_number for one in events]
        assert numbers == sorted(numbers)
        kinds = [one.type for one in events]
        assert kinds[:2] == ["response.created", "response.in_progress"]
        assert kinds[-1] == "response.completed"
        text = "".join(one.delta for one in events if one.type == "response.output_text.delta")
        assert text == final.output_text
        state = await at.on.service.state((await at.debates())[0])
        (attachment,) = state.config.attachments
        files = await at.on.service.files((await at.debates())[0])
        read = files[attachment.sha256]
        for part in ("In French.", "Be brief.", "[user]: One?", "[tool]: 42", "f({})"):
            assert part in read
        after = await at.client().responses.retrieve(final.id, stream=True, starting_after=5)
        assert [one.sequence_number async for one in after][:2] == [6, 7]


async def test_in_the_background_nobody_waits(tmp_path: Path) -> None:
    model = Gated()
    async with desk(tmp_path, model, listens=True) as at:
        client = at.client()
        begun = await client.responses.create(model="quick", input=QUESTION, background=True)
        assert (begun.status, begun.output) == ("queued", [])
        looked = await client.responses.retrieve(begun.id)
        assert looked.status == "in_progress"
        assert await at.on.service.asked.unattended() == []
        model.open()
        debate = begun.id.removeprefix("resp_")
        await at.on.until(debate, "completed")
        done = await client.responses.retrieve(begun.id)
        assert done.status == "completed"
        assert "moot/quick" in done.output_text
        kept = await at.ask(
            {"model": "quick", "input": QUESTION, "background": True},
            "/v1/responses",
            authorization="Bearer sk-a-client-of-ours",
            x_stainless_retry_count="1",
        )
        assert kept.json()["id"] == begun.id


async def test_a_response_is_asked_on(tmp_path: Path) -> None:
    async with desk(tmp_path, listens=True) as at:
        client = at.client()
        first = await client.responses.create(model="quick", input=QUESTION)
        second = await client.responses.create(
            model="quick", input="And why?", previous_response_id=first.id
        )
        assert second.previous_response_id == first.id
        state = await at.on.service.state(second.id.removeprefix("resp_"))
        assert state.config.follows == first.id.removeprefix("resp_")
        assert [one.name for one in state.config.attachments] == ["earlier.md"]
        for wrong in ("resp_nothing", "nothing", f"resp_{await at.on.create()}"):
            with pytest.raises(openai.BadRequestError) as caught:
                await client.responses.create(
                    model="quick", input="Why?", previous_response_id=wrong
                )
            assert caught.value.code == "previous_response_not_found"
            assert caught.value.param == "previous_response_id"
        with pytest.raises(openai.BadRequestError, match="is not kept here") as caught:
            await client.responses.create(model="quick", input="Why?", conversation="conv_1")
        assert caught.value.param == "conversation"


async def test_an_answer_to_questions_goes_to_the_same_debate(tmp_path: Path) -> None:
    model = ScriptedModel(by_label(ada__ask=ASKED, bo__ask='{"questions": []}'))
    async with desk(tmp_path, model, listens=True) as at:
        client = at.client()
        asked = await client.responses.create(model="asking", input=QUESTION)
        assert "Which editor?" in asked.output_text
        done = await client.responses.create(
            model="asking", input="Emacs.", previous_response_id=asked.id
        )
        assert (done.id, done.moot["status"]) == (asked.id, "completed")
        assert len(await at.debates()) == 1


async def test_what_runs_is_called_off(tmp_path: Path) -> None:
    model = Gated()
    async with desk(tmp_path, model, listens=True) as at:
        client = at.client()
        begun = await client.responses.create(model="quick", input=QUESTION, background=True)
        assert (await client.responses.cancel(begun.id)).status == "cancelled"
        assert (await client.responses.cancel(begun.id)).status == "cancelled"
        status = (await at.on.service.summary(begun.id.removeprefix("resp_"))).status
        assert status is Status.CANCELED
        model.open()
        done = await client.responses.create(model="quick", input="Another?")
        assert (await client.responses.cancel(done.id)).status == "completed"
        for call in (client.responses.cancel, client.responses.retrieve):
            with pytest.raises(openai.NotFoundError):
                await call("resp_nothing")


async def test_a_failure_is_told(tmp_path: Path) -> None:
    model = ScriptedModel(by_label(speak=ModelRefused("no such luck")))
    async with desk(tmp_path, model, listens=True) as at:
        client = at.client()
        with pytest.raises(openai.InternalServerError) as caught:
            await client.responses.create(model="quick", input=QUESTION)
        assert caught.value.code == "debate_failed"
        stream = await client.responses.create(model="quick", input=QUESTION, stream=True)
        *_, last = [one async for one in stream]
        assert last.type == "response.failed"
        assert "no such luck" in last.response.error.message
        found = await client.responses.retrieve(last.response.id)
        assert (found.status, "no such luck" in found.error.message) == ("failed", True)
        assert (await at.on.service.summary((await at.debates())[0])).status is Status.FAILED


async def test_what_cannot_be_used_is_400(tmp_path: Path) -> None:
    rows: list[tuple[dict[str, Any], str]] = [
        ({"input": 3}, "input"),
        ({"input": ""}, "input"),
        ({"input": []}, "input"),
        (
            {"input": [{"role": "user", "content": [{"type": "input_image"}]}]},
            "input[0].content[0]",
        ),
        ({"input": [{"role": "x", "content": ""}]}, "input[0].role"),
        ({"tools": [TOOL], "tool_choice": "required"}, "tool_choice"),
        ({"max_output_tokens": 0}, "max_output_tokens"),
        ({"background": True, "text": {"format": {"type": "json_object"}}}, "text.format"),
    ]
    async with desk(tmp_path) as at:
        for change, param in rows:
            answer = await at.ask({"model": "quick", "input": "?", **change}, "/v1/responses")
            assert (answer.status_code, answer.json()["error"]["param"]) == (400, param), change
        assert await at.debates() == []


async def test_a_cut_answer_is_incomplete(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        body = {"model": "duel", "input": QUESTION, "max_output_tokens": 66}
        found = (await at.ask(body, "/v1/responses")).json()
        assert found["status"] == "incomplete"
        assert found["incomplete_details"] == {"reason": "max_output_tokens"}
        late = await at.ask({**body, "background": True}, "/v1/responses")
        assert late.headers["x-moot-ignored"] == "max_output_tokens"


async def test_two_at_once_are_one(tmp_path: Path) -> None:
    model = Gated()
    async with desk(tmp_path, model) as at:
        body = {"model": "quick", "input": QUESTION}
        both = asyncio.gather(*(at.ask(body, "/v1/responses") for _ in range(5)))
        await asyncio.sleep(0)
        model.open()
        found = {one.json()["id"] for one in await both}
        assert len(found) == len(await at.debates())
