"""Reads an event stream of completions from raw chunks, with as little work as possible.

A streamed reply has hundreds of events, and what each costs decides how many debates one core can
hold: so no event objects, no futures, one decode per line, and one piece of text per chunk read.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable

from moot.errors import ReplyBroken, ReplyTooLarge
from moot.models.backends.openai_compatible.bodies import MAX_LINE_BYTES
from moot.models.backends.openai_compatible.replies import (
    Completion,
    WireUsage,
    check_length,
    finish_of,
    read_completion,
    text_of,
)
from moot.models.backends.openai_compatible.tools import CalledTools
from moot.models.cleaning import TextCleaner
from moot.models.port import OnText
from moot.protocol.words import Finish

OnError = Callable[[object], Exception]
"""Turns the `error` that a server put into its stream into ours."""


class StreamReader:
    """What has been read of one stream. Text goes to `on_text` as soon as it is certain.

    `is_finished` says that the model's reply is whole, `is_done` that the server said so too.
    """

    def __init__(self, on_text: OnText | None, on_error: OnError) -> None:
        self.usage: WireUsage | None = None
        self.model = ""
        self.finish = Finish.OTHER
        self.is_finished = False
        self.is_done = False
        self.calls = CalledTools()
        self._on_text = on_text
        self._on_error = on_error
        self._rest = b""
        self._cleaner = TextCleaner()
        self._pieces: list[str] = []
        self.length = 0
        self._has_begun = False

    def feed(self, chunk: bytes) -> None:
        """Read one chunk of the body, wherever it was cut."""
        lines = (self._rest + chunk if self._rest else chunk).split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > MAX_LINE_BYTES:
            message = f"a line of the stream is longer than {MAX_LINE_BYTES // 1024 // 1024} MB"
            raise ReplyTooLarge(message)
        # Every other line is blank: not worth a call.
        texts = [text for line in lines if line and (text := self._read_line(line))]
        if texts:
            self._emit(self._cleaner.feed(texts[0] if len(texts) == 1 else "".join(texts)))

    def end(self) -> str:
        """The whole reply. Raises ReplyBroken if the stream ended before the reply did."""
        if self._rest:
            # The last line lacks its line end: whole if it can be read, and else it was cut off.
            self.feed(b"\n")
        if not self.is_finished:
            raise ReplyBroken("the stream ended before the reply did")
        if not self._has_begun:
            raise ReplyBroken("the stream has no message in it")
        self._emit(self._cleaner.finish())
        return "".join(self._pieces)

    def _read_line(self, line: bytes) -> str:
        """The text that `line` adds to the reply."""
        if not line.startswith(b"data:"):
            # Comments (": keep-alive"), event names and blank lines say nothing about the reply.
            line = line.removeprefix(BOM_UTF8)
            if not line.startswith(b"data:"):
                return ""
        if self.is_done:
            return ""
        data = line[5:].strip()
        if data == b"[DONE]":
            self.is_done = self.is_finished = True
            return ""
        return self._read(read_completion(data)) if data else ""

    def _read(self, chunk: Completion) -> str:
        if chunk.error is not None:
            raise self._on_error(chunk.error)
        if chunk.usage is not None:
            self.usage = chunk.usage
        if not self.model and isinstance(chunk.model, str):
            self.model = chunk.model
        if not chunk.choices:
            return ""
        self._has_begun = True
        choice = chunk.choices[0]
        if choice.finish_reason is not None:
            self.finish = finish_of(choice.finish_reason)
            self.is_finished = True
        delta = choice.delta or choice.message
        if delta is None:
            return ""
        if delta.refusal:
            self.finish = Finish.FILTER
        if delta.tool_calls:
            self.calls.feed(delta.tool_calls)
        return text_of(delta.content) or text_of(delta.refusal)

    def _emit(self, text: str) -> None:
        if not text:
            return
        self.length += len(text)
        check_length(self.length)
        self._pieces.append(text)
        if self._on_text is not None:
            self._on_text(text)
