"""What people and models wrote, as Markdown: from `markup`'s tree, all text escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from functools import reduce

from moot.export import wording
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

_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_ENTITY = re.compile(r"&(?=#?\w{1,40};)")
_NO_START = "x"
_LINE_START = re.compile(r"^(\s*)(#|\+|-|=|:|(?P<number>\d{1,9})(?=[.)]))")


def plain(text: str) -> str:
    """Somebody's text on one line, with nothing in it that Markdown or HTML would act on."""
    return _escaped(wording.one_line(text))


def after_label(text: str) -> str:
    """The same for text that does not start its line."""
    return _escaped(_NO_START + wording.one_line(text))[1:]


def _escaped(text: str) -> str:
    safe = _SPECIAL.sub(r"\\\1", _ENTITY.sub("&amp;", text))
    safe = safe.replace("<", "&lt;").replace(">", "&gt;")
    match = _LINE_START.match(safe)
    if match is None:
        return safe
    at = match.end() if match["number"] else match.end() - 1
    return safe[:at] + "\\" + safe[at:]


def _inlines(parts: Iterable[Inline]) -> str:
    lines = [""]
    for part in parts:
        if isinstance(part, Break):
            lines[-1] += "\\"
            lines.append("")
        else:
            lines[-1] = _with(lines[-1], part)
    return "\n".join(lines)


def _with(line: str, part: Inline) -> str:
    """The line and one part more. A `!` before a link would make an image of it."""
    if isinstance(part, Link) and line.endswith("!"):
        line = line[:-1] + "\\!"
    return line + _inline(part, at_start=not line)


def _inline(part: Inline, *, at_start: bool) -> str:
    match part:
        case Text(text):
            # What is not at the start of a line needs no escape there: put one letter before it.
            return _escaped(text.lstrip()) if at_start else _escaped(_NO_START + text)[1:]
        case Break():
            return " "
        case Code(text):
            return _code(text)
        case Strong(parts):
            return f"**{_inside(parts)}**"
        case Emphasis(parts):
            return f"*{_inside(parts)}*"
        case Link(parts, url):
            return f"[{_inside(parts)}](<{html.escape(url)}>)"


def _inside(parts: tuple[Inline, ...]) -> str:
    # The mark before it is where the line starts.
    return reduce(_with, parts, _NO_START)[len(_NO_START) :]


def _code(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _block(block: Block) -> str:
    match block:
        case Paragraph(parts):
            return _inlines(parts)
        case Heading(parts):
            return f"**{_inside(parts)}**" if parts else ""
        case Bullets(items, start):
            return "\n".join(_items(items, start))
        case Quote(inside):
            return _quoted("\n\n".join(map(_block, inside)))
        case CodeBlock(text):
            longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
            fence = "`" * max(3, longest + 1)
            return f"{fence}\n{text}\n{fence}"
        case Rule():
            return "* * *"


def _items(items: Iterable[tuple[Inline, ...]], start: int | None) -> Iterator[str]:
    for number, item in enumerate(items, start or 0):
        mark = "- " if start is None else f"{number}. "
        yield mark + _inlines(item).replace("\n", "\n" + " " * len(mark))


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def said(text: str) -> str:
    """Somebody's whole text as a block quote."""
    return _quoted("\n\n".join(filter(None, map(_block, blocks(text)))) or "(nothing)")
