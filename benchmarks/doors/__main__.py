"""`python -m benchmarks.doors`: first byte, CPU per streamed chunk, and five hundred at once.

This is never a test: figures belong to a machine, and only their ratios hold elsewhere.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from unittest import mock

from benchmarks.doors import reader
from benchmarks.doors.house import House, house
from moot.api.v1 import course
from moot.api.v1.replies import Reply
from moot.models.port import ChatReply, ChatRequest, OnText
from moot.protocol.values import Usage
from moot.testing.scripted import ScriptedModel

CHUNKS = 20_000
MANY = 500
READ = 100


class Gated:
    """A model that answers nobody until it is opened."""

    def __init__(self) -> None:
        self._inner = ScriptedModel()
        self._open = asyncio.Event()

    def open(self) -> None:
        self._open.set()

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        await self._open.wait()
        return await self._inner.reply(request, on_text)

    async def close(self) -> None:
        pass


async def read(at: House, number: int, what: str) -> float:
    """Median milliseconds to the first byte, seen by a client in another process."""
    command = [sys.executable, reader.__file__, str(at.port), str(number), what]
    client = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    told, _ = await client.communicate()
    return float(told)


async def first_byte(home: Path) -> None:
    async with house(home, ScriptedModel()) as at:
        await read(at, 5, "quick")
        own = await read(at, READ, "healthz")
        streamed = await read(at, READ, "quick")
    over = streamed - own
    print(f"first byte: /healthz {own:.1f} ms, streamed {streamed:.1f} ms, {over:.1f} ms more")
    print(f"  target 50 ms more: {'PASS' if over <= 50 else 'MISS'}")


async def per_chunk(home: Path) -> None:
    async def thoughts(_self: course.Course) -> AsyncIterator[str]:
        for number in range(CHUNKS):
            yield f"Ada proposes: {number} and so on, a sentence of about this length.\n\n"

    async def reply(_self: course.Course) -> Reply:
        return Reply(text="Yes.", finish="stop", usage=Usage(), by_model={})

    gated = Gated()
    async with house(home, gated) as at:
        await read(at, 5, "healthz")
        with (
            mock.patch.object(course.Course, "thoughts", thoughts),
            mock.patch.object(course.Course, "reply", reply),
        ):
            began = time.process_time()
            await read(at, 1, "quick")
            spent = time.process_time() - began
        gated.open()
    each = spent / CHUNKS * 1e6
    print(f"CPU per streamed chunk: {each:.1f} us ({CHUNKS:,} chunks, each sent by itself)")
    print(f"  target 60 us: {'PASS' if each <= 60 else 'MISS'}")


async def many(home: Path) -> None:
    gated = Gated()

    async def follow(port: int, number: int, begun: asyncio.Semaphore) -> bool:
        stream, writer = await asyncio.open_connection("127.0.0.1", port)
        message = {"role": "user", "content": f"Question {number}?"}
        body = json.dumps({"model": "quick", "stream": True, "messages": [message]}).encode()
        head = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        text = await stream.readuntil(b'"role":"assistant"')
        begun.release()
        text += await stream.read()
        writer.close()
        return b"data: [DONE]" in text and b'"error"' not in text

    async with house(home, gated) as at:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        begun = asyncio.Semaphore(0)
        began, cpu = time.perf_counter(), time.process_time()
        asking = [asyncio.create_task(follow(at.port, n, begun)) for n in range(MANY)]
        for _ in range(MANY):
            await begun.acquire()
        opened = time.perf_counter() - began
        gated.open()
        whole = await asyncio.gather(*asking)
        spent = time.process_time() - cpu
        took = time.perf_counter() - began
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / MANY
    print(f"{MANY} at once: all had begun after {opened:.1f} s, {sum(whole)} whole answers")
    print(f"  after {took:.1f} s, {spent / MANY * 1000:.1f} ms of CPU and {grown:.0f} kB each,")
    print(f"  client and all ten calls of each included: {'PASS' if all(whole) else 'MISS'}")


async def main() -> None:
    for measure in (first_byte, per_chunk, many):
        with tempfile.TemporaryDirectory() as home:
            await measure(Path(home))


if __name__ == "__main__":
    asyncio.run(main())
