"""What a debate will take before it is started: calls, time, and tokens and money from low to high.

The number of calls is the format's own worst case. Lengths of replies are not known in advance, so
there are two figures: replies that use a fifth of what they may, and replies that use all of it.
How long it will run follows from how long calls have lately taken.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import median
from types import MappingProxyType

import msgspec

from moot.engine.clock import Clock
from moot.engine.files import MOST_QUOTED
from moot.engine.looking import before_it_exists
from moot.errors import NotFound
from moot.models.messages import CHARACTERS_PER_TOKEN
from moot.models.port import Models, TellsPrice
from moot.protocol.events import Recorded, TurnRecorded
from moot.protocol.machine import Format
from moot.protocol.registry import format_named
from moot.protocol.settings import Settings, frozen
from moot.protocol.values import Config, Participant, Usage
from moot.protocol.words import HUMAN
from moot.store.port import Store

LOW_SHARE = 0.2
"""How much of its limit a reply uses at the least, roughly."""
PROMPT_TOKENS = 200
"""What a format's own words add to a call."""

UNKNOWN: Mapping[str, float] = MappingProxyType({})

Price = Callable[[str, Usage], float | None]

ONE_CALL = Usage(input_tokens=1, output_tokens=1)
"""To find out whether a model has a price, and whether it costs anything."""


class Span(msgspec.Struct, frozen=True, kw_only=True):
    low: float
    high: float


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """`cost_usd` is None if the price of a model is not known; `unpriced` names those. `runtime_s`
    is about how long it will run, None where that cannot be said. `warnings` are what somebody
    must know before anything is spent."""

    calls: int
    input_tokens: Span
    output_tokens: Span
    cost_usd: Span | None
    models: tuple[str, ...]
    unpriced: tuple[str, ...]
    runtime_s: float | None = None
    warnings: tuple[str, ...] = ()


def forecast(
    config: Config, models: Models, price: Price, pace: Mapping[str, float] = UNKNOWN
) -> Forecast:
    """The forecast of a debate that runs to its end. May block, as `price` may.

    `pace` is how many seconds a call to a model takes, as far as that is known.
    """
    talking = [one for one in config.participants if one.model != HUMAN]
    rules = format_named(config.format)
    with before_it_exists(rules):
        calls = rules.most_calls(config) if talking else 0
        chain, alone = rules.longest_chain(config), rules.reads(config)
        cautions = rules.cautions(config)
    names = Counter(one.model for one in talking)
    settings = frozen(rules.settings, config.settings)
    reading = _Reading(files=sum(one.size_bytes for one in config.attachments), alone=alone)
    low = _usage(settings, models, talking, calls, LOW_SHARE, reading)
    high = _usage(settings, models, talking, calls, 1.0, reading)
    costs = {name: (price(name, low), price(name, high)) for name in names}
    unpriced = tuple(name for name, (_, most) in costs.items() if most is None)
    shares = {name: calls * count / len(talking) for name, count in names.items()}
    return Forecast(
        calls=calls,
        input_tokens=Span(low=low.input_tokens * calls, high=high.input_tokens * calls),
        output_tokens=Span(low=low.output_tokens * calls, high=_within(settings, high, calls)),
        cost_usd=None if unpriced else _total(costs, shares),
        models=tuple(names),
        unpriced=unpriced,
        runtime_s=_runtime(rules, chain, config, settings, pace),
        warnings=(
            *_warnings(settings, models, tuple(names), unpriced),
            *_too_long(settings, models, tuple(names), reading),
            *cautions,
        ),
    )


def _runtime(
    rules: Format, chain: int, config: Config, settings: Settings, pace: Mapping[str, float]
) -> float | None:
    """What the longest chain of calls takes, each as long as calls have lately taken. None if
    that is not known, and in a room: nobody knows how long people take, or when they end it."""
    people = config.participants
    if rules.is_open_ended or not people or any(one.model not in pace for one in people):
        return None
    call_s = sum(pace[one.model] for one in people) / len(people)
    found = chain * call_s
    return min(found, settings.max_runtime_seconds or found)


def price_of(models: Models) -> Price:
    """What calls to these models cost, as far as they know."""
    return models.price if isinstance(models, TellsPrice) else lambda _name, _usage: None


def unheld_budget(config: Config, models: Models) -> str:
    """Why the cap on money cannot be held; nothing if it can, or if there is none. May block."""
    settings = frozen(format_named(config.format).settings, config.settings)
    if settings.max_cost_usd is None:
        return ""
    names = dict.fromkeys(one.model for one in config.participants if one.model != HUMAN)
    price = price_of(models)
    return _unheld(tuple(name for name in names if price(name, ONE_CALL) is None))


def _warnings(
    settings: Settings, models: Models, names: tuple[str, ...], unpriced: tuple[str, ...]
) -> Iterator[str]:
    if settings.max_cost_usd is not None and unpriced:
        yield _unheld(unpriced)
    price = price_of(models)
    paid = [name for name in names if price(name, ONE_CALL) != 0]
    if thinking := [name for name in paid if models.facts(name).thinks]:
        yield (
            f"{_listed(thinking)} think{'' if len(thinking) > 1 else 's'} before answering: "
            "thoughts are paid for too, and come on top of these figures."
        )


