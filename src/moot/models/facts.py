"""What is known of a model before it is called: how much it reads and writes, whether it thinks,
what it can be held to, what a call costs, and when its provider stops serving it.

All of it is data, and nothing here touches the network: genai-prices, which is kept up to date by
others, and `data/models.toml`, which says where each fact was found. What neither knows is None:
unknown, never unlimited and never free.

genai-prices takes half a second to import and a tenth of a millisecond to price a call, so it is
imported when it is first asked, and its rates are kept per model.
"""

from __future__ import annotations

import re
import time
import tomllib
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from moot.models.port import ModelFacts
from moot.models.recent import MOST, Recent
from moot.protocol.values import Usage
from moot.structs import ready

if TYPE_CHECKING:
    from genai_prices.data_snapshot import DataSnapshot
    from genai_prices.types import ModelInfo

T = TypeVar("T")

LOCAL = ModelFacts(context_window=8192, thinks=False, reply_cap=220, has_schema=True)
"""The embedded model; `backends.embedded` is held to this by a test."""
UNKNOWN = ModelFacts()
SOON_DAYS = 90
"""How long before its retirement people are told of it."""

_SAME_MODELS: Mapping[str, str] = {"google": "gemini"}
# A snapshot is named after its model and the day it was made: gpt-5-mini-2025-08-07.
_DAY = re.compile(r"-\d{4}-?\d{2}-?\d{2}$")

Price = Callable[[str, Usage], float | None]
# Some providers are cheaper at night, and new prices begin at midnight.
RATES_AGE_S = 60.0
_PER_TOKEN = 1e-6


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


# --- prices ---------------------------------------------------------------------------------------


class Rate(msgspec.Struct, frozen=True):
    """USD a token: `base`, or the last of `tiers` whose start the whole input exceeds."""

    base: float = 0.0
    tiers: tuple[tuple[int, float], ...] = ()

    def at(self, input_tokens: int) -> float:
        rate = self.base
        for start, price in self.tiers:
            if input_tokens > start:
                rate = price
        return rate


class Rates(msgspec.Struct, frozen=True):
    """What the three kinds of token cost. Cached input is part of the input."""

    fresh: Rate
    cached: Rate
    output: Rate

    def cost(self, usage: Usage) -> float:
        size = usage.input_tokens
        cached = min(usage.cached_tokens, size)
        return (
            (size - cached) * self.fresh.at(size)
            + cached * self.cached.at(size)
            + usage.output_tokens * self.output.at(size)
        )


def free(_model: str, _usage: Usage) -> float:
    """The price of what runs on the user's own machine."""
    return 0.0


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Who serves a model: a provider by name, or whoever is at that URL."""

    provider: str | None = None
    url: str | None = None


def pricer(source: Source, *, clock: Callable[[], float] = time.monotonic) -> Price:
    """A function that prices calls to one provider."""
    known: Recent[str, tuple[float, Rates | None]] = Recent()

    def price(model: str, usage: Usage) -> float | None:
        now = clock()
        expires, rates = known.get(model) or (float("-inf"), None)
        if now >= expires:
            rates = rates_of(model, source)
            known.put(model, (now + RATES_AGE_S, rates))
        return None if rates is None else rates.cost(usage)

    return price


def rates_of(model: str, source: Source) -> Rates | None:
    """The rates of this moment, or None."""
    info = model_info(model, source)
    if info is None:
        return None
    prices = info.get_prices(datetime.now(UTC))
    fresh, output = _rate(prices.input_mtok), _rate(prices.output_mtok)
    if fresh is None or output is None:  # priced by the picture or the request: not by the token
        return None
    return Rates(fresh, _rate(prices.cache_read_mtok) or fresh, output)


def model_info(model: str, source: Source) -> ModelInfo | None:
    """What genai-prices knows of the model at that source."""
    try:
        _, info = _index.snapshot().find_provider_model(model, None, source.provider, source.url)
    except LookupError:
        return None
    return info


class _Index:
    """genai-prices' data. It remembers every name that it was ever asked for, so it is replaced
    after MOST questions; callers keep what was found."""

    def __init__(self) -> None:
        self._asked = 0
        self._snapshot: DataSnapshot | None = None

    def snapshot(self) -> DataSnapshot:
        # It takes half a second: paid by the first debate that costs money, and by no --help.
        from genai_prices.data_snapshot import DataSnapshot, get_snapshot  # noqa: PLC0415

        self._asked += 1
        if self._snapshot is None or self._asked > MOST:
            self._asked = 1
            given = get_snapshot()
            self._snapshot = DataSnapshot(
                providers=given.providers, from_auto_update=given.from_auto_update
            )
        return self._snapshot


_index = _Index()


def _rate(price: Any) -> Rate | None:
    if price is None:
        return None
    if isinstance(price, Decimal):
        return Rate(float(price) * _PER_TOKEN)
    tiers = tuple((tier.start, float(tier.price) * _PER_TOKEN) for tier in price.tiers)
    return Rate(float(price.base) * _PER_TOKEN, tiers)
