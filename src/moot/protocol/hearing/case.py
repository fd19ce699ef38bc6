"""What a bench is asked about: one debate by its sides and what they said, under neutral names.

A case is frozen in the configuration of a hearing, so nothing in it may ever get another meaning:
fields are only added, with a default.

Two sides are X and Y, and X is always listed first; in the second order the names are exchanged,
and nothing else. Proposals are A, B, C, and in the second order each of them has another letter:
if three were reversed, the middle one would keep its own, and a judge who likes the middle would
seem to be of one mind. If X or Y occurs in what was said, another pair of letters is taken.
Names in the text are replaced where they are names: `Bill` is, and `the bill` is not. What this
cannot cancel is time: who opened, and who had the last word.
Exchanging statements would put answers before what they answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from string import ascii_uppercase

import msgspec

from moot.protocol.hearing.plan import Order
from moot.protocol.quoting import quotations

# --- neutral names --------------------------------------------------------------------------------

Pair = tuple[str, str]

SIDES: Pair = ("X", "Y")
PAIRS: Sequence[Pair] = (SIDES, ("P", "Q"), ("M", "N"), ("V", "W"), ("J", "K"))
"""What two sides can be called; the first pair that does not occur in the text is taken."""
_LEAST_NAME = 3
"""The fewest letters of a part of a name that is replaced where it stands alone."""
_WORD = re.compile(r"[^\W\d_]+")
_NO_NAMES = frozenset(
    {"a", "i", "o", "the", "and", "for", "von", "van", "der", "del", "los", "las"}
    | {"dr", "doctor", "prof", "professor", "mr", "mrs", "ms", "miss", "sir", "lady", "lord"}
    | {"saint", "judge", "side", "team", "group"}
)
"""Words in names that are nobody's name by themselves."""
_ALSO_WORDS = frozenset({"will", "may", "mark", "grace", "hope", "faith", "art", "bill", "rose"})
"""Names that may be ordinary words, whether or not they are in these texts."""


class Side(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who is voted on: somebody who argued, with all names of a team, or the author of a proposal.

    `argues` is what they argue, as it follows that word, if that is known; `models` are those that
    spoke for them, `human` for people.
    """

    id: str
    names: tuple[str, ...]
    argues: str = ""
    models: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The names as people read them."""
        return " and ".join(self.names)


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """A statement, or a proposal: whose it is, and the words."""

    side: str
    text: str


def pair_for(texts: Iterable[str]) -> Pair:
    """The first pair neither letter of which is a word in these texts; X and Y if there is none."""
    found = {word for text in texts for word in _WORD.findall(text) if len(word) == 1}
    return next((pair for pair in PAIRS if not found.intersection(pair)), SIDES)


def labels(sides: Sequence[Side], order: Order, pair: Pair = SIDES) -> dict[str, str]:
    """The neutral name of each side by its id, in that order."""
    given = pair if len(sides) == len(pair) else tuple(ascii_uppercase)
    seats = sides if order is Order.ONE else exchanged(sides)
    return {side.id: label for side, label in zip(seats, given, strict=False)}


def exchanged(sides: Sequence[Side]) -> Sequence[Side]:
    """The sides in another order, none in its old place: reversed or, if their number is odd,
    rotated by half."""
    if len(sides) % 2 == 0:
        return tuple(reversed(sides))
    half = (len(sides) + 1) // 2
    return (*sides[half:], *sides[:half])


class Names:
    """Everybody's names, and which of them are also ordinary words in these texts."""

    def __init__(self, sides: Sequence[Side], texts: Iterable[str]) -> None:
        whole = {name: side.id for side in sides for name in side.names if _is_name(name)}
        self._long = {name.casefold(): one for name, one in whole.items() if len(name.split()) > 1}
        short = {name: one for name, one in whole.items() if len(name.split()) == 1}
        self._short = {
            written: side
            for name, side in {**_parts(sides), **short}.items()
            for written in (name, name.capitalize(), name.upper())
            if written == name or len(name) > 1
        }
        lower = (word for text in texts for word in _WORD.findall(text) if word.islower())
        self._ordinary = _ALSO_WORDS.union(lower) - short.keys()
        self._long_pattern = _pattern(self._long, re.IGNORECASE)
        self._short_pattern = _pattern(self._short)

    def replaced(self, text: str, by: Mapping[str, str]) -> str:
        """The text with the names of each side replaced by what `by` has for its id."""
        if self._long_pattern:
            text = self._long_pattern.sub(lambda match: by[self._long[match[0].casefold()]], text)
        if self._short_pattern:
            text = self._short_pattern.sub(lambda match: self._one(match, by), text)
        return text

    def _one(self, match: re.Match[str], by: Mapping[str, str]) -> str:
        said = match[0]
        is_word = said.casefold() in self._ordinary
        if is_word and _begins_sentence(match.string, match.start()):
            return said
        return by[self._short[said]]


def _is_name(name: str) -> bool:
    return name.casefold() not in _NO_NAMES


def _parts(sides: Sequence[Side]) -> dict[str, str]:
    """Words of longer names that begin with a capital letter and are one side's alone."""
    owners: dict[str, set[str]] = {}
    for side in sides:
        for name in side.names:
            for part in name.split():
                owners.setdefault(part.strip(".,"), set()).add(side.id)
    return {
        part: next(iter(ids))
        for part, ids in owners.items()
        if len(ids) == 1 and len(part) >= _LEAST_NAME and part[0].isupper() and _is_name(part)
    }


def _pattern(names: Mapping[str, str], flags: int = 0) -> re.Pattern[str] | None:
    """Longest names first, so that no name is found inside another's."""
    if not names:
        return None
    among = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{among})(?!\w)", flags)


