"""Untrusted text made fit for a terminal, and durations in words."""

from __future__ import annotations

from moot.models.cleaning import clean_text

_TAB = "    "


def clean(text: str) -> str:
    """`text` without anything a terminal would obey."""
    return clean_text(text).replace("\t", _TAB)


def one_line(text: str, limit: int = 160) -> str:
    """The same on one line, cut where a reader has seen enough."""
    joined = " ".join(clean(text).split())
    return joined if len(joined) <= limit else joined[: limit - 1].rstrip() + "…"


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
