"""Tables and lists in Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from moot.export.markdown_text import plain


def table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """The cells are Markdown already."""
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def bullets(texts: Iterable[str]) -> str:
    """Somebody's texts, each on one line."""
    return "\n".join(f"- {plain(text)}" for text in texts)
