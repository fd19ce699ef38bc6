"""Which answers are the same answer.

Two answers are the same if nothing but their writing differs: case, articles, punctuation, trailing
zeros. Nothing here knows what words mean, so "a car" and "an automobile" are two answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

import msgspec

from moot.protocol.names import normalized

# The "A" of "Plan A wins" is no article.
_ARTICLE = re.compile(r"^(?i:an?|the)\s+(?=\S{2})|(?<=\s)(?:a|(?i:an|the))\s+(?=\S)")
_MEASURE = re.compile(
    r"(?P<before>(?:US)?[$€£¥₹]?)\s?"
    r"(?P<number>[+-]?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,3})?)"
    r"\s?(?P<unit>(?!(?:or|to|and|if)\b)[^\W\d][^\d.,]{0,19}|[%°][^\d.,]{0,9}|[$€£¥₹])?\.?"
)
_EDGES = " \t.,;:!?*_`\"'\u201c\u201d\u2018\u2019«»()[]"
MOST_DIGITS = 40


class Measure(NamedTuple):
    """A number as it is compared, and its unit."""

    number: str
    unit: str


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """One answer that could be read. `by` is who gave it, by id and by name."""

    key: str
    by: str
    name: str
    answer: str
    """The short answer, or the whole text where there is no short one."""
    reasons: str = ""


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """One answer with all who gave it, in their order."""

    answer: str
    given: tuple[Given, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.name for one in self.given))


def plain(text: str) -> str:
    """An answer as it is compared: without case, articles, and punctuation at its ends."""
    bare = " ".join(normalized(text).split()).strip(_EDGES)
    return normalized(_ARTICLE.sub("", bare).casefold()).strip(_EDGES) or bare.casefold()


def measured(text: str) -> Measure | None:
    """The answer as a number with its unit, if it is one: `4.50 km`, `$12`, `-3`."""
    match = _MEASURE.fullmatch(" ".join(normalized(text).split()).strip("*_`\"' "))
    if match is None:
        return None
    number = Decimal(match["number"]).normalize()
    unit = f"{match['before']} {match['unit'] or ''}".strip().casefold()
    is_short = abs(number.adjusted()) < MOST_DIGITS
    return Measure(f"{number or Decimal(0):f}" if is_short else str(number), unit)


def grouped(given: Iterable[Given], *, are_numbers: bool = False) -> tuple[Group, ...]:
    """The distinct answers, most frequent first, otherwise in the order in which they were given.

    With `are_numbers`, a unit is left out if all answers have the same one.
    """
    everybody = list(given)
    measures = [measured(one.answer) for one in everybody]
    units = {one.unit if one else None for one in measures}
    is_bare = are_numbers and len(units) == 1
    found: dict[str, list[Given]] = {}
    shown: dict[str, str] = {}
    for one, measure in zip(everybody, measures, strict=True):
        key = " ".join(measure).strip() if measure else plain(one.answer)
        found.setdefault(key, []).append(one)
        shown.setdefault(key, measure.number if measure and is_bare else one.answer)
    groups = [Group(answer=shown[key], given=tuple(same)) for key, same in found.items()]
    return tuple(sorted(groups, key=lambda one: -len(one.given)))
