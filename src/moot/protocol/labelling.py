"""Neutral labels in texts: `Proposal A`, `Critic 1`, `Answer B`. Models read them, people names.

Which label stands for whom is the business of each format. Hashes bring things into an order, so
that no seat comes first and nobody can choose.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping

PROPOSAL, CRITIC, ANSWER = "Proposal", "Critic", "Answer"
_SIGN = r"(?:[A-T]|\d{1,2})\b"
_LABELS = re.compile(
    rf"\b((?i:{PROPOSAL}|{CRITIC}|{ANSWER})s? )({_SIGN}(?:(?:, | & |/|,? and |,? or ){_SIGN})*)"
)
_ONE = re.compile(_SIGN)
LETTERS = "ABCDEFGHIJKLMNOPQRST"
"""The letters that a label may have."""


def shuffle_key(*texts: str) -> bytes:
    """A key to sort by, for an order that nobody has chosen."""
    return hashlib.blake2b("\0".join(texts).encode("utf-8", "surrogatepass")).digest()


def named(text: str, names: Mapping[str, str]) -> str:
    """The text with the names behind its labels: `Proposals A (Ada) and B (Bo)`."""

    def with_name(kind: str, sign: str) -> str:
        name = names.get(f"{kind} {sign}")
        return f"{sign} ({name})" if name else sign

    return _mapped(text, with_name) if names else text


def unlabelled(text: str, names: Mapping[str, str]) -> str:
    """The text with the names in place of the signs of its labels: `Proposals Ada and Bo`."""
    return _mapped(text, lambda kind, sign: names.get(f"{kind} {sign}", sign))


def relabelled(text: str, labels: Mapping[str, str]) -> str:
    """The text with other labels in place of those it has."""

    def other(kind: str, sign: str) -> str:
        return labels.get(f"{kind} {sign}", sign).rpartition(" ")[2]

    return _mapped(text, other)


def _mapped(text: str, sign_for: Callable[[str, str], str]) -> str:
    def group(match: re.Match[str]) -> str:
        kind = match[1].strip().rstrip("sS").capitalize()
        return match[1] + _ONE.sub(lambda sign: sign_for(kind, sign[0]), match[2])

    return _LABELS.sub(group, text)
