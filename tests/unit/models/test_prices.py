from __future__ import annotations

import math
import subprocess
import sys
from datetime import UTC, datetime

import genai_prices
import pytest

from moot.models import prices
from moot.models.prices import Rate, Rates, Source, pricer
from moot.protocol.values import Usage

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
    assert prices.free("anything", USAGE) == 0.0


def test_asks_the_library_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def rates_of(model: str, source: Source) -> Rates:
        asked.append(model)
        return Rates(Rate(1.0), Rate(0.5), Rate(2.0))

    monkeypatch.setattr(prices, "rates_of", rates_of)
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
