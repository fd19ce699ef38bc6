"""What stands above a debate: what it is about, who argues, who judges."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from moot.cli.view.console import clean, one_line
from moot.cli.view.people import People
from moot.protocol.state import DebateState


def header(debate_id: str, state: DebateState) -> RenderableType:
    config = state.config
    parts: list[RenderableType] = [Text(one_line(config.topic, 2000), style=Style(bold=True))]
    premise = config.settings.get("premise")
    if premise:
        parts.append(Text().append("Premise: ", style="dim").append(one_line(str(premise), 2000)))
    return Group(*parts, Text(), _roster(state), Text(), _facts(debate_id, state))


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
        side = people.side(one.id) or one.role.upper()
        roster.add_row(Text(side), name, Text(clean(one.model)))
    return roster


def _facts(debate_id: str, state: DebateState) -> Text:
    config = state.config
    turns = config.settings.get("turns")
    facts = (
        config.format,
        f"{turns} statement{'s' if turns != 1 else ''}" if turns else "",
        f"seed {config.seed}" if config.seed is not None else "",
        f"id {debate_id}",
    )
    return Text(" · ".join(fact for fact in facts if fact), style="dim")
