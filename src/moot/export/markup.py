"""The little Markdown that models write, read into a tree of known parts.

Whatever is not one of these parts is text: HTML, images, tables, links with other schemes than
`LINK`'s. Documents are written from the tree, with all text escaped, so that nothing a model wrote
can add structure to a document. All patterns are bounded: reading takes time in proportion to the
text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

import msgspec


class Text(msgspec.Struct, frozen=True):
    text: str


class Break(msgspec.Struct, frozen=True):
    pass


class Code(msgspec.Struct, frozen=True):
    text: str


class Strong(msgspec.Struct, frozen=True):
    parts: tuple[Inline, ...]


class Emphasis(msgspec.Struct, frozen=True):
    parts: tuple[Inline, ...]


class Link(msgspec.Struct, frozen=True):
    parts: tuple[Inline, ...]
    url: str


Inline = Text | Break | Code | Strong | Emphasis | Link


class Paragraph(msgspec.Struct, frozen=True):
    parts: tuple[Inline, ...]


class Heading(msgspec.Struct, frozen=True):
    """Shown as a bold line: the headings of a document are the document's own."""

    parts: tuple[Inline, ...]


class Bullets(msgspec.Struct, frozen=True):
    items: tuple[tuple[Inline, ...], ...]
    start: int | None = None
    """The first number of a numbered list, None for bullets."""


class Quote(msgspec.Struct, frozen=True):
    blocks: tuple[Block, ...]


class CodeBlock(msgspec.Struct, frozen=True):
    text: str


class Rule(msgspec.Struct, frozen=True):
    pass


Block = Paragraph | Heading | Bullets | Quote | CodeBlock | Rule

DEEPEST = 3
"""How far quotes and emphasis may be nested; what lies deeper is text."""

