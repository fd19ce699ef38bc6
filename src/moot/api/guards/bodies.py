"""Bodies are read here and nowhere else, within bounds of size, time and depth."""

from __future__ import annotations

import asyncio

import msgspec
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Message, Receive, Scope

from moot.api.parts import ApiLimits
from moot.api.problems import problem
from moot.engine.shapes import shape_of


class Gone(Exception):
    """The client left before its body had arrived."""


async def read_body(scope: Scope, receive: Receive, limits: ApiLimits) -> bytes | Response:
    """The whole body, or why it is refused. Raises Gone."""
    body = await _read(scope, receive, limits.body_bytes, limits)
    return body if isinstance(body, Response) else _too_intricate(body, limits) or body


async def read_question(scope: Scope, receive: Receive, limits: ApiLimits) -> bytes | Response:
    """As `read_body`, for a question over `/v1`, which may be longer: a conversation is in it."""
    wider = msgspec.structs.replace(
        limits, body_bytes=limits.question_bytes, json_parts=limits.question_parts
    )
    return await read_body(scope, receive, wider)


async def read_file(scope: Scope, receive: Receive, limits: ApiLimits) -> bytes | Response:
    """As `read_body`, for a file: it may be larger, and is checked by whoever takes it in."""
    return await _read(scope, receive, limits.import_bytes, limits)


async def _read(scope: Scope, receive: Receive, most: int, limits: ApiLimits) -> bytes | Response:
    if _declared(scope) > most:
        return _too_large(most)
    try:
        async with asyncio.timeout(limits.body_s):
            body = await _collect(receive, most)
    except TimeoutError:
        detail = f"the body took longer than {limits.body_s:g} s"
        return problem(408, "body_too_slow", detail, headers={"Connection": "close"})
    return _too_large(most) if body is None else body


def replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that hands out the body that was read, and then whatever comes."""
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receiving() -> Message:
        return parts.pop() if parts else await receive()

    return receiving


def _too_intricate(body: bytes, limits: ApiLimits) -> Response | None:
    """The refusal of a body that would take too long to check: every field that is wrong would be
    told, and tens of thousands of them would hold up everybody else."""
    depth, parts = shape_of(body, limits.json_depth, limits.json_parts)
    if depth > limits.json_depth:
        detail = f"the body is nested deeper than {limits.json_depth} levels"
        return problem(400, "too_deep", detail)
    if parts > limits.json_parts:
        detail = f"the body has more than {limits.json_parts:,} strings, lists and objects"
        return problem(413, "too_many_parts", detail)
    return None


async def _collect(receive: Receive, most: int) -> bytes | None:
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > most:
            return None
        chunks.append(chunk)
        if not message.get("more_body", False):
            return b"".join(chunks)


def _declared(scope: Scope) -> int:
    given = Headers(scope=scope).get("content-length", "0")
    # The server itself refuses what is not a number; a number of 18 digits is too much anyway.
    return int(given[:18]) if given.isascii() and given.isdigit() else 0


def _too_large(most: int) -> Response:
    detail = f"the body is too large; at most {most} bytes are taken"
    return problem(413, "body_too_large", detail, headers={"Connection": "close"})
