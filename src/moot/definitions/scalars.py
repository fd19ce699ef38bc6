"""What a YAML scalar means: the core schema of YAML 1.2, and nothing of YAML 1.1.

So `no`, `on` and `12:30` are text. Infinities and NaN are refused: no setting can mean them.
"""

from __future__ import annotations

import math
import re
import unicodedata

Scalar = str | int | float | bool | None

_CONSTANTS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")

# The longest whole number that every database and every JSON reader keeps exactly.
_DIGITS_MAX = 15


def resolve(text: str, *, is_plain: bool) -> Scalar:
    """The value of a scalar; raises ValueError with a reason. Quoted and block text stays text."""
    check_text(text)
    if not is_plain:
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INT.fullmatch(text):
        return _whole(text)
    if _FLOAT.fullmatch(text) or _NOT_FINITE.fullmatch(text):
        return _finite(text)
    return text


def _whole(text: str) -> int:
    if len(text.lstrip("+-")) > _DIGITS_MAX:
        raise ValueError("a whole number has at most 15 digits")
    return int(text)


def _finite(text: str) -> float:
    number = math.inf if _NOT_FINITE.fullmatch(text) else float(text)
    if not math.isfinite(number):
        raise ValueError("a number must be finite")
    return number


def check_text(text: str) -> str:
    """The text itself; raises ValueError if it holds what databases and terminals choke on."""
    for char in text:
        if unicodedata.category(char) in {"Cc", "Cs"} and char not in "\n\t":
            reason = f"the text contains the control character U+{ord(char):04X}; remove it"
            raise ValueError(reason)
    return text
