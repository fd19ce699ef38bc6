"""Reads records and names out of what models write, without ever guessing.

Everything here is total: any text at all gives a value or an `Unreadable`, in time linear in its
length, and never an exception.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from moot.protocol.answers import Unreadable

MAX_CHARACTERS = 100_000
MAX_DEPTH = 20
_WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r'[{}]|"(?:[^"\\]|\\.)*"', re.DOTALL)


def read_object(text: str) -> dict[str, Any] | Unreadable:
    """The one JSON object in `text`, alone, in a code fence or amid prose."""
    if len(text) > MAX_CHARACTERS:
        return Unreadable("the reply is too long")
    found = [value for value in map(_decode, _candidates(text)) if value is not None]
    if not found:
        return Unreadable("there is no JSON object in it")
    if any(value != found[0] for value in found[1:]):
        return Unreadable("there is more than one JSON object in it")
    return found[0]


def _candidates(text: str) -> list[str]:
    """The outermost balanced pairs of braces, quotation marks respected."""
    spans: list[str] = []
    depth = start = deepest = 0
    for match in _TOKEN.finditer(text, max(text.find("{"), 0)):
        if match[0] == "{":
            start = start if depth else match.start()
            depth += 1
            deepest = max(deepest, depth)
        elif match[0] == "}" and depth:
            depth -= 1
            if not depth:
                spans += [text[start : match.end()]] if deepest <= MAX_DEPTH else []
                deepest = 0
    return spans


def _decode(candidate: str) -> dict[str, Any] | None:
    try:
        value = msgspec.json.decode(candidate)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
    return value if isinstance(value, dict) else None


def read_whole(value: object, *, lowest: int, highest: int, name: str) -> int | Unreadable:
    """A whole number within bounds; 7.0 is whole, "7" and true are not numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Unreadable(f"{name} must be a whole number from {lowest} to {highest}")
    if value != value or not lowest <= value <= highest or int(value) != value:  # noqa: PLR0124
        return Unreadable(f"{name} must be a whole number from {lowest} to {highest}, not {value}")
    return int(value)


def words(text: str) -> tuple[str, ...]:
    """The words of a text, ignoring case and punctuation."""
    return tuple(_WORD.findall(text.casefold()))


def find_name(text: str, names: Sequence[str]) -> str | None:
    """The one of `names` that occurs in `text` as a whole name; None if none does, or several do.

    Longer names are looked for first, so that `Sam Reed` is not also taken for `Sam`.
    """
    spoken = words(text)
    by_length = sorted(((words(name), name) for name in names), key=lambda pair: -len(pair[0]))
    found: set[str] = set()
    position = 0
    while position < len(spoken):
        for sought, name in by_length:
            if sought and spoken[position : position + len(sought)] == sought:
                found.add(name)
                position += len(sought) - 1
                break
        position += 1
    return found.pop() if len(found) == 1 else None


def same_name(text: object, name: str) -> bool:
    """Whether `text` is that name and nothing else, give or take case and punctuation."""
    return isinstance(text, str) and words(text) == words(name)
