"""What every HTML document of ours has around it: a head that allows one style sheet, by its hash,
and nothing else at all."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from moot.export.tags import Html, lines, tag, text


def page(title: str, body: Html, rules: str = "", *, generator: str = "Moot") -> str:
    """The document. `rules` are added to the sheet, and are never what somebody wrote."""
    made = tag("html", _head(title, _sheet() + rules, generator), Html("\n"), body, lang="en")
    return f"<!doctype html>\n{made}\n"


def message(title: str, *sentences: str) -> str:
    """A page that says something, and no more."""
    said = (tag("p", text(one)) for one in sentences)
    main = tag("main", tag("h1", text(title)), *said, class_="masthead")
    return page(title, tag("body", main))


@cache
def _sheet() -> str:
    return files("moot.export").joinpath("style.css").read_text(encoding="utf-8")


def policy(style: str) -> str:
    """Allows this one style sheet, by its hash."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _head(title: str, style: str, generator: str) -> Html:
    return tag(
        "head",
        lines(
            tag("meta", charset="utf-8"),
            # The policy before anything it governs.
            tag("meta", http_equiv="Content-Security-Policy", content=policy(style)),
            tag("meta", name="referrer", content="no-referrer"),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="color-scheme", content="light dark"),
            tag("meta", name="generator", content=generator),
            # Without it, browsers ask the server for /favicon.ico.
            tag("link", rel="icon", href="data:,"),
            tag("title", text(title)),
            tag("style", Html(style)),
        ),
    )
