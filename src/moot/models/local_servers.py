"""Servers on this machine: who answers at the usual ports, and what they offer.

Only loopback is ever asked, with `GET /models`, and nobody waits long for an answer.
"""

from __future__ import annotations

import http.client
import ipaddress
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import msgspec

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

Probe = Callable[[str], "tuple[str, ...] | str"]
"""The models a server on this machine offers, or why there is none."""


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


NOTHING_ANSWERS = "nothing answers at"
BUSY = "is too busy to say which models it has"
_SLOW = f"what answers at {{url}} {BUSY}"
_STRANGER = "what answers at {url} is no model server"  # Moot's own server among them


class _Offered(msgspec.Struct):
    id: str


class _Offer(msgspec.Struct):
    """If `data` is missing, something else that speaks JSON answered, such as Moot's own 404."""

    data: list[_Offered] | None  # Ollama says null when it has none


ready(_Offer)


def _can_talk(model: str) -> bool:
    return not any(word in model.lower() for word in _NOT_FOR_TALK)
