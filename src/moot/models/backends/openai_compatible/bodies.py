"""Reads response bodies within caps, so that no server can fill our memory.

The caps count decoded bytes: a few kilobytes of gzip can hold a gigabyte. We ask for no compression
and undo what comes anyway, never further than the cap.
"""

from __future__ import annotations

import zlib
from typing import Protocol

from aiohttp import ClientResponse

from moot.errors import ReplyBroken, ReplyTooLarge

MAX_BODY_BYTES = 8 * 1024 * 1024
"""The longest response, decoded: some thirty times the longest reply that models write today."""

MAX_LINE_BYTES = 1024 * 1024
"""The longest line of an event stream."""

# Adding 32 makes zlib tell the two apart by their headers.
_WINDOW_BITS = {"gzip": 32 + zlib.MAX_WBITS, "deflate": 32 + zlib.MAX_WBITS}


class _Inflate(Protocol):
    def decompress(self, data: bytes, max_length: int = 0, /) -> bytes: ...


class Body:
    """The decoded body of one response, as it arrives. Too much of it raises ReplyTooLarge."""

    __slots__ = ("_inflate", "_read", "_size")

    def __init__(self, response: ClientResponse) -> None:
        _check_size(response.content_length or 0)
        self._inflate = _inflate(response.headers.get("Content-Encoding", "identity"))
        self._read = response.content.readany
        self._size = 0

    async def chunk(self) -> bytes:
        """What has arrived since the last call; empty at the end, and only there."""
        while data := await self._read():
            if self._inflate is not None:
                data = _inflated(self._inflate, data, MAX_BODY_BYTES - self._size)
            self._size += len(data)
            if self._size > MAX_BODY_BYTES:
                _check_size(self._size)
            if data:
                return data
        return b""

    async def whole(self, stop_at: int = MAX_BODY_BYTES) -> bytes:
        """All of it, or what there is once `stop_at` bytes have arrived."""
        data = await self.chunk()
        while len(data) < stop_at and (more := await self.chunk()):
            data += more
        return data


def _inflate(encoding: str) -> _Inflate | None:
    encoding = encoding.strip().lower()
    if encoding in ("identity", ""):
        return None
    if encoding not in _WINDOW_BITS:
        message = f"the reply is compressed with {encoding[:20]!r}, which was not asked for"
        raise ReplyBroken(message)
    return zlib.decompressobj(_WINDOW_BITS[encoding])


def _inflated(inflate: _Inflate, data: bytes, room: int) -> bytes:
    try:
        # One byte more than there is room for: enough to see that the cap is passed.
        return inflate.decompress(data, room + 1)
    except zlib.error as error:
        message = f"the reply's compression is damaged: {error}"
        raise ReplyBroken(message) from None


def _check_size(size: int) -> None:
    if size > MAX_BODY_BYTES:
        message = f"the reply is larger than {MAX_BODY_BYTES // 1024 // 1024} MB"
        raise ReplyTooLarge(message)
