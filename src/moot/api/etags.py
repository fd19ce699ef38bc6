"""Weak tags made from sequence numbers: a log that has not grown has nothing new to show."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from starlette.requests import Request
from starlette.responses import Response

from moot.protocol.row import DebateRow


def tag_of(summaries: Iterable[DebateRow], *others: object) -> str:
    """The tag of whatever is made from these debates and these other things."""
    digest = hashlib.blake2b(digest_size=9)
    for one in summaries:
        # A debate deleted and created again under its key has the same id and another beginning.
        digest.update(f"{one.id} {one.seq} {one.created_at.timestamp()}\n".encode())
    digest.update(repr(others).encode())
    return f'W/"{digest.hexdigest()}"'


def not_modified(request: Request, tag: str) -> Response | None:
    """The 304, if the client has what it asks for."""
    given = request.headers.get("if-none-match", "")
    known = {one.strip().removeprefix("W/") for one in given.split(",")}
    if "*" in known or tag.removeprefix("W/") in known:
        return Response(status_code=304, headers={"ETag": tag})
    return None
