"""What is told on stderr, beside the output: wrapped at words where a terminal would break them.

Elsewhere, in a pipe or a log, a line stays a line.
"""

from __future__ import annotations

import os
import sys
from textwrap import wrap

LABEL = "moot: "
NARROWEST = 20


def tell(text: str, *, label: str = LABEL) -> None:
    """Say `text`, which has been cleaned, to whoever is there."""
    print(
        _fitted(label + text) if sys.stderr.isatty() else label + text, file=sys.stderr, flush=True
    )


def _fitted(text: str) -> str:
    width = max(NARROWEST, _columns())
    return "\n".join(part for line in text.split("\n") for part in _lines(line, width))


def _lines(line: str, width: int) -> list[str]:
    """What is indented stays so; an address or a path stays whole."""
    indent = line[: len(line) - len(line.lstrip())]
    words = wrap(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return words or [""]


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
