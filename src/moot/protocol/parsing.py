"""Reads records and names out of what models write, without ever guessing.

Everything here is total: any text at all gives a value or an `Unreadable`, in time linear in its
length, and never an exception.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from moot.protocol.answers import Unreadable
from moot.protocol.names import normalized

MAX_CHARACTERS = 100_000
MAX_DEPTH = 20
SEVERAL = "it has more than one answer in it"
NO_RECORD = "it is not in the form that was asked for"
EMPTY = "it is empty"
MOST_CANDIDATES = 1000
"""Pairs of braces that are looked at: nobody who means one object writes more."""
MOST_TOKENS = 100_000
"""Braces and strings that are looked at in one such pair."""
_ASCII_WORD = re.compile(r"[a-z0-9]+")
# A string that is never closed takes the rest of the text with it, so that no character is looked
# at twice.
_TOKEN = re.compile(r'[{}]|"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)


def read_object(text: str, most: int = MAX_CHARACTERS) -> dict[str, Any] | Unreadable:
    """The one JSON object in `text`, alone, in a code fence or amid prose."""
    if len(text) > most:
        return Unreadable("the reply is too long")
    # Most models answer with the object and nothing else: then there is nothing to look for.
    is_shallow = text.startswith("{") and text.count("{") <= MAX_DEPTH
    if is_shallow and (whole := _decode(text)) is not None:
        return whole
    found: dict[str, Any] | None = None
    for number, candidate in enumerate(_candidates(text)):
        value = _decode(candidate)
        is_other = value is not None and found is not None and value != found
        if is_other or number > MOST_CANDIDATES:
            return Unreadable("there is more than one JSON object in it", SEVERAL)
        found = value if found is None else found
    if found is None:
        return Unreadable("there is no JSON object in it", NO_RECORD if text.strip() else EMPTY)
    return found


_PART = re.compile(r'"(?:[^"\\]|\\.)*+(?:(")|\\?\Z)|[{}\[\],]', re.DOTALL)
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_CLOSERS = {"{": "}", "[": "]"}
_WAYS_BACK = 20


def read_cut_object(text: str) -> dict[str, Any] | None:
    """What there is of an object in which a reply was cut off; None if it was not cut off in one.

    A text may end where it was cut. A number may not: 8 may have been meant to be 80.
    """
    start = text.find("{")
    if start < 0 or len(text) > MAX_CHARACTERS:
        return None
    for candidate in _completed(text[start:].rstrip()):
        if (found := _decode(candidate)) is not None:
            return found
    return None


def _completed(body: str) -> Iterator[str]:
    """The ways to make a cut object whole, the longest first; nothing if it is whole."""
    open_: list[str] = []
    ends: list[tuple[int, str]] = []
    last, is_cut = "", False
    for match in _PART.finditer(body):
        last = match[0]
        is_cut = last[0] == '"' and match[1] is None
        closing = "".join(reversed(open_))
        if last == ",":
            ends.append((match.start(), closing))
        elif last in _CLOSERS:
            open_.append(_CLOSERS[last])
            ends.append((match.end(), _CLOSERS[last] + closing))
        elif last in ("}", "]") and (not open_ or open_.pop() != last or not open_):
            return
        if len(open_) > MAX_DEPTH:
            return
    closing = "".join(reversed(open_))
    if body.endswith(last) and last not in (",", *_CLOSERS):
        quote = '"' if is_cut else ""
        yield body + quote + closing
        yield _HALF_ESCAPE.sub("", body) + quote + closing
    for end, rest in ends[: -_WAYS_BACK - 1 : -1]:
        yield body[:end] + rest


def _candidates(text: str) -> Iterator[str]:
    """The outermost balanced pairs of braces; quotation marks count only inside of them."""
    start = text.find("{")
    while start >= 0:
        end, deepest = _measure(text, start)
        if deepest <= MAX_DEPTH:
            yield text[start:end]
        start = text.find("{", end)


def _measure(text: str, start: int) -> tuple[int, int]:
    """Where the object that begins at `start` ends, and how deep it is."""
    depth = deepest = 0
    for match in islice(_TOKEN.finditer(text, start), MOST_TOKENS):
        depth += _DEEPER.get(match[0], 0)
        deepest = max(deepest, depth)
        if not depth:
            return match.end(), deepest
    return len(text), deepest


_DEEPER = {"{": 1, "}": -1}


def _decode(candidate: str) -> dict[str, Any] | None:
    try:
        value = msgspec.json.decode(candidate)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
    return value if isinstance(value, dict) else None


def is_record(text: str) -> bool:
    """Whether it is a JSON object and nothing else, give or take a code fence."""
    plain = text.strip().removeprefix("```json").strip("`").strip()
    return plain.startswith("{") and plain.endswith("}") and _decode(plain) is not None


def read_whole(value: object, *, lowest: int, highest: int, name: str) -> int | Unreadable:
    """A whole number within bounds; 7.0 is whole, "7" and true are not numbers."""
    wanted = f"{name} must be a whole number from {lowest} to {highest}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Unreadable(wanted)
    if not lowest <= value <= highest:  # NaN is not within them either
        return Unreadable(wanted)
    return int(value) if int(value) == value else Unreadable(f"{wanted}, not {value}")


def read_number(
    value: object, *, lowest: float, highest: float, name: str
) -> int | float | Unreadable:
    """A number within bounds, an int if it is whole; "7" and true are not numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Unreadable(f"{name} must be a number from {lowest} to {highest}")
    if not lowest <= value <= highest:
        return Unreadable(f"{name} must be a number from {lowest} to {highest}, not {value}")
    return int(value) if int(value) == value else value


def words(text: str) -> tuple[str, ...]:
    """The words of a text, ignoring case, punctuation and how its characters are composed."""
    plain = text.lower() if text.isascii() else normalized(normalized(text).casefold())
    if plain.isascii():  # the same, and many times faster
        return tuple(_ASCII_WORD.findall(plain))
    return tuple("".join(letter if _is_letter(letter) else " " for letter in plain).split())


@lru_cache(maxsize=4096)
def _is_letter(letter: str) -> bool:
    # Marks too: in Devanagari or Thai they are the vowels, and without them two names are one.
    return unicodedata.category(letter)[0] in "LNM"


class Named(NamedTuple):
    """A name in a text, from word `start` up to word `end`."""

    name: str
    start: int
    end: int


def names_in(text: str, names: Sequence[str]) -> set[str]:
    """Those of `names` that occur in `text` as whole names."""
    if len(text) > MAX_CHARACTERS:
        return set()
    return {one.name for one in find_names(words(text), names)}


def find_names(spoken: Sequence[str], names: Sequence[str]) -> Iterator[Named]:
    """Where `names` occur as whole names, one after the other.

    Longer names are looked for first, so that `Sam Reed` is not also taken for `Sam`.
    """
    by_length = sorted(((words(name), name) for name in names), key=lambda pair: -len(pair[0]))
    position = 0
    while position < len(spoken):
        end = position + 1
        for sought, name in by_length:
            if sought and tuple(spoken[position : position + len(sought)]) == sought:
                end = position + len(sought)
                yield Named(name, position, end)
                break
        position = end


def same_name(text: object, name: str) -> bool:
    """Whether `text` is that name and nothing else, give or take case and punctuation."""
    return isinstance(text, str) and words(text) == words(name)
