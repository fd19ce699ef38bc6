"""Reads one response: the reply in it, streamed or whole, whichever of the two the server sent."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

import aiohttp

from moot.errors import BudgetSpent, ModelError, ReplyBroken
from moot.models.backends.openai_compatible import failures
from moot.models.backends.openai_compatible.bodies import Body
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
    usage_of,
)
from moot.models.backends.openai_compatible.stream import StreamReader
from moot.models.backends.openai_compatible.tools import called_tools
from moot.models.cleaning import clean_text
from moot.models.endpoint import Endpoint
from moot.models.port import ChatReply, ChatRequest, OnText
from moot.models.thoughts import split_thoughts
from moot.protocol.values import ToolCall, Usage
from moot.protocol.words import Finish

FINISH_GRACE_S = 5.0
"""How long after the model's last word the stream may take to bring usage and its end."""

DONE_GRACE_S = 0.25
"""How long after `[DONE]` the response may take to end, so that its connection can be kept."""

MAX_ERROR_BYTES = 64 * 1024
"""How much of an error's body is read."""

MOST_WHITE = 8
"""Up to this much white space counts as no answer; more of it is what the model wrote."""

JSON = "application/json"
EVENT_STREAM = "text/event-stream"


class _Said(NamedTuple):
    """What a response holds, streamed or whole."""

    content: str
    thought: str
    finish: Finish
    usage: WireUsage | None
    model: str
    calls: tuple[ToolCall, ...]


