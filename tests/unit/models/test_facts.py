from __future__ import annotations

import math
import subprocess
import sys
from datetime import UTC, date, datetime

import genai_prices
import pytest

from moot.models import facts as known_facts
from moot.models.backends import embedded
from moot.models.facts import (
    LOCAL,
    UNKNOWN,
    Known,
    Rate,
    Rates,
    Source,
    facts_of,
    family_of,
    pricer,
    retirement,
)
from moot.models.providers import PROVIDERS
from moot.protocol.values import Usage


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


# --- what calls cost ------------------------------------------------------------------------------


USAGE = Usage(input_tokens=150_000, output_tokens=300, cached_tokens=70_000)


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai", "gpt-5-mini"),
        ("anthropic", "claude-haiku-4-5"),
        ("anthropic", "claude-haiku-5-5"),  # dearer beyond 100,000 tokens
        ("google", "gemini-2.5-flash"),
        ("xai", "grok-4"),
        ("openrouter", "openai/gpt-5-mini"),
    ],
)
@pytest.mark.parametrize("usage", [USAGE, Usage(input_tokens=10, output_tokens=5)])
def test_agrees_with_the_library(provider: str, model: str, usage: Usage) -> None:
    theirs = genai_prices.calc_price(
        genai_prices.Usage(
            input_tokens=usage.input_tokens,
            cache_read_tokens=usage.cached_tokens,
            output_tokens=usage.output_tokens,
        ),
        model,
        provider_id=provider,
        genai_request_timestamp=datetime.now(UTC),
    )
    ours = pricer(Source(provider=provider))(model, usage)
    assert ours is not None
    assert math.isclose(ours, float(theirs.total_price), rel_tol=1e-9)


def test_unknown_is_none_and_not_zero() -> None:
    assert pricer(Source(provider="openai"))("no-such-model", USAGE) is None
    assert pricer(Source(url="http://127.0.0.1:9/v1"))("gpt-5-mini", USAGE) is None


def test_known_by_its_address() -> None:
    assert pricer(Source(url="https://api.openai.com/v1"))("gpt-5-mini", USAGE)


def test_own_machine_costs_nothing() -> None:
    assert known_facts.free("anything", USAGE) == 0.0


def test_asks_the_library_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def rates_of(model: str, source: Source) -> Rates:
        asked.append(model)
        return Rates(Rate(1.0), Rate(0.5), Rate(2.0))

    monkeypatch.setattr(known_facts, "rates_of", rates_of)
    now = 0.0
    price = pricer(Source(provider="openai"), clock=lambda: now)
    usage = Usage(input_tokens=4, output_tokens=1, cached_tokens=2)
    assert [price("m", usage), price("m", usage)] == [5.0, 5.0]
    assert len(asked) == 1
    now = 61.0
    price("m", usage)
    assert len(asked) == 2


def test_more_cached_than_sent_is_not_a_refund() -> None:
    rates = Rates(Rate(1.0), Rate(0.5), Rate(2.0))
    assert rates.cost(Usage(input_tokens=2, cached_tokens=100)) == 1.0


def test_library_is_not_imported_with_ours() -> None:
    code = "import sys, moot.models.registry; sys.exit('genai_prices' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
