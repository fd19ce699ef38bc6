"""What a model wrote, made safe to store, to show and to send again.

Done once, at the provider boundary, so that both databases store the same text and no terminal or
page has to think about it again. Removed: control characters except newline and tab (NUL crashes
one database), terminal escape sequences, marks that override the direction of text, byte order
marks. Lone surrogates (they crash the other database) become U+FFFD, all line ends become newlines.
Nothing else is changed: no normalisation, no trimming.
"""

from __future__ import annotations

import re

MAX_TEXT_CHARS = 2_000_000
"""The longest text a single reply may have."""

# Bounded on purpose: a sequence longer than this is no escape sequence but an attack, and a stream
# must not hold text back for ever to find out. Then only the escape character itself goes.
_CSI_BODY = r"[0-?]{0,64}[ -/]{0,8}"
_STRING_BODY = r"[^\x07\x1b\x9c]{0,1024}"
_CONTROL = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
_BIDI_AND_BOM = "\u202a-\u202e\u2066-\u2069\ufeff"

_SUSPECT = re.compile(f"[\\r{_CONTROL}{_BIDI_AND_BOM}\ud800-\udfff]")
_UNWANTED = re.compile(
    rf"(?P<newline>\r\n?)"
    rf"|(?:\x1b\[|\x9b){_CSI_BODY}[@-~]"  # colours, cursor movements
    rf"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f]){_STRING_BODY}(?:\x07|\x9c|\x1b\\)"  # titles, links
    rf"|\x1b[ -/]{{0,8}}[0-~]"
    rf"|[{_CONTROL}{_BIDI_AND_BOM}]"
)
# The end of a piece that could be the beginning of something in _UNWANTED.
_UNDECIDED = re.compile(
    rf"(?:\r|(?:\x1b\[|\x9b){_CSI_BODY}|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f]){_STRING_BODY}\x1b?"
    rf"|\x1b[ -/]{{0,8}}|[\ud800-\udbff])\Z"
)


def clean_text(text: str, *, max_chars: int = MAX_TEXT_CHARS) -> str:
    """`text` without what is harmful, cut to `max_chars`. Cleaning twice changes nothing more."""
    if _SUSPECT.search(text) is None:
        return text[:max_chars]
    return _UNWANTED.sub(_replacement, _pair_surrogates(text))[:max_chars]


class TextCleaner:
    """Cleans a text that arrives in pieces, with the same result as cleaning it whole.

    A piece may end inside an escape sequence, a line end or a surrogate pair: that end is held back
    until it is decided. The length is the caller's business.
    """

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """What is now certain; may be empty."""
        text = self._held + piece if self._held else piece
        if _SUSPECT.search(text) is None:
            self._held = ""
            return text
        undecided = _UNDECIDED.search(text)
        cut = len(text) if undecided is None else undecided.start()
        self._held = text[cut:]
        return _cleaned(text[:cut])

    def finish(self) -> str:
        """The rest, now that nothing follows."""
        rest, self._held = self._held, ""
        return _cleaned(rest)


def _cleaned(text: str) -> str:
    return clean_text(text, max_chars=len(text))


def _replacement(match: re.Match[str]) -> str:
    return "\n" if match["newline"] else ""


def _pair_surrogates(text: str) -> str:
    """Two halves that belong together become their character, a single half becomes U+FFFD.

    Some providers cut JSON strings between the two halves of an emoji.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
