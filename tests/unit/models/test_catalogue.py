"""No name that people see first is of a model that is gone: defaults, README, docs, help, debates.

Held against the day `as_of` in data/models.toml, and not against today: a test must not turn red
because a day has passed. Whoever runs Moot is told of retirements by `moot models` and
`moot doctor`.
"""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

from moot.models.facts import SOON_DAYS, Source, catalogue, family_of, rates_of, served
from moot.models.providers import PROVIDERS

ROOT = Path(__file__).parents[3]
AS_OF = catalogue().as_of
PLACES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "src/moot/data").rglob("*.yaml")),
    *sorted((ROOT / "src/moot/cli").rglob("*.py")),
    *sorted((ROOT / "src/moot/web").rglob("*.js")),
]
PAID = {row.name for row in PROVIDERS.values() if row.needs_key and row.default_model}
RETIRED = {row.model for row in catalogue().models if row.retires and row.retires <= AS_OF}
# Placeholders that say themselves that they are none.
INVENTED = {"openai:my-model"}

_NAMED = re.compile(rf"\b({'|'.join(sorted(PAID))}):([A-Za-z0-9][\w./-]*\w)")


def test_every_default_is_in_the_data_has_a_price_and_stays_for_a_while() -> None:
    for provider in sorted(PAID):
        model = PROVIDERS[provider].default_model
        row = served(provider, model)
        assert row is not None, f"add {provider}:{model} to data/models.toml, with its source"
        assert row.retires is None or row.retires > AS_OF + timedelta(days=SOON_DAYS), model
        assert rates_of(model, Source(provider=provider)) is not None, model


def test_no_name_that_people_read_is_of_a_model_that_is_gone() -> None:
    found = {str(place.relative_to(ROOT)): _mistakes(place) for place in PLACES}
    assert {place: names for place, names in found.items() if names} == {}


def _mistakes(place: Path) -> set[str]:
    """Models that are gone, and paid ones that data/models.toml does not have."""
    text = place.read_text(encoding="utf-8")
    named = {f"{provider}:{model}" for provider, model in _NAMED.findall(text)} - INVENTED
    unknown = {one for one in named if served(*one.split(":", 1)) is None}
    words = set(re.findall(r"[A-Za-z0-9][\w./-]*\w", text))
    words |= {word.rpartition("/")[2] for word in words}
    return unknown | words & RETIRED


def test_the_scan_would_find_them(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "--model deepseek:deepseek-chat, `x/gemini-2.5-flash`, openai:gpt-99 or grok-4.3"
    )
    assert _mistakes(page) == {"deepseek-chat", "gemini-2.5-flash", "openai:gpt-99"}


def test_every_row_says_where_it_was_found() -> None:
    assert all(row.source for row in catalogue().families)
    assert all(row.source for row in catalogue().models)
    names = [(row.provider, row.model) for row in catalogue().models]
    assert len(names) == len(set(names))
    assert {provider for provider, _ in names} <= set(PROVIDERS)


def test_every_family_is_reached() -> None:
    """A pattern that an earlier one swallows would never count."""
    examples = (
        "smollm2 gpt-oss-20b gpt-6-luna gpt-5.4-mini gpt-5.4 gpt-5.2 gpt-5-mini gpt-4.1 gpt-4o"
        " gpt-4-turbo gpt-3.5-turbo o3 claude-opus-5-5 claude-sonnet-4-6 claude-haiku-4-5"
        " gemini-2.5-pro gemini-3.8-flash gemini-2.0-flash gemma-4-31b gemma3 deepseek-chat"
        " deepseek-v4-pro deepseek-r1 grok-4.20-non-reasoning grok-4.7 grok-4.3 grok-3 llama3.2"
        " llama3 qwen3-coder qwen3.7-max qwen3 qwen2.5 qwq magistral-small mistral-small-latest"
        " mistral-7b command-a-reasoning command-a command-r kimi-k2-instruct glm-5"
    )
    reached = [family_of(name) for name in examples.split()]
    assert reached == list(catalogue().families)
