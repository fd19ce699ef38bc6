"""Creating debates: who takes part if nobody was named, once per key, and not too often."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from moot.api.guards.rates import RateLimit
from moot.api.idempotency import keyed
from moot.api.parts import ApiParts
from moot.api.problems import problem
from moot.api.requests import NewDebateBody, roster
from moot.context import Found, read_context
from moot.definitions import debates, shipped
from moot.engine.attaching import File
from moot.engine.creation import NewDebate
from moot.errors import Conflict, InvalidInput
from moot.ids import new_seed
from moot.protocol.registry import format_named


class Creator:
    def __init__(self, parts: ApiParts) -> None:
        self._service = parts.service
        self._secret = parts.secret
        self._root = parts.context_root
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
            new = await asyncio.to_thread(self._staged, body)
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
        new = await asyncio.to_thread(self._staged, body)
        try:
            return await self._service.create(new, start=body.start, debate_id=debate_id), True
        except Conflict:  # another server was quicker
            return debate_id, False

    def _staged(self, body: NewDebateBody) -> NewDebate:
        """Blocks: reads files."""
        sent = tuple(File(one.name, one.content) for one in body.attachments)
        found = self._found(body.context_directory)
        return msgspec.structs.replace(
            staged(body), files=(*sent, *found.files), left_out=found.told()
        )

    def _found(self, directory: str | None) -> Found:
        if directory is None:
            return Found()
        if self._root is None:
            message = (
                "this server reads no files: it was started without MOOT_CONTEXT_ROOT; "
                "send them as `attachments`"
            )
            raise InvalidInput(message, field="context_directory")
        return read_context(self._root, directory=directory)

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


def staged(body: NewDebateBody) -> NewDebate:
    """The debate with its roster: as given, the format's own, or drawn from the personas."""
    if body.file is not None:
        return _drawn(_from_file(body, body.file))
    if not body.topic:
        message = "is required, unless `file` names a debate that is shipped"
        raise InvalidInput(message, field="topic")
    participants = roster(body.participants) or format_named(body.format).default_roster
    if participants:
        return NewDebate(
            topic=body.topic, format=body.format, settings=body.settings, participants=participants
        )
    return _drawn(debates.from_topic(body.topic, format=body.format, settings=body.settings))


def _from_file(body: NewDebateBody, name: str) -> debates.Definition:
    for other in ("topic", "format", "participants"):
        if other in body.model_fields_set:
            raise InvalidInput("cannot be used together with `file`", field=other)
    if name not in shipped.names():
        message = "there is no such debate; GET /api/debate-files lists them"
        raise InvalidInput(message, field="file")
    return debates.changed(debates.load(name), settings=body.settings)


def _drawn(definition: debates.Definition) -> NewDebate:
    cast = debates.cast(definition, seed=new_seed())
    return NewDebate(
        topic=definition.topic,
        format=definition.format,
        settings=definition.settings,
        participants=cast.participants,
        seed=cast.seed,
        draws=cast.draws,
    )
