"""What is known of a model before it is called: how much it can read, and what it can be held to.

genai-prices is asked first, since it is kept up to date; then this table of families. What neither
knows is None: unknown, never unlimited.
"""

from __future__ import annotations

import re

import msgspec

from moot.models.port import ModelFacts
from moot.models.prices import Source, model_info

LOCAL = ModelFacts(context_window=8192, reply_cap=220, has_schema=True)
"""The embedded model; `backends.embedded` is held to this by a test."""

_K = 1024
# The first pattern that is found in the lower-case name. From memory of what their makers publish:
# a window that has grown since then only costs room.
FAMILIES: tuple[tuple[re.Pattern[str], ModelFacts], ...] = tuple(
    (re.compile(pattern), facts)
    for pattern, facts in (
        (r"smollm2?", ModelFacts(context_window=8 * _K, reply_cap=220)),
        (r"gpt-[56]|gpt5", ModelFacts(context_window=400_000)),
        (r"gpt-4\.1", ModelFacts(context_window=1_047_576)),
        (r"gpt-4o|gpt-4-turbo|gpt-oss", ModelFacts(context_window=128_000)),
        (r"\bo[134]\b", ModelFacts(context_window=200_000)),
        (r"gpt-3\.5", ModelFacts(context_window=16_385)),
        (r"claude", ModelFacts(context_window=200_000)),
        (r"gemini-(1\.5|2|3|4)", ModelFacts(context_window=1_000_000)),
        (r"gemma-?[34]", ModelFacts(context_window=128 * _K)),
        (r"deepseek", ModelFacts(context_window=64_000)),
        (r"grok", ModelFacts(context_window=131_072)),
        (r"llama-?v?(3\.[123]|3p[123]|4)", ModelFacts(context_window=128 * _K)),
        (r"llama-?3", ModelFacts(context_window=8 * _K)),
        (r"qwen-?[23]", ModelFacts(context_window=32 * _K)),
        (r"mi[sx]tral|ministral|magistral", ModelFacts(context_window=32 * _K)),
        (r"command-(a|r)", ModelFacts(context_window=128_000)),
        (r"kimi-k2|glm-[45]", ModelFacts(context_window=128_000)),
    )
)
# What is not in here gets no tools. Neither do models that want their own thoughts back with every
# call (reasoning ones of DeepSeek, Gemini 3): we do not keep those.
HAS_TOOLS = re.compile(
    r"gpt-[56]|gpt5|gpt-4\.1|gpt-4o|gpt-4-turbo|gpt-oss|\bo[34]\b|claude|gemini-(1\.5|2)"
    r"|deepseek-(chat|v3)|grok|llama-?v?(3\.[123]|3p[123]|4)|qwen-?[23]"
    r"|mi[sx]tral|ministral|magistral|command-(a|r)"
)
UNKNOWN = ModelFacts()


def facts_of(
    model: str, source: Source | None, *, has_schema: bool, has_tools: bool | None = None
) -> ModelFacts:
    """What is known of `model` as that source serves it; without one, by its family alone.

    `has_tools` is what the provider's row says; None leaves it to the family.

    A server on the user's own machine decides for itself how much of a model's window it offers, so
    give no source for those and treat the answer as an upper bound.
    """
    family = family_of(model)
    info = model_info(model, source) if source else None
    window = (info.context_window if info else None) or family.context_window
    if has_tools is None:
        has_tools = HAS_TOOLS.search(model.lower()) is not None
    return msgspec.structs.replace(
        family, context_window=window, has_schema=has_schema, has_tools=has_tools
    )


def family_of(model: str) -> ModelFacts:
    """The row of the table that fits the name."""
    name = model.lower()
    return next((facts for pattern, facts in FAMILIES if pattern.search(name)), UNKNOWN)
