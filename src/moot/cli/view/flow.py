"""Wraps text at words while it arrives, so that streamed and printed text look the same."""

from __future__ import annotations

import re
from collections.abc import Callable

from rich.cells import cell_len, chop_cells

_PARTS = re.compile(r"\n|[^\S\n]+|\S+")
_MOST_BLANK_LINES = 1
_DEEPEST_INDENT = 8


class Flow:
    """Writes pieces of a text, wrapped to `width` cells, every line after `indent`.

    The last word is held back until it is known to be whole; blanks at both ends are dropped.
    """

    def __init__(self, write: Callable[[str], None], *, width: int, indent: str = "") -> None:
        self._write = write
        self._indent = indent
        self._width = max(8, width - cell_len(indent))
        self._held = ""
        self._ready: list[str] = []
        self._column = 0
        self._gap = 0
        self._breaks = 0
        self.lines = 0
        """How many line ends have been written."""
        self.has_text = False

    def feed(self, piece: str) -> None:
        self._held += piece
        parts = _PARTS.findall(self._held)
        if parts:
            self._held = parts.pop()
        for part in parts:
            self._take(part)
        self._flush()

    def finish(self) -> None:
        """The rest, and the end of the last line."""
        if self._held.strip():
            self._take(self._held)
        self._held = ""
        if self._column:
            self._end_line()
        self._flush()

    def _flush(self) -> None:
        """Everything at once: a console takes a third of a millisecond for each call."""
        if self._ready:
            self._write("".join(self._ready))
            self._ready.clear()

    def _take(self, part: str) -> None:
        if part == "\n":
            self._breaks += 1
            self._gap = 0
        elif part.isspace():
            self._gap = len(part)
        else:
            for word in self._words(part):
                self._word(word)

    def _words(self, word: str) -> list[str]:
        return [word] if cell_len(word) <= self._width else chop_cells(word, self._width)

    def _word(self, word: str) -> None:
        size = cell_len(word)
        if self.has_text and self._breaks:
            if self._column:
                self._end_line()
            for _ in range(min(self._breaks - 1, _MOST_BLANK_LINES)):
                self._end_line()
            self._gap = min(self._gap, _DEEPEST_INDENT)  # an indented list or a piece of code
        elif self._column and self._column + self._gap + size > self._width:
            self._end_line()
            self._gap = 0
        elif not self._column:
            self._gap = 0
        if self._gap + size > self._width:
            self._gap = 0
        blanks = " " * self._gap
        self._ready.append(blanks + word if self._column else self._indent + blanks + word)
        self._column += self._gap + size
        self._gap = self._breaks = 0
        self.has_text = True

    def _end_line(self) -> None:
        self._ready.append("\n")
        self.lines += 1
        self._column = 0
