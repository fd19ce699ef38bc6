"""What stands above and below a debate: its topic, who takes part, what it took, or what it would
take, for people and for programs. Nothing is created or spent for a forecast.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from rich.color import Color, ColorParseError
from rich.console import Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from moot.cli.telling import say
from moot.cli.view.console import WIDEST, clean, duration, new_console, one_line, print_table
from moot.cli.view.json_lines import as_line, whole
from moot.engine.forecast import Forecast, Span
from moot.engine.looking import cautions
from moot.protocol.events import DebateCreated, Recorded
from moot.protocol.log import fold
from moot.protocol.registry import format_named
from moot.protocol.roster import is_alternative
from moot.protocol.state import DebateState
from moot.protocol.values import Config, Participant
from moot.protocol.vocabulary import NOTHING_ASKED, cost, is_sample, provenance, written
from moot.protocol.words import USER, Role, Stance

# The names of CSS; rich has other names, or other colours of the same name.
NAMED: Mapping[str, str] = {
    "black": "#555555",  # true black could not be read on a dark terminal
    "silver": "#c0c0c0",
    "gray": "#808080",
    "grey": "#808080",
    "white": "#d0d0d0",  # nor true white on a light one
    "maroon": "#a03030",
    "red": "#e05050",
    "purple": "#a050c0",
    "fuchsia": "#ff00ff",
    "green": "#30a030",
    "lime": "#50d050",
    "olive": "#909000",
    "yellow": "#c8b400",
    "navy": "#4060c0",
    "blue": "#5080ff",
    "teal": "#109090",
    "aqua": "#20c0c0",
    "cyan": "#20c0c0",
    "orange": "#e09020",
}
BY_STANCE = {Stance.PRO: "green", Stance.CON: "magenta", Stance.NONE: "yellow"}
SIDES = {Stance.PRO: "FOR", Stance.CON: "AGAINST"}
LONGEST_ERROR = 1000

FEW_CENTS = 0.01
NOTHING = "Nothing was created, and no model was asked."
AGAIN = "To draw the same again, add --seed {seed}."


class People:
    """The participants of one debate, also those who have left."""

    def __init__(self, state: DebateState) -> None:
        self._state = state

    def get(self, participant_id: str) -> Participant | None:
        return self._state.participants.get(participant_id) or self._state.left.get(participant_id)

    def name(self, participant_id: str) -> str:
        if participant_id == USER:
            return self._state.label_of(USER)
        found = self.get(participant_id)
        return clean(found.name if found else self._state.label_of(participant_id))

    def style(self, participant_id: str) -> Style:
        found = self.get(participant_id)
        if found is None:
            return Style()
        color = NAMED.get(found.color, found.color) or BY_STANCE[found.stance]
        try:
            return Style(color=Color.parse(color))
        except ColorParseError:
            return Style(color=BY_STANCE[found.stance])

    def side(self, participant_id: str) -> str:
        """`FOR`, `AGAINST`, `FOR "tabs"`, `JUDGE`, or nothing."""
        found = self.get(participant_id)
        if found is None:
            return ""
        if is_alternative(found.argues):
            return clean(found.argues.replace("for", SIDES[Stance.PRO], 1))
        return "JUDGE" if found.role in (Role.JUDGE, Role.BENCH) else SIDES.get(found.stance, "")


def header(debate_id: str, state: DebateState) -> RenderableType:
    """What stands above a debate. `debate_id` is "" for one that does not exist yet."""
    config = state.config
    parts: list[RenderableType] = [Text(one_line(state.name, 2000), style=Style(bold=True))]
    if state.title:
        parts.append(Text().append("Topic: ", style="dim").append(one_line(config.topic, 2000)))
    if told_first := provenance(config):
        parts.append(Text(told_first, style=Style(bold=True, color="yellow")))
    premise = state.settings.premise
    if premise:
        parts.append(Text().append("Premise: ", style="dim").append(one_line(premise, 2000)))
    told = (Text(one, style="dim") for one in cautions(format_named(config.format), config))
    return Group(*parts, Text(), _roster(state), *told, Text(), _facts(debate_id, state))


def _roster(state: DebateState) -> Table:
    people = People(state)
    roster = Table.grid(padding=(0, 2))
    roster.add_column(no_wrap=True, style="dim")
    roster.add_column(ratio=1)
    roster.add_column(style="dim", overflow="fold")
    for one in state.config.participants:
        name = Text().append(clean(one.name), style=people.style(one.id) + Style(bold=True))
        if one.title:
            name.append(f" | {clean(one.title)}", style="dim")
        if one.argues and not is_alternative(one.argues):
            name.append(f" · argues {clean(one.argues)}", style="dim")
        side = people.side(one.id) or one.role.upper()
        roster.add_row(Text(side), name, Text(clean(", ".join((one.model, *_wishes(one))))))
    return roster


def _wishes(one: Participant) -> list[str]:
    """`effort high`, `temperature 0.2`: how the participant's model is asked to answer."""
    names = {"reasoning_effort": "effort", "top_p": "top-p"}
    return [f"{names.get(name, name)} {value}" for name, value in one.sampling.given]


def _facts(debate_id: str, state: DebateState) -> Text:
    config = state.config
    turns = state.settings.statements
    facts = (
        config.format,
        f"{turns} statement{'s' if turns != 1 else ''}" if turns else "",
        f"seed {config.seed}" if config.seed is not None else "",
        f"rematch of {config.rematch_of}" if config.rematch_of else "",
        f"follow-up to {config.follows}" if config.follows else "",
        f"id {debate_id}" if debate_id else "",
    )
    return Text(" · ".join(fact for fact in facts if fact), style="dim")


def why_failed(state: DebateState) -> str:
    """Why a debate failed, on one line."""
    error = state.failure.error if state.failure else "unknown"
    return f"failed: {one_line(error, LONGEST_ERROR)}"


def totals(state: DebateState, now: datetime) -> str:
    if is_sample(state.config):
        return NOTHING_ASKED
    usage = state.usage
    about = "about " if usage.is_estimated else ""
    return " · ".join(
        (
            calls_of(state),
            f"{about}{usage.input_tokens:,} tokens in, {written(usage)}",
            cost(state),
            duration(state.timeline.runtime_s(now)),
        )
    )


def calls_of(state: DebateState) -> str:
    """How many calls were answered and, if there were any, how many tries were not."""
    answered, tries = state.calls - state.unanswered, state.unanswered
    said = f"{answered} call{'s' if answered != 1 else ''}"
    return f"{said}, {tries} tr{'ies' if tries != 1 else 'y'} without an answer" if tries else said


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
    above = cautions(format_named(config.format), config)  # the header has these
    yield from (f"! {one}" for one in found.warnings if one not in above)
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
