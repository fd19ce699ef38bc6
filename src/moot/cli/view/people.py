"""Names in their colours, and what a roster says about them."""

from __future__ import annotations

from collections.abc import Mapping

from rich.color import Color, ColorParseError
from rich.style import Style

from moot.cli.view.console import clean
from moot.protocol.state import DebateState
from moot.protocol.values import Participant
from moot.protocol.words import USER, Role, Stance

# The names of CSS; rich has other names, or other colours of the same name.
NAMED: Mapping[str, str] = {
    "black": "#555555",  # as it is, it could not be read on a dark terminal
    "silver": "#c0c0c0",
    "gray": "#808080",
    "grey": "#808080",
    "white": "#d0d0d0",  # nor this on a light one
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
        """`FOR`, `AGAINST`, `JUDGE`, or nothing."""
        found = self.get(participant_id)
        if found is None:
            return ""
        return "JUDGE" if found.role is Role.JUDGE else SIDES.get(found.stance, "")
