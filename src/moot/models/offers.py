"""Which models servers offer: those on this machine, and a provider that refused a model's name.

On this machine, the usual ports are asked, on loopback only, and nobody waits long for an answer. A
provider is asked only after a call was refused for the name of its model, so that the error can
name what was meant. If something goes wrong here, that is no further error: nothing is offered, or
nothing is suggested then.
"""

from __future__ import annotations

import difflib
import http.client
import ipaddress
import time
import urllib.request
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

import msgspec

from moot.errors import ModelNotOffered
from moot.models.cleaning import clean_text
from moot.models.endpoint import Endpoint
from moot.structs import ready

PROBE_TIMEOUT_S = 0.2
"""How long a connection may take, on this machine."""
ANSWER_TIMEOUT_S = 1.5
"""How long a server that has taken the connection may take: a busy one answers slowly."""
FRESH_S = 10.0
"""How long an answer counts: a server that is started later is found without a restart."""
_PROBE_MAX_BYTES = 1_000_000
# Words in the names of listed models that are no use in a debate.
_NOT_FOR_TALK = ("embed", "rerank", "whisper", "tts")

NOTHING_ANSWERS = "nothing answers at"
BUSY = "is too busy to say which models it has"
_SLOW = f"what answers at {{url}} {BUSY}"
_STRANGER = "what answers at {url} is no model server"  # Moot's own server among them

Probe = Callable[[str], "tuple[str, ...] | str"]
"""The models a server on this machine offers, or why there is none."""

ASK_TIMEOUT_S = 5.0
"""How long a provider may take to list its models."""
ASK_MAX_BYTES = 4 * 1024 * 1024
MOST_NAMED = 3
LEAST_LIKENESS = 0.4
MAX_NAME = 200


# --- servers on this machine ----------------------------------------------------------------------


class LocalServers:
    """Remembers for a while what each server said."""

    def __init__(self, probe: Probe, clock: Callable[[], float] = time.monotonic) -> None:
        self._probe = probe
        self._clock = clock
        self._answers: dict[str, tuple[float, tuple[str, ...] | str]] = {}

    def models(self, url: str) -> tuple[str, ...] | str:
        """The models that can talk, or why there is none. Blocks for a moment."""
        expires, answer = self._answers.get(url, (float("-inf"), ""))
        if self._clock() >= expires:
            answer = self._probe(url)
            if not isinstance(answer, str):
                answer = tuple(one for one in answer if _can_talk(one))
            self._answers[url] = self._clock() + FRESH_S, answer
        return answer


def is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def offered_models(url: str) -> tuple[str, ...] | str:
    """What the server at that base URL offers, or why not. Never raises, never waits long."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(
        parts.hostname or "", parts.port or 80, timeout=PROBE_TIMEOUT_S
    )
    is_there = False
    try:
        connection.connect()
        is_there = True
        connection.sock.settimeout(ANSWER_TIMEOUT_S)
        connection.request("GET", f"{parts.path}/models")
        response = connection.getresponse()
        body = response.read(_PROBE_MAX_BYTES)
        if response.status in (401, 403):
            return f"what answers at {url} wants a key"
        offer = msgspec.json.decode(body, type=_Offer)
    except TimeoutError:
        return _SLOW.format(url=url) if is_there else f"{NOTHING_ANSWERS} {url}"
    except (OSError, http.client.HTTPException):
        return f"{NOTHING_ANSWERS} {url}"
    except msgspec.MsgspecError:
        return _STRANGER.format(url=url)
    finally:
        connection.close()
    return tuple(model.id for model in offer.data or ())


class _Offered(msgspec.Struct):
    id: str


class _Offer(msgspec.Struct):
    """If `data` is missing, something else that speaks JSON answered, such as Moot's own 404."""

    data: list[_Offered] | None  # Ollama says null when it has none


ready(_Offer)


def _can_talk(model: str) -> bool:
    return not any(word in model.lower() for word in _NOT_FOR_TALK)


# --- what a provider offers in place of a model that it does not have -----------------------------


class _Loose(msgspec.Struct):
    id: str = ""


class _LooseOffer(msgspec.Struct):
    """Whatever is missing counts as nothing: this is no reason to fail."""

    data: list[_Loose] | None = None


ready(_LooseOffer)


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
                timeout=aiohttp.ClientTimeout(total=ASK_TIMEOUT_S),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
            ) as session,
            # The key goes to the host it belongs to and to no other.
            session.get(url, headers=headers, allow_redirects=False, proxy=_proxy(url)) as response,
        ):
            body = bytearray()
            while (
                response.ok
                and len(body) < ASK_MAX_BYTES
                and (more := await response.content.readany())
            ):
                body += more
            return _names(bytes(body), endpoint.api_key.strip())
    except (aiohttp.ClientError, OSError, ValueError, msgspec.MsgspecError):
        return ()


def nearest(model: str, names: Sequence[str], error: ModelNotOffered) -> ModelNotOffered:
    """The error, with the names that are most like the one that was asked for, if there are any."""
    like = difflib.get_close_matches(model, [*names], MOST_NAMED, LEAST_LIKENESS)
    like = [name for name in like if name != model]
    if not like:
        return error
    return ModelNotOffered(f"{model} is not offered here; nearest: {', '.join(like)} ({error})")


def _names(body: bytes, key: str) -> tuple[str, ...]:
    found = msgspec.json.decode(body, type=_LooseOffer).data or []
    # Google's names begin with the folder that the models are in.
    names = (clean_text(one.id, max_chars=MAX_NAME).removeprefix("models/") for one in found)
    return tuple(name for name in names if name and not (key and key in name))


def _proxy(url: str) -> str | None:
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in ("localhost", "127.0.0.1", "::1") or urllib.request.proxy_bypass(host):
        return None
    return urllib.request.getproxies().get(parts.scheme)
