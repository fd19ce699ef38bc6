"""`response_format`: the answer in a shape that was asked for, checked, or an error."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import openai
import pytest
from tests.unit.api.v1.desk import USER, Desk, Gated, by_label, desk, frames, told

from moot.api.v1.schemas import mistakes
from moot.store.port import Asked
from moot.testing.scripted import ScriptedModel

SCHEMA = {
    "type": "object",
    "properties": {"winner": {"type": "string"}, "points": {"type": "integer", "minimum": 0}},
    "required": ["winner", "points"],
    "additionalProperties": False,
}
FORMAT = {
    "type": "json_schema",
    "json_schema": {"name": "verdict", "schema": SCHEMA, "strict": True},
}
GOOD = '{"winner": "Ada", "points": 7}'


async def test_the_answer_is_put_into_the_schema_by_one_more_call(tmp_path: Path) -> None:
    model = ScriptedModel(by_label(v1__schema=GOOD))
    async with desk(tmp_path, model) as at:
        answer = (await at.chat(response_format=FORMAT)).json()
        assert json.loads(answer["choices"][0]["message"]["content"]) == json.loads(GOOD)
        calls = [one for one in model.requests if one.label == "v1/schema"]
        assert len(calls) == 1
        assert calls[0].schema is not None
        assert calls[0].schema.body == SCHEMA
        row = await at.on.service.summary(answer["moot"]["debate"])
        assert answer["usage"]["prompt_tokens"] > row.input_tokens
        chunks = frames((await at.chat(response_format=FORMAT, stream=True)).text)
        assert json.loads(told(chunks)) == json.loads(GOOD)


async def test_any_object_will_do_if_that_is_asked(tmp_path: Path) -> None:
    model = ScriptedModel(by_label(v1__schema='Sure: {"a": [1, {"b": null}]}'))
    async with desk(tmp_path, model) as at:
        answer = (await at.chat(response_format={"type": "json_object"})).json()
        assert answer["choices"][0]["message"]["content"] == '{"a":[1,{"b":null}]}'
        plain = (await at.chat(response_format={"type": "text"})).json()
        assert "moot/quick" in plain["choices"][0]["message"]["content"]


@pytest.mark.parametrize("reply", ['{"winner": "Ada"}', "No.", '{"winner": 1, "points": -1}', "[]"])
async def test_what_does_not_meet_it_is_an_error(tmp_path: Path, reply: str) -> None:
    model = ScriptedModel(by_label(v1__schema=reply))
    async with desk(tmp_path, model) as at:
        answer = await at.chat(response_format=FORMAT)
        assert (answer.status_code, answer.json()["error"]["code"]) == (502, "schema_not_met")
        assert [answer.headers["x-moot-debate"]] == await at.debates()
        assert len([one for one in model.requests if one.label == "v1/schema"]) == 2
        streamed = frames((await at.chat(response_format=FORMAT, stream=True)).text)
        assert streamed[-2]["error"]["code"] == "schema_not_met"
        assert told(streamed[:-2]) == ""
        assert len(await at.debates()) == 1  # what was not delivered is found again


async def test_a_client_that_loses_patience_pays_once_for_the_shape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    model = Gated(by_label(v1__schema=GOOD), label="v1/schema")
    asked = {"model": "quick", "messages": USER, "response_format": FORMAT}
    async with desk(tmp_path, model, listens=True) as at:
        hasty = at.client(timeout=0.5, max_retries=2)
        while "v1/schema" not in model.begun:
            with pytest.raises(openai.APITimeoutError):
                await hasty.chat.completions.create(**asked)
        with pytest.raises(openai.APITimeoutError):
            await hasty.chat.completions.create(**asked)
        model.open()
        answer = await at.client().chat.completions.create(**asked)
        assert json.loads(answer.choices[0].message.content) == json.loads(GOOD)
        assert model.begun.count("v1/schema") == 1
        assert await at.debates() == [answer.moot["debate"]]
        again = await at.client().chat.completions.create(**asked)  # delivered: made anew
        assert again.moot["debate"] != answer.moot["debate"]
        assert model.begun.count("v1/schema") == 2


async def test_a_server_that_dies_does_not_buy_the_shape_again(tmp_path: Path) -> None:
    model = Gated(by_label(v1__schema=GOOD), label="v1/schema")
    async with desk(tmp_path, model) as at:
        leaving = asyncio.create_task(at.chat(response_format=FORMAT))
        async with asyncio.timeout(20):
            while "v1/schema" not in model.begun:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.005)
        leaving.cancel()
        model.open()
        (debate,) = await at.debates()
        async with asyncio.timeout(20):
            while not any(one.form for one in await kept(at)):  # noqa: ASYNC110 - the same
                await asyncio.sleep(0.005)
    bought = len(model.begun)
    async with desk(tmp_path, model) as at:
        answer = (await at.chat(response_format=FORMAT)).json()
        assert json.loads(answer["choices"][0]["message"]["content"]) == json.loads(GOOD)
        assert answer["moot"]["debate"] == debate
        assert len(model.begun) == bought


async def kept(at: Desk) -> list[Asked]:
    """What is known of the questions behind all debates."""
    marks = [one.fingerprint for one in await at.origins()]
    found = [await at.on.service.asked.find(mark) for mark in marks]
    return [one for one in found if one is not None]


ROWS: list[tuple[Any, Any, bool]] = [
    ({"type": "string"}, "x", True),
    ({"type": "string"}, 1, False),
    ({"type": ["string", "null"]}, None, True),
    ({"type": "integer"}, 1.0, True),
    ({"type": "integer"}, 1.5, False),
    ({"type": "integer"}, True, False),
    ({"type": "number", "minimum": 1, "exclusiveMaximum": 2}, 1, True),
    ({"type": "number", "minimum": 1, "exclusiveMaximum": 2}, 2, False),
    ({"enum": ["a", "b"]}, "c", False),
    ({"const": 3}, 3, True),
    ({"const": 3}, 4, False),
    ({"type": "array", "items": {"type": "string"}, "minItems": 1}, ["a"], True),
    ({"type": "array", "items": {"type": "string"}, "minItems": 1}, [], False),
    ({"type": "array", "items": {"type": "string"}, "maxItems": 1}, ["a", "b"], False),
    ({"type": "array", "items": {"type": "string"}}, [1], False),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, None, True),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1, False),
    ({"allOf": [{"type": "string"}, {"maxLength": 2}]}, "abc", False),
    ({"type": "string", "minLength": 2}, "a", False),
    ({"required": ["a"]}, {}, False),
    ({"properties": {"a": {"type": "null"}}}, {"a": 1}, False),
    ({"additionalProperties": False}, {"a": 1}, False),
    ({"additionalProperties": {"type": "string"}}, {"a": 1}, False),
    ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}}, None, True),
    ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}}, 1, False),
    ({"$ref": "https://example.org/schema"}, 1, True),
    ({"$ref": "#"}, {"a": 1}, True),
    ({"pattern": "^a", "format": "date"}, "b", True),  # not among what is checked
    (True, 1, True),
]


@pytest.mark.parametrize(("schema", "value", "fits"), ROWS)
def test_a_value_fits_or_is_told_why(schema: Any, value: Any, fits: bool) -> None:
    wrong = mistakes(value, schema)
    assert (wrong == []) is fits
    assert all(one.startswith("$") for one in wrong)


def test_a_schema_without_end_ends() -> None:
    nested: Any = 1
    for _ in range(80):
        nested = [nested]
    schema = {
        "$ref": "#/$defs/a",
        "$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}},
    }
    assert mistakes(nested, schema) == []
    many = mistakes(dict.fromkeys(map(str, range(1000)), 1), {"additionalProperties": False})
    assert len(many) == 10
