"""Tags and escaping. An `Html` is safe to put into a page; `text` is the only way from a `str`.

`Html(...)` itself is for this package's constants, never for what a log contains.
"""

from __future__ import annotations

import html
import re
from typing import NewType

Html = NewType("Html", str)

# Not allowed in HTML, whatever the escape: C0 and C1 controls, non-characters, lone surrogates.
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

VOID = frozenset({"meta", "link", "input", "br", "hr"})


def text(value: str) -> Html:
    """Somebody's text, shown as it is."""
    return Html(html.escape(_FORBIDDEN.sub("", value)))


def join(*parts: Html) -> Html:
    return Html("".join(parts))


def lines(*parts: Html) -> Html:
    return Html("\n".join(part for part in parts if part))


def tag(name: str, /, *inside: Html, **attributes: str | float | None) -> Html:
    """An element. `class_` is class, `_` in names becomes `-`, None leaves an attribute out."""
    shown = "".join(
        f' {_name(key)}="{text(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in VOID:
        return Html(f"<{name}{shown}>")
    return Html(f"<{name}{shown}>{''.join(inside)}</{name}>")


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")
