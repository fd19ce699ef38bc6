"""`POST /v1/chat/completions` with the real client: what a model would give, a panel gives."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

import msgspec
import openai
import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from tests.unit.api.serving import serving
from tests.unit.api.v1.desk import QUESTION, QUICK, USER, Desk, by_label, desk, frames, told

from moot.api import ApiLimits
from moot.errors import ModelRefused
from moot.models.port import ChatRequest
from moot.testing.scripted import Said, ScriptedModel, sensible

TOOL = {"type": "function", "function": {"name": "f", "parameters": {}}}
LIMITED = QUICK.replace("name: quick", "name: capped") + "limits: {max_runtime_seconds: 1}\n"


def panel(name: str, **keys: Any) -> str:
    lines = "".join(f"{key}: {value}\n" for key, value in keys.items())
    return QUICK.replace("name: quick", f"name: {name}") + lines


async def read(streaming: Any) -> list[Any]:
    return [one async for one in await streaming]


async def text_of(at: Desk, **body: Any) -> str:
    answer = (await at.chat(**body)).json()
    return str(answer["choices"][0]["message"]["content"])


BENCHED = QUICK.replace("name: quick", "name: benched").replace(
    "{turns: 1}", "{turns: 2, bench: ['lab:one', 'lab:two', 'lab:three'], hearing: adaptive}"
)


def _ballot(request: ChatRequest) -> Said:
    """As always, but ballots are for whoever spoke first."""
    asked = request.messages[-1].content
    if '"margin"' not in asked:
        return sensible(request)
    first = re.search(r"^\[(\w)\]: ", asked, re.MULTILINE)
    assert first is not None
    return json.dumps({"reasons": "It was never met.", "winner": first[1], "margin": 1})


async def test_an_answer_carries_what_a_bench_said(tmp_path: Path) -> None:
    async with desk(tmp_path, ScriptedModel(_ballot), panels={"benched": BENCHED}) as at:
        plain = (await at.chat()).json()
        assert plain["moot"]["certificate"] is None
        answer = (await at.chat(model="moot/benched")).json()
        found = answer["moot"]["certificate"]
        assert (found["status"], found["winner"]) == ("stable", "Ada")
        assert (found["headline"], found["votes"], found["ballots"]) == ("Stable: Ada", 6, 6)
        assert "by 3 judges" in found["lines"][0]
        assert "does not say that the bench is right" in found["lines"][-1]
        text = answer["choices"][0]["message"]["content"]
        assert "Certificate: Stable: Ada (6 of 6 ballots). " in text.splitlines()[-1]


async def test_an_answer_is_a_completion(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        raw = (await at.chat()).json()
        found = ChatCompletion.model_validate(raw, strict=False)
        (choice,) = found.choices
        assert (found.object, found.model, choice.finish_reason) == (
            "chat.completion",
            "moot/quick",
            "stop",
        )
        assert "wins" in (choice.message.content or "") or "named" in (choice.message.content or "")
        assert found.usage is not None
        assert found.usage.total_tokens == found.usage.prompt_tokens + found.usage.completion_tokens
        (debate,) = await at.debates()
        assert raw["moot"]["debate"] == debate
        assert raw["moot"]["status"] == "completed"
        assert raw["moot"]["certificate"] is None
        assert f"/debates/{debate}" in (choice.message.content or "")
        thought = raw["choices"][0]["message"]["reasoning_content"]
        assert "Ada speaks: " in thought
        assert "Ada plans." in thought


async def test_usage_is_the_sum_of_all_calls(tmp_path: Path) -> None:
    async with desk(tmp_path, panels={"seen": panel("seen", usage="visible")}) as at:
        raw = (await at.chat()).json()
        row = await at.on.service.summary(raw["moot"]["debate"])
        assert raw["usage"]["prompt_tokens"] == row.input_tokens
        assert raw["usage"]["completion_tokens"] == row.output_tokens
        by_model = raw["moot"]["usage_by_model"]
        assert set(by_model) == {"scripted:debater", "scripted:judge"}
        assert sum(one["input_tokens"] for one in by_model.values()) == row.input_tokens
        seen = (await at.chat(model="seen")).json()
        assert seen["usage"]["prompt_tokens"] == -(-len(QUESTION) // 4)
        assert seen["usage"]["completion_tokens"] < raw["usage"]["completion_tokens"]
        assert seen["moot"]["usage_by_model"]["scripted:judge"]["input_tokens"] > 100


async def test_a_stream_has_every_chunk_in_its_place(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        answer = await at.chat(stream=True, stream_options={"include_usage": True})
        assert answer.headers["content-type"].startswith("text/event-stream")
        *chunks, done = frames(answer.text)
        assert done == "[DONE]"
        for one in chunks:
            ChatCompletionChunk.model_validate(one)
        assert len({one["id"] for one in chunks}) == 1
        assert chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
        *_, last, used = chunks
        assert last["choices"][0]["finish_reason"] == "stop"
        assert (used["choices"], used["usage"]["prompt_tokens"] > 0) == ([], True)
        assert all(one["usage"] is None for one in chunks[:-1])
        assert used["moot"]["status"] == "completed"
        contents = [
            n for n, one in enumerate(chunks[:-1]) if one["choices"][0]["delta"].get("content")
        ]
        thoughts = [
            n
            for n, one in enumerate(chunks[:-1])
            if "reasoning_content" in one["choices"][0]["delta"]
        ]
        assert len(contents) > 3
        assert max(thoughts) < min(contents)


async def test_streamed_and_whole_are_the_same(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        whole = (await at.chat(moot={"foot": False})).json()["choices"][0]["message"]
        chunks = frames((await at.chat(stream=True, moot={"foot": False})).text)
        assert told(chunks) == whole["content"]
        assert "usage" not in chunks[0]
        thought = told(chunks, "reasoning_content")
        assert thought.strip() == whole["reasoning_content"]


async def test_the_real_clients_read_it(tmp_path: Path) -> None:
    async with desk(tmp_path, listens=True) as at:

        def ask() -> tuple[str, str]:
            with at.blocking() as client:
                whole = client.chat.completions.create(model="moot-quick", messages=USER)
                stream = client.chat.completions.create(
                    model="moot/quick", messages=USER, stream=True
                )
                deltas = [one.choices[0].delta for one in stream if one.choices]
                thought = "".join(getattr(one, "reasoning_content", None) or "" for one in deltas)
                assert "Bob plans." in thought
                return whole.choices[0].message.content, "".join(
                    one.content or "" for one in deltas
                )

        whole, streamed = await asyncio.to_thread(ask)
        assert whole.partition("---")[0] == streamed.partition("---")[0]
        async with at.client() as client:
            stream = await client.chat.completions.create(
                model="quick",
                messages=USER,
                stream=True,
                stream_options={"include_usage": True},
            )
            seen = [one async for one in stream]
            assert seen[-1].usage is not None
            assert seen[-1].usage.total_tokens > 0


async def test_the_field_of_thoughts_is_the_panels(tmp_path: Path) -> None:
    panels = {
        "new": panel("new", thinking_field="reasoning"),
        "off": panel("off", thinking="off"),
        "text": panel("text", thinking="text"),
    }
    async with desk(tmp_path, panels=panels) as at:
        new = frames((await at.chat(model="new", stream=True)).text)
        assert "Ada plans." in told(new, "reasoning")
        assert told(new, "reasoning_content") == ""
        off = await at.chat(model="off", stream=True)
        assert told(frames(off.text), "reasoning_content") == ""
        whole = (await at.chat(model="off")).json()["choices"][0]["message"]
        assert "reasoning_content" not in whole
        text = told(frames((await at.chat(model="text", stream=True)).text), "reasoning_content")
        state = await at.on.service.state((await at.debates())[0])
        public = [t.said.content for t in state.transcript() if t.said.visibility.value == "public"]
        private = [
            t.said.content for t in state.transcript() if t.said.visibility.value != "public"
        ]
        assert public
        assert all(one in text for one in public)
        assert not any(one in text for one in private if len(one) > 50)


async def test_text_parts_and_unicode_arrive(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        parts = [
            {"type": "text", "text": "Größe? 🦉"},
            {"type": "text", "text": "مرحبا \u2028 世界"},
        ]
        answer = await at.chat(messages=[{"role": "user", "content": parts}], stream=True)
        assert frames(answer.text)[-1] == "[DONE]"
        state = await at.on.service.state((await at.debates())[0])
        assert f"{parts[0]['text']}\n{parts[1]['text'][:5]}" in state.config.topic
        assert "世界" in state.config.topic


async def test_max_tokens_and_stop_are_of_the_answer(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        whole = await text_of(at, moot={"foot": False})
        short = (await at.chat(max_tokens=65)).json()["choices"][0]
        assert short["finish_reason"] in ("length", "stop")
        assert len(short["message"]["content"]) <= 65 * 4 or short["finish_reason"] == "stop"
        cut = (await at.chat(model="duel", max_tokens=10, messages=[*USER, *USER])).json()
        assert cut["choices"][0]["finish_reason"] == "length"
        assert len(cut["choices"][0]["message"]["content"]) <= 40
        word = whole.split()[5]
        stopped = (await at.chat(stop=word)).json()["choices"][0]
        assert stopped["message"]["content"] == whole[: whole.index(word)]
        assert stopped["finish_reason"] == "stop"


async def test_sampling_counts_only_where_the_panel_inherits(tmp_path: Path) -> None:
    async with desk(tmp_path, panels={"kin": panel("kin", inherit="true")}) as at:
        answer = await at.chat(temperature=0.3, top_p=0.9, seed=7)
        assert answer.headers["x-moot-ignored"] == "temperature, top_p"
        state = await at.on.service.state((await at.debates())[0])
        assert state.config.settings["temperature"] is None
        await at.chat(model="duel", seed=7)
        state = await at.on.service.state((await at.debates())[0])
        assert state.config.seed == 7
        answer = await at.chat(model="kin", temperature=0.3, seed=7, reasoning_effort="low")
        assert "x-moot-ignored" not in answer.headers
        state = await at.on.service.state((await at.debates())[0])
        assert state.config.settings["temperature"] == 0.3
        assert state.config.settings["sampling_seed"] == 7
        wrong = await at.chat(model="kin", temperature=9)
        assert (wrong.status_code, wrong.json()["error"]["param"]) == (400, "temperature")


async def test_tools_are_ignored_and_it_is_said(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        for choice in ({}, {"tool_choice": "auto"}, {"tool_choice": "none"}):
            answer = await at.chat(tools=[TOOL], **choice)
            assert (answer.status_code, answer.headers["x-moot-ignored"]) == (200, "tools")
        assert "x-moot-ignored" not in (await at.chat(tools=[])).headers


async def test_a_failed_debate_is_502(tmp_path: Path) -> None:
    model = ScriptedModel(by_label(speak=ModelRefused("no such luck")))
    async with desk(tmp_path, model, listens=True) as at:
        answer = await at.chat()
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (502, "debate_failed")
        assert "no such luck" in error["message"]
        assert answer.headers["x-should-retry"] == "false"
        with pytest.raises(openai.InternalServerError) as caught:
            await at.client(max_retries=2).chat.completions.create(model="quick", messages=USER)
        assert caught.value.code == "debate_failed"
        with pytest.raises(openai.APIError) as broken:
            await read(
                at.client().chat.completions.create(model="quick", messages=USER, stream=True)
            )
        assert broken.value.code == "debate_failed"
        # The client's own: each of its requests went on with the one before.
        assert len(await at.debates()) == 2


@pytest.mark.parametrize(("most", "says"), [(1, "came to no answer"), (130, "named")])
async def test_a_cap_answers_with_what_there_is(tmp_path: Path, most: int, says: str) -> None:
    settings = f"{{turns: 9, max_total_output_tokens: {most}}}"
    capped = panel("capped").replace("{turns: 1}", settings)
    async with desk(tmp_path, panels={"capped": capped}) as at:
        (choice,) = (await at.chat(model="capped")).json()["choices"]
        assert choice["finish_reason"] == "length"
        assert says in choice["message"]["content"]
        assert "the token limit was reached" in choice["message"]["content"]


async def test_a_stream_is_kept_alive(tmp_path: Path) -> None:
    model = ScriptedModel(latency_s=0.02)
    async with desk(tmp_path, model, limits=ApiLimits(heartbeat_s=0.01)) as at:
        answer = await at.chat(stream=True)
        assert ": keepalive\n\n" in answer.text
        assert frames(answer.text)[-1] == "[DONE]"


async def test_where_it_came_from_is_recorded(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        body = {"model": "quick", "messages": USER}
        await at.ask(body, user_agent="Chat\x7f 1.0", x_openwebui_chat_id="chat-7")
        (origin,) = await at.origins()
        assert (origin.door, origin.panel, origin.client) == ("v1", "quick", "Chat 1.0")
        assert origin.conversation == "chat-7"
        assert len(origin.fingerprint) == 40
        assert len((await at.on.service.list(door="v1")).items) == 1


async def test_a_get_runs_nothing(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        for path in ("/v1/chat/completions", "/v1/responses"):
            assert (await at.on.client.get(path)).status_code == 405
        assert await at.debates() == []


async def test_places_run_out_with_503(tmp_path: Path) -> None:
    async with desk(tmp_path, limits=ApiLimits(viewers=0)) as at:
        answer = await at.chat()
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "too_many_viewers")
        assert answer.headers["retry-after"]


def test_the_openai_package_is_not_needed() -> None:
    import subprocess  # noqa: PLC0415 - only here

    code = "import sys, moot.api.v1; sys.exit('openai' in sys.modules or 'litellm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_what_is_private_to_a_key_is_another_debate(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        (tmp_path / "panels").mkdir(exist_ok=True)
        (tmp_path / "panels" / "quick.yaml").write_text(QUICK)
        body = {"model": "quick", "messages": USER, "stream": True}
        ids = []
        for key in ("one", "two"):
            headers = {"Authorization": f"Bearer {key}"}
            answer = await on.client.post("/v1/chat/completions", json=body, headers=headers)
            ids.append(msgspec.json.decode(frames_last(answer.text))["moot"]["debate"])
        assert len(set(ids)) == 2


def frames_last(text: str) -> str:
    """The last chunk before the end."""
    return [line for line in text.splitlines() if line.startswith("data: ")][-2][6:]
