"""What the embedded model is asked, without it: typed answers that end within their tokens."""

from __future__ import annotations

import json
from typing import Any

import pytest

from moot.models.backends import embedded
from moot.models.backends.embedded import bounded
from moot.models.port import ChatReply, ChatRequest
from moot.protocol.answers import Answer
from moot.protocol.ballots import BallotAnswer
from moot.protocol.formats.council.answers import EVALUATION, PROPOSAL, REFINEMENT, SOLUTION
from moot.protocol.formats.council.questions import QuestionsAnswer
from moot.protocol.formats.duel.answers import ScoreAnswer, VerdictAnswer
from moot.protocol.values import Message, Sampling, Usage
from moot.protocol.words import Effort, Finish

ROOM = 480
LABELS = ("A", "B", "C", "D", "E")


@pytest.mark.parametrize(
    "answer",
    [
        EVALUATION,
        PROPOSAL,
        REFINEMENT,
        SOLUTION,
        QuestionsAnswer(most=27),
        BallotAnswer(labels=LABELS, is_ranked=True),
        BallotAnswer(labels=LABELS),
        ScoreAnswer(),
        VerdictAnswer(names=("Ada", "Bo")),
    ],
)
def test_the_longest_answer_fits(answer: Answer) -> None:
    assert answer.schema is not None
    shape = bounded(answer.schema.body, ROOM)
    longest = json.dumps(fullest(shape))
    assert len(longest) <= ROOM
    # What was required still is, and can still be read.
    assert shape["required"] == answer.schema.body["required"]
    assert isinstance(answer.read(longest), dict)


def fullest(schema: dict[str, Any]) -> Any:
    """The longest value that the schema allows."""
    match schema.get("type"):
        case "object":
            return {name: fullest(one) for name, one in schema["properties"].items()}
        case "array" if "enum" in schema["items"]:
            return schema["items"]["enum"][: schema["maxItems"]]
        case "array":
            return [fullest(schema["items"])] * schema["maxItems"]
        case "string" if "enum" in schema:
            return max(schema["enum"], key=len)
        case "string":
            return "x" * schema["maxLength"]
        case _:
            return 10


@pytest.mark.parametrize(("length", "is_cut"), [(0, False), (1, True)])
def test_a_text_that_the_grammar_ended_is_said_to_be_cut_off(length: int, is_cut: bool) -> None:
    assert PROPOSAL.schema is not None
    message = Message(role="user", content="Well?")
    body = embedded._body(ChatRequest(model="x", messages=[message], schema=PROPOSAL.schema))
    longest = body["response_format"]["json_schema"]["schema"]["properties"]["proposal"]
    data = {"proposal": "x" * (longest["maxLength"] - 1 + length), "reasons": ["y"], "risks": []}
    reply = ChatReply(
        content=json.dumps(data), finish=Finish.STOP, usage=Usage(), model="", duration_ms=0
    )
    found = embedded._with_cut(reply, body).finish
    assert found is (Finish.LENGTH if is_cut else Finish.STOP)


def test_bounds_of_the_schemas_own_are_kept() -> None:
    items = {"type": "string", "maxLength": 5}
    listed = {"type": "array", "items": items, "minItems": 6, "maxItems": 9}
    shape = bounded({"type": "object", "properties": {"a": listed}}, 10_000)
    assert shape["properties"]["a"]["maxItems"] == 6
    assert shape["properties"]["a"]["items"]["maxLength"] == 5


def test_what_a_debate_asks_for_comes_before_our_own() -> None:
    request = ChatRequest(
        model="smollm2",
        messages=[Message(role="user", content="hi")],
        sampling=Sampling(temperature=0.0, seed=7),
    )
    body = embedded._body(request)
    assert (body["temperature"], body["seed"]) == (0.0, 7)
    assert body["top_p"] == embedded.SAMPLING["top_p"]
    reply = ChatReply(content="", finish=Finish.STOP, usage=Usage(), model="", duration_ms=0)
    for sampling, ignored in (
        (Sampling(reasoning_effort=Effort.HIGH), ("reasoning_effort",)),
        (request.sampling, ()),
    ):
        assert embedded._with_ignored(reply, sampling).ignored == ignored
