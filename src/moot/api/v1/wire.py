"""An answer on its way to one client, streamed or whole, for as long as the client is there.

A stream begins at once, shows now and then that it is alive, and ends with the answer or an error.
An error before the first byte has an HTTP status of its own.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Protocol

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from moot.api.events import MEDIA_TYPE, Places, cut_off
from moot.api.parts import ApiLimits
from moot.api.v1.course import Course
from moot.api.v1.refusals import response_of
from moot.api.v1.replies import Reply

log = logging.getLogger(__name__)

KEEPALIVE = b": keepalive\n\n"
IGNORED, TASK, DEBATE = "x-moot-ignored", "x-moot-task", "x-moot-debate"


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
        while True:
            try:
                async with asyncio.timeout(self._limits.heartbeat_s):
                    while (await receive())["type"] != "http.disconnect":
                        pass
                    self._is_gone = not self._is_over
                    return
            except TimeoutError:
                if self._has_begun and self._course.wanted.is_streamed:
                    await self._send(send, KEEPALIVE)


def _headers(course: Course) -> Mapping[str, str]:
    told = {IGNORED: ", ".join(course.ignored), TASK: course.task}
    return {name: value for name, value in told.items() if value}
