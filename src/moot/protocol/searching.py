"""What can be searched for in a debate, and how words are found in it, alike in every database.

Nothing private may ever come out of `text_of`. Words are what stands between spaces and signs, with
case and accents ignored; each character of a script that is written without spaces is a word.
`indexed` decides what goes into the index of a database, and what is taken out of it again: if it
is to give another result for an old text, a migration must empty that index.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from moot.protocol import events as e
from moot.protocol.outcomes import Certificate, ExamReport, Solution, Summary, Verdict, read
from moot.protocol.words import Visibility

MOST_TERMS, MOST_WORDS = 32, 64
"""How many words or phrases are looked for at once, and of how many words a phrase may be; the rest
of a longer request is ignored."""
MOST_INDEXED = 100_000
"""How many characters of one text can be found."""
SNIPPET, LEAD = 180, 60
"""About how long a snippet is, in characters, and how much of it stands before what was found."""

# Scripts without spaces: South-East Asian ones, kana, Han.
_ALONE = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
# Accents, points and joiners: words are the same without them.
_ACCENTS = (
    r"\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f"
    r"\u0670\u06d6-\u06ed\u200c\u200d\u20d0-\u20ff\ufe20-\ufe2f"
)
# Indic letters with their vowel signs, which Python does not take for parts of words.
_INDIC = r"\u0900-\u0963\u0966-\u0dff"
_ACCENT = re.compile(f"[{_ACCENTS}]+")
_FOLDED = re.compile(f"[{_ALONE}]|(?:[^\\W_{_ALONE}]+|[{_INDIC}]+)+")
_WRITTEN = re.compile(f"[{_ALONE}]|(?:[^\\W_{_ALONE}]+|[{_INDIC}{_ACCENTS}]+)+")
# For texts with none of those characters, several times as fast.
_SPECIAL = re.compile(f"[{_ALONE}{_INDIC}]")
_ORDINARY = re.compile(r"[^\W_]+")
_ASCII = re.compile("[a-z0-9]+")
_SIGNS = re.compile(rf"[^\x00-\x7f\w{_INDIC}{_ALONE}]+")
_EACH = re.compile(f"[{_ALONE}]")
_QUOTED = re.compile('"([^"]*)"|“([^”]*)”|„([^“”]*)[“”]|«([^»]*)»')
COMMON_SIGNS = "“”‘’–—…•·→"  # noqa: RUF001 - they are meant
"""Without these, most English texts of models are plain ASCII, and need no more work."""
_SPACES = re.compile(r"\s+")

Word = tuple[str, int, int]
"""A word as it is compared, and where it stands in its text."""


class Term(msgspec.Struct, frozen=True):
    """Words that follow one another. With `is_prefix`, the last may be the beginning of a word."""

    words: tuple[str, ...]
    is_prefix: bool = True


Wanted = tuple[Term, ...]
"""All that must occur in a debate, not necessarily in one text of it."""


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a snippet."""

    text: str
    is_match: bool = False


def read_query(query: str) -> Wanted:
    """What somebody looks for: words by their beginnings; quotes mean a phrase. Whatever else is in
    a query, it is read as nothing but words."""
    terms: list[Term] = []
    end = 0
    for quoted in _QUOTED.finditer(query):
        terms += _plain(query[end : quoted.start()])
        words = tuple(words_of(next(part for part in quoted.groups() if part is not None)))
        terms += [Term(words[:MOST_WORDS], False)] if words else []
        end = quoted.end()
    terms += _plain(query[end:])
    return tuple(dict.fromkeys(terms))[:MOST_TERMS]


def _plain(text: str) -> Iterator[Term]:
    """A term for each word; one with signs in it, like `don't`, is looked for as written."""
    for part in text.split():
        words = tuple(words_of(part))
        if words:
            yield Term(words[:MOST_WORDS])


def words_of(text: str) -> list[str]:
    """The words of a text as they are compared."""
    if text.isascii():
        return _ASCII.findall(text.lower())
    plain = _folded(text)
    return (_FOLDED if _SPECIAL.search(plain) else _ORDINARY).findall(plain)


def _folded(text: str) -> str:
    return _ACCENT.sub("", unicodedata.normalize("NFD", text)).casefold()


def spans_of(text: str) -> Iterator[Word]:
    for match in _WRITTEN.finditer(text):
        for word in words_of(match.group()):
            yield word, match.start(), match.end()


