"""Whom a judge's words call the winner.

A judge decides in a field of a record or by a name alone, and the words around it may say something
else: "Not Ada.", or a record for Ada under "Bob won this debate." Only plain claims are read, in
English, and what is not plain is nobody's: the readers of this module say less for it, never more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from moot.protocol.parsing import MAX_CHARACTERS, Named, find_names, names_in, words

TIE = "tie"
"""What is claimed where nobody is said to have won because both did as well."""


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ADVERBS = _set(
    "also barely clearly convincingly decisively definitely deservedly easily here indeed just"
    " narrowly overall really rightly therefore thus today truly ultimately"
)
_WON = _set("prevailed prevails triumphed triumphs wins won")
_BEAT = _set("beat beats defeated defeats outargued outargues")
_HAS = _ADVERBS | _set("has have had")
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

_TIES = _set("draw stalemate tie tied")
_A_TIE = _set("a an is was were")
_DOUBT = _set(
    "abstain against anyone beat beaten beats both but cannot defeated draw equal except hardly"
    " if lose loser loses losing lost neither never no nobody none nor not over tie tied unclear"
    " undecided unless whether"
)
_NEGATION = _set("cannot hardly if neither never no nobody none nor not unless whether t")
"""The last one is the end of "isn't"."""
# The full stop of "Dr." ends no sentence.
_SENTENCE_END = re.compile(r"(?<=\w\w\w)[.!?;]+\s+|\n\s*\n")
_LONGEST_FIELD = 100
_REACH = 4
"""Words before a claim that may turn it around."""
_MOST_BETWEEN = 7
"""Words that may stand between a name and what is claimed of it."""


def chosen(text: str, names: Sequence[str]) -> str | None:
    """The one of `names` that a judge answers who was asked for nothing but a name.

    None if none or several are in the answer, or if it may say that this one has not won.
    """
    found = names_in(text, names)
    if len(found) != 1:
        return None
    (name,) = found
    is_plain = not _DOUBT.intersection(words(text)) or _first_sentence_is(text, name)
    return name if is_plain or claimed(text, names) == {name} else None


def claimed(text: str, names: Sequence[str]) -> set[str]:
    """Those of `names` of whom the text says that they have won, or TIE; empty if it is silent."""
    sentences = [words(one) for one in _SENTENCE_END.split(text[:MAX_CHARACTERS])]
    found = {one.name for said in sentences for one in _claims(said, names)}
    return found or ({TIE} if any(map(_is_tie, sentences)) else set())


def names_winner(text: str, winner: str, names: Sequence[str]) -> bool:
    """Whether the text names `winner` as such: in so many words, or as the only one in it."""
    if found := claimed(text, names):
        return found == {winner}
    return names_in(text, names) == {winner} and not _DOUBT.intersection(words(text))


def otherwise(text: str, winner: str | None, names: Sequence[str]) -> str | None:
    """Whom the text calls the winner, or TIE, if that is not `winner` (None for a tie)."""
    found = claimed(text, names)
    return found.pop() if len(found) == 1 and (winner or TIE) not in found else None


def is_tie(given: object) -> bool:
    """Whether a field that should have a name says that nobody has won: `tie`, `a draw`."""
    return isinstance(given, str) and bool(_TIES.intersection(words(given[:_LONGEST_FIELD])))


def _first_sentence_is(text: str, name: str) -> bool:
    """Whether it begins with the name alone: "Ada. Her case was not answered."."""
    first = text.strip().splitlines()[0]
    return words(first) == words(name) or words(first.partition(". ")[0]) == words(name)


def _claims(spoken: Sequence[str], names: Sequence[str]) -> Iterator[Named]:
    return (one for one in find_names(spoken, names) if _is_claim(spoken, one))


def _is_claim(spoken: Sequence[str], one: Named) -> bool:
    if _NEGATION.intersection(spoken[max(0, one.start - _REACH) : one.start]):
        return False
    after = any(_reaches(spoken[one.end :], ends, between) for ends, between in _AFTER_NAME)
    before = spoken[: one.start][::-1]
    return after or any(_reaches(before, ends, between) for ends, between in _BEFORE_NAME)


def _reaches(spoken: Sequence[str], ends: frozenset[str], between: frozenset[str]) -> bool:
    """Whether one of `ends` comes next, with nothing but a few of `between` before it."""
    for word in spoken[: _MOST_BETWEEN + 1]:
        if word in ends:
            return True
        if word not in between:
            return False
    return False


def _is_tie(spoken: Sequence[str]) -> bool:
    return any(_is_tied(spoken, at) for at, word in enumerate(spoken) if word in _TIES)


def _is_tied(spoken: Sequence[str], at: int) -> bool:
    before = spoken[max(0, at - _REACH) : at]
    return bool(before) and before[-1] in _A_TIE and not _NEGATION.intersection(before)
