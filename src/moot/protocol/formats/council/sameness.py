"""Whether two questions ask the same, by their words alone.

To ask twice costs the user a moment; to merge two different questions loses an answer. So a word
that one question has in place of another's keeps them apart, and only what one merely adds to the
other does not.
"""

from __future__ import annotations

from moot.protocol.parsing import words

SAME = 0.75
LONGEST = 1000
FILLERS = frozenset(
    """
    a an the is are was were be been will would can could should may might must do does
    did have has had there here it its this that these those of for to in on at by with
    and or as from we us our ours you your yours i me my they their them any some please
    tell know need what which currently roughly approximately about exactly s
    """.split()  # noqa: SIM905  a list of eighty words reads worse
)
"""Words that most questions can do without. Who, where, when, why and how many are not among them:
they tell questions apart."""
PLURAL_FROM = 4
"""Letters from which on a final s is taken for the plural."""


def asks_same(one: str, other: str) -> bool:
    """Whether the words that matter are the same, or those of one are nearly all of the other's."""
    a, b = _content(one), _content(other)
    if not a or not b:
        return words(one[:LONGEST]) == words(other[:LONGEST])
    shared = len(a & b)
    return shared == min(len(a), len(b)) and 2 * shared / (len(a) + len(b)) >= SAME


def _content(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in words(text[:LONGEST]) if word not in FILLERS)


def _stem(word: str) -> str:
    is_plural = len(word) >= PLURAL_FROM and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if is_plural else word
