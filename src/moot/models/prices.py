"""What a call costs, offline, from genai-prices. What is not known is None, never 0.

The library takes half a second to import and a tenth of a millisecond to price a call, so it is
imported when the first price is asked for, and its rates are kept per model.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import msgspec

from moot.models.recent import MOST, Recent
from moot.protocol.values import Usage

if TYPE_CHECKING:
    from genai_prices.data_snapshot import DataSnapshot
    from genai_prices.types import ModelInfo

Price = Callable[[str, Usage], float | None]
# Some providers are cheaper at night, and new prices begin at midnight.
RATES_AGE_S = 60.0
_PER_TOKEN = 1e-6


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
