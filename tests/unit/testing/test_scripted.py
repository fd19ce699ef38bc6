from __future__ import annotations

import json

import pytest

from moot.errors import ModelUnavailable
from moot.models.port import ChatRequest
from moot.protocol.answers import Schema
from moot.protocol.values import Message
from moot.testing.clock import FakeClock
from moot.testing.replies import OWN_WORDS, answer_as_asked, reply_for, reply_for_schema
from moot.testing.scripted import ScriptedModel, ScriptedModels

REQUEST = ChatRequest(model="m", messages=[Message(role="user", content="Well?")])


async def test_says_the_same_to_the_same_and_streams_it() -> None:
    model, pieces = ScriptedModel(), list[str]()
    first = await model.reply(REQUEST, pieces.append)
    second = await model.reply(REQUEST)
    assert first == second
    assert "".join(pieces) == first.content
    assert len(pieces) == 40
    assert len(model.requests) == 2


async def test_raises_the_errors_of_its_script_and_takes_its_latency() -> None:
    clock = FakeClock()
    model = ScriptedModel([ModelUnavailable("out")], latency_s=3, sleep=clock.sleep)
    with pytest.raises(ModelUnavailable):
        await model.reply(REQUEST)
    assert clock.slept == [3]


async def test_models_retry_without_taking_time() -> None:
    models = ScriptedModels(ScriptedModel([ModelUnavailable("out"), "back"]))
    reply = await models.get("scripted:x").call(REQUEST)
    assert (reply.content, reply.attempts, reply.model) == ("back", 2, "scripted:x")


async def test_answers_a_schema() -> None:
    body = {"type": "object", "properties": {"score": {"type": "integer", "maximum": 5}}}
    request = ChatRequest(model="m", messages=(), schema=Schema("score", body))
    assert json.loads((await ScriptedModel().reply(request)).content) == {"score": 5}


def test_builds_a_small_instance_of_a_schema() -> None:
    schema = {
        "type": "object",
        "properties": {
            "winner": {"enum": ["Ada", "Bob"]},
            "scores": {"$ref": "#/$defs/scores"},
            "why": {"type": ["string", "null"]},
            "sure": {"type": "boolean"},
            "points": {"type": "array", "items": {"type": "string"}, "minItems": 2},
            "maybe": {"anyOf": [{"type": "null"}, {"type": "number", "minimum": 8}]},
        },
        "$defs": {"scores": {"type": "object", "properties": {"Ada": {"type": "integer"}}}},
    }
    assert json.loads(reply_for_schema(schema)) == {
        "winner": "Ada",
        "scores": {"Ada": 7},
        "why": "text",
        "sure": True,
        "points": ["text", "text"],
        "maybe": 8,
    }


def test_answers_in_the_shape_of_the_example_and_in_words_of_its_own() -> None:
    prompt = 'Use {braces} and a JSON object:\n{"score": 7, "a": {}, "why": "One sentence."}\nOk?'
    answer = f'{{"score": 7, "a": {{}}, "why": "{OWN_WORDS}"}}'
    assert answer_as_asked(prompt) == answer
    assert reply_for([("user", prompt)]) == answer
    assert answer_as_asked("none {here}") is None


def test_answers_with_the_fields_that_are_listed() -> None:
    fields = {
        "winner": '"debater_a" for Ada, or "tie"',
        "score": "a number from 0 to 5",
        "is_quiet": "true if nothing was new, else false",
        "choice": "the letter of that proposal",
        "accepted": "a list of objects",
        "risks": "a list of texts",
    }
    listed = "\n".join(f'- "{name}": {about}' for name, about in fields.items())
    answer = json.loads(reply_for([("user", f"One JSON object:\n{listed}")]))
    assert answer.pop("risks") == [OWN_WORDS]
    expected = {"winner": "debater_a", "score": 5, "is_quiet": False, "choice": "A", "accepted": []}
    assert answer == expected


def test_chooses_the_first_of_two_names() -> None:
    prompt = "Reply with exactly one of these names and nothing else: 'Ann O'Hara' or 'Bob'."
    assert reply_for([("user", prompt)]) == "Ann O'Hara"
