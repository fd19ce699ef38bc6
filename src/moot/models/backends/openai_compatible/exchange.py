"""Reads one response: the reply in it, streamed or whole, whichever of the two the server sent."""

from __future__ import annotations

import asyncio

import aiohttp

from moot.errors import BudgetSpent, ModelError, ReplyBroken
from moot.models.backends.openai_compatible import failures
from moot.models.backends.openai_compatible.bodies import Body
from moot.models.backends.openai_compatible.replies import (
    Completion,
    WireUsage,
    check_length,
    finish_of,
    read_completion,
    text_of,
    usage_of,
)
from moot.models.backends.openai_compatible.stream import StreamReader
from moot.models.backends.openai_compatible.tools import CalledTools
from moot.models.cleaning import clean_text
from moot.models.endpoint import Endpoint
from moot.models.port import ChatReply, ChatRequest, OnText
from moot.protocol.values import ToolCall
from moot.protocol.words import Finish

FINISH_GRACE_S = 5.0
"""How long after the model's last word the stream may take to bring usage and its end."""

DONE_GRACE_S = 0.25
"""How long after `[DONE]` the response may take to end, so that its connection can be kept."""

MAX_ERROR_BYTES = 64 * 1024
"""How much of an error's body is read."""

JSON = "application/json"
EVENT_STREAM = "text/event-stream"


class Exchange:
    """One request's response. `is_whole` says that a reply can be had, whatever happens next."""

    def __init__(self, endpoint: Endpoint, request: ChatRequest, on_text: OnText | None) -> None:
        self._endpoint = endpoint
        self._request = request
        self._on_text = on_text
        self._stream: StreamReader | None = None
        self._completion: Completion | None = None

    @property
    def is_whole(self) -> bool:
        return self._completion is not None or (
            self._stream is not None and self._stream.is_finished
        )

    @property
    def written(self) -> int:
        """How many characters of the reply have arrived, as far as that can be known."""
        return self._stream.length if self._stream is not None else 0

    async def read(self, response: aiohttp.ClientResponse, deadline: asyncio.Timeout) -> None:
        """Read all of it. Raises the error that it states or that reading it meets."""
        if response.status >= 300:  # noqa: PLR2004  HTTP's own number
            raise await self._stated_failure(response)
        try:
            if self._is_stream(response):
                await self._read_stream(Body(response), deadline)
            else:
                self._completion = read_completion(await Body(response).whole())
        except (aiohttp.ClientError, OSError) as error:
            # A stream may be cut off after the reply was finished: then nothing is missing.
            if not self.is_whole:
                raise failures.cut_off(self._endpoint, error) from None

    def reply(self, duration_ms: int) -> ChatReply:
        """The reply that was read. Raises ReplyBroken if what was read is none."""
        if self._stream is not None:
            stream = self._stream
            calls = stream.calls.calls()
            said = stream.end(), stream.finish, stream.usage, stream.model
            return self._reply(*said, duration_ms=duration_ms, calls=calls)
        return self._whole_reply(duration_ms)

    def _whole_reply(self, duration_ms: int) -> ChatReply:
        completion = self._completion or Completion()
        if completion.error is not None:
            raise self._stated(completion.error)
        if not completion.choices or (text := completion.choices[0].message) is None:
            raise ReplyBroken("the reply has no message in it")
        content = text_of(text.content) or text_of(text.refusal)
        check_length(len(content))
        content = clean_text(content)
        finish = Finish.FILTER if text.refusal else finish_of(completion.choices[0].finish_reason)
        model = completion.model if isinstance(completion.model, str) else ""
        if self._on_text is not None and content:
            self._on_text(content)
        called = CalledTools()
        called.feed(text.tool_calls)
        said = content, finish, completion.usage, model
        return self._reply(*said, duration_ms=duration_ms, calls=called.calls())

    def _reply(
        self,
        content: str,
        finish: Finish,
        usage: WireUsage | None,
        model: str,
        *,
        duration_ms: int,
        calls: tuple[ToolCall, ...],
    ) -> ChatReply:
        written = content + "".join(one.function.arguments for one in calls)
        used = usage_of(usage, self._request, written)
        if finish is Finish.LENGTH and not written.strip():
            raise BudgetSpent("it thought until its budget was used up", usage=used)
        return ChatReply(
            content=content,
            finish=finish,
            usage=used,
            model=clean_text(model, max_chars=200) or self._request.model,
            duration_ms=duration_ms,
            tool_calls=calls,
        )

    def _is_stream(self, response: aiohttp.ClientResponse) -> bool:
        """Whether events follow. Servers answer a stream with JSON and the other way round."""
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
        self._stream = stream = StreamReader(self._on_text, self._stated)
        while chunk := await body.chunk():
            stream.feed(chunk)
            if stream.is_finished:
                _hurry(deadline, DONE_GRACE_S if stream.is_done else FINISH_GRACE_S)

    async def _stated_failure(self, response: aiohttp.ClientResponse) -> ModelError:
        try:
            body = await Body(response).whole(MAX_ERROR_BYTES)
        except (aiohttp.ClientError, OSError, ReplyBroken):
            body = b""  # the status says enough
        return failures.response_error(
            self._endpoint, self._request.model, response.status, response.headers, body
        )

    def _stated(self, error: object) -> ModelError:
        return failures.stated_error(self._endpoint, self._request.model, error)


def _hurry(deadline: asyncio.Timeout, seconds: float) -> None:
    """Brings the deadline nearer, never further away."""
    when = deadline.when()
    soon = asyncio.get_running_loop().time() + seconds
    if not deadline.expired() and (when is None or soon < when):
        deadline.reschedule(soon)
