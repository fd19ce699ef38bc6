"""The running score, and the line that says how it has changed."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from moot.cli.view.people import People
from moot.protocol.events import TurnRecorded
from moot.protocol.words import PASSED

UNKNOWN = "?"


class ScoreBoard:
    """Who has how many points after the turns it has taken account of."""

    def __init__(self, people: People) -> None:
        self._people = people
        self._points: dict[str, int] = {}
        self._order: list[str] = []

    def take(self, said: TurnRecorded) -> tuple[Text, str]:
        """The line to show after this score, and the judge's reason."""
        scored = scored_participant(said)
        if scored not in self._order:
            self._order.append(scored)
        before = self._points.get(scored)
        points = (said.data or {}).get("score")
        if not isinstance(points, int):
            why = "passed" if PASSED in said.flags else "no readable score"
            note = why + (", the last one stands" if before is not None else "")
            return self._line(scored, f" ({note})"), ""
        self._points[scored] = points
        change = (
            "" if before is None else f" ({points - before:+d})" if points != before else " (=)"
        )
        return self._line(scored, change), str((said.data or {}).get("reasoning") or "")

    def _line(self, scored: str, change: str) -> Text:
        line = Text().append("◆ ", style="dim")
        for index, one in enumerate(self._order):
            if index:
                line.append(" ▸ ", style="dim")
            line.append(self._people.name(one), style=self._people.style(one))
            line.append(f" {self._points.get(one, UNKNOWN)}", style=Style(bold=True))
            if one == scored:
                line.append(change, style="dim")
        return line


def scored_participant(said: TurnRecorded) -> str:
    """Whom a score is for: the last part of its step key, `exchange/1/judge/score/ada`."""
    return said.step_key.rsplit("/", 1)[-1]
