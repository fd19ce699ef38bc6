from __future__ import annotations

from pathlib import Path

import pytest

from moot.errors import InvalidInput, NoModel
from moot.models.facts import Known
from moot.models.keys import Keys
from moot.models.names import ModelName, parse_name
from moot.models.providers import PROVIDERS, base_url, endpoint, why, why_not, with_custom

WIRES_OF_OTHERS = {"pydantic_ai", "embedded", "human"}


@pytest.mark.parametrize(
    ("name", "provider", "model"),
    [
        ("openai:gpt-5-mini", "openai", "gpt-5-mini"),
        ("ollama:qwen3:8b", "ollama", "qwen3:8b"),
        ("openrouter:meta-llama/llama-3.3:free", "openrouter", "meta-llama/llama-3.3:free"),
        (" deepseek : deepseek-chat ", "deepseek", "deepseek-chat"),
        ("deepseek-reasoner", "deepseek", "deepseek-reasoner"),
        ("gpt-4o", "openai", "gpt-4o"),
        ("o3-mini", "openai", "o3-mini"),
        ("claude-haiku-4-5", "anthropic", "claude-haiku-4-5"),
        ("gemini-3.8-flash", "gemini", "gemini-3.8-flash"),
        ("grok-4.3", "xai", "grok-4.3"),
        ("mistral-small-latest", "mistral", "mistral-small-latest"),
        ("local", "local", "smollm2"),
        ("smollm2", "local", "smollm2"),
        ("deepseek", "deepseek", "deepseek-flash"),
        ("human", "human", ""),
    ],
)
def test_reads_names(name: str, provider: str, model: str) -> None:
    assert parse_name(name, PROVIDERS) == ModelName(provider, model)


@pytest.mark.parametrize(
    ("name", "ready", "provider"),
    [
        ("gemini-3.8-flash", {"google"}, "google"),
        ("gemini-3.8-flash", {"google", "gemini"}, "gemini"),
        ("gpt-6-luna", {"azure"}, "azure"),
        ("gpt-6-luna", {"groq"}, "openai"),
    ],
)
def test_a_bare_name_takes_the_provider_that_is_ready(
    name: str, ready: set[str], provider: str
) -> None:
    assert parse_name(name, PROVIDERS, ready.__contains__) == ModelName(provider, name)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("gtp-6-luna", "openai:gpt-6-luna"),
        ("gpt-oss-20b", "cerebras:gpt-oss-120b"),
        ("opnai:gpt-5", "did you mean openai"),
        ("llama3", "write it as provider:name"),
        ("zzz:model", "known are openai"),
        ("", "provider:name"),
        ("ollama:", "ollama:NAME"),
        ("ollama", "ollama:NAME"),
        ("claude-x:y", "no provider"),
    ],
)
def test_says_what_was_probably_meant(name: str, hint: str) -> None:
    with pytest.raises(NoModel, match=hint):
        parse_name(name, PROVIDERS)


def test_every_row_says_how_to_use_it() -> None:
    for row in PROVIDERS.values():
        assert row.base_url or row.url_variable or row.wire in WIRES_OF_OTHERS, row.name
        assert row.key_variables or not row.needs_key, row.name
        assert row.install or not row.modules, row.name
        # Paid names must be cheap to try by accident: a default is never missing for a keyed row.
        assert row.default_model or not row.base_url or not row.needs_key, row.name


