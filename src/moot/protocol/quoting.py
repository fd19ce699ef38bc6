"""What one speaker said, put into another's prompt as quoted data. The only module that does it.

The label comes first and every further line is indented, whichever line end Unicode has for it.
Only our own lines begin at the margin, so no text can pass for words of another speaker, for a
heading of ours or for an instruction of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

INDENT = "  "
_ODD_ENDS = "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_ODD_END = re.compile(f"[{_ODD_ENDS}]")


def inset(text: str) -> str:
    """The text, all lines but the first indented: for a place that follows a label of ours."""
    # By `replace`, quicker than a pattern: a council quotes everybody to everybody else at once.
    if _ODD_END.search(text) is not None:
        text = text.replace("\r\n", "\n")
        for end in _ODD_ENDS:
            text = text.replace(end, "\n")
    return text.replace("\n", f"\n{INDENT}")


def quoted(label: str, text: str) -> str:
    """`[Ada]: ...`, further lines indented."""
    return f"[{label}]: {inset(text)}"


def quotations(said: Iterable[tuple[str, str]]) -> str:
    """Several quotations, with blank lines between them."""
    return "\n\n".join(quoted(label, text) for label, text in said)


def block(text: str) -> str:
    """The text with every line indented: for a place below a heading of ours."""
    return INDENT + inset(text)
