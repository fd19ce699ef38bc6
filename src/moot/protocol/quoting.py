"""What one speaker said, put into another's prompt as quoted data.

Only our own lines begin at the margin, so no text can put on another's name, our headings or an
instruction of ours.
"""

from __future__ import annotations

from collections.abc import Iterable

INDENT = "  "


def quoted(label: str, text: str) -> str:
    """`[Ada]: ...`, further lines indented, whatever ends a line in `text`."""
    return f"[{label}]: " + f"\n{INDENT}".join(text.splitlines())


def quotations(said: Iterable[tuple[str, str]]) -> str:
    """Several of them, a blank line between."""
    return "\n\n".join(quoted(label, text) for label, text in said)
