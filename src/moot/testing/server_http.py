"""As much of an HTTP server as a scripted provider needs, close enough to the socket to break it.

Raw `asyncio.Protocol`: the benchmarks share their cores with this server, and no web framework lets
one send half a header and reset the connection.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable, Mapping

import msgspec

Handler = Callable[["Peer", "HttpRequest"], Awaitable[None]]

REASONS: Mapping[int, bytes] = {200: b"OK", 307: b"Temporary Redirect", 404: b"Not Found"}


class HttpRequest(msgspec.Struct, frozen=True):
    """One request; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class Peer(asyncio.Protocol):
    """One connection. Requests are handled one by one; a disconnect cancels the handler."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._received = bytearray()
        self._task: asyncio.Task[None] | None = None
        self._transport: asyncio.Transport | None = None
        self._writable = asyncio.Event()
        self._writable.set()

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._writable.set()
        if self._task is not None:
            self._task.cancel()

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self._received[:1].isalpha():  # TLS, or other things that are no HTTP
            self.close()
            return
        self._next_request()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    # What handlers call

    def write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)

    async def drain(self) -> None:
        """Wait until the client has read most of what was written. Raises if it has gone."""
        await self._writable.wait()
        if self._transport is None:
            raise ConnectionResetError
        await asyncio.sleep(0)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def reset(self) -> None:
        """End the connection by an RST, as a crash does, instead of a goodbye."""
        if self._transport is not None:
            raw = self._transport.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._transport.abort()

    def respond(
        self,
        status: int,
        body: bytes,
        content_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """A whole response."""
        length = {"Content-Length": str(len(body))}
        self.write(head(status, content_type, {**length, **(headers or {})}) + body)

    # Inside

    def _next_request(self) -> None:
        if self._task is None and (request := _parse(self._received)) is not None:
            self._task = asyncio.get_running_loop().create_task(self._handle(request))

    async def _handle(self, request: HttpRequest) -> None:
        try:
            await self._handler(self, request)
        except ConnectionResetError:
            return
        except Exception:
            self.reset()  # a script that fails must not leave its client waiting
            raise
        finally:
            self._task = None
        self._next_request()


def head(status: int, content_type: str, headers: Mapping[str, str]) -> bytes:
    """The status line and the headers, with the blank line after them."""
    lines = [
        b"HTTP/1.1 %d %s" % (status, REASONS.get(status, b"Status")),
        b"Content-Type: " + content_type.encode(),
    ]
    lines += [f"{name}: {value}".encode() for name, value in headers.items()]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def chunk(data: bytes) -> bytes:
    """`data` as one chunk of a chunked body; empty data ends the body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def _parse(received: bytearray) -> HttpRequest | None:
    """Takes the first whole request out of `received`, if there is one."""
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return None
    first, *lines = received[:end].decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    stop = end + 4 + int(headers.get("content-length", "0"))
    if len(received) < stop:
        return None
    method, path, _ = first.split(" ", 2)
    request = HttpRequest(method, path, headers, bytes(received[end + 4 : stop]))
    del received[:stop]
    return request
