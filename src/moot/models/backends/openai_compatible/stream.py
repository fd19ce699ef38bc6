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
    Text,
    WireUsage,
    check_length,
    finish_of,
    joined_thoughts,
    read_completion,
    stated_error,
    stated_usage,
    text_of,
    thought_of,
)
from moot.models.backends.openai_compatible.tools import CalledTools
from moot.models.cleaning import MAX_TEXT_CHARS
from moot.models.port import OnText
from moot.models.thoughts import MAX_THOUGHT_CHARS, Speech
from moot.protocol.words import Finish

OnError = Callable[[object], Exception]
"""Turns the `error` that a server put into its stream into one of our errors."""


class StreamReader:
    """What has been read of one stream. Text goes to `on_text` as soon as it is certain.

    `is_finished` says that the model's reply is whole, `is_done` that the server said so too.
    `holds_back` is for models that are known to think aloud; see `thoughts`. With `tells_thoughts`,
    an empty piece tells that the model is thinking.
    """

    def __init__(
        self,
        on_text: OnText | None,
        on_error: OnError,
        *,
        holds_back: bool = False,
        tells_thoughts: bool = False,
    ) -> None:
        self.usage: WireUsage | None = None
        self.model = ""
        self.finish = Finish.OTHER
        self.is_finished = False
        self.is_done = False
        self.calls = CalledTools()
        self._on_text = on_text
        self._on_error = on_error
        self._tells_thoughts = tells_thoughts and on_text is not None
        self._rest: list[bytes] = []
        self._rest_size = 0
        self._speech = Speech(holds_back=holds_back)
        self._thoughts: list[str] = []
        self.length = 0
        self._has_begun = False
        self._has_delta = False
        self._is_error = False

    @property
    def is_retracted(self) -> bool:
        """Whether text that was passed on turned out to be a thought."""
        return self._speech.is_retracted

    @property
    def thought(self) -> str:
        """What the model thought, in fields of its own or aloud."""
        return joined_thoughts("".join(self._thoughts), self._speech.thought)

    def feed(self, chunk: bytes) -> None:
        """Read one chunk of the body, wherever it was cut."""
        if b"\n" not in chunk:
            # Not joined until its end is there: a long line may come in a million pieces.
            self._rest.append(chunk)
            self._rest_size += len(chunk)
            self._check_line()
            return
        lines = (b"".join((*self._rest, chunk)) if self._rest else chunk).split(b"\n")
        rest = lines.pop()
        self._rest, self._rest_size = [rest] if rest else [], len(rest)
        self._check_line()
        self._read_lines(lines)

    def _check_line(self) -> None:
        if self._rest_size > MAX_LINE_BYTES:
            message = f"a line of the stream is longer than {MAX_LINE_BYTES // 1024 // 1024} MB"
            raise ReplyTooLarge(message)

    def _read_lines(self, lines: list[bytes]) -> None:
        # Every other line is blank: not worth a call.
        thoughts, said = len(self._thoughts), ""
        texts = [text for line in lines if line and (text := self._read_line(line))]
        if texts:
            text = texts[0] if len(texts) == 1 else "".join(texts)
            self.length += len(text)
            if self.length > MAX_TEXT_CHARS:
                check_length(self.length)
            said = self._speech.feed(text)
        is_told = said or (self._tells_thoughts and (texts or len(self._thoughts) > thoughts))
        if is_told and self._on_text is not None:
            self._on_text(said)

    def end(self) -> str:
        """The whole reply. Raises ReplyBroken if the stream ended before the reply did."""
        if self._rest:
            # The last line has no line end: it is whole if it can be read, and else it was cut off.
            self.feed(b"\n")
        if not self.is_finished:
            raise ReplyBroken("the stream ended before the reply did")
        if not self._has_begun:
            raise ReplyBroken("the stream has no message in it")
        rest = self._speech.finish()
        if rest and self._on_text is not None:
            self._on_text(rest)
        return self._speech.said

    def _read_line(self, line: bytes) -> str:
        """The text that `line` adds to the reply."""
        if not line.startswith(b"data:"):
            line = line.removeprefix(BOM_UTF8)
            if not line.startswith(b"data:"):
                return self._read_other(line)
        if self.is_done:
            return ""
        data = line[5:].strip()
        if data == b"[DONE]":
            self.is_done = self.is_finished = True
            return ""
        return self._read(read_completion(data), data) if data else ""

    def _read_other(self, line: bytes) -> str:
        """Comments (": keep-alive"), names of events and blank lines add nothing to the reply.

        The name of an event may say that it is an error, and a server may state one without any
        event at all.
        """
        if line.startswith(b"event:"):
            self._is_error = b"error" in line
        elif line.startswith(b"{") and not self._has_begun:
            error = stated_error(read_completion(line), line)
            if error is not None:
                raise self._on_error(error)
        return ""

    def _read(self, chunk: Completion, data: bytes) -> str:
        if chunk.usage is not None:
            self.usage = chunk.usage
        if chunk.error is not None or self._is_error:
            self._fail(stated_error(chunk, data))
        if not self.model and isinstance(chunk.model, str):
            self.model = chunk.model
        if not chunk.choices:
            self._end_of(chunk, data)
            return ""
        self._has_begun = True
        choice = chunk.choices[0]
        if choice.finish_reason is not None or choice.error is not None:
            self._end_of(chunk, data)
            self.finish = finish_of(choice.finish_reason)
            self.is_finished = True
        delta = choice.delta
        if delta is not None:
            self._has_delta = True
            content = delta.content
            is_plain = delta.tool_calls is delta.reasoning_content is delta.reasoning is None
            if is_plain and type(content) is str and content and delta.reasoning_details is None:
                return content  # what nearly every chunk is
            return self._read_text(delta)
        # Some send the whole message once more with the end of a stream.
        if choice.message is None or self._has_delta:
            return ""
        return self._read_text(choice.message)

    def _read_text(self, delta: Text) -> str:
        if delta.refusal:
            self.finish = Finish.FILTER
        if delta.tool_calls:
            self.calls.feed(delta.tool_calls)
        self._think(thought_of(delta))
        return text_of(delta.content) or text_of(delta.refusal)

    def _end_of(self, chunk: Completion, data: bytes) -> None:
        """Reads what only the last chunk has: usage in odd places, and why the reply broke off."""
        self.usage = stated_usage(chunk, data) or self.usage
        error = stated_error(chunk, data)
        if error is not None:
            self._fail(error)

    def _fail(self, error: object) -> None:
        """Raise the error that the server states, unless a reply cut for its length came first."""
        is_cut = self.is_finished and self.finish is Finish.LENGTH
        if not (is_cut and self._speech.said.strip()):
            raise self._on_error(error or "it gave no reason")

    def _think(self, thought: str) -> None:
        if thought:
            if self.length < MAX_THOUGHT_CHARS:
                self._thoughts.append(thought)
            self.length += len(thought)
            check_length(self.length)