@pytest.mark.parametrize(
    ("model", "field"),
    [
        ("gpt-6-luna", "max_completion_tokens"),
        ("o3", "max_completion_tokens"),
        ("openai/gpt-5.6-terra", "max_completion_tokens"),
        ("gpt-oss-120b", "max_tokens"),
        ("my-model", "max_tokens"),
        ("llama3.2", "max_tokens"),
    ],
)
def test_openai_elsewhere_keeps_its_dialect_for_its_own_models(model: str, field: str) -> None:
    row = PROVIDERS["openai"]
    elsewhere = endpoint(row, {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1/"})
    assert elsewhere.base_url == "http://127.0.0.1:9/v1"
    assert elsewhere.tokens_field(model) == field
    assert endpoint(row, {}).tokens_field(model) == "max_completion_tokens"
    assert endpoint(PROVIDERS["deepseek"], {}).tokens_field(model) == "max_tokens"


def test_own_server_needs_no_key() -> None:
    row = PROVIDERS["openai"]
    assert why_not(row, {}) == "set OPENAI_API_KEY"
    environment = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    assert why_not(row, environment) == ""
    assert endpoint(row, environment).api_key == ""


def test_blank_key_is_no_key() -> None:
    assert why_not(PROVIDERS["groq"], {"GROQ_API_KEY": " "}) == "set GROQ_API_KEY"


def test_says_why_a_provider_can_be_used() -> None:
    assert why(PROVIDERS["groq"], {"GROQ_API_KEY": "k"}) == "GROQ_API_KEY is set"
    assert why(PROVIDERS["openai"], {"OPENAI_BASE_URL": "http://a:b@x/v1"}) == (
        "OPENAI_BASE_URL is set to http://x/v1"
    )
    assert why(PROVIDERS["local"], {}) == ""


def test_a_key_that_should_be_in_the_keyring_and_is_not_is_said() -> None:
    class Empty:
        def get(self, name: str) -> str:
            return ""

        def set(self, name: str, key: str) -> None: ...

        def delete(self, name: str) -> None: ...

    keys = Keys({}, ["GROQ_API_KEY"], Empty())
    reason = why_not(PROVIDERS["groq"], keys)
    assert reason == "its key is kept, but the keyring no longer has it; set GROQ_API_KEY"


def test_first_key_that_is_set_counts() -> None:
    made = endpoint(PROVIDERS["gemini"], {"GOOGLE_API_KEY": "g"})
    assert (made.api_key, made.key_variable) == ("g", "GOOGLE_API_KEY")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),  # noqa: S104 - where it listens
        ("10.0.0.7:8000", "http://10.0.0.7:8000/v1"),
        ("https://ollama.example", "https://ollama.example:443/v1"),
        ("http://[::1]:11434/", "http://[::1]:11434/v1"),
    ],
)
def test_ollama_host_is_a_host_or_a_url(host: str, url: str) -> None:
    assert base_url(PROVIDERS["ollama"], {"OLLAMA_HOST": host}) == url


def test_custom_provider_is_a_row_like_any_other() -> None:
    table = with_custom(
        {"lab": {"base_url": "http://lab:8000/v1", "key_env": "LAB_KEY", "stream_usage": False}}
    )
    assert why_not(table["lab"], {}) == "set LAB_KEY"
    made = endpoint(table["lab"], {"LAB_KEY": "k"})
    assert (made.base_url, made.api_key, made.stream_usage) == ("http://lab:8000/v1", "k", False)
    assert parse_name("lab:x/y:z", table) == ModelName("lab", "x/y:z")
    facts = {"window": 9000, "output_limit": 900, "thinks": True, "tools": False}
    table = with_custom({"lab": {"base_url": "http://lab:8000/v1", **facts}})
    assert table["lab"].said == Known(window=9000, output_limit=900, thinks=True, tools=False)


@pytest.mark.parametrize(
    ("name", "fields", "field"),
    [
        ("lab", {}, "MOOT_PROVIDERS.lab"),
        ("lab", {"base_url": "http://lab", "kee": 1}, "MOOT_PROVIDERS.lab"),
        ("lab", {"base_url": "http://lab", "window": 0}, "MOOT_PROVIDERS.lab"),
        ("lab", {"base_url": "ftp://lab"}, "MOOT_PROVIDERS.lab.base_url"),
        ("Lab Two", {"base_url": "http://lab"}, "MOOT_PROVIDERS.Lab Two"),
        ("openai", {"base_url": "http://lab"}, "MOOT_PROVIDERS.openai"),
    ],
)
def test_refuses_bad_custom_provider(name: str, fields: object, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        with_custom({name: fields})
    assert caught.value.field == field


def test_key_of_another_provider_is_not_sent_elsewhere() -> None:
    with pytest.raises(InvalidInput, match="belongs to openai"):
        with_custom({"evil": {"base_url": "https://evil.example/v1", "key_env": "OPENAI_API_KEY"}})
    same = {"base_url": "https://api.openai.com/v1", "key_env": "OPENAI_API_KEY"}
    assert "mine" in with_custom({"mine": same})


def test_key_is_not_in_the_representation() -> None:
    made = endpoint(PROVIDERS["openai"], {"OPENAI_API_KEY": "sk-CANARY-1"})
    assert made.api_key == "sk-CANARY-1"
    assert "CANARY" not in repr(made)


def test_page_lists_every_provider_as_it_is() -> None:
    page = Path(__file__).parents[3] / "docs" / "how-to" / "models.md"
    lines = page.read_text(encoding="utf-8").splitlines()
    for row in PROVIDERS.values():
        if row.needs_key:
            (line,) = [line for line in lines if line.startswith(f"| `{row.name}` |")]
            words = (*row.key_variables, row.default_model, row.install)
            assert all(word in line for word in words), row.name
