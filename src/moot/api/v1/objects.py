"""A reply as a `response`, and as the events of one: what clients of the Responses API read."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import msgspec

from moot.api.v1.asked import RESPONSE
from moot.api.v1.course import Course
from moot.api.v1.models import model_id
from moot.api.v1.refusals import told_of
from moot.api.v1.replies import Reply
from moot.api.v1.told import moot_of, pieces
from moot.ids import new_id
from moot.protocol.values import Usage

REASONING, MESSAGE = "rs_", "msg_"

_encode = msgspec.json.Encoder().encode


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
