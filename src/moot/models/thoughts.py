"""Takes what a model thinks aloud out of what it says: in one go, or as it arrives.

Thoughts are private: nobody who reads a turn may see them, other models least of all. Where a
server does not separate them from the answer, they stand in the text itself, in one of three ways:

1. The reply begins with a mark (`<think>`, `[THINK]` ...), and the thought ends at the closing one.
   If that never comes, all of it was thought.
2. The reply begins with a channel (harmony): each part names its channel, and only `final` is said.
3. A closing mark stands alone, because the opening one was part of the prompt: all before it was
   thought.

Anywhere else the marks are words like any other: a debater may write about `<think>`, quote it, or
put it into code. The result does not depend on where the text was cut into pieces.

The work is linear in the length of the text, whatever it holds: every pattern here is bounded, or
tried at few places.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from moot.models.cleaning import TextCleaner, suspects

MAX_THOUGHT_CHARS = 200_000
"""How much is kept of the thoughts of one reply."""

_NAMES = ("think", "thinking", "thought", "thoughts", "reasoning", "seed:think")
_TAG = "(?:" + "|".join(_NAMES) + ")"
_PAIRS = {
    "tag": (rf"<{_TAG}>", rf"</{_TAG}>"),  # DeepSeek, Qwen, GLM, MiniMax, Gemini, Seed ...
    "bracket": (r"\[THINK\]", r"\[/THINK\]"),  # Mistral
    "triangle": ("\u25c1think\u25b7", "\u25c1/think\u25b7"),  # Kimi
    "gemma": (r"<\|channel>(?:thought\b\n?)?", r"<channel\|>"),
    "medgemma": (r"<unused94>(?:thought\b\n?)?", r"<unused95>"),
    "command": (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    "begin": (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    # Harmony from a server that dropped the marks: the words in them are left, run together.
    "bare": (r"(?-i:analysis(?=[A-Z]))", r"assistantfinal"),
    "channel": (r"(?:<\|start\|>assistant)?(?=<\|channel\|>)", r"(?!)"),
}
_BEGIN = re.compile(
    "|".join(f"(?P<{key}>{begin})" for key, (begin, _) in _PAIRS.items()), re.IGNORECASE
)
_END = {key: re.compile(end, re.IGNORECASE) for key, (_, end) in _PAIRS.items()}
_BEGINNINGS = (
    *(f"<{name}>" for name in _NAMES),
    *("[think]", "\u25c1think\u25b7", "<|channel>thought\n", "<|start_thinking|>"),
    "<unused94>thought\n",
    *("<|begin_of_thought|>", "analysisa", "<|start|>assistant<|channel|>", "<|channel|>"),
)
"""All beginnings written out, to see whether a text may yet become one of them."""
_FIRST = frozenset(beginning[0] for beginning in _BEGINNINGS)

_HEADER = re.compile(
    r"<\|channel\|>\s{0,8}+(\w{0,64}+)[^<]{0,100}+"
    r"(?:<\|constrain\|>[^<]{0,64}+)?+<\|message\|>"
)
_LONGEST_HEADER = 300
_PART_END = re.compile(r"<\|(?:end|return|call)\|>|(?=<\|(?:start|channel)\|>)")
_NEXT_PARTS = ("<|start|>assistant", "<|channel|>")
_FINAL = "final"

_ALONE = (
    *(f"</{name}>" for name in _NAMES),
    *("[/think]", "\u25c1/think\u25b7", "<|end_thinking|>"),
    "<|channel|>final<|message|>",
)
_CLOSING = re.compile("|".join(re.escape(mark) for mark in _ALONE), re.IGNORECASE)
_OPENED = re.compile(rf"<{_TAG}>|\[THINK\]|\u25c1think\u25b7", re.IGNORECASE)
_OPENED_ON_A_LINE = re.compile(rf"^[ \t]*(?:{_OPENED.pattern})", re.IGNORECASE | re.MULTILINE)
_LEFTOVERS = ("<|start|>assistant", "<|end|>")
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_OPENING_QUOTES = "`'\"(\u2018\u201c\u201e\u00ab"
_CLOSING_QUOTES = "`'\")\u2019\u201d\u00bb"
_SENTENCE_ENDS = ".!?:;)]}*\n\u2026\u201d\u3002\uff01\uff1f"
_MOST_MENTIONS = 16
"""After this many closing marks, alone or as mere words, no more are looked for."""
_MOST_THOUGHTS = 1000
"""After this many thoughts in one reply, all the rest is one thought."""
_NEVER = re.compile(r"(?!)")
_LONGEST_BLANK = 1000
"""After more white space than this, no thought begins any more."""
_PIECE = 2000
"""How many characters are processed at a time, so that little is copied."""

# What an answer may be wrapped in behind a thought.
_WRAPPERS = ("<answer>", "<|begin_of_solution|>", "<|start_response|>", "<|start_text|>")
_UNWRAPPED = ("</answer>", "<|end_of_solution|>", "<|end_response|>", "<|end_text|>")
_CLOSING_OR_UNWRAP = re.compile(
    f"{_CLOSING.pattern}|(?P<unwrap>{'|'.join(re.escape(mark) for mark in _UNWRAPPED)})",
    re.IGNORECASE,
)
_CLOSING_MARKS = (*_ALONE, *_UNWRAPPED)
_PART_ENDS = ("<|end|>", "<|return|>", "<|call|>", "<|start|>", "<|channel|>")
_CLOSERS = tuple({mark[:2] for mark in _CLOSING_MARKS})
_SUSPECT = "".join({mark[0] for mark in _CLOSING_MARKS})
_ODD_ASCII, _ODD = suspects(_SUSPECT)
_LONGEST_MARK = max(map(len, (*_CLOSING_MARKS, *_BEGINNINGS, *_WRAPPERS)))


def split_thoughts(text: str) -> tuple[str, str]:
    """What was said, and what was thought."""
    if not any(char in text for char in _SUSPECT) and not text.lstrip().startswith("analysis"):
        return text, ""
    splitter = ThoughtSplitter()
    splitter.feed(text)
    splitter.finish()
    return splitter.said, splitter.thought


class ThoughtSplitter:
    """Splits a text that arrives in pieces into what is said and what is thought.

    With `holds_back`, nothing is told before it is certain whether a closing mark stands alone: at
    that mark, or at the end. Without it, the mark may come too late: `is_retracted` then says that
    a thought was told. Nothing more is told after that, and `said` is right all the same.
    """

    __slots__ = (
        "_begun", "_end", "_holds", "_is_final", "_is_wrapped", "_mentions", "_rest",
        "_room", "_said", "_step", "_thoughts", "_told", "is_retracted",
    )  # fmt: skip

    def __init__(self, *, holds_back: bool = False) -> None:
        self.is_retracted = False
        self._holds = holds_back
        self._said: list[str] = []
        self._told = 0
        self._thoughts: list[list[str]] = [[]]
        self._room = MAX_THOUGHT_CHARS
        self._rest = ""
        self._mentions = 0
        self._begun = 0
        self._is_wrapped = False
        self._is_final = False
        self._end = _CLOSING
        self._step: Step = ThoughtSplitter._begin

    @property
    def said(self) -> str:
        return "".join(self._said)

    @property
    def thought(self) -> str:
        thoughts = ("".join(pieces).strip() for pieces in self._thoughts)
        return "\n\n".join(thought for thought in thoughts if thought)

    @property
    def is_plain(self) -> bool:
        """Whether text with none of `_SUSPECT` in it will be told as it is."""
        is_speaking = self._step is ThoughtSplitter._speak and not self._is_wrapped
        return is_speaking and not (self._rest or self._holds or self.is_retracted)

    def feed(self, piece: str) -> str:
        """What is now certain to be said; may be empty."""
        told: list[str] = []
        for start in range(0, len(piece), _PIECE):
            self._rest += piece[start : start + _PIECE]
            told.append(self._run(is_last=False))
        return "".join(told)

    def begins_plainly(self, piece: str) -> bool:
        """Whether the first piece, which has none of `_SUSPECT` in it, begins a plain speech."""
        first = piece.lstrip()[:1]
        is_first = self._step is ThoughtSplitter._begin and not (self._rest or self._holds)
        if not first or first in _FIRST or not is_first:
            return False
        return self._begin_to_speak()

    def pass_by(self, pieces: list[str]) -> None:
        """Take in pieces that were told as they are, while it `is_plain`."""
        self._said += pieces
        self._told = len(self._said)

    def finish(self) -> str:
        """The rest, now that nothing follows."""
        told = self._run(is_last=True)
        self._holds = False
        return told or self._news()

    def _run(self, *, is_last: bool) -> str:
        while self._step(self, is_last):
            pass
        return self._news()

    def _news(self) -> str:
        if self._holds or self.is_retracted:
            return ""
        news = "".join(self._said[self._told :])
        self._told = len(self._said)
        return news

    # Each step takes from the rest what is certain whatever follows, and says whether to go on.

    def _begin(self, is_last: bool) -> bool:
        text = self._rest.lstrip()
        is_late = len(self._rest) - len(text) > _LONGEST_BLANK
        if is_late or (text and text[0] not in _FIRST):
            return self._begin_to_speak()
        if not text and not is_last:
            return False
        lower = text[:_LONGEST_MARK].lower()
        if not is_last and any(one.startswith(lower) for one in _BEGINNINGS):
            return False
        found = _BEGIN.match(text)
        if found is not None:
            key = found.lastgroup or ""
            self._rest = text[found.end() :]
            return self._begin_to_think(_END[key], is_channel=key == "channel")
        return self._begin_to_speak()

    def _begin_to_think(self, end: re.Pattern[str], *, is_channel: bool) -> bool:
        self._begun += 1
        is_endless = self._begun > _MOST_THOUGHTS
        self._end = _NEVER if is_endless else end
        reads_head = is_channel and not is_endless
        self._step = ThoughtSplitter._head if reads_head else ThoughtSplitter._think
        return True

    def _begin_to_speak(self) -> bool:
        self._step = ThoughtSplitter._speak
        return True

    def _think(self, is_last: bool) -> bool:
        found = self._end.search(self._rest)
        if found is None:
            cut = len(self._rest) if is_last else max(0, len(self._rest) - _LONGEST_MARK)
            self._keep(self._rest[:cut])
            self._rest = self._rest[cut:]
            return False
        self._keep(self._rest[: found.start()])
        self._rest = self._rest[found.end() :]
        self._step = ThoughtSplitter._after
        return True

    def _after(self, is_last: bool) -> bool:
        """Behind a thought: another one, or the answer, without the blank lines between."""
        self._holds = False
        rest = self._rest.lstrip()
        if len(rest) < len(self._rest):
            # Without white space between, it is one thought in pieces: Bedrock cuts them so.
            self._thoughts.append([])
        self._rest = rest
        if not rest:
            return False
        lower = self._rest[:_LONGEST_MARK].lower()
        for wrapper in _WRAPPERS:
            if lower.startswith(wrapper):
                self._rest = self._rest[len(wrapper) :].lstrip()
                self._is_wrapped = True
                return True
            if wrapper.startswith(lower) and not is_last:
                return False
        self._step = ThoughtSplitter._begin
        return True

    def _head(self, is_last: bool) -> bool:
        """Reads a part's header in harmony: `<|start|>assistant<|channel|>NAME ...<|message|>`."""
        found = _HEADER.search(self._rest)
        if found is None:
            # A header without the message that should follow it is not something that was said.
            if is_last or len(self._rest) > _LONGEST_HEADER:
                self._keep(self._rest)
                self._rest = ""
            return False
        self._is_final = found[1] == _FINAL
        self._rest = self._rest[found.end() :]
        self._step = ThoughtSplitter._part
        return True

    def _part(self, is_last: bool) -> bool:
        found = _PART_END.search(self._rest)
        if found is None:
            cut = len(self._rest) if is_last else _certain(self._rest, _PART_ENDS)
            self._take(self._rest[:cut])
            self._rest = self._rest[cut:]
            return False
        self._take(self._rest[: found.start()])
        self._rest = self._rest[found.end() :]
        self._step = ThoughtSplitter._between
        return True

    def _take(self, text: str) -> None:
        if not self._is_final:
            self._keep(text)
        elif text:
            self._said.append(text)

    def _between(self, is_last: bool) -> bool:
        text = self._rest.lstrip()
        if not text or (not is_last and any(one.startswith(text) for one in _NEXT_PARTS)):
            return False
        self._thoughts.append([])
        if text.startswith(_NEXT_PARTS):
            return self._begin_to_think(_NEVER, is_channel=True)
        self._step = ThoughtSplitter._speak
        return True

    def _speak(self, is_last: bool) -> bool:
        marks = _CLOSING_OR_UNWRAP if self._is_wrapped else _CLOSING
        may_close = self._mentions < _MOST_MENTIONS and any(one in self._rest for one in _CLOSERS)
        found = marks.search(self._rest) if may_close else None
        if found is None:
            cut = len(self._rest) if is_last else _certain(self._rest, _CLOSING_MARKS)
            return self._say(cut)
        if found.lastgroup == "unwrap":
            self._say(found.start())
            self._rest = self._rest[len(found[0]) :]
            self._is_wrapped = False
            return True
        if found.end() == len(self._rest) and not is_last:
            return self._say(found.start())
        before = self.said + self._rest[: found.start()]
        if not _closes(before, self._rest[found.end() : found.end() + 1]):
            self._mentions += 1
            self._say(found.end())
            return True
        self._mentions += 1
        self._retract(before)
        self._rest = self._rest[found.end() :]
        self._step = ThoughtSplitter._after
        return True

    def _say(self, cut: int) -> bool:
        if cut:
            self._said.append(self._rest[:cut])
            self._rest = self._rest[cut:]
        return False

    def _retract(self, before: str) -> None:
        """Takes all that was said so far as a thought."""
        self.is_retracted = self.is_retracted or self._told > 0
        self._said.clear()
        self._told = 0
        self._thoughts.append([])
        for leftover in _LEFTOVERS:
            before = before.rstrip().removesuffix(leftover)
        self._keep(before)

    def _keep(self, thought: str) -> None:
        if self._room > 0 and thought:
            self._thoughts[-1].append(thought[: self._room])
            self._room -= len(thought)


