"""Creating debates: who takes part if nobody was named, once per key, and not too often."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import Request
from starlette.responses import Response

from moot.api.guards.rates import RateLimit
from moot.api.idempotency import keyed
from moot.api.parts import ApiParts
from moot.api.problems import problem
from moot.api.requests import NewDebateBody, roster
from moot.definitions import shipped
from moot.engine.attaching import File
from moot.engine.creation import NewDebate
from moot.errors import Conflict, InvalidInput
from moot.staging import DebateRequest, Sources, stage


class Creator:
    def __init__(self, parts: ApiParts) -> None:
        self._service = parts.service
        self._secret = parts.secret
        self._sources = sources(parts)
        self._rate = RateLimit(parts.limits.creations_per_minute, time.monotonic)
        self._locks: dict[str, asyncio.Lock] = {}

    def refusal(self, request: Request) -> Response | None:
        """A problem, if this client has created too many lately."""
        client = request.client.host if request.client else ""
        wait_s = self._rate.wait_s(client)
        if not wait_s:
            return None
        detail = f"too many debates were created in the last minute; try again in {wait_s} s"
        return problem(429, "too_many_debates", detail, headers={"Retry-After": str(wait_s)})

    async def create(self, body: NewDebateBody, key: str | None) -> tuple[str, bool]:
        """The id, and whether the debate is new."""
        if key is None:
            new = await asyncio.to_thread(staged, body, self._sources)
            return await self._service.create(new, start=body.start), True
        wanted = keyed(self._secret, key, body.model_dump(mode="json", exclude_unset=True))
        async with self._alone(wanted.head):
            return await self._create_once(body, wanted.head, wanted.debate_id)

    async def _create_once(
        self, body: NewDebateBody, head: str, debate_id: str
    ) -> tuple[str, bool]:
        there = await self._service.with_prefix(head)
        if debate_id in there:
            return debate_id, False
        if there:
            message = "has created another debate; use a new key for a new request"
            raise InvalidInput(message, field="Idempotency-Key")
        new = await asyncio.to_thread(staged, body, self._sources)
        try:
            return await self._service.create(new, start=body.start, debate_id=debate_id), True
        except Conflict:  # another server was quicker
            return debate_id, False

    @asynccontextmanager
    async def _alone(self, head: str) -> AsyncIterator[None]:
        """One request per key at a time, in this process."""
        lock = self._locks.setdefault(head, asyncio.Lock())
        try:
            async with lock:
                yield
        finally:
            if not lock.locked() and self._locks.get(head) is lock:
                del self._locks[head]


def sources(parts: ApiParts) -> Sources:
    return Sources(models=parts.models, personas=parts.own_personas, root=parts.context_root)


def staged(body: NewDebateBody, sources: Sources) -> NewDebate:
    """The debate that was asked for. Blocks: reads files."""
    _check(body)
    return stage(
        DebateRequest(
            topic=body.topic,
            file=body.file,
            format=None if body.file else body.format,
            settings=body.settings,
            participants=roster(body.participants),
            files=tuple(File(one.name, one.content) for one in body.attachments),
            context_directory=body.context_directory or "",
        ),
        sources,
    )


def _check(body: NewDebateBody) -> None:
    """Over HTTP a file is a shipped debate and never a path, and it says all but the settings."""
    if body.file is None:
        if not body.topic:
            message = "is required, unless `file` names a debate that is shipped"
            raise InvalidInput(message, field="topic")
        return
    for other in ("topic", "format", "participants"):
        if other in body.model_fields_set:
            raise InvalidInput("cannot be used together with `file`", field=other)
    if body.file not in shipped.names():
        message = "there is no such debate; GET /api/debate-files lists them"
        raise InvalidInput(message, field="file")
