"""How frames are written: together if they are there together, and nothing after the last."""

from __future__ import annotations

import asyncio
from pathlib import Path

from starlette.types import Message
from tests.unit.api.serving import Stream, serving

from moot.api import ApiLimits, events


class Writes(Stream):
    """Keeps the bodies as they were written; the last write takes its time."""

    bodies: list[bytes]

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.body":
            self.bodies.append(message["body"])
            if not message["more_body"]:
                await asyncio.sleep(0.05)
        await super()._send(message)


def _writes(app: object, debate: str) -> Writes:
    stream = Writes(app, f"/api/debates/{debate}/events", "", {})  # type: ignore[arg-type]
    stream.bodies = []
    return stream


async def test_writes_at_once_what_is_there_at_once(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create(start=True, settings={"max_rounds": 2})
        last = (await on.until(debate, "completed"))["seq"]
        async with _writes(on.app, debate) as stream:
            assert await stream.seqs() == list(range(1, last + 1))
        opening, log, end = stream.bodies
        assert opening.startswith(b"retry:")
        assert log.count(b"\nevent: ") == last
        assert end == b""


async def test_writes_much_in_several_pieces(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create(start=True, settings={"max_rounds": 100})
        last = (await on.until(debate, "completed"))["seq"]
        async with _writes(on.app, debate) as stream:
            assert await stream.seqs() == list(range(1, last + 1))
        # A piece is full with the frame that fills it.
        longest = max(len(frame) for body in stream.bodies for frame in body.split(b"\n\n"))
        assert len(stream.bodies) > 3
        assert max(map(len, stream.bodies)) < events.BODY_BYTES + longest + 2


async def test_writes_no_heartbeat_after_the_last_frame(tmp_path: Path) -> None:
    async with serving(tmp_path, limits=ApiLimits(heartbeat_s=0.001)) as on:
        debate = await on.create()
        async with _writes(on.app, debate) as stream:
            await stream.seqs(until=1)
            await on.command(debate, "start")
            await stream.over()
        assert any(body.startswith(b":") for body in stream.bodies)
        assert stream.bodies[-1] == b""
