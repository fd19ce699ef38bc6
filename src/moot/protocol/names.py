"""What a participant may be called, when two names are the same name, and the ids made from names.

Names are shown to people, put between quotes in prompts and matched in what models write back.
So a name must not be able to pass for a speaker line, a mention, markup, or somebody else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Literal

from moot.errors import InvalidInput

NAME_MAX = 60
ID_MAX = 40

RESERVED = frozenset(
    {
        # Chat roles: a model must not mistake a participant for the one who gives the orders.
        *("system", "user", "assistant", "developer", "tool", "function", "human", "moot"),
        # Mentions of everybody, and the one-word reply that passes the floor (seed 002).
        *("everyone", "everybody", "all", "here", "channel", "skip"),
        # What a verdict says when nobody won.
        *("none", "null", "nobody", "both", "neither", "tie", "draw", "undecided"),
    }
)

FORBIDDEN = frozenset('[]{}<>|@":`\\')

# Letters, numbers and marks carry a name; everything else may be dropped when names are compared.
# Marks count: in Devanagari or Thai they are the vowels.
_CARRIERS = frozenset("LNM")

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_JOINERS = "\u200c\u200d"
_BLANK_LETTERS = "\u115f\u1160\u3164\uffa0\u2800"
"""Letters and symbols that are invisible."""

# Cyrillic and Greek letters that look like Latin ones in most fonts. Capitals and small letters
# have rows of their own: the Cyrillic capital VE looks like a B, the small one like nothing else.
_TWINS = {
    # Cyrillic
    "\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c": "ABESIJKM",
    "\u041d\u041e\u0420\u0421\u0422\u0423\u0425": "HOPCTYX",
    "\u0430\u0435\u0455\u0456\u0458\u043e\u0440\u0441\u0443\u0445": "aesijopcyx",
    "\u0501\u051b\u051d": "dqw",
    # Greek
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c": "ABEZHIKM",
    "\u039d\u039f\u03a1\u03a4\u03a5\u03a7": "NOPTYX",
    "\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1\u03c5\u03c7": "aikvopux",
}
_LOOK_ALIKES = str.maketrans("".join(_TWINS), "".join(_TWINS.values()))

# Latin letters that Unicode does not take apart into a base letter and a mark.
_LATIN = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "æ": "ae",
        "œ": "oe",
        "þ": "th",
        "\u0131": "i",
        "ħ": "h",
    }
)


MOST_MARKS = 30
"""Marks on one letter that are kept; Unicode's annex 15 promises that no script needs more."""
# What could be a pile of marks: characters that are neither letters nor white space.
_PILE = re.compile(rf"[^\w\s\x00-\x7f]{{{MOST_MARKS + 1},}}")


def normalized(text: str, form: Literal["NFC", "NFD", "NFKC", "NFKD"] = "NFKC") -> str:
    """The text in a normal form, for comparing. Anybody's text is normalized here, except in
    `searching`.

    Sorting a pile of marks takes time that is quadratic in its height, a minute for one reply of a
    model that means harm. So piles are cut first, to more than any script has.
    """
    if text.isascii():
        return text
    return unicodedata.normalize(form, _PILE.sub(_levelled, text))


def _levelled(found: re.Match[str]) -> str:
    kept: list[str] = []
    height = 0
    for char in found[0]:
        height = height + 1 if unicodedata.combining(char) else 0
        if height <= MOST_MARKS:
            kept.append(char)
    return "".join(kept)


def check_name(name: str) -> str:
    """The name with white space collapsed, in NFC; raises InvalidInput with field `name`."""
    shown = re.sub(r" {2,}", " ", normalized(name.strip(), "NFC"))
    if reasons := list(_faults(shown)):
        raise InvalidInput("; ".join(reasons), field="name")
    return shown


def _faults(shown: str) -> Iterator[str]:
    """Why the name cannot be used: every reason, the plainest first."""
    # What is hidden in full-width and other compatibility forms counts too.
    plain = normalized(shown)
    if not shown:
        yield "a name must not be empty"
        return
    if (size := max(len(shown), len(plain))) > NAME_MAX:
        yield f"a name has at most {NAME_MAX} characters, this one has {size}"
    if any(_is_unseen(shown, index) for index in range(len(shown))):
        yield "a name must be one line without control or invisible characters"
    if bad := sorted(FORBIDDEN.intersection(plain)):
        yield f"a name must not contain {' '.join(bad)} (nor any of {' '.join(sorted(FORBIDDEN))})"
    if not any(char.isalnum() for char in plain):
        yield "a name needs at least one letter or digit"
    if not RESERVED.isdisjoint({fold_name(shown), look_alike(shown)}):
        yield f"{shown} is a reserved word; choose another name"


def _is_unseen(name: str, index: int) -> bool:
    """Whether nobody sees the character at `index`. A joiner between two letters that are not ASCII
    counts as part of them: Persian and Hindi names need it."""
    char = name[index]
    if char in _JOINERS and 0 < index < len(name) - 1:
        return not all(_is_foreign(one) for one in (name[index - 1], name[index + 1]))
    return unicodedata.category(char) in _UNSEEN or char in _BLANK_LETTERS


def _is_foreign(char: str) -> bool:
    return not char.isascii() and unicodedata.category(char)[0] in "LMS"


@lru_cache(maxsize=1024)  # each name of a roster is compared several times
def fold_name(name: str) -> str:
    """What is left for comparing: NFKC and case folded, only letters, digits and marks."""
    # Twice: dropping a full stop can bring a letter and its mark together.
    return _fold_once(_fold_once(name))


def _fold_once(text: str) -> str:
    folded = normalized(normalized(text).casefold())
    kept = "".join(char for char in folded if unicodedata.category(char)[0] in _CARRIERS)
    return normalized(kept)


def look_alike(name: str) -> str:
    """The folded name as a hasty reader sees it: Cyrillic and Greek twins become Latin."""
    return fold_name(normalized(name).translate(_LOOK_ALIKES))


def find_clash(names: Sequence[str]) -> tuple[int, int] | None:
    """The positions of the first two names that people or code could mistake for one another."""
    seen: dict[str, int] = {}
    for index, name in enumerate(names):
        for form in {fold_name(name), look_alike(name)}:
            if seen.setdefault(form, index) != index:
                return seen[form], index
    return None


def slug(name: str, taken: Collection[str]) -> str:
    """An id made from the name that is not in `taken`: `ada`, then `ada_2`; only a-z, 0-9 and _."""
    letters = normalized(name, "NFKD").casefold().translate(_LATIN)
    letters = "".join(char for char in letters if not unicodedata.combining(char))
    words = re.sub(r"[^a-z0-9]+", "_", letters)
    stem = words.strip("_")[:ID_MAX].strip("_") or "participant"
    number, candidate = 1, stem
    while candidate in taken or candidate in RESERVED:
        number += 1
        candidate = f"{stem}_{number}"
    return candidate
