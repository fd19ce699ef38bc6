"""The line below a live debate that says who is at work."""

from __future__ import annotations

from rich.cells import set_cell_size
from rich.console import Console
from rich.control import Control
from rich.segment import ControlType

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
PLAIN_FRAMES = "|/-\\"


class StatusLine:
    """One line below the transcript, always the last thing drawn; never drawn unless `is_live`."""

    def __init__(self, console: Console, *, is_live: bool) -> None:
        self._console = console
        self._is_live = is_live
        self._is_drawn = False
        self._tick = 0
        self.hint = ""
        is_unicode = console.encoding.lower().startswith("utf")
        self._frames = FRAMES if is_unicode else PLAIN_FRAMES

    @property
    def room(self) -> int:
        """How wide a text may be."""
        return max(1, self._console.width - 1 - len("  ⠋ "))

    def draw(self, text: str) -> None:
        """Show `text`, with the spinner moved one step; an empty text clears the line."""
        if not self._is_live:
            return
        self.clear()
        if text:
            self._tick += 1
            frame = self._frames[self._tick % len(self._frames)]
            room = max(1, self._console.width - 1)
            line = f"  {frame} {text}"
            if self.hint and len(line) + len(self.hint) + 3 <= room:
                line = f"{line} · {self.hint}"
            self._console.out(
                set_cell_size(line, min(len(line), room)), style="dim", end="", highlight=False
            )
            self._is_drawn = True

    def clear(self) -> None:
        if self._is_drawn:
            self._console.control(
                Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2))
            )
            self._is_drawn = False
