"""What stands above and below a debate: its topic, who takes part, what it took."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from rich.color import Color, ColorParseError
from rich.console import Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from moot.cli.view.console import clean, duration, one_line
from moot.protocol.registry import format_named
from moot.protocol.roster import is_alternative
from moot.protocol.state import DebateState
from moot.protocol.values import Participant
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
    told = (Text(one, style="dim") for one in format_named(config.format).cautions(config))
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
