"""What a provider offers in place of a model that it does not have.

Asked only after a call was refused for the name of its model, so that the error can name what was
meant. If something goes wrong here, that is no further error: nothing is suggested then.
"""

from __future__ import annotations

import difflib
import urllib.request
from collections.abc import Sequence
from urllib.parse import urlsplit

import msgspec

from moot.errors import ModelNotOffered
from moot.models.cleaning import clean_text
from moot.models.endpoint import Endpoint
from moot.structs import ready

TIMEOUT_S = 5.0
MAX_BYTES = 4 * 1024 * 1024
MOST = 3
LEAST_LIKENESS = 0.4
MAX_NAME = 200


class _Model(msgspec.Struct):
    id: str = ""


class _Offer(msgspec.Struct):
    data: list[_Model] | None = None


ready(_Offer)


async def offered(endpoint: Endpoint) -> tuple[str, ...]:
    """The names that the server lists at `/models`; none if it does not say. Never raises."""
    import aiohttp  # noqa: PLC0415 - takes long, and only a debate about to fail needs it

    url = endpoint.base_url.rstrip("/") + "/models"
    headers = {"Accept-Encoding": "identity", **endpoint.headers}
    if endpoint.api_key:
        headers["Authorization"] = f"Bearer {endpoint.api_key.strip()}"
    try:
        async with (
            aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=TIMEOUT_S),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
            ) as session,
            # The key goes to the host it belongs to and to no other.
            session.get(url, headers=headers, allow_redirects=False, proxy=_proxy(url)) as response,
        ):
            body = bytearray()
            while (
                response.ok and len(body) < MAX_BYTES and (more := await response.content.readany())
            ):
                body += more
            return _names(bytes(body), endpoint.api_key.strip())
    except (aiohttp.ClientError, OSError, ValueError, msgspec.MsgspecError):
        return ()


def nearest(model: str, names: Sequence[str], error: ModelNotOffered) -> ModelNotOffered:
    """The error, with the names that are most like the one that was asked for, if there are any."""
    like = difflib.get_close_matches(model, [*names], MOST, LEAST_LIKENESS)
    like = [name for name in like if name != model]
    if not like:
        return error
    return ModelNotOffered(f"{model} is not offered here; nearest: {', '.join(like)} ({error})")


def _names(body: bytes, key: str) -> tuple[str, ...]:
    found = msgspec.json.decode(body, type=_Offer).data or []
    # Google's names begin with the folder that the models are in.
    names = (clean_text(one.id, max_chars=MAX_NAME).removeprefix("models/") for one in found)
    return tuple(name for name in names if name and not (key and key in name))


def _proxy(url: str) -> str | None:
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in ("localhost", "127.0.0.1", "::1") or urllib.request.proxy_bypass(host):
        return None
    return urllib.request.getproxies().get(parts.scheme)
