"""Tags and escaping, and what every HTML document of ours has around it.

An `Html` is safe to put into a page; `text` and `prose` are the only ways from a `str`, and `prose`
writes what models wrote with the tags of this module only. The head of a document allows one style
sheet, by its hash, and nothing else at all.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import NewType

from markdown_it.tree import SyntaxTreeNode

from moot.export.markdown import FORBIDDEN, is_in_link, tree

Html = NewType("Html", str)

VOID = frozenset({"meta", "link", "input", "br", "hr"})


def text(value: str) -> Html:
    """Somebody's text, shown as it is."""
    return Html(html.escape(FORBIDDEN.sub("", value)))


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


# --- what models wrote ---------------------------------------------------------------------------


def prose(source: str) -> Html:
    """What a model wrote, as paragraphs, lists, tables, quotes and code."""
    if not source.strip():
        return tag("p", text("(nothing)"), class_="nothing")
    if source.lstrip().startswith("{") and source.rstrip().endswith("}"):
        return tag("pre", tag("code", text(source.strip())), dir="auto")
    return lines(*map(_node, tree(source).children))


def _inside(node: SyntaxTreeNode) -> Html:
    return join(*map(_node, node.children))


def _node(node: SyntaxTreeNode) -> Html:
    return _WRITERS[node.type](node)


def _element(name: str) -> Callable[[SyntaxTreeNode], Html]:
    # `dir=auto` keeps each writing direction within its block.
    direction = "auto" if name in ("li", "th", "td") else None
    return lambda node: tag(name, _inside(node), dir=direction)


def _paragraph(node: SyntaxTreeNode) -> Html:
    return _inside(node) if _is_of_item(node) else tag("p", _inside(node), dir="auto")


def _code_block(node: SyntaxTreeNode) -> Html:
    return tag("pre", tag("code", text(node.content.removesuffix("\n"))))


def _numbered(node: SyntaxTreeNode) -> Html:
    start = node.attrs.get("start")
    return tag("ol", _inside(node), start=None if start is None else str(start))


def _is_of_item(node: SyntaxTreeNode) -> bool:
    """Whether it is the first part of a list item, which needs no paragraph."""
    parent = node.parent
    return parent is not None and parent.type == "list_item" and parent.children[0] is node


def _heading(node: SyntaxTreeNode) -> Html:
    """A heading, on a level below the document's own."""
    return tag("h5" if node.tag in ("h1", "h2") else "h6", _inside(node), dir="auto")


def _link(node: SyntaxTreeNode) -> Html:
    """A picture becomes a link to it: nothing is fetched. A link within a link becomes its text."""
    inside = _inside(node) or text(node.content)
    if is_in_link(node.parent):
        return inside
    url = str(node.attrs.get("href") or node.attrs.get("src") or "")
    return tag("a", inside, href=url, rel="noopener noreferrer nofollow")


_WRITERS: Mapping[str, Callable[[SyntaxTreeNode], Html]] = {
    "inline": _inside,
    "text": lambda node: text(node.content),
    "softbreak": lambda _node: tag("br"),
    "hardbreak": lambda _node: tag("br"),
    "code_inline": lambda node: tag("code", text(node.content)),
    "link": _link,
    "image": _link,
    "s": _element("del"),
    "paragraph": _paragraph,
    "heading": _heading,
    "fence": _code_block,
    "hr": lambda _node: tag("hr"),
    "bullet_list": _element("ul"),
    "ordered_list": _numbered,
    "list_item": _element("li"),
    **{name: _element(name) for name in ("strong", "em", "blockquote")},
    **{name: _element(name) for name in ("table", "thead", "tbody", "tr", "th", "td")},
}
"""A writer for every kind of node that `markdown`'s reader makes."""


# --- what stands around a document ---


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
