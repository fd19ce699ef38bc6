"""The beginning of a long text, for places that have room for one line.

Texts are models' and people's, often Markdown. Nothing here judges what they say, and any text at
all gives one line of plain text, in time that does not grow with its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 200
"""The most characters of a first sentence."""
MOST_READ = 4000
"""Characters of a text in which its first sentence is looked for."""

# What a line may begin with: a heading, a quotation, an item of a list.
_MARKS = re.compile(r"(?:[#>\s]|[-*+]\s|\d{1,2}[.)]\s)+")
_EMPHASIS = re.compile(r"`+|(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_CODE = re.compile(r"^```.*?(?:^```\s*?$|\Z)", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"#+\s|(\*\*|__)[^*_]+\1:?$")
_ITEM = re.compile(r"[-*+>]\s|\d{1,2}[.)]\s")
# The full stop of "Dr.", of an initial or of "e.g." ends no sentence.
_END = re.compile(
    r"(?<!\b[A-Z])(?<!\.\w)(?<!\b[DMS]r)(?<!\bM[rs]s)(?<!\bMs)(?<!\bSt)(?<!\bvs)"
    r"[.!?]+[\"')\]\u2019\u201d]*(?=\s+[^a-z\s]|\s*$)|[\u3002\uff01\uff1f]+"
)


def first_sentence(text: str, most: int = LONGEST) -> str:
    """The first sentence without Markdown, in one line; a heading if there is nothing else."""
    prose = _CODE.sub("\n\n", text[:MOST_READ])
    plain = _plain(" ".join(_first_paragraph(prose)))
    end = _END.search(plain)
    return cut(plain[: end.end()] if end else plain, most)


def cut(text: str, most: int) -> str:
    """The text, or as many of its words as fit."""
    if len(text) <= most:
        return text
    kept = text[: most - 1]
    is_in_word = not (text[most - 1].isspace() or kept[-1:].isspace())
    if is_in_word and " " in kept.strip():  # not every language is written in words
        kept = kept.rsplit(maxsplit=1)[0]
    return kept.rstrip(" ,;:.-") + "…"


def _first_paragraph(text: str) -> Iterator[str]:
    """The lines of the first paragraph; the first heading if there is no other text."""
    heading = ""
    has_begun = False
    for line in text.splitlines():
        bare = line.strip()
        is_heading = _HEADING.match(bare) is not None
        is_other = is_heading or _ITEM.match(bare) is not None or not _says_something(bare)
        if has_begun and is_other:
            return
        if is_heading:
            heading = heading or bare
        elif _says_something(bare):
            has_begun = True
            yield bare
    if not has_begun:
        yield heading


def _says_something(line: str) -> bool:
    return any(map(str.isalnum, line))


def _plain(line: str) -> str:
    bare = line[found.end() :] if (found := _MARKS.match(line)) else line
    return " ".join(_EMPHASIS.sub("", _LINK.sub(r"\1", bare)).split())
