"""Whatever clients may name costs bounded memory."""

from __future__ import annotations

import gc

from moot.models import facts as known_facts
from moot.models.backends.openai_compatible.adapter import OpenAICompatible
from moot.models.recent import MOST, Recent
from moot.models.registry import Registry
from moot.protocol.values import Usage


def test_keeps_those_that_were_used_last() -> None:
    kept: Recent[str, int] = Recent(3)
    for number, name in enumerate("abc"):
        assert kept.get_or_make(name, lambda number=number: number) == number  # type: ignore[misc]
    assert kept.get_or_make("a", lambda: 9) == 0
    kept.get_or_make("d", lambda: 3)
    assert (kept.get("a"), kept.get("b"), len(kept)) == (0, None, 3)


def test_of_two_that_make_the_same_at_once_both_get_the_first() -> None:
    kept: Recent[str, object] = Recent()
    first = object()

    def slowly() -> object:
        kept.put("x", first)  # somebody else, meanwhile
        return object()

    assert kept.get_or_make("x", slowly) is first


async def test_a_registry_that_is_asked_for_ever_new_names_does_not_grow() -> None:
    registry = Registry(
        environment={"OPENAI_API_KEY": "sk-0123456789", "GROQ_API_KEY": "gsk-0123456789"},
        backends={"openai": OpenAICompatible},
    )
    for number in range(MOST + 50):
        for name in (f"openai:gpt-{number}", f"groq:{number}"):
            registry.get(name)
            registry.facts(name)
            registry.price(name, Usage(input_tokens=1))
    assert len(registry._callers) == len(registry._facts) == MOST
    gc.collect()
    assert max(len(gate._throttles) for _, gate, _ in registry._backends.values()) <= MOST
    index = known_facts._index.snapshot()
    kept = (index._lookup_cache, index._provider_cache, index._provider_misses)
    assert max(len(names) for names in kept) <= MOST
    await registry.close()
