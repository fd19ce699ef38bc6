"""Whom a judge's words call the winner.

A judge decides in a field of a record or by a name alone, and the words around it may say something
else: "Not Ada.", or a record for Ada under "Bob won this debate." Only plain claims in English are
read. What is not plain counts for nobody: callers of this module then claim less, never more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product

from moot.protocol.parsing import MAX_CHARACTERS, Named, find_names, words
from moot.protocol.speech import ORDINARY

TIE = "tie"
"""The claim of a text that nobody has won, because both did equally well."""


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ADVERBS = _set(
    "also barely clearly convincingly decisively definitely deservedly easily here indeed just"
    " narrowly overall really rightly therefore thus today truly ultimately"
)
_WON = _set("prevailed prevails triumphed triumphs wins won")
_BEAT = _set("beat beats defeated defeats outargued outargues")
_HAS = _ADVERBS | _set("has have had who")
_WINNER = _set("victor victorious winner")
_IS = _ADVERBS | _set("a as is my our the was")
_AFTER_NAME = ((_WON, _HAS), (_BEAT, _HAS), (_WINNER, _IS))
"""What may follow a name, and what may stand in between: "Ada has clearly won"."""

_DECISION = _set("answer choice decision nod pick verdict victor victory vote winner win")
_IS_FOR = _ADVERBS | _set(
    "be belongs clear debate falls favor favour final for go goes in is lies must of s should"
    " the this to was with"
)
_CHOOSE = _set("award awarded choose chose confirm crown crowned declare declared pick picked")
_THE_WIN = _ADVERBS | _set("debate for the this to victory win")
_BEFORE_NAME = ((_DECISION, _IS_FOR), (_CHOOSE, _THE_WIN))
"""What may stand before a name: "The winner of this debate is Ada", "I declare Ada ..."."""

_CONTEST = _set("contest day debate evening match")
_PARTLY = _set("a back few me on over points several some that")
"""What follows if somebody won something other than the debate: "Bob won me over on cost"."""


def _phrases(*parts: str) -> frozenset[tuple[str, ...]]:
    """Every phrase that the parts can make: a part lists its alternatives between commas."""
    ways = product(*(part.split(", ") for part in parts))
    return frozenset(tuple(" ".join(way).split()) for way in ways)


_STRONGER = "better, more convincing, more persuasive, stronger"
_SAID_BEFORE = (
    _phrases(
        "decide, decided, find, found, rule, ruled, ruling is, vote, voted",
        "for, in favor of, in favour of",
    )
    | _phrases("side, sided", "with")
    | _phrases("the, this", "contest, day, debate, evening", "belongs, goes, must go", "to")
    | _phrases(
        "award, awarded, gave, give, hand",
        "it, the debate, the day, the win, this, this debate, this one",
        "to",
    )
    | _phrases("the", _STRONGER, "case", "came from, is, was")
)
"""Whole phrases before a name: "I find for Ada", "The debate goes to Ada"."""
_SAID_AFTER = (
    _phrases("carried, carries", "the day")
    | _phrases("came, comes", "out", "ahead, on top")
    | _phrases("edged, edges, takes, took", "it, the debate, this debate, this one")
    | _phrases("had, has, made, makes", "the", _STRONGER, "argument, arguments, case")
)
_LONGEST_PHRASE = max(map(len, _SAID_BEFORE | _SAID_AFTER))

_TIES = _set("draw stalemate tie tied")
_A_TIE = _set("a an is was were")
_DOUBT = _set(
    "abstain against anyone beat beaten beats both but cannot defeated draw equal except hardly"
    " if lose loser loses losing lost neither never no nobody none nor not over tie tied unclear"
    " undecided unless whether"
)
_NEGATION = _set("cannot hardly if neither never no nobody none nor not unless whether t")
"""The last one is the end of "isn't"."""
_UPHELD = _set("holds stands upheld uphold")
_PREMISE = re.compile(
    r"\bpremise (?:has been |is |must be |therefore |thus |was )*"
    r"(fails|falls|holds|rejected|stands|upheld)\b|\bi (reject|uphold) the premise\b"
)
_NO_SHORT_FORM = ORDINARY | _set(
    "agent and captain dame doctor faith grace hope lady lord madam mark may professor sir team the"
    " will"
)
"""Words of names that mean something else in the mouth of a judge."""
# The full stop of "Dr." ends no sentence.
_SENTENCE_END = re.compile(r"(?<=\w\w\w)[.!?;]+\s+|\n\s*\n")
_LONGEST_FIELD, _LONGEST_END = 100, 10_000
_SHORTEST_FORM = 3
_LEXICON = _WON | _BEAT | _HAS | _WINNER | _IS | _DECISION | _IS_FOR | _CHOOSE | _TIES | _DOUBT
_REACH = 4
"""How many words before a claim may turn it around."""
_MOST_BETWEEN = 7
"""How many words may stand between a name and what is claimed of it."""
_WINDOW = _MOST_BETWEEN + 3
"""How many words on either side of a name are looked at."""


def chosen(text: str, names: Sequence[str]) -> str | None:
    """The one of `names` that a judge gives when asked for nothing but a name.

    None if the answer has none or several of them, or may say that this one has not won.
    """
    found = _names_in(text, names)
    if len(found) != 1:
        return None
    (name,) = found
    is_plain = not _DOUBT.intersection(words(text)) or _first_sentence_is(text, name)
    return name if is_plain or claimed(text, names) == {name} else None


def claimed(text: str, names: Sequence[str]) -> set[str]:
    """Those of `names` that have won according to the text, or TIE; empty if it says neither."""
    return set(_claimed(text, tuple(names)))


@lru_cache(maxsize=64)
def _claimed(text: str, names: tuple[str, ...]) -> frozenset[str]:
    if len(text) > 2 * _LONGEST_END:  # what decides it stands at the beginning, or at the end
        text = f"{text[:_LONGEST_END]}\n\n{text[-_LONGEST_END:]}"
    sentences = [words(one) for one in _SENTENCE_END.split(text)]
    found = frozenset(one.name for said in sentences for one in _claims(said, names))
    return found or frozenset({TIE} if any(map(_is_tie, sentences)) else ())


def names_winner(text: str, winner: str, names: Sequence[str]) -> bool:
    """Whether the text names `winner` as the winner: in plain words, or as the only name in it."""
    if found := claimed(text, names):
        return found == {winner}
    return _names_in(text, names) == {winner} and not _DOUBT.intersection(words(text))


def otherwise(text: str, winner: str | None, names: Sequence[str]) -> str | None:
    """Whom the text calls the winner, or TIE, if that is not `winner` (None for a tie)."""
    found = claimed(text, names)
    return found.pop() if len(found) == 1 and (winner or TIE) not in found else None


def meant(given: object, names: Sequence[str]) -> str | None:
    """The one of `names` that a field holds, whole or in short: "Tobias" for Tobias Okonjo."""
    said = words(given[:_LONGEST_FIELD]) if isinstance(given, str) else ()
    forms = {**{name: name for name in names}, **_short_forms(tuple(names))}
    return next((name for form, name in forms.items() if said and words(form) == said), None)


def upholds(text: str) -> bool | None:
    """Whether the text says that the premise is upheld, or rejected; None if neither, or both."""
    said = " ".join(words(text[:MAX_CHARACTERS]))
    found = {(one[1] or one[2]) in _UPHELD for one in _PREMISE.finditer(said)}
    return found.pop() if len(found) == 1 else None


def is_tie(given: object) -> bool:
    """Whether a field that should have a name says that nobody has won: `tie`, `a draw`."""
    return isinstance(given, str) and bool(_TIES.intersection(words(given[:_LONGEST_FIELD])))


def _first_sentence_is(text: str, name: str) -> bool:
    """Whether it begins with the name alone: "Ada. Her case was not answered."."""
    first = text.strip().splitlines()[0]
    return any(meant(one, (name,)) for one in (first, first.partition(". ")[0]))


@lru_cache(maxsize=512)
def _short_forms(names: tuple[str, ...]) -> Mapping[str, str]:
    """The first and the last word of each name, as far as they can mean nobody and nothing else."""
    found: dict[str, str] = {}
    for name in names:
        others = {word for other in names if other != name for word in words(other)}
        said = words(name)
        holds_another = any(set(words(other)) < set(said) for other in names)
        for word in (said[0], said[-1]) if len(said) > 1 and not holds_another else ():
            if len(word) >= _SHORTEST_FORM and word not in others | _NO_SHORT_FORM | _LEXICON:
                found[word] = name
    return found


def _find(spoken: Sequence[str], names: Sequence[str]) -> Iterator[Named]:
    """Where `names` occur, whole or in short."""
    short = _short_forms(tuple(names))
    for one in find_names(spoken, (*names, *short)):
        yield one._replace(name=short.get(one.name, one.name))


def _names_in(text: str, names: Sequence[str]) -> set[str]:
    spoken = words(text) if len(text) <= MAX_CHARACTERS else ()
    return {one.name for one in _find(spoken, names)}


def _claims(spoken: Sequence[str], names: Sequence[str]) -> Iterator[Named]:
    return (one for one in _find(spoken, names) if _is_claim(spoken, one))


def _is_claim(spoken: Sequence[str], one: Named) -> bool:
    before = spoken[max(0, one.start - _WINDOW) : one.start]
    after = spoken[one.end : one.end + _WINDOW]
    if _NEGATION.intersection(before[-_REACH:]):
        return False
    return (
        any(_reaches(after, ends, between) for ends, between in _AFTER_NAME)
        or any(_reaches(before[::-1], ends, between) for ends, between in _BEFORE_NAME)
        or any(tuple(before[-many:]) in _SAID_BEFORE for many in range(2, _LONGEST_PHRASE + 1))
        or any(
            tuple(after[:many]) in _SAID_AFTER and not _is_partly(after[many : many + 2])
            for many in range(2, _LONGEST_PHRASE + 1)
        )
    )


def _reaches(spoken: Sequence[str], ends: frozenset[str], between: frozenset[str]) -> bool:
    """Whether one of `ends` comes next, with nothing but a few of `between` before it."""
    for at, word in enumerate(spoken[: _MOST_BETWEEN + 1]):
        if word in ends:
            return ends is not _WON or not _is_partly(spoken[at + 1 : at + 3])
        if word not in between:
            return False
    return False


def _is_partly(object_: Sequence[str]) -> bool:
    """Whether what was won is a point or an exchange: "won the point on cost"."""
    first, second = (*object_, "", "")[:2]
    return first in _PARTLY or (first in ("the", "this") and second not in _CONTEST)


def _is_tie(spoken: Sequence[str]) -> bool:
    return any(_is_tied(spoken, at) for at, word in enumerate(spoken) if word in _TIES)


def _is_tied(spoken: Sequence[str], at: int) -> bool:
    before = spoken[max(0, at - _REACH) : at]
    return bool(before) and before[-1] in _A_TIE and not _NEGATION.intersection(before)