def text_of(event: e.AnyEvent) -> str:
    """The text of an event that can be found; "" if there is none. Titles are not found by their
    events, because only the last title counts."""
    match event:
        case e.TurnRecorded():
            is_public = event.visibility is Visibility.PUBLIC and not event.is_silent
            return event.content if is_public else ""
        case e.MessageSaid():
            return event.content
        case e.DebateCreated():
            return event.config.topic
        case e.DebateCompleted(outcome=outcome):
            return _outcome_text(outcome)
        case _:
            return ""


FOUND_IN = ("TurnRecorded", "MessageSaid", "DebateCreated", "DebateCompleted")
"""The types of the events in which `text_of` finds anything."""


def _outcome_text(data: Mapping[str, Any] | None) -> str:
    try:
        outcome = read(data)
    except msgspec.ValidationError:  # no log is refused because its outcome cannot be searched
        return ""
    match outcome:
        case None:
            return ""
        case Verdict():
            return outcome.reasoning
        case Summary():
            return outcome.summary
        case Solution():
            return "\n".join([outcome.description, *_points(outcome)])
        case Certificate() | ExamReport():
            return ""  # ballots are turns, and their reasons are found there


def _points(solution: Solution) -> Iterator[str]:
    yield from (*solution.reasons, *solution.rejected, *solution.trade_offs)
    yield from (*solution.recommendations, *solution.unfulfilled_requirements)
    yield from (*solution.open_questions, *solution.dissent)


def indexed(text: str) -> str:
    """The text as it goes into an index for which every character that is not ASCII is part of a
    word, and no ASCII sign is."""
    text = text[:MOST_INDEXED]
    for sign in COMMON_SIGNS:
        text = text.replace(sign, " ")
    if text.isascii():
        return text
    plain = _SIGNS.sub(" ", _folded(text))
    return plain if plain.isascii() else _EACH.sub(r" \g<0> ", plain)


# --- finding --------------------------------------------------------------------------------------


def found(texts: Iterable[str], wanted: Wanted) -> bool:
    """Whether all that is wanted occurs in these texts."""
    missing = set(wanted)
    for text in texts:
        if not missing:
            break
        missing -= had(text, missing)
    return bool(wanted) and not missing


def had(text: str, wanted: Iterable[Term]) -> frozenset[Term]:
    """Those of the wanted terms that occur in a text."""
    words = words_of(text[:MOST_INDEXED])
    return frozenset(term for term in wanted if next(_places(words, term), None) is not None)


def _places(words: Sequence[str], term: Term) -> Iterator[int]:
    """Where in the words a term begins."""
    count = len(term.words)
    *firsts, last = term.words
    for end, word in enumerate(words[count - 1 :], count):
        is_last = word.startswith(last) if term.is_prefix else word == last
        if is_last and (not firsts or words[end - count : end - 1] == firsts):
            yield end - count


def snippet(text: str, wanted: Wanted) -> tuple[Piece, ...]:
    """A piece of the text around the first thing that was found in it, what was found marked."""
    spans = list(spans_of(text[:MOST_INDEXED]))
    words = [word for word, _, _ in spans]
    marked = {
        place + offset
        for term in wanted
        for place in _places(words, term)
        for offset in range(len(term.words))
    }
    places = [spans[number][1:] for number in sorted(marked)]
    begin, end = _window(text, spans, places[0][0] if places else 0)
    return tuple(_pieces(text, begin, end, [one for one in places if begin <= one[0] < end]))


def _window(text: str, spans: Sequence[Word], first: int) -> tuple[int, int]:
    """Where a snippet begins and ends: with the beginning of a word and the end of one."""
    earliest, latest = max(0, first - LEAD), max(0, first - LEAD) + SNIPPET
    begin = 0
    if earliest:
        begin = next((start for _, start, _ in spans if start >= earliest), first)
    if latest >= len(text):
        return begin, len(text)
    ends = [stop for _, start, stop in spans if start >= first and stop <= latest]
    return begin, ends[-1] if ends else latest


def _pieces(text: str, begin: int, end: int, places: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    at = begin
    before = "…" if begin else ""
    for start, last in places:
        stop = min(last, end)
        if plain := before + _SPACES.sub(" ", text[at:start]):
            yield Piece(text=plain)
        yield Piece(text=text[start:stop], is_match=True)
        at, before = stop, ""
    rest = before + _SPACES.sub(" ", text[at:end]) + ("…" if end < len(text) else "")
    if rest.strip():
        yield Piece(text=rest)
