"""What is known of a model before it is called: how much it reads and writes, whether it thinks,
what it can be held to, and when its provider stops serving it.

All of it is data: genai-prices, which is kept up to date by others, and `data/models.toml`, which
says where each fact was found. What neither knows is None: unknown, never unlimited.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cache
from importlib.resources import files
from typing import TypeVar

import msgspec

from moot.models.port import ModelFacts
from moot.models.prices import Source, model_info
from moot.structs import ready

T = TypeVar("T")

LOCAL = ModelFacts(context_window=8192, thinks=False, reply_cap=220, has_schema=True)
"""The embedded model; `backends.embedded` is held to this by a test."""
UNKNOWN = ModelFacts()
SOON_DAYS = 90
"""How long before its retirement people are told of it."""

_SAME_MODELS: Mapping[str, str] = {"google": "gemini"}
# A snapshot is named after its model and the day it was made: gpt-5-mini-2025-08-07.
_DAY = re.compile(r"-\d{4}-?\d{2}-?\d{2}$")


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What one source says of a model; None where it says nothing."""

    window: int | None = None
    output_limit: int | None = None
    thinks: bool | None = None
    tools: bool | None = None


class Family(Known, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Models whose lower-case name contains `pattern`."""

    pattern: str
    source: str
    reply_cap: int | None = None


class Served(Known, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One model of one provider. From the day `retires` on, the provider refuses it."""

    provider: str
    model: str
    source: str
    retires: date | None = None
    instead: str = ""


class Catalogue(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`data/models.toml`, as it was true on the day `as_of`."""

    as_of: date
    families: tuple[Family, ...]
    models: tuple[Served, ...]


ready(Catalogue)


@cache
def catalogue() -> Catalogue:
    text = (files("moot") / "data" / "models.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Catalogue)


@cache
def _served() -> Mapping[tuple[str, str], Served]:
    return {(row.provider, row.model): row for row in catalogue().models}


@cache
def _families() -> tuple[tuple[re.Pattern[str], Family], ...]:
    return tuple((re.compile(row.pattern), row) for row in catalogue().families)


def served(provider: str, model: str) -> Served | None:
    """The row of that model, or of the one it is a dated snapshot of."""
    provider = _SAME_MODELS.get(provider, provider)
    rows = _served()
    return rows.get((provider, model)) or rows.get((provider, _DAY.sub("", model)))


def family_of(model: str) -> Family | None:
    """The first family that the name fits."""
    name = model.lower()
    return next((row for pattern, row in _families() if pattern.search(name)), None)


def retirement(provider: str, model: str, today: date) -> str:
    """What to say if the model's provider stops serving it, soon or already; else ""."""
    row = served(provider, model)
    if row is None or row.retires is None or (row.retires - today).days > SOON_DAYS:
        return ""
    when = "was retired on" if row.retires <= today else "will be retired on"
    instead = f"; its provider recommends {row.instead}" if row.instead else ""
    return f"{model} {when} {row.retires.isoformat()}{instead}"


def facts_of(
    provider: str,
    model: str,
    source: Source | None,
    *,
    has_schema: bool,
    said: Known | None = None,
) -> ModelFacts:
    """What is known of `model` as that provider serves it.

    For each fact, the first source that knows it counts: `said`, by the user; genai-prices, for
    windows; the row of this very model; its family. A server on the user's own machine decides for
    itself how much of a model's window it offers, so give no source for those and treat the answer
    as an upper bound.
    """
    info = model_info(model, source) if source else None
    listed = Known(window=info.context_window) if info else None
    family = family_of(model)
    says = [one for one in (said, listed, served(provider, model), family) if one is not None]
    return ModelFacts(
        context_window=_first(one.window for one in says),
        output_limit=_first(one.output_limit for one in says),
        thinks=_first(one.thinks for one in says),
        reply_cap=family.reply_cap if family else None,
        has_schema=has_schema,
        has_tools=_first(one.tools for one in says) or False,
    )


def _first(values: Iterable[T | None]) -> T | None:
    return next((value for value in values if value is not None), None)
