"""Idempotency keys: the same request made twice creates one debate, over HTTP and in the library.

Nothing is stored for it. The id of the debate is made from the key and the body:

    id = head + tail      head = HMAC(secret, key)      10 characters, 49 bits
                          tail = HMAC(secret, key+body)  6 characters, 30 bits

So the same key and body lead to the same id, whose second creation the database refuses: one debate
even when both requests arrive at once, at two servers, or after a restart. The same key with
another body leads to another id with the same head, which is looked for first and refused.
To anybody who does not know the secret, the ids are as random as any others.

What is not promised: two *different* bodies under one key that reach two servers at the same
instant may both be taken. Once a debate is deleted, its key is free again.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import os
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from moot.engine.service import Service
from moot.errors import Conflict, InvalidInput
from moot.ids import ALPHABET, LENGTH

HEAD = 10
SECRET_BYTES = 32


class Keyed(msgspec.Struct, frozen=True, kw_only=True):
    """The id that a request with a key leads to; `head` is the part that only the key decides."""

    head: str
    debate_id: str


Make = Callable[[str | None], Awaitable[str]]
"""Makes a debate, with that id if one is given, and returns its id. Raises Conflict if that
debate exists already."""


class Once:
    """Makes debates once per key. `field` is what callers call the key."""

    def __init__(self, service: Service, secret: bytes, *, field: str) -> None:
        self._service = service
        self._secret = secret
        self._field = field
        self._locks: dict[str, asyncio.Lock] = {}

    async def made(self, key: str | None, sent: object, make: Make) -> tuple[str, bool]:
        """The id of what `make` makes, or has made before for this key, and whether it is new.

        Raises InvalidInput if the key was used for something else than `sent`.
        """
        if key is None:
            return await make(None), True
        wanted = keyed(self._secret, key, sent)
        async with self._alone(wanted.head):
            there = await self._service.with_prefix(wanted.head)
            if wanted.debate_id in there:
                return wanted.debate_id, False
            if there:
                message = "has created another debate; use a new key for a new request"
                raise InvalidInput(message, field=self._field)
            try:
                return await make(wanted.debate_id), True
            except Conflict:  # another process was quicker
                return wanted.debate_id, False

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


def keyed(secret: bytes, key: str, body: object) -> Keyed:
    """The id for `key` and `body`, whatever the order of the body's members."""
    encoded = msgspec.json.encode(body, order="sorted")
    head = _letters(secret, b"key\0" + key.encode(), HEAD)
    tail = _letters(secret, b"body\0" + key.encode() + b"\0" + encoded, LENGTH - HEAD)
    # The first is a letter, as in every id.
    head = ALPHABET[10 + ALPHABET.index(head[0]) % (len(ALPHABET) - 10)] + head[1:]
    return Keyed(head=head, debate_id=head + tail)


def _letters(secret: bytes, message: bytes, count: int) -> str:
    digest = hmac.new(secret, message, hashlib.sha256).digest()
    return "".join(ALPHABET[byte % len(ALPHABET)] for byte in digest[:count])


def load_secret(path: Path) -> bytes:
    """The secret in that file. A missing file is made, readable by its owner only."""
    made = secrets.token_bytes(SECRET_BYTES)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(made)
    try:
        # Whole or not at all, and never over one that another process has just made.
        os.link(fresh, path)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()
    return path.read_bytes()
