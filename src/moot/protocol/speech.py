"""What a participant said, without what is not part of its speech. The only module that tidies it.

Models read a transcript with labels, and go on writing it: they put their own label before what
they say, and lines for others behind it. The label goes, and the speech ends where somebody else's
begins. Only labels of the roster count, and only at the beginning of a line outside of code: to
name others, to quote them or to write `Cost: ...` is part of a speech.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from moot.protocol.values import Participant
from moot.protocol.words import Role, StepKind

TRIMMED = "trimmed"
"""The flag of a turn from which lines written for others were left out."""
RELABELED = "relabeled"
"""The flag of a turn that began with somebody else's label; only the label was left out."""

ORDINARY = frozenset(
    (
        "a", "advocate", "affirmative", "against", "agreement", "analyst", "answer", "argument",
        "author", "benefit", "case", "challenge", "chair", "claim", "conclusion", "con", "cons",
        "cost", "costs", "critic", "debater", "decision", "devil", "evidence", "example", "fact",
        "facts", "final", "first", "for", "host", "idea", "issue", "judge", "lead", "moderator",
        "narrator", "negative", "no", "note", "objection", "observer", "one", "opponent",
        "opposition", "optimist", "option", "pessimist", "plan", "point", "position", "pro",
        "problem", "pros", "proponent", "proposal", "question", "realist", "reason", "rebuttal",
        "reply", "result", "risk", "risks", "second", "side", "skeptic", "solution", "speaker",
        "step", "summary", "support", "system", "third", "topic", "two",
        "user", "yes",
    )
)  # fmt: skip
"""Names that begin lines of ordinary prose: they are labels only in brackets or with a title."""

_Named = tuple[str, str]
"""A name and a title, which may be empty."""
_COLON = "[:\uff1a]"
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_LINE = re.compile(r"^[^\S\n]*+(?=\S)", re.MULTILINE)
_NOTICES = re.compile(r"\s*(?:\[SYSTEM\]:[^\n]*\n+)++(?=\s*\S)")
_AROUND_SKIP = frozenset(" \t\r\n\"'`*_.()[]\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb\u3002")


LONGEST_TITLE = 80
"""The most characters of a title that a model makes up."""
_LONGEST_SKIP = 100
_LONGEST_EXCUSE = 120
"""The most characters beside SKIP that only say why: members are asked for 20 to 60 words, so
that a text as short as this is no statement."""
_MOST_LABELS = 1000
"""How many lines that look like somebody else's are examined: those in code do not count as one."""


class Tidied(NamedTuple):
    text: str
    flags: tuple[str, ...] = ()


def tidy(text: str, speaker: Participant, roster: Iterable[Participant], kind: StepKind) -> Tidied:
    """The speech without the speaker's label before it and without lines for others behind it.

    Where people are spoken *about*, by a judge, a moderator or in a summary, a name before a colon
    is no label: there only `[Ada]:` and `Ada | Architect:` are, which nobody writes by accident.
    """
    own = _own(speaker.name, speaker.title)
    if ":" not in text and "\uff1a" not in text:  # then nobody else's label can be in it
        return Tidied(_without_label(text, own))
    spoken = _without_notices(text)
    others = tuple((one.name, one.title) for one in roster if one.id != speaker.id)
    is_dialogue = kind is StepKind.SPEAK and speaker.role in (Role.DEBATER, Role.MEMBER)
    everybody = (*others, ("User", ""), ("SYSTEM", ""))
    foreign = _foreign(everybody, is_dialogue)
    whole, flags = _from_own_label(spoken, own, foreign)
    flags = flags or ((TRIMMED,) if spoken is not text else ())
    text = _without_label(whole, own)
    if is_dialogue and (label := _foreign(everybody, False).match("\n" + text.lstrip())):
        # Somebody else's line and nothing of its own: an echo, or words put into their mouths.
        text, flags = text.lstrip()[label.end() - 1 :].lstrip(), flags or (RELABELED,)
    end = _end(text, foreign)
    if end is None:
        return Tidied(text, flags)
    return Tidied(text[:end].rstrip(), (TRIMMED,))


def is_skip(text: str) -> bool:
    """Whether it is SKIP and nothing else, or SKIP with no more than a few words of why."""
    rest = beside_skip(text)
    return rest != text and is_excuse(rest)


def beside_skip(text: str) -> str:
    """The text without the lines before and behind it that are SKIP and nothing else."""
    lines = text.strip().split("\n")
    first, end = 0, len(lines)
    while first < end and _is_skip_or_blank(lines[first]):
        first += 1
    while first < end and _is_skip_or_blank(lines[end - 1]):
        end -= 1
    has_skip = end - first < len(lines) and text.strip()
    return "\n".join(lines[first:end]) if has_skip else text