LINK = re.compile(r"(?:https?://|mailto:)[^\s<>\"'`\\\x00-\x20\x7f]{1,2000}", re.IGNORECASE)

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[^`]*")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)[ \t#]*")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
_QUOTE = re.compile(r" {0,3}> ?")
_ITEM = re.compile(r"[ \t]{0,12}(?:[-*+]|(\d{1,9})[.)])[ \t]+(?=\S)")
# NUL and its relatives mean nothing in a text and are not allowed in HTML.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")

# Each alternative ends with the group that names it. What is inside never goes past the next mark,
# and is possessive: a mark that opens nothing costs no more than the way to the next one.
_INLINE = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?P<ticks>`{1,8})(?!`)(?P<code>.{1,300}?)(?<!`)(?P=ticks)(?!`)"
    r"|(?P<image>!\[[^\[\]]{0,300}\]\()"
    r"|\[(?P<label>[^\[\]]{1,300})\]\((?P<url>[^()\s]{1,2000})\)"
    r"|\*\*(?=\S)(?P<bold>(?:[^*]|\*(?!\*)|\*(?=\*\*(?!\*))){1,2000}+)(?<=\S)\*\*"
    r"|(?<!\w)__(?=\S)(?P<bold_>(?:[^_]|_(?!_)){1,2000}+)(?<=\S)__(?!\w)"
    r"|\*(?=\S)(?P<italic>[^*]{1,2000}+)(?<=\S)\*(?!\*)"
    r"|(?<!\w)_(?=\S)(?P<italic_>[^_]{1,2000}+)(?<=\S)_(?!\w)"
    r"|(?P<newline>\n)",
    re.DOTALL,
)


def blocks(text: str) -> tuple[Block, ...]:
    """The text as a tree; nothing of it is lost but control characters and blank lines."""
    clean = _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return tuple(_blocks(clean.split("\n"), 0))


def inline(text: str, depth: int = 0) -> tuple[Inline, ...]:
    return tuple(_merged(_inline(text, depth)))


class _Lines:
    """Lines with a place in them."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0

    @property
    def here(self) -> str | None:
        return self.lines[self.at] if self.at < len(self.lines) else None

    def take(self) -> str:
        self.at += 1
        return self.lines[self.at - 1]


def _blocks(lines: list[str], depth: int) -> Iterator[Block]:
    rest = _Lines(lines)
    while (line := rest.here) is not None:
        if not line.strip():
            rest.take()
        elif _FENCE.fullmatch(line):
            yield _code_block(rest)
        elif match := _HEADING.fullmatch(line):
            rest.take()
            yield Heading(inline(match[1]))
        elif _RULE.fullmatch(line):
            rest.take()
            yield Rule()
        elif _QUOTE.match(line) and depth < DEEPEST:
            yield _quote(rest, depth)
        elif _ITEM.match(line):
            yield _bullets(rest)
        else:
            yield _paragraph(rest, depth)


def _code_block(rest: _Lines) -> CodeBlock:
    opening = _FENCE.fullmatch(rest.take())
    fence = opening[1] if opening else ""
    inside: list[str] = []
    while (line := rest.here) is not None:
        rest.take()
        if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            break
        inside.append(line)
    return CodeBlock("\n".join(inside))


def _quote(rest: _Lines, depth: int) -> Quote:
    inside = []
    while rest.here is not None and (match := _QUOTE.match(rest.here)):
        inside.append(rest.take()[match.end() :])
    return Quote(tuple(_blocks(inside, depth + 1)))


def _bullets(rest: _Lines) -> Bullets:
    """One level: an indented item is an item, an indented line goes on with the item above."""
    first = _ITEM.match(rest.here or "")
    start = int(first[1]) if first and first[1] else None
    items: list[list[str]] = []
    while (line := rest.here) is not None:
        match = _ITEM.match(line)
        if (
            match
            and (items == [] or bool(match[1]) == (start is not None))
            and not _RULE.fullmatch(line)
        ):
            items.append([rest.take()[match.end() :]])
        elif line.startswith((" ", "\t")) and line.strip() and not match:
            items[-1].append(rest.take().strip())
        elif not line.strip() and _goes_on(rest, is_numbered=start is not None):
            rest.take()
        else:
            break
    return Bullets(tuple(inline("\n".join(item)) for item in items), start)


def _goes_on(rest: _Lines, *, is_numbered: bool) -> bool:
    """Models often leave a blank line between items."""
    following = rest.lines[rest.at + 1] if rest.at + 1 < len(rest.lines) else ""
    match = _ITEM.match(following)
    return match is not None and bool(match[1]) == is_numbered and not _RULE.fullmatch(following)


def _paragraph(rest: _Lines, depth: int) -> Paragraph:
    inside = [rest.take().strip()]
    while (line := rest.here) is not None and line.strip() and not _interrupts(line, depth):
        inside.append(rest.take().strip())
    return Paragraph(inline("\n".join(inside)))


def _interrupts(line: str, depth: int) -> bool:
    patterns = (_FENCE, _HEADING, _RULE)
    if any(pattern.fullmatch(line) for pattern in patterns) or _ITEM.match(line):
        return True
    return depth < DEEPEST and _QUOTE.match(line) is not None


def _inline(text: str, depth: int) -> Iterator[Inline]:
    at = 0
    for match in _INLINE.finditer(text):
        yield Text(text[at : match.start()])
        yield _part(match, depth)
        at = match.end()
    yield Text(text[at:])


def _part(match: re.Match[str], depth: int) -> Inline:
    kind = (match.lastgroup or "").rstrip("_")
    inside = match[match.lastgroup or 0]
    make = _PARTS.get(kind)
    if make is not None:
        return make(inside)
    if kind in _NESTING and depth < DEEPEST:
        return _NESTING[kind](inline(inside, depth + 1))
    if kind == "url" and LINK.fullmatch(inside):
        return Link((Text(" ".join(match["label"].split())),), inside)
    return Text(match[0])


_PARTS: Mapping[str, Callable[[str], Inline]] = {
    "escaped": Text,
    "code": lambda text: Code(" ".join(text.split("\n"))),
    "newline": lambda _text: Break(),
}
_NESTING: Mapping[str, Callable[[tuple[Inline, ...]], Inline]] = {
    "bold": Strong,
    "italic": Emphasis,
}


def _merged(parts: Iterator[Inline]) -> Iterator[Inline]:
    """Neighbouring text as one: what is escaped must be seen whole."""
    pending = ""
    for part in parts:
        if isinstance(part, Text):
            pending += part.text
            continue
        if pending:
            yield Text(pending)
        pending = ""
        yield part
    if pending:
        yield Text(pending)
