from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import pytest

from moot.models import providers
from moot.models.overview import listing, overview, toy_notice
from moot.models.registry import Registry

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
