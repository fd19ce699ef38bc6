"""`/v1/responses`: the same questions, with an id that can be asked for later.

In the background a question is a debate that nobody waits for. What was answered can be followed
up by its id, and what runs can be called off. A reply is told as a `response`, or as the events of
one, which is what clients of the Responses API read.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from moot.api.v1.asked import DOOR, RESPONSE, Client, Entry
from moot.api.v1.course import Course
from moot.api.v1.door import (
    IGNORED,
    JSON,
    RESPONSE_ANSWER,
    Door,
    answer_of,
    body_of,
    origin_of,
    streamed_or,
)
from moot.api.v1.models import model_id
from moot.api.v1.refusals import Refusal, told_of
from moot.api.v1.replies import Reply, moot_of, pieces
from moot.api.v1.wanted import ResponseBody, Wanted, of_response, read
from moot.definitions.documents import Document
from moot.definitions.values import Panel
from moot.errors import NotFound, Refused
from moot.ids import new_id
from moot.protocol.values import Usage
from moot.protocol.words import Status

STANDING = {
    Status.CREATED: "queued",
    Status.RUNNING: "in_progress",
    Status.STOPPING: "in_progress",
    Status.STOPPED: "incomplete",
    Status.FAILED: "failed",
    Status.CANCELED: "cancelled",
}
"""The status of a response whose debate has no answer; debates of any other status have one."""

REASONING, MESSAGE = "rs_", "msg_"

_encode = msgspec.json.Encoder().encode


def routes(door: Door) -> APIRouter:
    router = APIRouter(tags=["v1"])

    @router.post(
        "/v1/responses",
        response_class=Response,
        responses=streamed_or(RESPONSE_ANSWER),
        openapi_extra=body_of(ResponseBody),
    )
    async def create_response(request: Request) -> Response:
        """Ask a panel. With `background`, the id comes at once. `previous_response_id` goes on from
        an earlier response."""
        wanted = of_response(read(await request.body(), ResponseBody))
        course = await door.course(request, wanted)
        if wanted.is_background and not wanted.is_streamed and not course.task:
            return await _begun(course)
        return door.answer(course, Objects(course))

    @router.get(
        "/v1/responses/{response_id}",
        response_class=Response,
        responses=streamed_or(RESPONSE_ANSWER),
    )
    async def show_response(
        request: Request, response_id: str, stream: bool = False, starting_after: int = -1
    ) -> Response:
        """How a response stands, and its answer once there is one. Runs nothing."""
        course = await _found(door, request, response_id, is_streamed=stream)
        if stream:
            return door.answer(course, Objects(course, after=starting_after))
        return await _standing(door, course)

    @router.post(
        "/v1/responses/{response_id}/cancel",
        response_class=Response,
        responses=answer_of(RESPONSE_ANSWER),
    )
    async def cancel_response(request: Request, response_id: str) -> Response:
        """Call off a response, without an answer. One that is over stays as it is."""
        course = await _found(door, request, response_id)
        with suppress(Refused):
            await door.parts.service.command(course.debate_id, "cancel")
        return await _standing(door, course)

    return router


async def _begun(course: Course) -> Response:
    """The response in the background: all that can be told yet is that the debate has begun."""
    await course.begin()
    headers = {IGNORED: ", ".join(course.ignored)} if course.ignored else None
    async with course.delivering():
        body = Objects(course).standing("queued")
    return Response(body, headers=headers, media_type=JSON)


async def _standing(door: Door, course: Course) -> Response:
    row = await door.parts.service.summary(course.debate_id)
    voice = Objects(course)
    if row.status not in STANDING:
        thoughts = [one async for one in course.thoughts()]
        reply = course.with_thoughts(await course.reply(), "".join(thoughts))
        return Response(voice.whole(reply), media_type=JSON)
    told = {}
    if row.status is Status.FAILED:
        report = await door.parts.asker.report(course.debate_id)
        told = {"error": {"code": "server_error", "message": report.failure}}
    return Response(voice.standing(STANDING[row.status], **told), media_type=JSON)


async def _found(
    door: Door, request: Request, response_id: str, *, is_streamed: bool = False
) -> Course:
    """The course of a question that was asked before. Raises Refusal if there is none."""
    debate_id = response_id.removeprefix(RESPONSE)
    try:
        config = (await door.parts.service.state(debate_id)).config
    except NotFound:
        config = None
    origin = config.origin if config else None
    if config is None or origin is None or origin.door != DOOR:
        detail = f"there is no response {response_id[:80]!r}"
        raise Refusal(404, "response_not_found", detail, field="response_id")
    panels = {one.name: one for one in await door.panels.all()}
    panel = panels.get(origin.panel) or _bare(origin.panel, config.format)
    wanted = Wanted(model=panel.name, messages=(), is_streamed=is_streamed, is_background=True)
    course = Course(door.parts, door.asked, wanted, panel, Client(), origin_of(request))
    course.entry = Entry(debate_id=debate_id, fingerprint="", is_new=True)
    return course


def _bare(name: str, form: str) -> Panel:
    """In place of a panel that is gone: nothing but how a panel answers is needed of it."""
    return Panel(name=name, about="", format=form, document=Document(data={}, source=""))


# --- in which words a reply is told ---


class Objects:
    """Speaks to one client of `/v1/responses`. The id of a response is that of its debate, so that
    it can be asked for later."""

    waits_s: float | None = None

    def __init__(self, course: Course, *, after: int = -1) -> None:
        self._course = course
        self._created = int(time.time())
        self._id = ""
        self._after = after
        self._number = -1
        self._thoughts: list[str] = []

    # --- bodies ---

    def whole(self, reply: Reply) -> bytes:
        self._id = self._id or reply.debate_id or new_id()
        return _encode(self._answered(reply))

    def standing(self, status: str, **told: Any) -> bytes:
        """A response that has no answer, or none yet."""
        self._id = self._id or self._course.debate_id
        return _encode(self._object(status, [], **told))

    def _answered(self, reply: Reply) -> dict[str, Any]:
        items = [self._reasoning(reply.thoughts)] if reply.thoughts else []
        is_cut = reply.finish == "length"
        return self._object(
            "incomplete" if is_cut else "completed",
            [*items, self._message(reply.text, "incomplete" if is_cut else "completed")],
            incomplete_details={"reason": "max_output_tokens"} if is_cut else None,
            completed_at=None if is_cut else int(time.time()),
            usage=usage_of(reply.usage),
            moot=moot_of(reply),
        )

    def _object(self, status: str, output: list[dict[str, Any]], **told: Any) -> dict[str, Any]:
        wanted = self._course.wanted
        return {
            "id": RESPONSE + self._id,
            "object": "response",
            "created_at": self._created,
            "status": status,
            "background": wanted.is_background,
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "max_output_tokens": wanted.max_tokens,
            "metadata": {},
            "model": model_id(self._course.panel.name),
            "output": output,
            "parallel_tool_calls": False,
            "previous_response_id": wanted.follows or None,
            "temperature": None,
            "text": {"format": {"type": "text"}},
            "tool_choice": "none",
            "tools": [],
            "top_p": None,
            "truncation": "disabled",
            "usage": None,
            "user": wanted.user or None,
            **told,
        }

    def _message(self, text: str, status: str) -> dict[str, Any]:
        content = [_part(text)] if status != "in_progress" else []
        item = {"id": MESSAGE + self._id, "type": "message", "role": "assistant"}
        return {**item, "status": status, "content": content}

    def _reasoning(self, text: str, status: str = "completed") -> dict[str, Any]:
        summary = [{"type": "summary_text", "text": text}] if text else []
        return {"id": REASONING + self._id, "type": "reasoning", "status": status} | {
            "summary": summary
        }

    # --- events ---

    def opening(self, course: Course) -> bytes:
        self._id = course.debate_id or new_id()
        begun = self._object("in_progress", [])
        return self._event("response.created", response=begun) + self._event(
            "response.in_progress", response=begun
        )

    def thought(self, text: str) -> bytes:
        begun = b"" if self._thoughts else b"".join(self._begin_thinking())
        self._thoughts.append(text)
        place = {"item_id": REASONING + self._id, "output_index": 0, "summary_index": 0}
        return begun + self._event("response.reasoning_summary_text.delta", delta=text, **place)

    def _begin_thinking(self) -> Iterator[bytes]:
        item = self._reasoning("", "in_progress")
        yield self._event("response.output_item.added", item=item, output_index=0)
        yield self._event(
            "response.reasoning_summary_part.added",
            item_id=item["id"],
            output_index=0,
            summary_index=0,
            part={"type": "summary_text", "text": ""},
        )

    def _end_thinking(self, text: str) -> Iterator[bytes]:
        place = {"item_id": REASONING + self._id, "output_index": 0, "summary_index": 0}
        yield self._event("response.reasoning_summary_text.done", text=text, **place)
        part = {"type": "summary_text", "text": text}
        yield self._event("response.reasoning_summary_part.done", part=part, **place)
        item = self._reasoning(text)
        yield self._event("response.output_item.done", item=item, output_index=0)

    def ending(self, reply: Reply) -> bytes:
        whole = "".join(self._thoughts)
        reply = msgspec.structs.replace(reply, thoughts=whole)
        parts = [*(self._end_thinking(whole) if whole else ()), *self._said(reply)]
        kind = "incomplete" if reply.finish == "length" else "completed"
        parts.append(self._event(f"response.{kind}", response=self._answered(reply)))
        return b"".join(parts)

    def _said(self, reply: Reply) -> Iterator[bytes]:
        at = 1 if self._thoughts else 0
        item = self._message("", "in_progress")
        place = {"item_id": item["id"], "output_index": at, "content_index": 0}
        yield self._event("response.output_item.added", item=item, output_index=at)
        yield self._event("response.content_part.added", part=_part(""), **place)
        for piece in pieces(reply.text):
            yield self._event("response.output_text.delta", delta=piece, logprobs=[], **place)
        yield self._event("response.output_text.done", text=reply.text, logprobs=[], **place)
        yield self._event("response.content_part.done", part=_part(reply.text), **place)
        done = self._message(reply.text, "completed")
        yield self._event("response.output_item.done", item=done, output_index=at)

    def closing(self) -> bytes:
        return b""

    def failing(self, error: Exception) -> bytes:
        told = told_of(error).error
        why = {"code": "server_error", "message": f"{told.message} ({told.code})"}
        return self._event("response.failed", response=self._object("failed", [], error=why))

    def _event(self, kind: str, **data: Any) -> bytes:
        self._number += 1
        if self._number <= self._after:  # the client has it
            return b""
        body = _encode({"type": kind, "sequence_number": self._number, **data})
        return b"event: " + kind.encode() + b"\ndata: " + body + b"\n\n"


def usage_of(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {"cached_tokens": usage.cached_tokens, "cache_write_tokens": 0},
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": usage.thought_tokens},
        "total_tokens": usage.input_tokens + usage.output_tokens,
    }


def _part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
