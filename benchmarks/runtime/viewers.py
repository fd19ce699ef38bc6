"""Many viewers in one process: raw sockets, so that reading costs as little as it can.

What counts is the time from the moment when an event was made (`at` in the event itself, which is
before it was committed) to the moment when its bytes were read here, both by the machine's clock.
"""

from __future__ import annotations

import asyncio
import re
import statistics
import sys
import time
from datetime import datetime

import msgspec

EVENT = re.compile(rb'id: (\d+)\nevent: \w+\ndata: \{"seq":\d+,"at":"([^"]+)"')
CONNECT_AT_ONCE = 50


class Watch(msgspec.Struct, frozen=True, kw_only=True):
    """Viewers are spread evenly over the debates."""

    port: int
    debates: list[str]
    viewers: int


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    deliveries: int
    gaps: int
    """Events that a viewer missed or got twice."""
    p50_ms: float
    p99_ms: float
    most_ms: float
    cpu_s: float


class Viewer(asyncio.Protocol):
    def __init__(self, request: bytes, since: dict[bytes, float]) -> None:
        self.connected = asyncio.get_running_loop().create_future()
        self.ended = asyncio.get_running_loop().create_future()
        self.delays_s: list[float] = []
        self.gaps = 0
        self._request = request
        self._since = since
        self._seq = 0
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        now = time.time()
        data = self._rest + data
        end = data.rfind(b"\n\n") + 2
        for found in EVENT.finditer(data, 0, end):
            self._see(int(found[1]), found[2], now)
        self._rest = data[end:]
        if not self.connected.done() and self._seq:
            self.connected.set_result(None)

    def _see(self, seq: int, at: bytes, now: float) -> None:
        self.gaps += seq != self._seq + 1
        self._seq = seq
        if self.connected.done():  # events that were there before do not count as deliveries
            self.delays_s.append(now - self._made_at(at))

    def _made_at(self, at: bytes) -> float:
        made = self._since.get(at)
        if made is None:
            made = self._since[at] = datetime.fromisoformat(at.decode()).timestamp()
        return made

    def connection_lost(self, exc: Exception | None) -> None:
        for future in (self.connected, self.ended):
            if not future.done():
                future.set_result(exc)


async def _connect(watch: Watch) -> list[Viewer]:
    loop = asyncio.get_running_loop()
    since: dict[bytes, float] = {}
    some = asyncio.Semaphore(CONNECT_AT_ONCE)

    async def one(number: int) -> Viewer:
        debate_id = watch.debates[number % len(watch.debates)]
        request = (
            f"GET /api/debates/{debate_id}/events HTTP/1.1\r\n"
            f"Host: 127.0.0.1:{watch.port}\r\nConnection: close\r\n\r\n"
        )
        async with some:
            _, viewer = await loop.create_connection(
                lambda: Viewer(request.encode(), since), "127.0.0.1", watch.port
            )
            await viewer.connected
        return viewer

    return await asyncio.gather(*(one(number) for number in range(watch.viewers)))


async def main() -> None:
    watch = msgspec.json.decode(sys.argv[1], type=Watch)
    viewers = await _connect(watch)
    print("connected", flush=True)
    cpu = time.process_time()
    await asyncio.gather(*(viewer.ended for viewer in viewers))
    delays = [1000 * delay for viewer in viewers for delay in viewer.delays_s]
    hundredths = statistics.quantiles(delays, n=100, method="inclusive")
    seen = Seen(
        deliveries=len(delays),
        gaps=sum(viewer.gaps for viewer in viewers),
        p50_ms=hundredths[49],
        p99_ms=hundredths[98],
        most_ms=max(delays),
        cpu_s=time.process_time() - cpu,
    )
    print(msgspec.json.encode(seen).decode(), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
