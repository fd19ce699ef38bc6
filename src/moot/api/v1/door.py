"""What every question over `/v1` goes through, whichever way it is asked: panel, rate, places."""

from __future__ import annotations

import time

from fastapi import Request

from moot.api.events import SECONDS_TO_RETRY, Places
from moot.api.guards.rates import RateLimit
from moot.api.parts import ApiParts
from moot.api.v1.asked import Asked, Client
from moot.api.v1.conversation import question_of
from moot.api.v1.course import Course
from moot.api.v1.models import Panels
from moot.api.v1.refusals import Refusal
from moot.api.v1.wanted import Wanted
from moot.api.v1.wire import Answer, Voice
from moot.models.cleaning import clean_text

NAME_MAX = 100
"""Characters that are kept of what a client says of itself."""
CHAT_ID, RETRIES = "x-openwebui-chat-id", "x-stainless-retry-count"


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
