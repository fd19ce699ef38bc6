"""`POST /v1/chat/completions`: a conversation goes to a panel, and its answer comes back, as a
`chat.completion` or as the chunks of one."""

from __future__ import annotations

import time
from typing import Any

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from moot.api.v1.course import Course
from moot.api.v1.door import CHAT_ANSWER, Door, body_of, streamed_or
from moot.api.v1.models import model_id
from moot.api.v1.refusals import told_of
from moot.api.v1.replies import Reply, moot_of, pieces
from moot.api.v1.wanted import ChatBody, of_chat, read
from moot.ids import new_id
from moot.protocol.values import Usage

DONE = b"data: [DONE]\n\n"
BEGIN_WITHIN_S = 0.03
"""If the debate has not been found by then, the stream begins without it: a client can only stop
what has begun to answer (open-webui #14384)."""

_encode = msgspec.json.Encoder().encode


def routes(door: Door) -> APIRouter:
    router = APIRouter(tags=["v1"])

    @router.post(
        "/v1/chat/completions",
        response_class=Response,
        responses=streamed_or(CHAT_ANSWER),
        openapi_extra=body_of(ChatBody),
    )
    async def complete_chat(request: Request) -> Response:
        """Ask a panel, as if it were a model. The same request again leads to the same debate until
        its answer has been delivered whole."""
        wanted = of_chat(read(await request.body(), ChatBody))
        course = await door.course(request, wanted)
        return door.answer(course, Completions(course))

    return router


class Completions:
    """Speaks to one client of `POST /v1/chat/completions`."""

    waits_s: float | None = BEGIN_WITHIN_S

    def __init__(self, course: Course) -> None:
        self._field = course.panel.thinking_field
        self._has_usage = course.wanted.has_usage
        self._head: dict[str, Any] = {
            "id": f"chatcmpl-{new_id()}",
            "created": int(time.time()),
            "model": model_id(course.panel.name),
            "system_fingerprint": None,
        }
        self._chunk = {"object": "chat.completion.chunk", **self._head}
        if self._has_usage:
            self._chunk["usage"] = None

    def opening(self, _course: Course) -> bytes:
        return self._delta({"role": "assistant", "content": ""})

    def thought(self, text: str) -> bytes:
        return self._delta({self._field: text})

    def ending(self, reply: Reply) -> bytes:
        parts = [self._delta({"content": piece}) for piece in pieces(reply.text)]
        told = {"moot": moot_of(reply)}
        parts.append(self._delta({}, reply.finish, **({} if self._has_usage else told)))
        if self._has_usage:
            used = {**self._chunk, "choices": [], "usage": usage_of(reply.usage), **told}
            parts.append(_frame(used))
        return b"".join(parts)

    def closing(self) -> bytes:
        return DONE

    def failing(self, error: Exception) -> bytes:
        return _frame(told_of(error)) + DONE

    def whole(self, reply: Reply) -> bytes:
        message: dict[str, Any] = {"role": "assistant", "content": reply.text, "refusal": None}
        if reply.thoughts:
            message[self._field] = reply.thoughts
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reply.finish}
        body = {
            "object": "chat.completion",
            **self._head,
            "choices": [choice],
            "usage": usage_of(reply.usage),
            "moot": moot_of(reply),
        }
        return _encode(body)

    def _delta(self, delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return _frame({**self._chunk, "choices": [choice], **more})


def usage_of(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.thought_tokens},
    }


def _frame(data: object) -> bytes:
    return b"data: " + _encode(data) + b"\n\n"
