"""The files of a debate as part of a prompt: quoted as data, named, and within bounds.

The same text for the same files and the same room, whoever is asked and whatever for, so that
the beginning of a prompt never changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from moot.prompts import render
from moot.protocol.steps import Prompt

LEAST_SHOWN = 500
"""Characters of room below which a file is only named."""


def attached_block(files: Sequence[tuple[str, str]], room: int) -> str:
    """The block, with at most about `room` characters of the files' text; "" without files."""
    if not files:
        return ""
    return render(Prompt("attached", {"files": "\n\n".join(_parts(files, room))}))


def _parts(files: Sequence[tuple[str, str]], room: int) -> Iterator[str]:
    for name, text in files:
        shown = text if len(text) <= room else _beginning(text, room)
        lines = text.count("\n") + 1
        if shown or not text:
            room -= len(shown)
            cut = "" if shown == text else f", the first {shown.count(chr(10)) + 1} are shown"
            yield f"[file {name}: {lines} lines{cut}]\n{_quoted(shown)}\n[end of file {name}]"
        else:
            yield f"[file {name}: {lines} lines, not shown here]"


def _beginning(text: str, room: int) -> str:
    """As many whole lines as there is room for, or the beginning of one that is too long."""
    if room < LEAST_SHOWN:
        return ""
    head = text[:room]
    return head[: head.rfind("\n")] if "\n" in head else head


def _quoted(text: str) -> str:
    # Only our own lines begin at the margin, so no file can end its own quotation.
    return "  " + text.replace("\n", "\n  ")
