"""Which models there are to choose from, for people: `moot models` and the page show the same."""

from __future__ import annotations

import msgspec

from moot.errors import NoModel
from moot.models.registry import Availability, Choice, Registry
from moot.protocol.values import Usage

EMBEDDED = "local"
_A_THOUSAND = 1000


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a model without asking it. Prices are in USD for a million tokens."""

    context_window: int | None
    output_limit: int | None
    thinks: bool | None
    has_schema: bool
    has_tools: bool
    input_usd: float | None
    output_usd: float | None
    retirement: str


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A provider, and what is known of its default model if it can be used."""

    provider: Availability
    default: Listing | None = None


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """`debaters` and `judges` are what is used where no model is named; None if there is nothing.

    `of_debaters` and `of_judges` are what is known of those two. `toy_notice` is to be shown
    wherever the embedded model is used.
    """

    entries: tuple[Entry, ...] = ()
    debaters: Choice | None = None
    judges: Choice | None = None
    of_debaters: Listing | None = None
    of_judges: Listing | None = None
    toy_notice: str = ""


def overview(registry: Registry) -> Overview:
    """All of it at once. Blocks: for half a second at first, and while local servers are asked."""
    entries = tuple(
        Entry(
            provider=line,
            default=listing(registry, line.default_model)
            if line.is_usable and line.default_model
            else None,
        )
        for line in registry.available()
    )
    debaters, judges = (_choice(registry, is_judge=is_judge) for is_judge in (False, True))
    return Overview(
        entries=entries,
        debaters=debaters,
        judges=judges,
        of_debaters=listing(registry, debaters.model) if debaters else None,
        of_judges=listing(registry, judges.model) if judges else None,
        toy_notice=toy_notice(registry),
    )


def listing(registry: Registry, name: str) -> Listing:
    """What can be said of a model before it is asked."""
    facts = registry.facts(name)
    return Listing(
        context_window=facts.context_window,
        output_limit=facts.output_limit,
        thinks=facts.thinks,
        has_schema=facts.has_schema,
        has_tools=facts.has_tools,
        # Few tokens: some models are dearer where the prompt is long.
        input_usd=_per_million(registry, name, Usage(input_tokens=_A_THOUSAND)),
        output_usd=_per_million(registry, name, Usage(output_tokens=_A_THOUSAND)),
        retirement=registry.retirement(name),
    )


def toy_notice(registry: Registry) -> str:
    """One sentence: that the embedded model is a toy, and how to connect a better one."""
    ready = (
        line.default_model
        for line in registry.available()
        if line.is_usable and line.default_model and line.provider != EMBEDDED
    )
    better = next(ready, "")
    advice = "set a provider's key, such as OPENAI_API_KEY, or start a local server, such as Ollama"
    advice += " (`moot models` lists them all)"
    if better:
        advice = f"use {better}, which is ready here (`moot models use {better}`)"
    elif problem := registry.passed_over():
        advice = f"mend your setup: {problem}"
    return (
        "The embedded model, local:smollm2, is a toy for trying things out;"
        f" for arguments worth reading, {advice}."
    )


def is_toy(model: str) -> bool:
    """Whether that is the embedded model."""
    return model.partition(":")[0] == EMBEDDED


def _choice(registry: Registry, *, is_judge: bool) -> Choice | None:
    try:
        return registry.choice(is_judge=is_judge)
    except NoModel:
        return None


def _per_million(registry: Registry, name: str, usage: Usage) -> float | None:
    cost = registry.price(name, usage)
    return None if cost is None else round(cost * _A_THOUSAND, 6)
