"""What a door to debates can do, wherever it does it: here, or at a server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

import msgspec

from moot.mcp.answers import Answer, Listing

Tell = Callable[[float, float, str], Awaitable[None]]
"""Takes how many steps are done, of how many, and what is going on."""


async def untold(_done: float, _of: float, _now: str) -> None:
    """Tells nobody: for calls whose progress interests nobody."""


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """Who called: the host's name, as it gives it, and how it is told of progress."""

    client: str = ""
    tell: Tell = untold


class Door(Protocol):
    """Every call returns within the seconds that it was given, and can be cancelled at any time:
    that ends the waiting and never a debate."""

    async def call(
        self, tool: str, arguments: Mapping[str, Any], caller: Caller
    ) -> Answer | Listing:
        """What that tool returns. Raises MootError with what the caller can do about it."""
        ...

    async def read(self, debate_id: str) -> str:
        """All of a debate that may be shown, in Markdown. Raises NotFound."""
        ...

    async def certificate(self, debate_id: str) -> str:
        """What a bench said about the debate, in Markdown. Raises NotFound if none was asked."""
        ...
