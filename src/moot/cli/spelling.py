"""What is printed in place of characters that an encoding such as ASCII lacks."""

from __future__ import annotations

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
    """How a stream is to go on after it. Anything not in the table becomes a question mark."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(SPELLINGS.get(char, "?") for char in lacking), error.end
