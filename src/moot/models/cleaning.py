"""Makes the text of others safe to store, to show and to send again: of models, people and files.

Done once, where text comes in, so that both databases store the same text and no terminal or
page has to think about it again. Removed: control characters except newline and tab (NUL crashes
one database), terminal escape sequences, marks that override the direction of text, byte order
marks, tag characters (they can hide a whole message from people, and not from models). Lone
surrogates (they crash the other database) become U+FFFD, all line ends become newlines.

Characters that nobody sees, and variation selectors, stay where a script or an emoji needs them: at
most one of each, directly behind a character that is not ASCII (or, for the emoji of keys, a digit,
# or *). So Persian, Hindi, Hebrew and families of emoji stay as they are, and no word of English
can be split, and no message hidden, without being seen. The flags of England, Scotland and Wales
are spelt with tag characters: they become a black flag. Nothing else is changed: no normalisation,
no trimming.

The work is linear in the length of the text, whatever it holds, and done by a few patterns, with no
Python code run for each match: a million of the most hostile characters take a fraction of a
second.
"""

from __future__ import annotations

import re

MAX_TEXT_CHARS = 1_000_000
"""The longest text a single reply may have: twice what the most talkative models can write."""

# Bounded on purpose: a sequence longer than this is no escape sequence but an attack, and a stream
# must not hold text back for ever to find out. Of such a one, only the escape character itself is
# removed. No body may hold a line end or the beginning of another sequence, and none is tried again
# at another length: so no character is looked at more than once.
_CSI_BODY = r"[0-?]{0,64}+[ -/]{0,8}+"
_STRING_BODY = r"[^\r\n\x07\x1b\x90\x98\x9b-\x9f]{0,1024}+"
_STRING_START = r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])"
_CONTROL = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
_DIRECTION = "\u202a-\u202e\u2066-\u2069"
_HIDDEN = f"{_DIRECTION}\u206a-\u206f\ufeff\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e007f"
_ZERO_WIDTH = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u2060-\u2065"
_EMOJI_SELECTOR = "\ufe0e\ufe0f"
_SELECTOR = "\ufe00-\ufe0f\U000e0100-\U000e01ef"

_SUSPECT = re.compile(f"[\\r{_CONTROL}{_HIDDEN}{_ZERO_WIDTH}{_SELECTOR}\ud800-\udfff]")
# Most replies are ASCII, and Python knows that of a text without looking at it.
_SUSPECT_ASCII = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def suspects(more: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Two patterns that find a character which cleaning may change, or one of `more`: for ASCII
    text, and for any other.

    For callers that look for something themselves, and want to look at most texts only once.
    """
    plain = re.escape("".join(char for char in more if char.isascii()))
    return (
        re.compile(f"{_SUSPECT_ASCII.pattern[:-1]}{plain}]"),
        re.compile(f"{_SUSPECT.pattern[:-1]}{re.escape(more)}]"),
    )


# Patterns that are tried at every character begin with a single class, which is searched for fast.
_ESCAPE = re.compile(r"[\x1b\x90\x98\x9b\x9d-\x9f]")
_SEQUENCE = re.compile(
    rf"(?:\x1b\[|\x9b){_CSI_BODY}[@-~]"  # colours, cursor movements
    rf"|{_STRING_START}{_STRING_BODY}(?:\x07|\x9c|\x1b\\)"  # titles, links
    rf"|\x1b[ -/]{{0,8}}+[0-~]"
)
_UNWANTED = re.compile(f"[{_CONTROL}{_HIDDEN}][{_CONTROL}{_HIDDEN}]*+")
# The end of a piece that could be the beginning of a line end, of a sequence or of a character.
_UNDECIDED = re.compile(
    rf"(?:\r|(?:\x1b\[|\x9b){_CSI_BODY}|{_STRING_START}{_STRING_BODY}\x1b?"
    rf"|\x1b[ -/]{{0,8}}+|[\ud800-\udbff])\Z"
)
_BASE = f"[^\\x00-\\x7f{_ZERO_WIDTH}{_SELECTOR}]"
# Invisible characters outside the places where they may stand: behind their character, or behind
# that and one selector.
_UNSEEN = re.compile(
    f"[{_ZERO_WIDTH}{_SELECTOR}]"
    f"(?:(?<=[{_ZERO_WIDTH}])(?<!{_BASE}.)(?<!{_BASE}[{_SELECTOR}].)"
    f"|(?<=[{_SELECTOR}])(?<!{_BASE}.)(?<![0-9#*][{_EMOJI_SELECTOR}]))",
    re.DOTALL,
)
# The last visible character and what follows it: what comes next depends on nothing else.
_LAST = re.compile(f"[^{_ZERO_WIDTH}{_SELECTOR}][{_ZERO_WIDTH}{_SELECTOR}]{{0,2}}\\Z", re.DOTALL)
_LONE_HALF = re.compile(
    "[\ud800-\udfff]"
    "(?:(?<=[\udc00-\udfff])(?<![\ud800-\udbff].)|(?<=[\ud800-\udbff])(?![\udc00-\udfff]))"
)


def clean_text(text: str, *, max_chars: int = MAX_TEXT_CHARS) -> str:
    """`text` without what is harmful, cut to `max_chars`. Cleaning twice changes nothing more."""
    if (_SUSPECT_ASCII if text.isascii() else _SUSPECT).search(text) is None:
        return text[:max_chars]
    return _UNSEEN.sub("", _stripped(text))[:max_chars]


class TextCleaner:
    """Cleans a text that arrives in pieces, with the same result as cleaning it whole.

    A piece may end inside an escape sequence, a line end or a surrogate pair: that end is held back
    until it is decided. The length is the caller's business.
    """

    __slots__ = ("_held", "_tail")

    def __init__(self) -> None:
        self._held = ""
        self._tail = ""

    def feed(self, piece: str) -> str:
        """What is now certain; may be empty."""
        text = self._held + piece if self._held else piece
        if (_SUSPECT_ASCII if text.isascii() else _SUSPECT).search(text) is None:
            # Nearly every piece of nearly every reply.
            self._held = ""
            self._tail = text[-1:] or self._tail
            return text
        undecided = _UNDECIDED.search(text)
        cut = len(text) if undecided is None else undecided.start()
        self._held = text[cut:]
        return self._cleaned(text[:cut])

    @property
    def holds_back(self) -> bool:
        """Whether something is not decided yet."""
        return bool(self._held)

    def pass_by(self, piece: str) -> None:
        """Take note of `piece`, which needed no cleaning and was passed on without it."""
        self._tail = piece[-1:]

    def finish(self) -> str:
        """The rest, now that nothing follows."""
        rest, self._held = self._held, ""
        return self._cleaned(rest)

    def _cleaned(self, text: str) -> str:
        # The end of what was passed on decides whether the first character may stay; it is clean.
        tail = self._tail
        whole = _UNSEEN.sub("", tail + _stripped(text))
        last = _LAST.search(whole)
        self._tail = last[0] if last else ""
        return whole[len(tail) :]


def _stripped(text: str) -> str:
    text = _pair_surrogates(text).replace("\r\n", "\n").replace("\r", "\n")
    if _ESCAPE.search(text) is not None:
        text = _SEQUENCE.sub("", text)
    return _UNWANTED.sub("", text)


def _pair_surrogates(text: str) -> str:
    """Two halves that belong together become their character, a single half becomes U+FFFD.

    Some providers cut JSON strings between the two halves of an emoji.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        whole = _LONE_HALF.sub("\ufffd", text)
        return whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    return text