def is_excuse(text: str) -> bool:
    """Whether it is so short that the line SKIP beside it is what was meant. A question is not:
    whoever asks something has something to say."""
    return len(text) <= _LONGEST_EXCUSE and "?" not in text


def _is_skip_or_blank(line: str) -> bool:
    """Whether it is blank, or SKIP: in any letter case, bold, in quotes or with a full stop."""
    if len(line) > _LONGEST_SKIP:
        return False
    word = "".join(char for char in line.strip() if char not in _AROUND_SKIP)
    return not line.strip() or (word.casefold() == "skip" and word in line)


def _without_notices(text: str) -> str:
    """The text without the `[SYSTEM]` lines before it, which small models write once more."""
    found = _NOTICES.match(text)
    return text[found.end() :] if found else text


def _without_label(text: str, own: re.Pattern[str]) -> str:
    # Twice: a model that is shown its label doubled writes it so.
    for _ in range(2):
        found = own.match(text, len(text) - len(text.lstrip()))
        if found is None:
            break
        text = text[found.end() :]
    return text


def _from_own_label(
    text: str, own: re.Pattern[str], foreign: re.Pattern[str]
) -> tuple[str, tuple[str, ...]]:
    """What follows the speaker's own label, if the text begins with the lines of somebody else."""
    if foreign.match("\n" + text.lstrip()) is None:
        return text, ()
    for line in _LINE.finditer(text, text.find("\n") + 1 or len(text)):
        if own.match(text, line.end()):
            return text[line.start() :], (TRIMMED,)
    return text, ()


def _end(text: str, foreign: re.Pattern[str]) -> int | None:
    """Where the lines of somebody else begin; None if they don't, or if nothing else is there."""
    at = fences = 0
    begun = len(text) - len(text.lstrip())
    for found in islice(foreign.finditer(text), _MOST_LABELS):
        # Counted on from the last label, so that no line is counted twice.
        fences += sum(1 for _ in _FENCE.finditer(text, at, found.start()))
        at = found.start()
        if at > begun and not fences % 2:
            return at
    return None


@lru_cache(maxsize=512)
def _own(name: str, title: str) -> re.Pattern[str]:
    label, inside = _label(name, title), _bracketed(name, title)
    forms = (
        rf"(?P<mark>[*_]{{1,3}})(?:\[{inside}\]|{label})\s*(?:{_COLON}\s*(?P=mark)|(?P=mark)\s*{_COLON})",
        rf"\[{inside}\](?:\s*{_COLON}|(?![(\[]))",
        rf"{label}\s*{_COLON}(?=\s|\Z)",
        rf"(?:\#{{1,6}}\s+|(?P<bold>\*\*)){label}{_COLON}?(?(bold)\*\*)[ \t]*\n",
    )
    return re.compile(rf"(?:{'|'.join(forms)})\s*", re.IGNORECASE)


@lru_cache(maxsize=512)
def _foreign(others: tuple[_Named, ...], is_dialogue: bool) -> re.Pattern[str]:
    """What matches the beginning of a line that is somebody else's."""
    labels = "|".join(_bracketed(*one) for one in others)
    titled = "|".join(_titled(*one) for one in others if one[1])
    forms = [rf"[*_]{{0,3}}\[(?:{labels})\][*_]{{0,3}}\s*{_COLON}"]
    if titled:
        forms.append(rf"[*_]{{0,3}}(?:{titled})[*_]{{0,3}}\s*{_COLON}")
    plain = [_spelt(name) for name, _ in others if name.casefold() not in ORDINARY]
    if plain and is_dialogue:
        names = "|".join(plain)
        forms.append(rf"(?:{names}){_COLON}(?=\s|\Z)")
        forms.append(rf"\*\*(?:{names})(?:{_COLON}\*\*|\*\*{_COLON})(?=\s|\Z)")
    return re.compile(rf"\n[ \t]{{0,3}}(?:{'|'.join(forms)})")


def _label(name: str, title: str) -> str:
    return rf"(?:{_titled(name, title)}|{re.escape(name)})" if title else re.escape(name)


def _bracketed(name: str, title: str) -> str:
    """In brackets any title will do: a model that speaks for others makes one up."""
    return rf"(?:{_label(name, title)}|{re.escape(name)}\s*\|[^\[\]\n]{{1,{LONGEST_TITLE}}})"


def _titled(name: str, title: str) -> str:
    title = re.escape(title)
    return rf"{re.escape(name)}\s*(?:\|\s*{title}|\(\s*{title}\s*\)|,\s*{title})"


def _spelt(name: str) -> str:
    """The name as it is written, or in capitals as in a play."""
    return f"{re.escape(name)}|{re.escape(name.upper())}"
