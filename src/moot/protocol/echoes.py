"""Tells an answer from the example in its prompt.

Small models, and large ones on a bad day, send back the example that shows them the format. It has
the right shape, so every reader would take it: a winner nobody chose, a reason nobody gave. What
gives it away are the sentences that stand in the example to say what is wanted there. An answer
that has one of them is not an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from moot.protocol.answers import Unreadable
from moot.protocol.parsing import read_cut_object, read_object, words

ECHO = Unreadable("it repeats the example instead of answering")

FEWEST_WORDS = 2
"""A single word in an example may be a name or a choice, which an answer may have too."""
_EXAMPLE = re.compile(r"^.*?(\{\".*\})", re.MULTILINE)
# A text, and the colon after it if it is the name of a field.
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*+)"(\s*:)?')

Sentences = frozenset[tuple[str, ...]]


def sentences(template: str) -> Sentences:
    """What stands for an answer in the examples of a prompt's template, as words."""
    examples = (match[1] for match in _EXAMPLE.finditer(template))
    texts = (text for example in examples for text in _TEXT.finditer(example) if not text[2])
    found = (words(text[1]) for text in texts)
    return frozenset(one for one in found if len(one) >= FEWEST_WORDS)


def is_echo(text: str, example: Sentences) -> bool:
    """Whether an answer has a sentence of the example, alone or in one of its fields."""
    if not example:
        return False
    found = read_object(text)
    said = read_cut_object(text) if isinstance(found, Unreadable) else found
    longest = max(map(len, example))
    return any(_is_in(one, example, longest) for one in _texts(text if said is None else said))


def _is_in(text: str, example: Sentences, longest: int) -> bool:
    # Reading the words of a long speech would take time, and it is none of these anyway.
    return len(text) <= 40 * longest and words(text) in example


def _texts(value: Any) -> Iterator[str]:
    """All texts in it. What is read is never deeper than MAX_DEPTH."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
