"""How a model's name is read: `provider:name`, or a bare name that shows whose it is."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping

import msgspec

from moot.errors import NoModel
from moot.models.providers import OPENAI_NAMES, Provider

IsReady = Callable[[str], bool]
"""Whether the provider of that name can be called now."""

# Bare names, and who serves them. The first that is ready is taken, else the first.
BARE_NAMES: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (re.compile(r"deepseek"), ("deepseek",)),
    (re.compile(OPENAI_NAMES), ("openai", "azure")),
    (re.compile(r"claude-"), ("anthropic",)),
    (re.compile(r"gemini-"), ("gemini", "google")),
    (re.compile(r"grok-"), ("xai",)),
    (re.compile(r"(mistral|ministral|magistral|codestral)-"), ("mistral",)),
    (re.compile(r"command-"), ("cohere",)),
    (re.compile(r"smollm2$"), ("local",)),
)


class ModelName(msgspec.Struct, frozen=True):
    """A model's name in its two parts; `str` gives it back as `provider:name`."""

    provider: str
    model: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}" if self.model else self.provider


def is_known_bare(name: str) -> bool:
    """Whether that is the bare name of a model whose provider everybody knows."""
    return any(pattern.match(name) for pattern, _ in BARE_NAMES)


def parse_name(
    name: str, providers: Mapping[str, Provider], is_ready: IsReady = lambda _provider: False
) -> ModelName:
    """The parts of `provider:name`, where the name may hold `:` and `/`, or of a known bare name.

    A provider alone means its default model. Raises NoModel with what was probably meant.
    """
    head, colon, model = (part.strip() for part in name.strip().partition(":"))
    if head in providers and (model or not colon):
        row = providers[head]
        if model or row.default_model or row.wire == "human":
            return ModelName(head, "" if row.wire == "human" else model or row.default_model)
        problem = f"{head!r} is a provider: say which of its models, as {head}:NAME"
        raise NoModel(problem)
    for pattern, owners in BARE_NAMES:
        # Not with a colon: `claude-x:y` is neither a provider we know nor a name Anthropic knows.
        if not colon and pattern.match(head):
            return ModelName(next(filter(is_ready, owners), owners[0]), head)
    raise NoModel(_unknown(name.strip(), head, colon, providers))


def _unknown(name: str, head: str, colon: str, providers: Mapping[str, Provider]) -> str:
    if not name:
        return "the model has no name; write it as provider:name, for example local:smollm2"
    if head in providers:  # with a colon, and nothing after it
        return f"{name!r} names no model; write it as {head}:NAME"
    if not colon:
        rows = [row for row in providers.values() if row.default_model]
        known = {row.default_model: f"{row.name}:{row.default_model}" for row in rows}
        known |= {row.name: f"{row.name}:{row.default_model}" for row in rows}
        close = difflib.get_close_matches(name, known, n=3, cutoff=0.65)
        guesses = " or ".join(dict.fromkeys(known[match] for match in close))
        advice = f"did you mean {guesses}?" if guesses else "write it as provider:name"
        return f"{name!r} does not say whose model it is; {advice} (`moot models` lists them all)"
    close = difflib.get_close_matches(head, providers, n=3, cutoff=0.5)
    meant = f"did you mean {' or '.join(close)}?" if close else f"known are {', '.join(providers)}"
    return f"there is no provider {head!r} (of {name!r}); {meant}"
