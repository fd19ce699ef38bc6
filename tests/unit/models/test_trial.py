from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest

from moot.errors import ModelError, ModelRefused, ModelUnavailable
from moot.models import trial as module
from moot.models.port import ChatReply, ChatRequest, Learned, ModelFacts
from moot.models.trial import QUESTION, TOOL, TOOL_QUESTION, TYPED_QUESTION, try_model
from moot.protocol.values import Usage
from moot.protocol.words import Finish
from moot.testing.scripted import Said, ScriptedModel, ScriptedModels, looking_up

HAS_TOOLS = ModelFacts(has_schema=True, has_tools=True, thinks=True)


def said(content: str, *, thoughts: int = 0, **more: object) -> ChatReply:
    reply = ChatReply(
        content=content,
        finish=Finish.STOP,
        usage=Usage(input_tokens=10, output_tokens=20, thought_tokens=thoughts),
        model="m",
        duration_ms=500,
    )
    return msgspec.structs.replace(reply, **more)


def scripted(
    answers: Mapping[str, Said], facts: ModelFacts | None = None
) -> tuple[ScriptedModels, list[ChatRequest]]:
    asked: list[ChatRequest] = []

    def script(request: ChatRequest) -> Said:
        asked.append(request)
        return answers[request.messages[0].content]

    return ScriptedModels(ScriptedModel(script), facts=facts), asked


async def test_tells_everything_that_three_questions_show() -> None:
    answers = {
        QUESTION: said("Here.", thoughts=7, thought="Am I?", ignored=("seed",)),
        TYPED_QUESTION: said('```json\n{"legs": 8, "why": "arachnid"}\n```'),
        TOOL_QUESTION: looking_up(TOOL.name, file="notes.txt"),
    }
    models, asked = scripted(answers, HAS_TOOLS)
    trial = await try_model(models, "scripted:a")
    assert trial.is_working
    assert (trial.reply, trial.thought, trial.error) == ("Here.", "Am I?", "")
    assert (trial.thinks, trial.keeps_schema, trial.calls_tools) == (True, True, True)
    assert trial.refused == ("seed",)
    assert trial.usage.thought_tokens == 7
    assert trial.tokens_per_second is not None
    assert [bool(one.schema) for one in asked] == [False, True, False]
    assert [bool(one.tools) for one in asked] == [False, False, True]


async def test_tools_are_not_asked_for_where_none_may_be_given() -> None:
    models, asked = scripted({QUESTION: "Here.", TYPED_QUESTION: "eight legs"})
    trial = await try_model(models, "scripted:a")
    assert len(asked) == 2
    assert (trial.thinks, trial.keeps_schema, trial.calls_tools) == (None, False, None)


async def test_a_model_that_only_talks_does_work() -> None:
    refused = ModelRefused("no")
    answers: dict[str, Said] = {QUESTION: "Here.", TYPED_QUESTION: refused, TOOL_QUESTION: refused}
    trial = await try_model(scripted(answers, HAS_TOOLS)[0], "scripted:a")
    assert trial.is_working
    assert (trial.keeps_schema, trial.calls_tools) == (False, False)


async def test_what_was_learned_and_what_is_said_of_it_are_told_together() -> None:
    class Learning(ScriptedModels):
        def learned(self, model: str) -> Learned:
            return Learned(refused=("json_schema", "seed"), allowance=4000)

    answers: dict[str, Said] = {QUESTION: said("Here.", ignored=("seed",)), TYPED_QUESTION: "{}"}
    models = Learning(
        ScriptedModel(lambda request: answers[request.messages[0].content]),
        facts=ModelFacts(thinks=False),
    )
    trial = await try_model(models, "scripted:a")
    assert trial.refused == ("json_schema", "seed")
    assert (trial.allowance, trial.thinks) == (4000, False)


@pytest.mark.parametrize("error", [ModelRefused("bad key"), ModelUnavailable("nobody there")])
async def test_that_it_does_not_answer_is_an_answer(error: ModelError) -> None:
    trial = await try_model(scripted({QUESTION: error})[0], "scripted:a")
    assert not trial.is_working
    assert str(error) in trial.error


async def test_nobody_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DEADLINE_S", 0.0)
    trial = await try_model(scripted({})[0], "scripted:a")
    assert trial.error == "no answer within 0 s"
