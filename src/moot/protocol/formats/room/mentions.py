"""Who is called by name in a text: `@Ada`, `@mary-jane`, `@Char`.

Seed 002, "@ Mention System", as DESIGN section 9 settles it. Pure text work, and everything a model
says goes through it: what it looks at is bounded, and every loop passes over the text once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from moot.protocol.names import fold_name, normalized

MOST_LOOKED_AT = 200
"""How many `@` of one message are looked at. Whoever writes more calls nobody with the rest."""
MOST_CHARACTERS = 200_000
"""How much of a message is looked at."""
LONGEST = 100
"""Characters of a word that can be the beginning of a name."""

# Only what may stand before a word: an `@` in `a@b.c`, in an address or a path is no mention.
_BEFORE = "([{<>\"',;:!?*~|\u00a1\u00ab\u00bf\u2013\u2014\u2018\u201c\u201d\u201e\u2026"
_MENTION = re.compile(rf"(?:^|(?<=[\s{re.escape(_BEFORE)}]))@(?=\w)", re.MULTILINE)
_WORD = re.compile(r"[\w\-]+")
_WHOLE = re.compile(r"(?![^\W_]|[-_][^\W_])")
_CUT = re.compile(r"(?![^\W_])")
_TICKS = re.compile(r"`+")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_JOINTS = frozenset(" -_\u00a0\u2010\u2011\u2013")
"""What may stand between the parts of a name, or be left out."""


def mentioned(text: str, names: Mapping[str, str]) -> tuple[str, ...]:
    """The ids of those who are called, each once, in the order of `names` (name by id).

    At each `@`, the longest name that stands there in full is called, whatever its case, spaces
    and hyphens; if there is none, the first name that begins with the word.
    """
    if "@" not in text:
        return ()
    seen = normalized(without_code(text[:MOST_CHARACTERS]))
    known = {one: _spelled(name) for one, name in names.items()}
    called: set[str] = set()
    for found in islice(_MENTION.finditer(seen), MOST_LOOKED_AT):
        one = _called(seen, found.end(), known)
        if one is not None:
            called.add(one)
    return tuple(one for one in names if one in called)


class Spelling(NamedTuple):
    """A name as it is compared, and what may stand between its letters."""

    letters: str
    joints: frozenset[str]


@lru_cache(maxsize=4096)
def _spelled(name: str) -> Spelling:
    return Spelling(fold_name(name), _JOINTS.union(char for char in name if not _letter(char)))


_letter = lru_cache(maxsize=4096)(fold_name)


def _called(text: str, start: int, known: Mapping[str, Spelling]) -> str | None:
    """Who is meant at `start`. In `@mary-j` the hyphen is part of the word, unless then nobody is
    meant."""
    whole = _exactly(text, start, known, _WHOLE)
    return whole or _beginning(text, start, known) or _exactly(text, start, known, _CUT)


def _exactly(
    text: str, start: int, known: Mapping[str, Spelling], end: re.Pattern[str]
) -> str | None:
    fitting = [one for one, name in known.items() if _fits(text, start, name, end)]
    return max(fitting, key=lambda one: len(known[one].letters), default=None)


def _fits(text: str, start: int, name: Spelling, end: re.Pattern[str]) -> bool:
    """Whether the whole name stands at `start`, and the word ends with it."""
    wanted, at = name.letters, start
    while wanted and at < len(text):
        char = text[at]
        part = _letter(char)
        if part and wanted.startswith(part):
            wanted = wanted[len(part) :]
        elif char not in name.joints or at == start:
            return False
        at += 1
    return not wanted and end.match(text, at) is not None


def _beginning(text: str, start: int, known: Mapping[str, Spelling]) -> str | None:
    word = _WORD.match(text, start)
    begun = _letter(word[0][:LONGEST]) if word else ""
    return next(
        (one for one, name in known.items() if begun and name.letters.startswith(begun)), None
    )


def without_code(text: str) -> str:
    """The text with blanks in place of code blocks and code spans."""
    if "`" not in text and "~~~" not in text:
        return text
    return _without_spans(_without_blocks(text))


def _without_blocks(text: str) -> str:
    kept: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        found = _FENCE.match(line)
        if fence:
            kept.append("\n")
            if found and found[1].startswith(fence) and not line[found.end() :].strip():
                fence = ""
        elif found and "`" not in line[found.end() :]:
            fence = found[1]
            kept.append("\n")
        else:
            kept.append(line)
    return "".join(kept)


def _without_spans(text: str) -> str:
    """Spans end at the next run of as many ticks as they begin with."""
    runs = [(found.start(), found.end()) for found in _TICKS.finditer(text)]
    kept: list[str] = []
    at = index = 0
    closing = _closing(runs)
    while index < len(runs):
        start, _ = runs[index]
        end = closing[index]
        if end is None:
            index += 1
            continue
        kept += (text[at:start], " ")
        at, index = runs[end][1], end + 1
    return "".join([*kept, text[at:]])


def _closing(runs: Sequence[tuple[int, int]]) -> list[int | None]:
    """For each run of ticks, the next one of the same length."""
    last: dict[int, int] = {}
    found: list[int | None] = [None] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        found[index] = last.get(length)
        last[length] = index
    return found
