from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import msgspec
import pytest

from moot.errors import ModelError, ModelRefused, ModelUnavailable
from moot.models import overview as module, providers
from moot.models.overview import (
    QUESTION,
    TOOL,
    TOOL_QUESTION,
    TYPED_QUESTION,
    listing,
    overview,
    toy_notice,
    try_model,
)
from moot.models.port import ChatReply, ChatRequest, Learned, ModelFacts
from moot.models.registry import Registry
from moot.protocol.values import Usage
from moot.protocol.words import Finish
from moot.testing.scripted import Said, ScriptedModel, ScriptedModels, looking_up

OLLAMA = "http://127.0.0.1:11434/v1"
TODAY = date(2026, 11, 16)


@pytest.fixture(autouse=True)
def everything_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(providers, "_is_installed", lambda module: True)


def registry(
    environment: Mapping[str, str] | None = None, servers: Mapping[str, tuple[str, ...]] = {}
) -> Registry:
    return Registry(
        environment=environment or {},
        backends={},
        probe=lambda url: servers.get(url, "nothing answers there"),
        today=lambda: TODAY,
    )


def test_lists_what_is_known_without_asking() -> None:
    known = listing(registry(), "openai:gpt-6-luna")
    assert (known.context_window, known.output_limit) == (1_050_000, 128_000)
    # The price of a short prompt: a long one costs twice as much.
    assert (known.input_usd, known.output_usd, known.thinks) == (0.1, 0.5, True)
    assert known.retirement == ""
    free = listing(registry(), "local:smollm2")
    assert (free.input_usd, free.thinks, free.context_window) == (0.0, False, 8192)
    soon = listing(registry(), "openai:gpt-5-mini").retirement
    assert soon.startswith("gpt-5-mini will be retired on 2026-12-11")


def test_only_what_can_be_used_is_described() -> None:
    found = overview(registry({"XAI_API_KEY": "k"}, {OLLAMA: ("a", "b")}))
    described = {one.provider.provider for one in found.entries if one.default}
    assert {"xai", "ollama", "local"} <= described
    assert "openai" not in described
    assert found.debaters is not None
    assert (found.debaters.model, found.debaters.why) == ("xai:grok-4.3", "XAI_API_KEY is set")
    assert found.judges == found.debaters


def test_without_any_model_there_is_no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(providers, "_is_installed", lambda module: False)
    assert overview(registry()).debaters is None


def test_the_toy_says_how_to_connect_a_better_one() -> None:
    assert "set a provider's key, such as OPENAI_API_KEY" in toy_notice(registry())
    found = toy_notice(registry(servers={OLLAMA: ("qwen3:8b",)}))
    assert found.endswith(
        "use ollama:qwen3:8b, which is ready here (`moot models use ollama:qwen3:8b`)."
    )
    assert "\n" not in found


# --- trying one -----------------------------------------------------------------------------------


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
