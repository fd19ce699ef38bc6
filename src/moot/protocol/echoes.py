"""Tells an answer from the words of its prompt.

Small models, and large ones on a bad day, send back the example that shows them the format, or what
the prompt says about a field. It has the right shape, so every reader would take it: a winner
nobody chose, a reason nobody gave. What gives it away are the sentences that say what is wanted.
An answer in which such a sentence is the whole text of a field is no answer, and neither is one
whose lists hold nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from moot.protocol.answers import Unreadable
from moot.protocol.parsing import read_cut_object, read_object, words

FEWEST_WORDS = 2
"""A single word in an example may be a name or a choice, which an answer may have too."""
FEWEST_OF_CUT = 3
"""Words that are enough to recognise the beginning of a sentence that was cut off."""
FEWEST_REPEATED = 5
"""A reply with fewer words may be the same as a part of its prompt by chance."""
FEWEST_COPIED = 12
"""A reason with fewer words may be in another's text without having been copied from it."""
FIRST_REPEATED, LONGEST_REPEATED = 16, 50_000
"""How many characters are compared first, which sets most replies apart from their prompt, and how
many at most."""
LONGEST = 300
"""Characters that a sentence of an example may have."""
_EXAMPLE = re.compile(r"^.*?(\{\".*\})", re.MULTILINE)
_DESCRIBED = re.compile(r'^- "\w+": (.+)$', re.MULTILINE)
# A text, and the colon after it if it is the name of a field.
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*+)"(\s*:)?')

FEWEST_OF_BABBLE = 30
MOST_ALIKE = 5
"""No sensible text of so many words has each of them more often than this, on average."""

Sentences = frozenset[tuple[str, ...]]


def sentences(template: str) -> Sentences:
    """What a prompt's template says about the fields of the answer, by example or in a list."""
    examples = (match[1] for match in _EXAMPLE.finditer(template))
    texts = (text for example in examples for text in _TEXT.finditer(example) if not text[2])
    shown = (*(text[1] for text in texts), *_DESCRIBED.findall(template))
    return frozenset(one for one in map(words, shown) if len(one) >= FEWEST_WORDS)


def is_echo(text: str, example: Sentences) -> bool:
    """Whether an answer is the example, or has one of its sentences as the text of a field."""
    if not example or _has_no_opening(text, example):
        return False
    if "{" not in text:
        return _is_shown(text, example)
    found = read_object(text)
    read = read_cut_object(text) if isinstance(found, Unreadable) else found
    fields = [text] if read is None else list(read.values())
    if any(_is_shown(one, example) for one in fields if isinstance(one, str)):
        return True
    entries = [one for field in fields if not isinstance(field, str) for one in _texts(field)]
    own = [one for one in fields if isinstance(one, str)]
    said = (one for one in (*own, *entries) if words(one[:LONGEST]) and not _is_shown(one, example))
    return bool(entries) and next(said, None) is None


def repeats(text: str, asked: str, *templates: str) -> bool:
    """Whether a text is nothing but the beginning of what was asked, or a part of a template. What
    others said, which stands in the slots, may be said again."""
    said = text.strip()[:LONGEST_REPEATED]
    first = said[:FIRST_REPEATED]
    # The first characters tell nearly every answer from its prompt, at no cost.
    begins = asked.startswith(first)
    if not begins and not any(first in one for one in templates):
        return False
    plain = _plain(said)
    if plain.count(" ") < FEWEST_REPEATED - 1:
        return False
    if begins and _plain(asked[: 2 * LONGEST_REPEATED]).startswith(plain):
        return True
    return any(plain in _plain_template(one) for one in templates)


def is_copied(text: str, heard: str) -> bool:
    """Whether a text is nothing but a long quotation of what was heard, or contains all of it."""
    said, whole = _plain(text), _plain(heard)
    if said.count(" ") < FEWEST_COPIED - 1:
        return False
    return said in whole or (bool(whole) and whole in said)


def _plain(text: str) -> str:
    """The text in one line. Unlike `words`, quick for any text."""
    return " ".join(text.split()).casefold()


_plain_template = lru_cache(maxsize=64)(_plain)


def is_babble(text: str) -> bool:
    """Whether a text is the same few words over and over, as small models write at times: that is
    no reason for anything."""
    said = text.split()
    return len(said) >= FEWEST_OF_BABBLE and len(set(said)) * MOST_ALIKE < len(said)


def _has_no_opening(text: str, example: Sentences) -> bool:
    """Whether the text lacks the first two words of every sentence, so that it needs no closer
    look. True of nearly every answer; always False for lists, nested objects and what is not ASCII.
    """
    if not text.isascii() or "\\u" in text or "[" in text or text.count("{") > 1:
        return False
    plain = text.lower()
    return not any(first in plain and second in plain for first, second in _openings(example))


@lru_cache(maxsize=64)
def _openings(example: Sentences) -> frozenset[tuple[str, ...]]:
    return frozenset(sentence[:FEWEST_WORDS] for sentence in example)


def _is_shown(text: str, example: Sentences) -> bool:
    """Whether a text is a sentence of the example, or the beginning of one that was cut off."""
    # Reading the words of a long speech would take time, and it is no such sentence anyway.
    said = words(text) if len(text) <= LONGEST else ()
    return said in example or any(_is_beginning(said, one) for one in example)


def _is_beginning(said: tuple[str, ...], sentence: tuple[str, ...]) -> bool:
    count = len(said)
    if not FEWEST_OF_CUT <= count <= len(sentence):
        return False
    return said[:-1] == sentence[: count - 1] and sentence[count - 1].startswith(said[-1])


def _texts(value: Any) -> Iterator[str]:
    """All texts in a value that was read, which is never deeper than MAX_DEPTH."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
