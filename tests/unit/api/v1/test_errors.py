"""Every refusal below /v1 has the shape of OpenAI's API, whoever refuses; elsewhere it has not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import openai
import pytest
from tests.unit.api.serving import client_of
from tests.unit.api.v1.desk import QUESTION, QUICK, USER, desk

from moot.api import ApiLimits
from moot.errors import NoModel
from moot.models.port import Caller
from moot.testing.scripted import ScriptedModel, ScriptedModels

IMAGE = {"type": "image_url", "image_url": {"url": "data:,"}}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {}}}


def _shaped(schema: dict[str, Any]) -> dict[str, Any]:
    json_schema = {"name": "x", "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": json_schema}}


WRONG: list[tuple[dict[str, Any], str | None]] = [
    ({"model": 3}, "model"),
    ({"messages": []}, "messages"),
    ({"messages": "hello"}, "messages"),
    ({"messages": [{"content": "hello"}]}, "messages[0].role"),
    ({"messages": [{"role": "nobody", "content": "hello"}]}, "messages[0].role"),
    ({"messages": [{"role": "user", "content": "  \n"}]}, "messages"),
    ({"messages": [{"role": "assistant", "content": "hello"}]}, "messages"),
    ({"messages": [{"role": "user", "content": [IMAGE]}]}, "messages[0].content[0]"),
    ({"messages": [*USER, {"role": "user", "content": 3}]}, "messages[1].content"),
    ({"n": 2}, "n"),
    ({"n": 0}, "n"),
    ({"logprobs": True}, "logprobs"),
    ({"top_logprobs": 2}, "logprobs"),
    ({"max_tokens": 0}, "max_tokens"),
    ({"max_tokens": "many"}, "max_tokens"),
    ({"max_completion_tokens": -1}, "max_tokens"),
    ({"temperature": "hot"}, "temperature"),
    ({"stop": ["a", "b", "c", "d", "e"]}, "stop"),
    ({"modalities": ["text", "audio"]}, "modalities"),
    ({"tools": [TOOL], "tool_choice": "required"}, "tool_choice"),
    (
        {"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "f"}}},
        "tool_choice",
    ),
    ({"functions": [{"name": "f"}], "function_call": {"name": "f"}}, "function_call"),
    ({"response_format": {"type": "yaml"}}, "response_format.type"),
    ({"response_format": {"type": "json_schema"}}, "response_format.json_schema.schema"),
    (_shaped({"type": "objekt"}), "response_format.json_schema.schema"),
    (_shaped({"type": "array"}), "response_format.json_schema.schema"),
    (_shaped({"properties": {"a": {"enum": 3}}}), "response_format.json_schema.schema"),
    ({"messages": [{"role": "user", "content": "\x1b[31m\x1b[0m"}]}, "messages"),
    ({"messages": [{"role": "user", "content": "x" * 300_000}]}, "messages"),
]


@pytest.fixture
def error_of() -> Any:
    def read(answer: Any) -> dict[str, Any]:
        assert answer.headers["content-type"] == "application/json"
        body = answer.json()
        assert set(body) == {"error"}
        assert set(body["error"]) == {"message", "type", "param", "code"}
        found: dict[str, Any] = body["error"]
        return found

    return read


async def test_what_cannot_be_used_is_400_with_its_place(tmp_path: Path, error_of: Any) -> None:
    async with desk(tmp_path) as at:
        for change, param in WRONG:
            answer = await at.chat(**change)
            error = error_of(answer)
            assert (answer.status_code, error["param"]) == (400, param), change
            assert error["type"] == "invalid_request_error"
            assert error["message"]
        assert await at.debates() == []
        assert isinstance(at.model, ScriptedModel)
        assert at.model.requests == []


async def test_what_is_no_json_is_400(tmp_path: Path, error_of: Any) -> None:
    async with desk(tmp_path) as at:
        for body in (b"", b"{", b"[]", b"null", b"\xff", b'{"model": NaN}', b"[" * 100):
            answer = await at.on.client.post("/v1/chat/completions", content=body)
            assert answer.status_code == 400, body
            assert error_of(answer)["message"]


async def test_an_unknown_panel_is_404_model_not_found(tmp_path: Path, error_of: Any) -> None:
    async with desk(tmp_path, listens=True) as at:
        for name in ("gpt-4o", "moot/gpt-4o", "openai:gpt-4o", "../etc/passwd", "", "x" * 5000):
            answer = await at.chat(model=name)
            error = error_of(answer)
            assert (answer.status_code, error["code"]) == (404, "model_not_found"), name
            assert "moot/council" in error["message"]
            assert len(error["message"]) < 300
        with pytest.raises(openai.NotFoundError) as caught:
            await at.client().chat.completions.create(model="gpt-4o", messages=USER)
        assert (caught.value.code, caught.value.param) == ("model_not_found", "model")


async def test_the_guards_speak_both_languages(tmp_path: Path, error_of: Any) -> None:
    token = "a-token-that-is-long-enough"
    limits = ApiLimits(questions_per_minute=1, question_bytes=2000, body_bytes=1000)
    async with desk(tmp_path, token=token, limits=limits) as at:
        ours = {"Authorization": f"Bearer {token}"}
        async with client_of(at.on.app) as client:
            rows = [
                ("GET", "models", {}, None, 401, "invalid_api_key"),
                ("GET", "models", {"Authorization": "Bearer wrong"}, None, 401, "invalid_api_key"),
                ("GET", "models", {**ours, "Host": "evil.example"}, None, 403, "host_not_allowed"),
                ("GET", "nothing", ours, None, 404, "not_found"),
                ("DELETE", "models", ours, None, 405, "method_not_allowed"),
                ("POST", "chat/completions", ours, "x" * 3000, 413, "body_too_large"),
            ]
            for method, path, headers, body, status, code in rows:
                url = f"/v1/{path}"
                answer = await client.request(method, url, headers=headers, content=body)
                error = error_of(answer)
                assert (answer.status_code, error["code"]) == (status, code), path
            elsewhere = await client.get("/api/debates")
            assert elsewhere.headers["content-type"] == "application/problem+json"
            assert elsewhere.json()["code"] == "unauthorized"
            lost = await client.get("/v1/nothing", headers={**ours, "Accept": "text/html"})
            assert error_of(lost)["code"] == "not_found"
            headed = await client.head("/v1/nothing", headers=ours)
            assert (headed.status_code, headed.content) == (404, b"")


async def test_the_rate_is_its_own(tmp_path: Path, error_of: Any) -> None:
    limits = ApiLimits(questions_per_minute=2, creations_per_minute=1)
    async with desk(tmp_path, limits=limits) as at:
        assert (await at.chat()).status_code == 200
        assert (await at.chat()).status_code == 200
        answer = await at.chat()
        error = error_of(answer)
        assert (answer.status_code, error["type"]) == (429, "rate_limit_error")
        assert error["code"] == "rate_limit_exceeded"
        assert 1 <= int(answer.headers["retry-after"]) <= 60
        assert (await at.on.get("/v1/models"))["object"] == "list"
        assert len(await at.debates()) == 2


async def test_a_broken_file_of_a_panel_is_told_by_name(tmp_path: Path, error_of: Any) -> None:
    async with desk(tmp_path, panels={"quick": QUICK, "odd": "name: odd\n"}) as at:
        answer = await at.chat(model="moot/odd")
        error = error_of(answer)
        assert (answer.status_code, error["code"]) == (500, "panel_unreadable")
        assert "odd.yaml" in error["message"]
        assert str(tmp_path) not in error["message"]
        names = [one["id"] for one in (await at.on.get("/v1/models"))["data"]]
        assert "moot/quick" in names
        assert "moot/odd" not in names
        assert (await at.chat()).status_code == 200


async def test_what_was_pasted_from_a_terminal_is_asked_without_its_colours(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        before = [{"role": "user", "content": "a\0b"}, {"role": "assistant", "content": "Yes."}]
        pasted = {"role": "user", "content": "\x1b[31mFAILED\x1b[0m: why?\0"}
        assert (await at.chat(messages=[*before, pasted])).status_code == 200
        (made,) = await at.debates()
        assert (await at.on.service.state(made)).config.topic == "FAILED: why?"


class NoModels(ScriptedModels):
    """What there is on a machine without any key."""

    def get(self, name: str) -> Caller:
        message = f"{name} cannot be had"
        raise NoModel(message)


@pytest.mark.parametrize(("model", "code"), [("", "no_model"), ("nowhere:x", "panel_unreadable")])
async def test_a_missing_model_is_the_servers_fault(
    tmp_path: Path, error_of: Any, model: str, code: str
) -> None:
    text = QUICK.replace("{turns: 1}", f"{{turns: 1, model_debater: '{model}'}}")
    async with desk(tmp_path, panels={"quick": text}) as at:
        models = NoModels()
        sources = msgspec.structs.replace(at.on.parts.asker.sources, models=models)
        at.on.parts.asker.sources = sources
        at.on.service._models = models
        answer = await at.chat()
        assert (answer.status_code >= 500, error_of(answer)["code"]) == (True, code)
        assert answer.headers["x-should-retry"] == "false"
        assert await at.debates() == []


async def test_a_long_question_is_not_too_long(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        long = f"{QUESTION}\n" + "Because of this and that. " * 5000
        answer = await at.chat(messages=[{"role": "user", "content": long}])
        assert answer.status_code == 200
        assert len(answer.request.content) > 100_000
