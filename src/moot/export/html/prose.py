"""What models wrote, as HTML: from `markup`'s tree, so that no tag of theirs can get through."""

from __future__ import annotations

from collections.abc import Iterable

from moot.export.html.tags import Html, join, lines, tag, text
from moot.export.markup import (
    Block,
    Break,
    Bullets,
    Code,
    CodeBlock,
    Emphasis,
    Heading,
    Inline,
    Link,
    Paragraph,
    Quote,
    Rule,
    Strong,
    Text,
    blocks,
)


def prose(source: str) -> Html:
    """Paragraphs, lists, quotes and code. `dir=auto` keeps writing directions to their block."""
    found = blocks(source)
    if not found:
        return tag("p", text("(nothing)"), class_="nothing")
    if source.lstrip().startswith("{") and source.rstrip().endswith("}"):
        return tag("pre", tag("code", text(source.strip())), dir="auto")
    return lines(*map(_block, found))


def _block(block: Block) -> Html:
    match block:
        case Paragraph(parts):
            return tag("p", _inlines(parts), dir="auto")
        case Heading(parts):
            return tag("p", tag("strong", _inlines(parts)), class_="lead", dir="auto")
        case Bullets(items, start):
            inside = join(*(tag("li", _inlines(item), dir="auto") for item in items))
            return tag("ul", inside) if start is None else tag("ol", inside, start=str(start))
        case Quote(inside_blocks):
            return tag("blockquote", *map(_block, inside_blocks))
        case CodeBlock(code):
            return tag("pre", tag("code", text(code)))
        case Rule():
            return tag("hr")


def _inlines(parts: Iterable[Inline]) -> Html:
    return join(*map(_inline, parts))


def _inline(part: Inline) -> Html:
    match part:
        case Text(plain):
            return text(plain)
        case Break():
            return tag("br")
        case Code(code):
            return tag("code", text(code))
        case Strong(inside):
            return tag("strong", _inlines(inside))
        case Emphasis(inside):
            return tag("em", _inlines(inside))
        case Link(inside, url):
            return tag("a", _inlines(inside), href=url, rel="noopener noreferrer nofollow")
