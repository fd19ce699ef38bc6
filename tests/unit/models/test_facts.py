from __future__ import annotations

from datetime import date

import pytest

from moot.models.backends import embedded
from moot.models.facts import LOCAL, UNKNOWN, Known, facts_of, family_of, retirement
from moot.models.prices import Source
from moot.models.providers import PROVIDERS


def test_library_knows_the_window() -> None:
    facts = facts_of("openai", "gpt-6-luna", Source(provider="openai"), has_schema=True)
    assert facts.context_window == 1_050_000
    assert facts.has_schema


def test_data_fills_in_what_the_library_lacks() -> None:
    facts = facts_of("mistral", "mistral-small-latest", Source(provider="mistral"), has_schema=True)
    assert facts.context_window == 256_000


def test_what_the_user_says_comes_first() -> None:
    said = Known(window=9000, thinks=False, tools=True)
    facts = facts_of("openai", "gpt-6-luna", Source(provider="openai"), has_schema=True, said=said)
    assert (facts.context_window, facts.thinks, facts.has_tools) == (9000, False, True)
    assert facts.output_limit == 128_000


def test_the_row_of_a_model_comes_before_its_family() -> None:
    assert facts_of("cerebras", "gpt-oss-120b", None, has_schema=True).output_limit == 40_960
    assert facts_of("lab", "gpt-oss-120b", None, has_schema=True).output_limit == 32_766


@pytest.mark.parametrize(
    ("model", "thinks", "output_limit"),
    [
        ("gpt-6-luna", True, 128_000),
        ("gpt-5.4", None, 128_000),
        ("gpt-4o-mini", False, 16_384),
        ("o3-mini", True, 100_000),
        ("claude-haiku-5-5", True, 128_000),
        ("anthropic/claude-sonnet-4.5", False, None),
        ("gemini-3.5-flash-lite", True, 65_536),
        ("deepseek-flash", True, 384_000),
        ("deepseek-r1:8b", True, 32_768),
        ("grok-4.3", True, None),
        ("grok-4.20-0309-non-reasoning", False, None),
        ("qwen3:8b", True, None),
        ("qwen3-235b-a22b-instruct-2507", False, None),
        ("smollm2:135m", False, None),
        ("my-own-finetune", None, None),
    ],
)
def test_knows_who_thinks_and_how_much_they_write(
    model: str, thinks: bool | None, output_limit: int | None
) -> None:
    facts = facts_of("lab", model, None, has_schema=False)
    assert (facts.thinks, facts.output_limit) == (thinks, output_limit)


@pytest.mark.parametrize(
    ("provider", "model", "today", "told"),
    [
        ("openai", "gpt-5-mini", date(2026, 9, 1), ""),
        (
            "openai",
            "gpt-5-mini",
            date(2026, 12, 10),
            "gpt-5-mini will be retired on 2026-12-11; its provider recommends gpt-5.6-terra",
        ),
        (
            "openai",
            "gpt-5-mini-2025-08-07",
            date(2026, 12, 11),
            "gpt-5-mini-2025-08-07 was retired on 2026-12-11; its provider recommends",
        ),
        ("google", "gemini-2.5-flash", date(2026, 11, 16), "gemini-2.5-flash was retired on"),
        ("openai", "gpt-6-luna", date(2030, 1, 1), ""),
        ("lab", "gpt-5-mini", date(2030, 1, 1), ""),
    ],
)
def test_tells_of_retirements(provider: str, model: str, today: date, told: str) -> None:
    said = retirement(provider, model, today)
    assert said.startswith(told) if told else said == ""


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("llama3.2:3b", 131_072),
        ("llama3:8b", 8192),
        ("meta-llama/Llama-3.3-70B-Instruct-Turbo", 131_072),
        ("accounts/fireworks/models/llama-v3p3-70b-instruct", 131_072),
        ("qwen3:8b", 40_960),
        ("claude-something-new", 200_000),
    ],
)
def test_families(model: str, window: int) -> None:
    assert facts_of("lab", model, None, has_schema=False).context_window == window


def test_unknown_is_unknown() -> None:
    assert facts_of("lab", "my-own-finetune", None, has_schema=False) == UNKNOWN
    assert UNKNOWN.context_window is None


def test_small_models_are_capped_wherever_they_run() -> None:
    family = family_of("smollm2:135m")
    assert family is not None
    assert family.reply_cap == LOCAL.reply_cap


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
        ("claude-haiku-5-5", False),
        ("gpt-6-luna", False),
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
    assert facts_of("lab", model, None, has_schema=False).has_tools is has_tools
    for said in (True, False):
        facts = facts_of("lab", model, None, has_schema=False, said=Known(tools=said))
        assert facts.has_tools is said
