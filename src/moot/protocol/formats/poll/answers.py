"""The answers of a poll: a short one of a known type, and the reasons before it.

Reasons come first, because whoever has already answered finds reasons to suit. A reply in another
shape is taken where its meaning is plain: the bare answer, or prose whose last line is the answer.
Everything else is unreadable, and nothing is guessed from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from moot.protocol import forms
from moot.protocol.answers import Answer, OnUnreadable, Schema, Text, Unreadable
from moot.protocol.labelling import named
from moot.protocol.names import normalized
from moot.protocol.parsing import read_object, words

LONGEST = 300
"""Characters of a short answer."""
LONGEST_BARE = 60
"""Characters of a reply that is nothing but the answer: a longer one is a text with an answer in
it."""
LONGEST_REASONS = 20_000
MOST = 10**40
"""Numbers have to be smaller: nobody means one as large as this, and infinity is refused too."""
YES, NO = "yes", "no"
_TRUTHS = {"yes": YES, "y": YES, "true": YES, "no": NO, "n": NO, "false": NO}
_LAST_LINE = re.compile(
    r"^\W*(?:(?:my|the)\s+)?(?:(?:final|short)\s+)?answer(?:\s+is)?[\s*_]*[:\uff1a][\s*_]*(.+)$",
    re.IGNORECASE,
)
_EDGES = " \t*_`\"'\u201c\u201d\u2018\u2019"


class Prose(Text, frozen=True, kw_only=True):
    """Free text. `names` has the names behind the labels in it, for people to read."""

    names: Mapping[str, str] = {}

    def shown(self, text: str, data: dict[str, Any] | None) -> str:
        del data
        return named(text, self.names)


class ShortAnswer(Answer, frozen=True, kw_only=True):
    """Reasons, and an answer of type `text`, `choice`, `number` or `yes_no`."""

    type: str
    choices: tuple[str, ...] = ()
    names: Mapping[str, str] = {}
    """The names that people read behind the labels in the reasons."""

    @property
    def schema(self) -> Schema:
        body = {
            "type": "object",
            "properties": {"reasons": {"type": "string"}, "answer": self._shape},
            "required": ["reasons", "answer"],
            "additionalProperties": False,
        }
        return Schema("answer", body)

    @property
    def _shape(self) -> dict[str, Any]:
        match self.type:
            case "number":
                return {"type": "number"}
            case "yes_no":
                return {"type": "string", "enum": [YES, NO]}
            case "choice":
                return {"type": "string", "enum": list(self.choices)}
            case _:
                return {"type": "string"}

    @property
    def form(self) -> dict[str, Any]:
        reasons = forms.text("reasons", "Reasons", required=False)
        return forms.form(self._field, reasons)

    @property
    def _field(self) -> forms.Field:
        match self.type:
            case "number":
                return {"name": "answer", "label": "Answer", "kind": "number", "required": True}
            case "yes_no":
                return forms.choice("answer", "Answer", [(YES, "Yes"), (NO, "No")])
            case "choice":
                return forms.choice("answer", "Answer", [(one, one) for one in self.choices])
            case _:
                return forms.text("answer", "Answer in a few words", is_long=False)

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        if not text.strip():
            return Unreadable("the reply was empty")
        found = read_object(text)
        if isinstance(found, Unreadable):
            return self._read_prose(text) or found
        answer = self._typed(found.get("answer"))
        if answer is None:
            return Unreadable(self._wanted, "it has no answer that can be counted")
        reasons = found.get("reasons")
        said = reasons.strip()[:LONGEST_REASONS] if isinstance(reasons, str) else ""
        return {"reasons": said, "answer": answer}

    def _read_prose(self, text: str) -> dict[str, Any] | None:
        """A reply without any JSON: nothing but the answer, or a text whose last line is it."""
        if "{" in text:
            return None
        said = text.strip()
        *before, last = said.splitlines()
        if not before and len(said) <= LONGEST_BARE and (bare := self._typed(said)) is not None:
            return {"reasons": "", "answer": bare, "is_plain": True}
        told = [one for line in said.splitlines() if (one := _LAST_LINE.match(line))]
        if len(told) != 1 or not _LAST_LINE.match(last):
            return None
        answer = self._typed(told[0][1])
        if answer is None:
            return None
        reasons = "\n".join(before).strip()[:LONGEST_REASONS]
        return {"reasons": reasons, "answer": answer, "is_plain": True}

    def _typed(self, given: object) -> str | None:
        """The answer as it is counted and shown; None if it is not of its type."""
        if isinstance(given, list) and len(given) == 1:
            given = given[0]
        match self.type:
            case "number":
                return _number(given)
            case "yes_no":
                return _truth(given)
            case "choice":
                return self._choice(given)
            case _:
                return _text(given)

    def _choice(self, given: object) -> str | None:
        said = plain(_text(given) or "")
        return next((one for one in self.choices if said and plain(one) == said), None)

    @property
    def _wanted(self) -> str:
        match self.type:
            case "number":
                return "answer must be a bare number, written in digits"
            case "yes_no":
                return f'answer must be "{YES}" or "{NO}"'
            case "choice":
                return "answer must be one of these, word for word: " + "; ".join(self.choices)
            case _:
                return f"answer must be a text of at most {LONGEST} characters"

    def given_up(self, text: str, why: Unreadable) -> OnUnreadable:
        """What cannot be read is counted as unreadable; an empty reply is a failure."""
        del why
        return self.on_unreadable if text.strip() else OnUnreadable.FAIL

    def fallback(self, reason: str) -> dict[str, Any]:
        """No answer, and why."""
        return {"reasons": "", "answer": None, "reason": reason}

    def flags(self, data: dict[str, Any] | None) -> tuple[str, ...]:
        return ("plain_text",) if (data or {}).get("is_plain") else ()

    def shown(self, text: str, data: dict[str, Any] | None) -> str:
        if not data or data.get("answer") is None:
            return text
        return named(f"{data['reasons']}\n\nAnswer: {data['answer']}".strip(), self.names)


def _number(given: object) -> str | None:
    """In digits, with its unit if it was given one; None for `1,000`, which may mean two things."""
    said = _text(given)
    return said if said and measured(said) is not None else None


def _truth(given: object) -> str | None:
    if isinstance(given, bool):
        return YES if given else NO
    said = words(given[:LONGEST]) if isinstance(given, str) else ()
    return _TRUTHS.get(said[0]) if len(said) == 1 else None


def _text(given: object) -> str | None:
    """In one line, without the quotes or markup around it; None if it is blank or too long."""
    if isinstance(given, int | float) and not isinstance(given, bool):
        given = repr(given) if abs(given) < MOST else None
    if not isinstance(given, str) or len(given) > LONGEST:
        return None
    said = " ".join(given.split()).strip(_EDGES)
    return said if words(said) else None


# --- which answers are the same -------------------------------------------------------------------
# Two answers are the same if nothing but their writing differs: case, articles, punctuation,
# trailing zeros. Nothing here knows what words mean: "a car" and "an automobile" are two answers.

# The "A" of "Plan A wins" is no article.
_ARTICLE = re.compile(r"^(?i:an?|the)\s+(?=\S{2})|(?<=\s)(?:a|(?i:an|the))\s+(?=\S)")
_MEASURE = re.compile(
    r"(?P<before>(?:US)?[$€£¥₹]?)\s?"
    r"(?P<number>[+-]?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,3})?)"
    r"\s?(?P<unit>(?!(?:or|to|and|if)\b)[^\W\d][^\d.,]{0,19}|[%°][^\d.,]{0,9}|[$€£¥₹])?\.?"
)
_ENDS = " \t.,;:!?*_`\"'\u201c\u201d\u2018\u2019«»()[]"
MOST_DIGITS = 40


class Measure(NamedTuple):
    """A number as it is compared, and its unit."""

    number: str
    unit: str


def plain(text: str) -> str:
    """An answer as it is compared: without case, articles, and punctuation at its ends."""
    bare = " ".join(normalized(text).split()).strip(_ENDS)
    return normalized(_ARTICLE.sub("", bare).casefold()).strip(_ENDS) or bare.casefold()


def measured(text: str) -> Measure | None:
    """The answer as a number with its unit, if it is one: `4.50 km`, `$12`, `-3`."""
    match = _MEASURE.fullmatch(" ".join(normalized(text).split()).strip("*_`\"' "))
    if match is None:
        return None
    number = Decimal(match["number"]).normalize()
    unit = f"{match['before']} {match['unit'] or ''}".strip().casefold()
    is_short = abs(number.adjusted()) < MOST_DIGITS
    return Measure(f"{number or Decimal(0):f}" if is_short else str(number), unit)