def _begins_sentence(text: str, at: int) -> bool:
    """Whether a capital letter at that place may only be there because a sentence begins."""
    before = text[max(0, at - 4) : at]
    told = before.rstrip()
    is_within = bool(told) and (told[-1].isalnum() or told[-1] in ",)")
    return not is_within or "\n" in before[len(told) :]


# --- the case -------------------------------------------------------------------------------------

PROPOSAL = "Proposal"


class Case(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`sides` argued about the topic, and `said` is what they said, in its order; with
    `are_proposals`, each side is a proposal and has one text. `pair` is what two sides are called;
    `judged_by` are the models that judged the debate itself, which no ballot is told.
    """

    topic: str
    premise: str = ""
    sides: tuple[Side, ...]
    said: tuple[Said, ...]
    are_proposals: bool = False
    pair: Pair = SIDES
    judged_by: tuple[str, ...] = ()

    def texts(self) -> Iterator[str]:
        """Everything in the case that a judge reads."""
        yield self.topic
        yield self.premise
        yield from (one.argues for one in self.sides)
        yield from (one.text for one in self.said)

    def names(self, order: Order) -> dict[str, str]:
        """What a ballot in that order calls each side, by its id: `X`, or `Proposal A`."""
        noun = f"{PROPOSAL} " if self.are_proposals else ""
        return {
            side: f"{noun}{label}" for side, label in labels(self.sides, order, self.pair).items()
        }

    def neutral_in(self, text: str, order: Order) -> str:
        """The text with the names of that order."""
        return _names(self).replaced(text, self.names(order))

    def read_in(self, order: Order) -> str:
        """All that was said, as a ballot in that order reads it; proposals by their letters."""
        names = self.names(order)
        told = [(names[one.side], self.neutral_in(one.text, order)) for one in self.said]
        return quotations(sorted(told) if self.are_proposals else told)

    def sides_in(self, order: Order) -> str:
        """A line for each side that says what it argues, X first; "" if that is not known."""
        names = self.names(order)
        told = ((names[one.id], self.neutral_in(one.argues, order)) for one in self.sides)
        known = sorted((name, argues) for name, argues in told if argues)
        return "\n".join(f"- {name} argues {argues}" for name, argues in known)


def lettered(case: Case) -> Case:
    """The case with a pair of letters that does not occur in its texts."""
    return msgspec.structs.replace(case, pair=pair_for(case.texts()))


@lru_cache(maxsize=32)
def _names(case: Case) -> Names:
    """Found once for a case, because every ballot is made of the same texts."""
    return Names(case.sides, case.texts())


class Hears(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which debate a hearing is about, as it stood after event `at`.

    `verdict` is whom its own outcome names: the id of a side, TIE, or None if it names nobody. It
    is shown beside what the bench says, and no judge is told of it.
    """

    debate: str
    at: int
    case: Case
    verdict: str | None = None
    prompt: int = 1
    """The version of what judges are asked: answers to different versions cannot be compared."""
