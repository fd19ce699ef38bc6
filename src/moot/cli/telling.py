"""Sentences for people: wrapped at words where a terminal would break them in the middle, and with
something in place of characters that an encoding such as ASCII lacks.

Elsewhere, in a pipe or a log, a line stays a line.
"""

from __future__ import annotations

import os
import sys
from textwrap import wrap
from typing import TextIO

LABEL = "moot: "
NARROWEST = 20


def tell(text: str, *, label: str = LABEL) -> None:
    """Say `text`, which has been cleaned, on stderr, beside the output."""
    _print(label + text, sys.stderr)


def say(text: str = "") -> None:
    """Say `text` on stdout, as part of the output."""
    _print(text, sys.stdout)


def _print(text: str, stream: TextIO) -> None:
    print(_fitted(text, stream) if stream.isatty() else text, file=stream, flush=True)


def _fitted(text: str, stream: TextIO) -> str:
    width = max(NARROWEST, _columns(stream))
    return "\n".join(part for line in text.split("\n") for part in _lines(line, width))


def _lines(line: str, width: int) -> list[str]:
    """The line, wrapped: all of it stays indented, and an address or a path stays whole."""
    indent = line[: len(line) - len(line.lstrip())]
    words = wrap(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return words or [""]


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


# --- characters that an encoding lacks -----------------------------------------------------------

SPELLED_OUT = "moot.spelled_out"
"""The name under which `spelled_out` handles errors of encoding."""

SPELLINGS = {
    **dict.fromkeys("\u00b7\u2500\u2013\u2014\u2212", "-"),  # dots, lines and dashes
    **dict.fromkeys("\u201c\u201d\u201e", '"'),
    **dict.fromkeys("\u2018\u2019\u201a", "'"),
    "\u2026": "...",
    "\u25b8": ">",
    "\u25c6": "*",
    "\u2192": "->",
    "\u2713": "ok",
    "\u2717": "x",
    "\u00d7": "x",
}


def spelled_out(error: UnicodeError) -> tuple[str, int]:
    """What to write for characters that the encoding lacks, and where to go on after them. Those
    that are not in the table become question marks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(SPELLINGS.get(char, "?") for char in lacking), error.end
