"""What every question over `/v1` goes through, whichever way it is asked: panel, rate and places on
the way in; on the way back, the response that is streamed or whole, as long as the client is there.

A stream begins at once, shows now and then that it is alive, and ends with the answer or an error.
An error before the first byte has an HTTP status of its own. How the OpenAPI description tells of
all this is here, too.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from typing import Any, Protocol

import msgspec
from fastapi import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from moot.api.events import MEDIA_TYPE, SECONDS_TO_RETRY, cut_off, until_gone
from moot.api.guards.dialects import ErrorBody
from moot.api.guards.rates import Places, RateLimit
from moot.api.parts import ApiLimits, ApiParts
from moot.api.responses import Documented
from moot.api.v1.asked import Asked, Client
from moot.api.v1.conversation import question_of
from moot.api.v1.course import Course
from moot.api.v1.models import VIEWS as MODELS, Panels
from moot.api.v1.refusals import Refusal, response_of
from moot.api.v1.replies import Reply
from moot.api.v1.wanted import ChatBody, ResponseBody, Wanted
from moot.models.cleaning import clean_text

NAME_MAX = 100
"""Characters that are kept of what a client says of itself."""
CHAT_ID, RETRIES = "x-openwebui-chat-id", "x-stainless-retry-count"

log = logging.getLogger(__name__)

KEEPALIVE = b": keepalive\n\n"
IGNORED, TASK, DEBATE = "x-moot-ignored", "x-moot-task", "x-moot-debate"

CHAT_ANSWER = "A `chat.completion` with `moot` beside `usage`; streamed, its chunks."
RESPONSE_ANSWER = "A `response` with `moot` beside `usage`; streamed, its events."
VIEWS: tuple[type[msgspec.Struct], ...] = (*MODELS, ChatBody, ResponseBody, ErrorBody)
JSON = "application/json"


class Door:
    """There is one in a process: rates and places are counted here."""

    def __init__(self, parts: ApiParts) -> None:
        self.parts = parts
        self.panels = Panels(parts.asker.panels)
        self.asked = Asked(parts)
        self._rate = RateLimit(parts.limits.questions_per_minute, time.monotonic)
        self._places = Places(parts.limits.viewers)

    async def course(self, request: Request, wanted: Wanted) -> Course:
        """The course of a question. Raises Refusal or InvalidInput before anything is asked."""
        client = client_of(request)
        question_of(wanted.messages, wanted.field)
        panel = await self.panels.find(wanted.model)
        if wait_s := self._rate.wait_s(client.address):
            detail = f"too many questions were asked in the last minute; try again in {wait_s} s"
            headers = {"Retry-After": str(wait_s)}
            raise Refusal(429, "too_many_questions", detail, headers=headers)
        if self._places.is_full:
            detail = f"{self._places.most} answers are awaited already; try again later"
            wait = {"Retry-After": str(SECONDS_TO_RETRY)}
            raise Refusal(503, "too_many_viewers", detail, headers=wait)
        return Course(self.parts, self.asked, wanted, panel, client, origin_of(request))

    def answer(self, course: Course, voice: Voice) -> Answer:
        return Answer(course, voice, self._places, self.parts.limits)


def client_of(request: Request) -> Client:
    headers = request.headers
    retries = headers.get(RETRIES, "0")
    return Client(
        identity=headers.get("authorization", ""),
        name=_plain(headers.get("user-agent", "")),
        conversation=_plain(headers.get(CHAT_ID, "")),
        is_retry=retries.isascii() and retries.isdigit() and int(retries[:4]) > 0,
        address=request.client.host if request.client else "",
    )


def origin_of(request: Request) -> str:
    """The server's address as this client knows it: the guards have checked the Host header."""
    host = request.headers.get("host", "")
    return f"{request.scope['scheme']}://{host}" if host else ""


def _plain(text: str) -> str:
    return " ".join(clean_text(text, max_chars=NAME_MAX).split())


# --- the way back ---


class Voice(Protocol):
    """How one of the two APIs says things."""

    waits_s: float | None
    """How long a debate may take to be found before the stream begins without it; None if the
    stream cannot begin without it."""

    def opening(self, course: Course) -> bytes:
        """What a stream begins with."""

    def thought(self, text: str) -> bytes:
        """A bit more about what the panel is doing."""

    def ending(self, reply: Reply) -> bytes:
        """The answer, in pieces, and everything that follows it but the very end."""

    def closing(self) -> bytes:
        """The very end of a stream."""

    def failing(self, error: Exception) -> bytes:
        """What a stream ends with if there is no answer."""

    def whole(self, reply: Reply) -> bytes:
        """The answer as one body."""


