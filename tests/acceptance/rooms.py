"""A room over HTTP, in the process of the test, with short words for what people do in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tests.unit.api.serving import Serving

from moot.models.port import ChatRequest
from moot.testing.scripted import Said

PATIENCE_S = 60
MEMBERS = [
    {"name": "Alice", "title": "Architect", "role": "member"},
    {"name": "Bob", "role": "member"},
    {"name": "Charlie", "role": "member"},
]


def speaker(request: ChatRequest) -> str:
    """Whose prompt it is: `talk/3/bob/speak` is Bob's."""
    return request.label.split("/")[3]


def script(*said: Said) -> Callable[[ChatRequest], Said]:
    """These one after the other, then SKIP for ever: so every room comes to rest."""
    left = list(said)
    return lambda _request: left.pop(0) if left else "SKIP"


class Room:
    def __init__(self, on: Serving, debate_id: str) -> None:
        self.on = on
        self.id = debate_id
        self.opening: list[str] = []

    @classmethod
    async def open(cls, on: Serving, **body: Any) -> Room:
        settings = {"response_delay": 1} | body.pop("settings", {})
        given = {"participants": MEMBERS} | body
        room = cls(on, await on.create(format="room", start=True, settings=settings, **given))
        await room.at_rest()
        room.opening = await room.told()
        return room

    async def view(self) -> Any:
        return await self.on.debate(self.id)

    async def until(self, is_so: Callable[[Any], bool]) -> Any:
        """The debate, once that is so."""
        async with asyncio.timeout(PATIENCE_S):
            async for _ in self.on.service.follow(self.id):
                found = await self.view()
                if is_so(found):
                    return found
        return await self.view()

    async def at_rest(self) -> Any:
        return await self.until(lambda found: found["status"] not in ("running", "stopping"))

    async def call(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        url = f"/api/debates/{self.id}/{path}"
        answer = await self.on.client.request(method, url, json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def say(self, content: str, status: int = 200) -> Any:
        return await self.call("POST", "messages", {"content": content}, status)

    async def pace(self, pacing: str, status: int = 200) -> Any:
        return await self.call("PUT", "pacing", {"pacing": pacing}, status)

    async def settle(self, *include: int, status: int = 200) -> Any:
        return await self.call("POST", "pending", {"include": list(include)}, status)

    async def turns(self) -> list[Any]:
        return list((await self.on.get(f"/api/debates/{self.id}/turns"))["items"])

    async def spoken(self) -> list[tuple[str, str]]:
        """Who said what, skips left out."""
        return [
            (turn["participant"], turn["content"])
            for turn in await self.turns()
            if "skipped" not in turn["meta"]["flags"]
        ]

    async def told(self) -> list[str]:
        """What people were told since the room was opened."""
        notices = [notice["text"] for notice in (await self.view())["notices"]]
        return notices[len(self.opening) :]
