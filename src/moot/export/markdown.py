"""The Markdown that models write, as a tree, and Markdown that is safe to write.

Documents are written from the tree, all text escaped; tables and lists are written here, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from moot.export import wording

LONGEST = 60_000
"""How many characters are read as Markdown. The page has the same limit."""
DEEPEST = 20
"""How far quotes, lists and emphasis may be nested; what lies deeper is text."""

LINK = re.compile(r"(?:https?://[^\s/]|mailto:[^\s@]+@)", re.IGNORECASE)
_BARE = re.compile(r"\bhttps?://[^\s<>()\[\]\"'`*]{1,2000}", re.IGNORECASE)
_AT_END = ".,;:!?"
# They mean nothing in a text and are not allowed in HTML, whatever the escape: C0 and C1 controls,
# non-characters, lone surrogates.
FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_FENCE = re.compile(r" {0,3}(`{3,}(?![^`]*`)|~{3,})")
_DOT = re.compile(r"([ \t]{0,12})•(?=[ \t])")

_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_ENTITY = re.compile(r"&(?=#?\w{1,40};)")
_UNSAFE = re.compile(r"""[<>"'`|\\]""")
"""What could end an address, or the cell of a table that it stands in."""
_NO_START = "x"
_LINE_START = re.compile(r"^(\s*)(#|\+|-|=|:|(?P<number>\d{1,9})(?=[.)]))")


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
    clean = FORBIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
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


# --- safe to write ---


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


def table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table whose cells are Markdown already."""
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def bullets(texts: Iterable[str]) -> str:
    """Somebody's texts, each on one line."""
    return "\n".join(f"- {plain(text)}" for text in texts)


def said(text: str) -> str:
    """Somebody's whole text as a block quote."""
    return _quoted(_blocks(tree(text).children) or "(nothing)")


# --- what models wrote ---------------------------------------------------------------------------


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _blocks(nodes: Iterable[SyntaxTreeNode]) -> str:
    return "\n\n".join(filter(None, map(_block, nodes)))


def _block(node: SyntaxTreeNode) -> str:
    return _BLOCKS[node.type](node)


def _heading(node: SyntaxTreeNode) -> str:
    """A heading as a bold line: only the document itself has real headings."""
    inside = _inline(node.children[0], at_start=False)
    return f"**{inside}**" if inside else ""


def _fence(node: SyntaxTreeNode) -> str:
    fence = "`" * max(3, _longest_run(node.content) + 1)
    text = node.content.removesuffix("\n")
    return f"{fence}\n{text}\n{fence}"


def _list(node: SyntaxTreeNode) -> str:
    return "\n".join(_items(node))


def _items(node: SyntaxTreeNode) -> Iterator[str]:
    start = int(node.attrs.get("start", 1))
    for number, item in enumerate(node.children, start):
        mark = "- " if node.type == "bullet_list" else f"{number}. "
        yield mark + _blocks(item.children).replace("\n", "\n" + " " * len(mark))


def _table(node: SyntaxTreeNode) -> str:
    rows = [
        tuple(_inline(cell.children[0], at_start=False, in_cell=True) for cell in row.children)
        for part in node.children
        for row in part.children
    ]
    return table(rows[0], rows[1:])


_BLOCKS: Mapping[str, Callable[[SyntaxTreeNode], str]] = {
    "paragraph": lambda node: _inline(node.children[0], at_start=True),
    "heading": _heading,
    "bullet_list": _list,
    "ordered_list": _list,
    "blockquote": lambda node: _quoted(_blocks(node.children)),
    "fence": _fence,
    "hr": lambda _node: "* * *",
    "table": _table,
}


def _inline(node: SyntaxTreeNode, *, at_start: bool, in_cell: bool = False) -> str:
    """The parts of a text, one after the other. Only a part that begins a line is escaped for
    that."""
    made = ""
    for part in node.children:
        if part.type in ("link", "image") and made.endswith("!"):
            made = made[:-1] + r"\!"  # else it would turn the link into an image
        is_first = (at_start and not made) or made.endswith("\n")
        made += _part(part, at_start=is_first, in_cell=in_cell)
    return made


def _part(node: SyntaxTreeNode, *, at_start: bool, in_cell: bool) -> str:
    match node.type:
        case "text":
            # Elsewhere nothing needs the escapes of a line's start: put one letter before it.
            if at_start:
                return _escaped(node.content.lstrip())
            return _escaped(_NO_START + node.content)[1:]
        case "softbreak" | "hardbreak":
            return "\\\n"
        case "code_inline":
            return _code(node.content.replace("|", r"\|") if in_cell else node.content)
        case "strong" | "em" | "s":
            mark = {"strong": "**", "em": "*", "s": "~~"}[node.type]
            return f"{mark}{_inline(node, at_start=False, in_cell=in_cell)}{mark}"
        case "link" | "image":
            return _link(node, in_cell=in_cell)
        case kind:
            raise AssertionError(kind)


def _link(node: SyntaxTreeNode, *, in_cell: bool) -> str:
    """A picture becomes a link to it. A link within a link becomes its text."""
    inside = (
        _inline(node, at_start=False, in_cell=in_cell) or _escaped(_NO_START + node.content)[1:]
    )
    if is_in_link(node.parent):
        return inside
    url = str(node.attrs.get("href") or node.attrs.get("src") or "")
    return f"[{inside}](<{_UNSAFE.sub(_percent, url)}>)"


def is_in_link(node: SyntaxTreeNode | None) -> bool:
    return node is not None and (node.type == "link" or is_in_link(node.parent))


def _percent(found: re.Match[str]) -> str:
    return f"%{ord(found[0]):02X}"


def _code(text: str) -> str:
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)
