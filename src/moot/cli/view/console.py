"""Text on a terminal: cleaned, wrapped, in columns.

Everything that models, files and providers say is untrusted: it is cleaned here, and only ever
becomes plain text, never markup.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.style import Style
from rich.table import Table
from rich.text import Text

from moot.models.cleaning import clean_text

UNBOUNDED = 10_000
WIDEST = 100
"""Longer lines tire the eye."""
_TAB = "    "


def clean(text: str) -> str:
    """`text` without anything a terminal would obey."""
    return clean_text(text).replace("\t", _TAB)


def one_line(text: str, limit: int = 160) -> str:
    """`text`, cleaned, on one line, and cut where a reader has seen enough."""
    joined = " ".join(clean(text).split())
    return joined if len(joined) <= limit else joined[: limit - 1].rstrip() + "…"


def stalled(reason: str) -> str:
    """Says that nothing can be recorded, and why; without a reason, that it can be again."""
    if not reason:
        return "the debate can be recorded again, and continues"
    return f"the debate is waiting, because it cannot be recorded: {clean(reason)}"


def duration(seconds: float) -> str:
    """`0.8 s`, `42 s`, `3 min 5 s`, `1 h 2 min`."""
    minute, hour = 60, 3600
    if seconds < 10:  # noqa: PLR2004 - below ten the tenths can be felt
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < minute:
        return f"{whole} s"
    if whole < hour:
        return f"{whole // minute} min {whole % minute} s"
    return f"{whole // hour} h {whole % hour // minute} min"


def local_time(moment: datetime) -> str:
    """`2026-11-18 00:30:12`: for people, in the zone of their machine. Programs get UTC."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"


def clock(moment: datetime) -> str:
    """`00:30:12`: the local time of what happens today."""
    return f"{moment.astimezone():%H:%M:%S}"


def brief(number: int) -> str:
    """`950`, `12.4k`, `3.1M`: as much of a figure as a narrow column has room for."""
    thousand, million = 1000, 1_000_000
    if number < 10 * thousand:
        return str(number)
    if number < million:
        return f"{number / thousand:.1f}".removesuffix(".0") + "k"
    return f"{number / million:.1f}".removesuffix(".0") + "M"


MOST_SHOWN = 100_000
"""How many characters of one text are shown: some fifty pages, written in a tenth of a second."""
LONGEST_WORD = 1000
"""A longer word is written before it is whole."""
_PARTS = re.compile(r"\n|[^\S\n]+|\S+")
_MOST_BLANK_LINES = 1
_DEEPEST_INDENT = 8


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise  # noqa: PLE0704 - called while it is handled; rich would end the process here


def new_console(width: int | None = None) -> Console:
    """A console: plain where it is not a terminal, and never interpreting what it is given."""
    return _Console(highlight=False, markup=False, emoji=False, width=width)


def table_width(console: Console) -> int:
    """How wide a table may be: without bounds in a pipe, whose reader wants a line for each row."""
    return console.width if console.is_terminal or "COLUMNS" in os.environ else UNBOUNDED


def print_table(
    titles: Sequence[str],
    rows: Iterable[Sequence[Text | str]],
    *,
    first: int = 0,
    wrapped: int = 1,
    width: int | None = None,
) -> None:
    """Print columns under dim titles; the last `wrapped` of them take what room there is, and wrap.
    The first is never narrower than `first`: what people have to type again must be whole. If
    `width` is None, it is the usual one. Without any title there is no line of titles."""
    table = Table(
        box=None,
        padding=(0, 2, 0, 0),
        header_style=Style(dim=True),
        pad_edge=False,
        show_header=any(titles),
    )
    for index, title in enumerate(titles[:-wrapped]):
        table.add_column(title, no_wrap=True, min_width=None if index else first)
    for title in titles[-wrapped:]:
        table.add_column(title, overflow="fold")
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else Text(clean(cell)) for cell in row))
    console = new_console(width or table_width(new_console()))
    if console.is_terminal:
        console.print(table)
        return
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        print(line.rstrip())  # columns are for the eye; a program wants no blanks at the end


class Flow:
    """Writes pieces of a text, wrapped to `width` cells, every line after `indent`.

    The last word is held back until it is known to be whole; blanks at both ends are dropped. If a
    text is too long for anybody to read to its end in a terminal, the end is left out, and a note
    says so.
    """

    def __init__(self, write: Callable[[str], None], *, width: int, indent: str = "") -> None:
        self._write = write
        self._indent = indent
        self._width = max(8, width - cell_len(indent))
        self._held = ""
        self._fed = 0
        self._ready: list[str] = []
        self._column = 0
        self._gap = 0
        self._hanging = 0
        self._breaks = 0
        self.lines = 0
        """How many line ends have been written."""
        self.has_text = False

    def feed(self, piece: str) -> None:
        room = max(0, MOST_SHOWN - self._fed)
        self._fed += len(piece)
        self._held += piece[:room]
        parts = _PARTS.findall(self._held)
        self._held = parts.pop() if parts else ""
        if len(self._held) > LONGEST_WORD and not self._held.isspace():
            # All of its lines but the last, to which the next piece belongs.
            *whole, self._held = chop_cells(self._held, self._width)
            parts += whole
        for part in parts:
            self._take(part)
        self._flush()

    def finish(self) -> None:
        """Write the rest, and end the last line."""
        if self._held.strip():
            self._take(self._held)
        self._held = ""
        if self._fed > MOST_SHOWN:
            self._take("\n")
            self._take(
                f"[… {self._fed - MOST_SHOWN:,} more characters; `moot export` has them all]"
            )
        if self._column:
            self._end_line()
        self._flush()

    def _flush(self) -> None:
        """Write everything at once: a console takes a third of a millisecond for each call."""
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
            # An indented list or quotation, or a piece of code: all of its lines are indented.
            self._gap = self._hanging = min(self._gap, _DEEPEST_INDENT)
        elif self._column and self._column + self._gap + size > self._width:
            self._end_line()
            self._gap = self._hanging
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
