from __future__ import annotations

import pytest

from moot.models.backends import embedded
from moot.models.facts import LOCAL, UNKNOWN, facts_of, family_of
from moot.models.prices import Source
from moot.models.providers import PROVIDERS


def test_library_knows_the_window() -> None:
    facts = facts_of("gpt-5-mini", Source(provider="openai"), has_schema=True)
    assert facts.context_window == 400_000
    assert facts.has_schema


def test_family_fills_in_what_the_library_lacks() -> None:
    facts = facts_of("gemini-2.5-pro", Source(provider="google"), has_schema=True)
    assert facts.context_window == 1_000_000


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("llama3.2:3b", 131_072),
        ("llama3:8b", 8192),
        ("meta-llama/Llama-3.3-70B-Instruct-Turbo", 131_072),
        ("accounts/fireworks/models/llama-v3p3-70b-instruct", 131_072),
        ("qwen3:8b", 32_768),
        ("claude-something-new", 200_000),
    ],
)
def test_families(model: str, window: int) -> None:
    assert facts_of(model, None, has_schema=False).context_window == window


def test_unknown_is_unknown() -> None:
    assert facts_of("my-own-finetune", None, has_schema=False) == UNKNOWN
    assert UNKNOWN.context_window is None


def test_small_models_are_capped_wherever_they_run() -> None:
    assert family_of("smollm2:135m").reply_cap == LOCAL.reply_cap


def test_embedded_model_is_what_its_facts_say() -> None:
    assert LOCAL.context_window == embedded.CONTEXT_PER_SLOT
    assert LOCAL.reply_cap == embedded.DEFAULT_MAX_TOKENS
    assert PROVIDERS["local"].default_model == embedded.MODEL
    assert PROVIDERS["local"].max_concurrent == embedded.SLOTS


@pytest.mark.parametrize(
    ("model", "has_tools"),
    [
        ("gpt-5-mini", True),
        ("claude-haiku-4-5", True),
        ("deepseek-chat", True),
        ("deepseek-reasoner", False),
        ("gemini-2.5-flash", True),
        ("gemini-3-pro", False),
        ("llama3.2:3b", True),
        ("smollm2", False),
        ("my-own-finetune", False),
    ],
)
def test_knows_who_can_be_given_tools(model: str, has_tools: bool) -> None:
    assert facts_of(model, None, has_schema=False).has_tools is has_tools
    assert facts_of(model, None, has_schema=False, has_tools=True).has_tools
    assert not facts_of(model, None, has_schema=False, has_tools=False).has_tools
