"""One OpenAI-compatible server: its connections, and one attempt at a reply within a deadline.

The session is made in the event loop that first needs it. Redirects are not followed, cookies are
not kept, `.netrc` is not read: a key goes to the host it belongs to and to no other.
"""

from __future__ import annotations

import asyncio
import io
import time
import urllib.request

import aiohttp
from yarl import URL

from moot.errors import BudgetSpent, ModelRefused, ReplyBroken
from moot.models.backends.openai_compatible import failures
from moot.models.backends.openai_compatible.exchange import Exchange
from moot.models.backends.openai_compatible.requests import BodyWriter
from moot.models.endpoint import Endpoint
from moot.models.port import ChatReply, ChatRequest, OnText

KEEP_ALIVE_S = {"http": 4.0, "https": 30.0}
"""Below what servers commonly allow, so that we rarely write into a connection they just closed:
those that people run themselves (llama.cpp, vLLM, LiteLLM) close theirs after five seconds."""

_CLOSES_EACH = "llama.cpp"
"""The `Server` header of a server that says `Keep-Alive` but closes the connection after each reply
it streamed. A next call that is quick enough would be written into that connection and lost."""
_CLOSE = {"Connection": "close"}

CONNECT_S = 10.0
"""How long making a connection may take, with name lookup and TLS. A host that swallows packets is
down, and must not cost each try the whole time of a call."""

# aiohttp warns of `bytes` beyond this size; it sends a file in pieces.
_MAX_PLAIN_BYTES = 1024 * 1024


class OpenAICompatible:
    """A ChatModel, the same for every model of one endpoint."""

    def __init__(self, *, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._writer = BodyWriter(endpoint)
        self._session: aiohttp.ClientSession | None = None
        self._keeps_connections = endpoint.base_url.startswith("https:")
        """Whether the next call can reuse a connection. Over plain HTTP, the first reply tells."""
        self._think_aloud: set[str] = set()
        """Models whose thoughts have a closing mark but no opening one; see `thoughts`."""

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        """See `port.ChatModel`. Streams if somebody listens, otherwise asks for the whole."""
        started = time.perf_counter()
        body = self._body(request, is_streamed=on_text is not None)
        holds_back = request.model in self._think_aloud
        exchange = Exchange(self._endpoint, request, on_text, body=body, holds_back=holds_back)
        try:
            await self._attempt(exchange, body, request.deadline_s)
            return exchange.reply(round((time.perf_counter() - started) * 1000))
        except BudgetSpent:
            raise
        except ReplyBroken as error:
            message = f"{self._endpoint.provider}: {error}"
            raise type(error)(message, written=exchange.written) from None
        finally:
            if exchange.thinks_aloud:
                self._think_aloud.add(request.model)

    async def close(self) -> None:
        """Close all connections. A later call opens new ones."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _body(self, request: ChatRequest, *, is_streamed: bool) -> bytes:
        try:
            return self._writer.body(request, is_streamed=is_streamed)
        except UnicodeEncodeError:
            message = f"{self._endpoint.provider}: a message has characters that can't be sent"
            raise ModelRefused(message) from None

    async def _attempt(self, exchange: Exchange, body: bytes, deadline_s: float) -> None:
        """Reads a whole reply into `exchange`, or raises."""
        try:
            async with asyncio.timeout(deadline_s) as deadline:
                response = await self._post(body)
                try:
                    await exchange.read(response, deadline)
                finally:
                    _let_go(response)
        except TimeoutError:
            if not exchange.is_whole:
                raise failures.too_slow(self._endpoint, deadline_s) from None

    async def _post(self, body: bytes) -> aiohttp.ClientResponse:
        try:
            session = self._session or self._open()
            data = body if len(body) <= _MAX_PLAIN_BYTES else io.BytesIO(body)
            headers = None if self._keeps_connections else _CLOSE
            response = await session.post(
                self._url, data=data, headers=headers, allow_redirects=False
            )
        except aiohttp.ConnectionTimeoutError:
            raise failures.unreachable(self._endpoint, CONNECT_S) from None
        except TimeoutError:
            raise
        except (aiohttp.InvalidURL, ValueError):
            # The reason may quote a header, and with it the key.
            provider, base_url = self._endpoint.provider, self._endpoint.shown_url
            message = f"{provider}: the base URL {base_url} or a header can't be used"
            raise ModelRefused(message) from None
        except (aiohttp.ClientError, OSError) as error:
            raise failures.transport_error(self._endpoint, error) from None
        self._keeps_connections = response.headers.get("Server") != _CLOSES_EACH
        return response

    def _open(self) -> aiohttp.ClientSession:
        endpoint = self._endpoint
        self._url = URL(endpoint.base_url.rstrip("/") + "/chat/completions")
        if self._url.scheme not in KEEP_ALIVE_S:
            raise ValueError("not the URL of a web server")
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        if endpoint.api_key:
            headers["Authorization"] = f"Bearer {endpoint.api_key.strip()}"
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=endpoint.max_concurrent,
                keepalive_timeout=KEEP_ALIVE_S[self._url.scheme],
                ttl_dns_cache=60,
            ),
            headers={**headers, **endpoint.headers},
            cookie_jar=aiohttp.DummyCookieJar(),
            # The deadline of a request covers the rest; aiohttp's own timers would only cost.
            timeout=aiohttp.ClientTimeout(total=None, connect=CONNECT_S, sock_connect=None),
            auto_decompress=False,
            proxy=_proxy(self._url),
        )
        return self._session


def _let_go(response: aiohttp.ClientResponse) -> None:
    """Keeps the connection if the response was read to its end, and closes it at once if not."""
    if response.content.at_eof():
        response.release()
    else:
        response.close()


def _proxy(url: URL) -> str | None:
    """The proxy that the environment names for this server.

    Looked up once: aiohttp's `trust_env` would do so for each call, in a thread, and read `.netrc`.
    """
    host = url.host or ""
    if host in ("localhost", "127.0.0.1", "::1") or urllib.request.proxy_bypass(host):
        return None
    return urllib.request.getproxies().get(url.scheme)