class Answer(Response):
    """The response to one question."""

    def __init__(self, course: Course, voice: Voice, places: Places, limits: ApiLimits) -> None:
        is_streamed = course.wanted.is_streamed
        media_type = MEDIA_TYPE if is_streamed else "application/json"
        super().__init__(media_type=media_type, headers=_headers(course))
        del self.headers["content-length"]
        if is_streamed:
            self.headers["X-Accel-Buffering"] = "no"
        self._course = course
        self._voice = voice
        self._places = places
        self._limits = limits
        self._sending = asyncio.Lock()
        self._has_begun = self._is_gone = self._is_over = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._places.taken += 1
        try:
            await self._run(scope, receive, send)
        finally:
            self._places.taken -= 1

    async def _run(self, scope: Scope, receive: Receive, send: Send) -> None:
        work = self._stream if self._course.wanted.is_streamed else self._whole
        working = asyncio.create_task(work(send))
        watching = asyncio.create_task(self._until_gone(receive, send))
        try:
            await asyncio.wait((working, watching), return_when=asyncio.FIRST_COMPLETED)
            if self._is_over:  # everything is sent; that is still to be noted
                await asyncio.wait((working,))
        finally:
            for task in (working, watching):
                task.cancel()
            results = await asyncio.gather(working, watching, return_exceptions=True)
        errors = [one for one in results if isinstance(one, Exception)]
        if any(isinstance(one, TimeoutError) for one in errors):
            await cut_off(scope)
        elif errors and not self._has_begun and not self._is_gone:
            refusal = response_of(errors[0])
            if self._course.debate_id:  # the debate was held, and paid for, all the same
                refusal.headers[DEBATE] = self._course.debate_id
            await refusal(scope, receive, send)
        elif errors:
            log.error("answer broke", extra={"debate": self._course.debate_id}, exc_info=errors[0])

    # --- the two ways to answer ---

    async def _whole(self, send: Send) -> None:
        await self._course.begin()
        async with self._course.attended():
            thoughts = [one async for one in self._course.thoughts()]
            reply = self._course.with_thoughts(await self._course.reply(), "".join(thoughts))
        body = self._voice.whole(reply)
        self.headers["content-length"] = str(len(body))
        self._note_debate()
        async with self._course.delivering():
            await self._send(send, body, is_last=True)

    async def _stream(self, send: Send) -> None:
        beginning = asyncio.ensure_future(self._course.begin())
        try:
            await asyncio.wait((beginning,), timeout=self._voice.waits_s)
            if beginning.done():
                beginning.result()  # an error has a status of its own
                self._note_debate()
            await self._send(send, self._voice.opening(self._course))
            try:
                await beginning
                await self._told(send)
            except TimeoutError:
                raise
            except Exception as error:  # noqa: BLE001 - whatever it is, the client is told
                await self._send(send, self._voice.failing(error), is_last=True)
        finally:
            beginning.cancel()

    async def _told(self, send: Send) -> None:
        thoughts: list[str] = []
        async with self._course.attended():
            async for thought in self._course.thoughts():
                thoughts.append(thought)
                await self._send(send, self._voice.thought(thought))
            reply = self._course.with_thoughts(await self._course.reply(), "".join(thoughts))
        await self._send(send, self._voice.ending(reply))
        async with self._course.delivering():
            await self._send(send, self._voice.closing(), is_last=True)

    def _note_debate(self) -> None:
        if self._course.debate_id:
            self.headers[DEBATE] = self._course.debate_id

    # --- the connection ---

    async def _send(self, send: Send, body: bytes, *, is_last: bool = False) -> None:
        """Raises TimeoutError if the client does not read."""
        async with self._sending, asyncio.timeout(self._limits.send_s):
            if not self._has_begun:
                self._has_begun = True
                start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
                await send(start)
            if not self._is_over:
                await send({"type": "http.response.body", "body": body, "more_body": not is_last})
                self._is_over = is_last

    async def _until_gone(self, receive: Receive, send: Send) -> None:
        """Return when the client has left; until then, keep its stream alive."""

        async def beat() -> None:
            if self._has_begun and self._course.wanted.is_streamed:
                await self._send(send, KEEPALIVE)

        await until_gone(receive, self._limits.heartbeat_s, beat)
        self._is_gone = not self._is_over


def _headers(course: Course) -> Mapping[str, str]:
    told = {IGNORED: ", ".join(course.ignored), TASK: course.task}
    return {name: value for name, value in told.items() if value}


# --- in the description ---


def body_of(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The description of a request's body, which FastAPI does not know: we read it ourselves."""
    schema = {"$ref": f"#/components/schemas/{kind.__name__}"}
    return {"requestBody": {"required": True, "content": {JSON: {"schema": schema}}}}


def answer_of(about: str) -> Documented:
    content = {JSON: {"schema": {"type": "object"}}}
    # How an error looks is filled in by `app`.
    return {200: {"description": about, "content": content}, "default": {"description": "Error."}}


def streamed_or(about: str) -> Documented:
    """As `answer_of`, for an answer that comes as a stream if asked for."""
    told = answer_of(about)
    told[200]["content"]["text/event-stream"] = {"schema": {"type": "string"}}
    return told