def _too_long(
    settings: Settings, models: Models, names: tuple[str, ...], reading: _Reading
) -> Iterator[str]:
    """A warning for each model whose window cannot hold what every call has to read whole."""
    if reading.alone is None:
        return
    tokens = int(reading.alone / CHARACTERS_PER_TOKEN)
    for name in names:
        window = models.facts(name).context_window
        if window is not None and tokens + PROMPT_TOKENS + settings.max_tokens > window:
            yield (
                f"About {tokens:,} tokens have to be read at once, which do not fit the window of "
                f"{name} ({window:,}): its answers will not count."
            )


def _unheld(unpriced: tuple[str, ...]) -> str:
    if not unpriced:
        return ""
    return (
        f"max_cost_usd cannot be held: the price of {_listed(unpriced)} is not known, so its calls "
        "are not counted, and only max_total_output_tokens bounds them. Use models whose price is "
        "known to have it held."
    )


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


class _Reading(msgspec.Struct, frozen=True, kw_only=True):
    """Characters in every prompt: of the files that everybody may read, and of all else if nobody
    reads what others say."""

    files: int
    alone: int | None = None


def _usage(
    settings: Settings,
    models: Models,
    talking: list[Participant],
    calls: int,
    share: float,
    reading: _Reading,
) -> Usage:
    """The usage of an average call, if replies use `share` of what they may; files stand in every
    prompt as far as there is room."""
    if not calls:
        return Usage()
    most = settings.max_tokens
    caps = [models.facts(one.model).reply_cap or most for one in talking]
    reply = max(1, round(share * sum(min(most, cap) for cap in caps) / len(caps)))
    said = reply * (calls - 1) / 2  # on average half of everything has been said
    # At the least, each reads only its own part; at the most everything, on every call.
    read = said if share == 1.0 else said / len(talking)
    if reading.alone is not None:
        read = reading.alone / CHARACTERS_PER_TOKEN
    windows = [models.facts(one.model).context_window for one in talking]
    window = max((w for w in windows if w), default=None) if all(windows) else None
    files = min(reading.files, MOST_QUOTED, window or MOST_QUOTED) / CHARACTERS_PER_TOKEN
    size = PROMPT_TOKENS + _persona_tokens(talking) + round(read + files)
    return Usage(input_tokens=min(size, window or size), output_tokens=reply)


def _persona_tokens(talking: list[Participant]) -> int:
    texts = ("personality", "position", "instructions", "judging_criteria")
    size = sum(len(getattr(one, text)) for one in talking for text in texts)
    return round(size / CHARACTERS_PER_TOKEN / len(talking))


def _within(settings: Settings, high: Usage, calls: int) -> float:
    """A limit on all that is written ends the debate; the closing stage may go beyond it."""
    limit = settings.max_total_output_tokens
    total = high.output_tokens * calls
    return total if limit is None else min(total, limit + 2 * high.output_tokens)


def _total(costs: dict[str, tuple[float | None, float | None]], shares: dict[str, float]) -> Span:
    low = sum((least or 0.0) * shares[name] for name, (least, _) in costs.items())
    high = sum((most or 0.0) * shares[name] for name, (_, most) in costs.items())
    return Span(low=low, high=high)


# --- how long calls take --------------------------------------------------------------------------
# Measured by what debates have recorded here. Only the ends of the newest logs are read, so that it
# costs the same however many there are. Where too little is recorded, nothing is said: a guess
# would be taken for a measurement.

DEBATES = 20
"""How many debates are looked at: the newest."""
EVENTS = 60
"""How many events of each are read: the last."""
LEAST = 3
"""Calls that must have been recorded before anything is said of a model."""
KEPT_S = 30.0
"""How long what was found is used again: a form asks after every change."""


class Pace:
    """Seconds that calls have taken, by model."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._found: Mapping[str, float] = {}
        self._until = float("-inf")
        self._lock = asyncio.Lock()

    async def seconds(self) -> Mapping[str, float]:
        """The median time of the latest calls to each model; models about which too little is known
        are left out."""
        async with self._lock:
            if self._clock.monotonic() >= self._until:
                self._found = await self._look()
                self._until = self._clock.monotonic() + KEPT_S
            return self._found

    async def _look(self) -> dict[str, float]:
        took: dict[str, list[float]] = defaultdict(list)
        for row in (await self._store.list(limit=DEBATES)).items:
            if row.was_imported:  # held elsewhere
                continue
            try:
                log = await self._store.read(row.id, after=max(0, row.seq - EVENTS))
            except NotFound:  # deleted meanwhile
                continue
            for model, seconds in _calls(log):
                took[model].append(seconds)
        return {name: median(some) for name, some in took.items() if len(some) >= LEAST}


def _calls(log: Iterable[Recorded]) -> Iterable[tuple[str, float]]:
    for record in log:
        said = record.event
        # A person's time does not count. What a fork has from its source counts like its own.
        if isinstance(said, TurnRecorded) and said.duration_ms and said.model not in ("", HUMAN):
            yield said.model, said.duration_ms / 1000
