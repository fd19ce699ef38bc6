"""A door to the debates of a server: `moot mcp --url`.

Each call is one request in the protocol of 2026, which knows no sessions: a server that was started
again meanwhile is as good as the one before. Questions come back with the result, and whoever is in
front of this door puts them to the user.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import msgspec
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import Implementation, TextContent, TextResourceContents
from mcp_types.version import LATEST_MODERN_VERSION

from moot.errors import Refused
from moot.mcp.arguments import LONGEST_WAIT_S
from moot.mcp.port import CERTIFICATE, URI, Answer, Caller, Listing

PATIENCE_S = LONGEST_WAIT_S + 20.0
CONNECT_S = 10.0


class Remote:
    """A `Door` to the server at that address."""

    def __init__(self, url: str, token: str | None = None) -> None:
        # People may give the address with the path, as hosts that take an address need it.
        self._url = url.rstrip("/").removesuffix("/mcp")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    async def call(
        self, tool: str, arguments: Mapping[str, Any], caller: Caller
    ) -> Answer | Listing:
        """See `port.Door`. Raises Refused with what the server said."""

        async def tell(
            progress: float, total: float | None = None, message: str | None = None
        ) -> None:
            await caller.tell(progress, total or 0.0, message or "")

        async with self._connected(caller.client) as client:
            result = await client.call_tool(tool, dict(arguments), progress_callback=tell)
        if result.is_error:
            told = (one.text for one in result.content if isinstance(one, TextContent))
            raise Refused("\n".join(told))
        if tool == "list_debates":
            return msgspec.convert(result.structured_content, Listing)
        return msgspec.convert(result.structured_content, Answer)

    async def read(self, debate_id: str) -> str:
        """See `port.Door`."""
        return await self._text(URI.format(id=debate_id))

    async def certificate(self, debate_id: str) -> str:
        """See `port.Door`."""
        return await self._text(URI.format(id=debate_id) + CERTIFICATE)

    async def _text(self, uri: str) -> str:
        async with self._connected("") as client:
            found = await client.read_resource(uri)
        texts = (one.text for one in found.contents if isinstance(one, TextResourceContents))
        return "".join(texts)

    @asynccontextmanager
    async def _connected(self, client_name: str) -> AsyncIterator[Client]:
        timeout = httpx2.Timeout(PATIENCE_S, connect=CONNECT_S)
        try:
            async with httpx2.AsyncClient(headers=self._headers, timeout=timeout) as http:
                client = Client(
                    streamable_http_client(f"{self._url}/mcp", http_client=http),
                    mode=LATEST_MODERN_VERSION,
                    client_info=Implementation(name=client_name or "moot mcp", version="0"),
                    read_timeout_seconds=PATIENCE_S,
                )
                async with client:
                    yield client
        except (MCPError, httpx2.HTTPError, ExceptionGroup) as error:
            reason = _first(error)
            if not isinstance(reason, MCPError | httpx2.HTTPError):
                raise reason from None
            raise self._problem(reason) from None

    def _problem(self, reason: Exception) -> Refused:
        message = (
            f"the Moot server at {self._url} did not answer as it should ({reason}): check that "
            "`moot serve` runs there with the extra `mcp`, and that MOOT_TOKEN is its token"
        )
        return Refused(message)


def _first(error: Exception) -> Exception:
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error
