"""Bodies, read here and nowhere else: so big, so slow, so deep, and no more."""

from __future__ import annotations

import asyncio
import re

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Message, Receive, Scope

from moot.api.parts import ApiLimits
from moot.api.problems import problem

# A string, closed or not, or a bracket. Possessive, so that no body makes it go back.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


class Gone(Exception):
    """The client left before its body had arrived."""


async def read_body(scope: Scope, receive: Receive, limits: ApiLimits) -> bytes | Response:
    """The whole body, or why it is refused. Raises Gone."""
    if _declared(scope) > limits.body_bytes:
        return _too_large(limits)
    try:
        async with asyncio.timeout(limits.body_s):
            body = await _collect(receive, limits.body_bytes)
    except TimeoutError:
        detail = f"the body took longer than {limits.body_s:g} s"
        return problem(408, "body_too_slow", detail, headers={"Connection": "close"})
    if body is None:
        return _too_large(limits)
    return _too_intricate(body, limits) or body


def replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that hands out the body that was read, and then whatever comes."""
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receiving() -> Message:
        return parts.pop() if parts else await receive()

    return receiving


def shape_of(body: bytes, depth: int, parts: int) -> tuple[int, int]:
    """How deep brackets outside of strings are nested, and how many brackets and strings there are;
    in linear time, and no further than to the first figure beyond these."""
    deepest = at = number = 0
    for number, token in enumerate(_TOKEN.finditer(body), start=1):
        char = token[0][:1]
        if char in b"[{":
            at += 1
            deepest = max(deepest, at)
        elif char in b"]}":
            at -= 1
        if deepest > depth or number > parts:
            break
    return deepest, number


def _too_intricate(body: bytes, limits: ApiLimits) -> Response | None:
    """Why no time is spent on looking at it more closely: whoever checks JSON tells of every field
    that is wrong, and tens of thousands of them would hold up everybody else."""
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
    # What is no number is for the server to refuse; what is long enough is too much anyway.
    return int(given[:18]) if given.isascii() and given.isdigit() else 0


def _too_large(limits: ApiLimits) -> Response:
    detail = f"a body has at most {limits.body_bytes} bytes"
    return problem(413, "body_too_large", detail, headers={"Connection": "close"})
