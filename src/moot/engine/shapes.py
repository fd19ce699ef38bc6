"""How deep and how intricate JSON is, found out before anything decodes it."""

from __future__ import annotations

import re

# A string, closed or not, or a bracket. Possessive, so that no body makes it backtrack.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


def shape_of(body: bytes, depth: int, parts: int) -> tuple[int, int]:
    """How deep brackets outside of strings are nested, and how many brackets and strings there are.
    Takes linear time, and stops at the first figure beyond `depth` or `parts`."""
    deepest = at = number = 0
    for number, token in enumerate(_TOKEN.finditer(body), start=1):
        char = token[0][:1]
        if char in b"[{":
            at += 1
            deepest = max(deepest, at)
        elif char in b"]}":
            at -= 1
        if deepest > depth or number > parts:
            break
    return deepest, number
