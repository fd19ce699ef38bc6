"""The Markdown that models write, as a tree; documents are written from it, all text escaped.

The page has a renderer of its own; `tests/markdown_cases.py` has what both must make of each text.

Rule 1: no HTML, no image, no reference; whatever is not known here is text.
Rule 2: links lead to http, https and mailto, as they were written.
Rule 3: what is longer than LONGEST is not read at all. Below that, reading takes a second or two at
        worst, whatever the text is made of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

LONGEST = 60_000
"""How many characters are read as Markdown. The page has the same limit."""
DEEPEST = 20
"""How far quotes, lists and emphasis may be nested; what lies deeper is text."""

LINK = re.compile(r"(?:https?://[^\s/]|mailto:[^\s@]+@)", re.IGNORECASE)
_BARE = re.compile(r"\bhttps?://[^\s<>()\[\]\"'`*]{1,2000}", re.IGNORECASE)
_AT_END = ".,;:!?"
# NUL and its relatives mean nothing in a text and are not allowed in HTML.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_FENCE = re.compile(r" {0,3}(`{3,}(?![^`]*`)|~{3,})")
_DOT = re.compile(r"([ \t]{0,12})•(?=[ \t])")


def _reader() -> MarkdownIt:
    unwanted = ["html_block", "html_inline", "entity", "reference", "lheading", "code"]
    reader = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST})
    reader.enable(["table", "strikethrough"]).disable(unwanted)
    reader.validateLink = lambda url: LINK.match(url) is not None  # type: ignore[method-assign]
    reader.normalizeLink = lambda url: url  # type: ignore[method-assign]
    reader.core.ruler.push("bare_links", _link_bare)
    return reader


def tree(text: str) -> SyntaxTreeNode:
    """The text as a tree; nothing of it is lost but control characters and blank lines."""
    clean = _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if len(clean) > LONGEST:
        whole = Token("fence", "code", 0, content=clean)
        return SyntaxTreeNode([whole])
    return SyntaxTreeNode(_READER.parse("\n".join(_dashed(clean.split("\n")))))


def _dashed(lines: list[str]) -> Iterator[str]:
    """The lines, with a dash for the dot with which models also begin items: Markdown has no such
    mark."""
    fence = ""
    for line in lines:
        found = _FENCE.match(line)
        if found and not fence:
            fence = found[1][:3]
        elif found and line.lstrip().startswith(fence):
            fence = ""
        yield line if fence else _DOT.sub(r"\1-", line, count=1)


def _link_bare(state: StateCore) -> None:
    """Turn addresses that stand in the text into links."""
    for token in state.tokens:
        if token.type == "inline" and token.children:
            token.children = list(_with_links(token.children))


def _with_links(tokens: list[Token]) -> Iterator[Token]:
    depth = 0
    for token in _without_empty(tokens):
        depth += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        if token.type == "text" and not depth:
            yield from _split(token.content)
        else:
            yield token


def _without_empty(tokens: list[Token]) -> Iterator[Token]:
    """The tokens, with links that have no address left as they were written: `validateLink` is not
    asked about those."""
    ends: list[Token | None] = []
    for token in tokens:
        is_empty = token.attrs.get("href" if token.type == "link_open" else "src") == ""
        if token.type == "link_open":
            ends.append(_plain("]()") if is_empty else None)
            yield _plain("[") if is_empty else token
        elif token.type == "link_close":
            yield ends.pop() or token
        elif token.type == "image" and is_empty:
            yield _plain(f"![{token.content}]()")
        else:
            yield token


def _plain(text: str) -> Token:
    return Token("text", "", 0, content=text)


def _split(text: str) -> Iterator[Token]:
    at = 0
    for found in _BARE.finditer(text):
        url = found[0].rstrip(_AT_END)
        if not LINK.match(url):
            continue
        yield _plain(text[at : found.start()])
        yield Token("link_open", "a", 1, attrs={"href": url})
        yield _plain(url)
        yield Token("link_close", "a", -1)
        at = found.start() + len(url)
    yield _plain(text[at:])


_READER = _reader()