Step = Callable[[ThoughtSplitter, bool], bool]


class Speech:
    """What a reply that arrives in pieces says: clean, and without thoughts.

    Nearly every piece of nearly every reply is neither odd nor part of a thought, and finding that
    out is all the work it needs.
    """

    __slots__ = ("_cleaner", "_is_plain", "_plain", "_splitter")

    def __init__(self, *, holds_back: bool = False) -> None:
        self._cleaner = TextCleaner()
        self._splitter = ThoughtSplitter(holds_back=holds_back)
        self._plain: list[str] = []
        self._is_plain = False

    @property
    def is_retracted(self) -> bool:
        return self._splitter.is_retracted

    @property
    def said(self) -> str:
        return self._splitter.said + "".join(self._plain)

    @property
    def thought(self) -> str:
        return self._splitter.thought

    def feed(self, piece: str) -> str:
        """What is now certain to be said; may be empty."""
        if (_ODD_ASCII if piece.isascii() else _ODD).search(piece) is None and (
            self._is_plain or self._begins_plainly(piece)
        ):
            if piece:  # an empty one says nothing about what comes after it
                self._plain.append(piece)
            return piece
        self._catch_up()
        told = self._splitter.feed(self._cleaner.feed(piece))
        self._is_plain = self._splitter.is_plain and not self._cleaner.holds_back
        return told

    def finish(self) -> str:
        """The rest, now that nothing follows."""
        self._catch_up()
        if self._is_plain:
            return ""
        return self._splitter.feed(self._cleaner.finish()) + self._splitter.finish()

    def _begins_plainly(self, piece: str) -> bool:
        can_be = not self._cleaner.holds_back
        self._is_plain = can_be and self._splitter.begins_plainly(piece)
        return self._is_plain

    def _catch_up(self) -> None:
        if self._plain:
            self._cleaner.pass_by(self._plain[-1])
            self._splitter.pass_by(self._plain)
            self._plain = []


def _certain(text: str, marks: tuple[str, ...]) -> int:
    """How much of `text` cannot be the beginning of one of the marks."""
    lower = text[-_LONGEST_MARK:].lower()
    offset = len(text) - len(lower)
    for index, char in enumerate(lower):
        if char in "<[\u25c1" and any(mark.startswith(lower[index:]) for mark in marks):
            return offset + index
    return len(text)


def _closes(before: str, after: str) -> bool:
    """Whether a closing mark between these two ends a thought, or is only written about."""
    line = before[before.rfind("\n") + 1 :]
    if len(_FENCE.findall(before)) % 2 or line.count("`") % 2:
        return False
    opened = _OPENED_ON_A_LINE if not line.strip() else _OPENED
    if opened.search(before):
        return False
    last = before[-1:]
    if last and last in _OPENING_QUOTES and after and after in _CLOSING_QUOTES:
        return False
    if last in (" ", "\t") and after not in ("", "\n"):
        return before.rstrip()[-1:] in _SENTENCE_ENDS
    return True
