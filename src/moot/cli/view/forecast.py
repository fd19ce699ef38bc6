"""What a debate would take, for people and for programs. Nothing is created or spent for this."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from moot.cli.telling import say
from moot.cli.view.console import WIDEST, clean, duration, new_console, print_table
from moot.cli.view.header import header
from moot.cli.view.json_lines import as_line, whole
from moot.engine.forecast import Forecast, Span
from moot.protocol.events import DebateCreated, Recorded
from moot.protocol.log import fold
from moot.protocol.registry import format_named
from moot.protocol.values import Config

FEW_CENTS = 0.01
NOTHING = "Nothing was created, and no model was asked."
AGAIN = "To draw the same again, add --seed {seed}."


def print_forecast(config: Config, found: Forecast, *, as_json: bool) -> None:
    if as_json:
        print(as_line(_as_data(config, found)))
        return
    console = new_console()
    width = min(console.width, WIDEST)
    state = fold([Recorded(1, datetime.now(UTC), DebateCreated(config=config))])
    console.print(header("", state), width=width)
    console.line()
    print_table(("", ""), _figures(config, found))
    for line in _lines(config, found):
        say(clean(line))


def _figures(config: Config, found: Forecast) -> list[tuple[str, str]]:
    return [
        ("calls", _calls(config, found)),
        ("tokens in", _span(found.input_tokens)),
        ("tokens out", _span(found.output_tokens)),
        ("cost", _cost(found)),
        ("time", _time(found)),
    ]


def _lines(config: Config, found: Forecast) -> Iterator[str]:
    cautions = format_named(config.format).cautions(config)  # the header has these
    yield from (f"! {one}" for one in found.warnings if one not in cautions)
    yield ""
    drawn = [AGAIN.format(seed=config.seed)] if config.draws and config.seed is not None else []
    yield " ".join([NOTHING, *drawn])


def _calls(config: Config, found: Forecast) -> str:
    if not found.calls:
        return "none: only people take part"
    open_ended = (
        " (until its limit is reached)" if format_named(config.format).is_open_ended else ""
    )
    return f"at most {found.calls:,}{open_ended}"


def _span(span: Span) -> str:
    low, high = round(span.low), round(span.high)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _cost(found: Forecast) -> str:
    if found.unpriced:
        return f"unknown: no price is known for {', '.join(found.unpriced)}"
    span = found.cost_usd
    if span is None or not span.high:
        return "free"
    digits = 2 if span.high >= FEW_CENTS else 6
    return f"${span.low:.{digits}f} to ${span.high:.{digits}f}"


def _time(found: Forecast) -> str:
    if found.runtime_s is None:
        return "unknown"
    return f"about {duration(max(1, round(found.runtime_s))).replace('.0', '')}"


def _as_data(config: Config, found: Forecast) -> dict[str, Any]:
    """The forecast as HTTP gives it, with what was drawn."""
    staged = {
        "topic": config.topic,
        "format": config.format,
        "settings": config.settings,
        "participants": whole(config.participants),
        "seed": config.seed,
        "draws": whole(config.draws),
    }
    return {**msgspec.to_builtins(found), "staged": staged}