class Exchange:
    """The response to one request. `is_whole` says that the reply is complete, come what may.

    `body` is what was sent: it tells which parameter a refusal means. `holds_back` is for models
    that think aloud without an opening mark (see `thoughts`); `thinks_aloud` says it is one.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        request: ChatRequest,
        on_text: OnText | None,
        *,
        body: bytes = b"",
        holds_back: bool = False,
    ) -> None:
        self._endpoint = endpoint
        self._request = request
        self._on_text = on_text
        self._body = body
        self._holds_back = holds_back
        self._stream: StreamReader | None = None
        self._completion: Completion | None = None
        self._data = b""

    @property
    def is_whole(self) -> bool:
        return self._completion is not None or (
            self._stream is not None and self._stream.is_finished
        )

    @property
    def thinks_aloud(self) -> bool:
        """Whether a thought was streamed as text before its closing mark showed what it was."""
        return self._stream is not None and self._stream.is_retracted

    @property
    def written(self) -> int:
        """How many characters of the reply have arrived, as far as that can be known."""
        return self._stream.length if self._stream is not None else 0

    async def read(self, response: aiohttp.ClientResponse, deadline: asyncio.Timeout) -> None:
        """Read it all. Raises the error that the response states or that occurs while reading."""
        if response.status >= 300:  # noqa: PLR2004  HTTP's own number
            raise await self._stated_failure(response)
        try:
            if self._is_stream(response):
                await self._read_stream(Body(response), deadline)
            else:
                self._data = await Body(response).whole()
                self._completion = read_completion(self._data)
        except (aiohttp.ClientError, OSError) as error:
            # A stream may be cut off after the reply was finished: then nothing is missing.
            if not self.is_whole:
                raise failures.cut_off(self._endpoint, error) from None

    def reply(self, duration_ms: int) -> ChatReply:
        """The reply that was read. Raises a ModelError if what was read is not a reply."""
        said = self._whole() if self._stream is None else self._streamed(self._stream)
        calls = said.calls
        written = len(said.content)
        if calls:
            written += sum(len(one.function.arguments) for one in calls)
        usage = usage_of(said.usage, self._request, written, len(said.thought))
        if not calls and not said.content.strip():
            self._check_blank(said, usage)
        return ChatReply(
            content=said.content,
            finish=said.finish,
            usage=usage,
            model=clean_text(said.model, max_chars=200) or self._request.model,
            duration_ms=duration_ms,
            tool_calls=calls,
            thought=said.thought,
            is_retracted=self.thinks_aloud,
        )

    def _streamed(self, stream: StreamReader) -> _Said:
        content = stream.end()
        calls = stream.calls.calls()
        return _Said(content, stream.thought, stream.finish, stream.usage, stream.model, calls)

    def _whole(self) -> _Said:
        completion = self._completion or Completion()
        if (error := stated_error(completion, self._data)) is not None:
            raise self._stated(error)
        if not completion.choices:
            raise ReplyBroken("the reply has no message in it")
        choice = completion.choices[0]
        finish = finish_of(choice.finish_reason)
        text = choice.message or choice.delta
        if text is None:
            # Azure withholds the message itself; others leave it out when nothing was said.
            if finish not in (Finish.FILTER, Finish.LENGTH):
                raise ReplyBroken("the reply has no message in it")
            text = Text()
        content = text_of(text.content) or text_of(text.refusal)
        check_length(len(content))
        content, thought = split_thoughts(clean_text(content))
        thought = joined_thoughts(thought_of(text), thought)
        if self._on_text is not None and content:
            self._on_text(content)
        calls = called_tools(text.tool_calls) if text.tool_calls else ()
        model = completion.model if isinstance(completion.model, str) else ""
        finish = Finish.FILTER if text.refusal else finish
        usage = stated_usage(completion, self._data)
        return _Said(content, thought, finish, usage, model, calls)

    def _check_blank(self, said: _Said, usage: Usage) -> None:
        """Raise the reason why nothing was said, if the provider gives one; else a blank is no
        error.

        A model that writes white space to the end of its length is not thinking: with more room it
        would only write more.
        """
        is_white = len(said.content) > MOST_WHITE and not usage.thought_tokens
        if said.finish is Finish.LENGTH and not is_white:
            raise failures.budget_spent(self._endpoint, usage)
        if said.finish is Finish.FILTER:
            raise failures.filtered(self._endpoint)

    def _is_stream(self, response: aiohttp.ClientResponse) -> bool:
        """Whether events follow. Some servers send JSON for a stream, and the other way round."""
        content_type = response.headers.get("Content-Type", "").lower()
        if content_type.startswith(EVENT_STREAM):
            return True
        if content_type.startswith(JSON):
            return False
        if not content_type:
            return self._on_text is not None
        quoted = failures.quote(self._endpoint, content_type)
        message = f"answered with {quoted}, not with JSON; is the base URL right?"
        raise ReplyBroken(message)

    async def _read_stream(self, body: Body, deadline: asyncio.Timeout) -> None:
        self._stream = stream = StreamReader(
            self._on_text,
            self._stated,
            holds_back=self._holds_back,
            tells_thoughts=self._request.silence_s is not None,
        )
        while chunk := await body.chunk():
            stream.feed(chunk)
            if stream.is_finished:
                _hurry(deadline, DONE_GRACE_S if stream.is_done else FINISH_GRACE_S)

    async def _stated_failure(self, response: aiohttp.ClientResponse) -> ModelError:
        try:
            body = await Body(response).whole(MAX_ERROR_BYTES)
        except (aiohttp.ClientError, OSError, ReplyBroken):
            body = b""  # the status says enough
        return failures.response_error(self._asked, response.status, response.headers, body)

    def _stated(self, error: object) -> ModelError:
        """The error that stands in the body of a success, with what was spent on it till then."""
        found = failures.stated_error(self._asked, error)
        if isinstance(found, BudgetSpent) and self._stream is not None and self._stream.usage:
            written, thought = 0, len(self._stream.thought)
            found.usage = usage_of(self._stream.usage, self._request, written, thought)
        return found

    @property
    def _asked(self) -> failures.Asked:
        return failures.Asked(endpoint=self._endpoint, model=self._request.model, body=self._body)


def _hurry(deadline: asyncio.Timeout, seconds: float) -> None:
    """Brings the deadline nearer, never further away."""
    when = deadline.when()
    soon = asyncio.get_running_loop().time() + seconds
    if not deadline.expired() and (when is None or soon < when):
        deadline.reschedule(soon)
