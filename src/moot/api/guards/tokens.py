"""Who can reach the server, whether that is safe, and who may come in once there is a token."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from moot.api.pages import is_page, lost
from moot.api.problems import problem
from moot.errors import InvalidInput

OPEN = frozenset({"/healthz"})
"""Load balancers ask here, and learn nothing but that the process is up."""
SHARED = "/shared/"
"""Whoever knows an address below this path needs no token; see `api.sharing`."""

SHORTEST_TOKEN = 16
LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
"""The names that the Host header may have without any of them being configured."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens on `host`."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def check_exposure(host: str, token: str | None) -> None:
    """Raises InvalidInput if listening on `host` would let strangers in, and says what to do."""
    if token is not None and not (token.isascii() and token.isprintable() and " " not in token):
        message = "must be printable ASCII without spaces, or no header could carry it"
        raise InvalidInput(message, field="MOOT_TOKEN")
    if is_loopback(host):
        return
    advice = (
        "set MOOT_TOKEN to a secret, for example to the output of `openssl rand -hex 32`, "
        "and send it as `Authorization: Bearer ...`; or listen on 127.0.0.1"
    )
    if not token:
        message = f"{host} can be reached from other machines, so a token is needed: {advice}"
        raise InvalidInput(message, field="host")
    if len(token) < SHORTEST_TOKEN:
        message = f"is shorter than {SHORTEST_TOKEN} characters and could be guessed: {advice}"
        raise InvalidInput(message, field="MOOT_TOKEN")


def host_header(host: str) -> str:
    """What the Host header says, without port, when a browser is pointed at `host`."""
    try:
        is_v6 = ipaddress.ip_address(host.strip("[]")).version == 6  # noqa: PLR2004 - IPv6
    except ValueError:
        is_v6 = False
    return f"[{host.strip('[]').lower()}]" if is_v6 else host.lower()


def has_token(token: str | None) -> Callable[[Scope], bool]:
    """Whether a request carries the token; if none is configured, no request does."""
    wanted = _digest(token.encode()) if token else b""

    def has(scope: Scope) -> bool:
        scheme, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
        # Digests all have the same length, so the time that this takes tells nothing.
        is_right = hmac.compare_digest(_digest(given.strip().encode("latin-1")), wanted)
        return bool(token) and scheme.lower() == "bearer" and is_right

    return has


def check_token(token: str | None) -> Callable[[Scope], Response | None]:
    has = has_token(token)

    def check(scope: Scope) -> Response | None:
        if not token or scope["path"] in OPEN or _is_page(scope) or has(scope):
            return None
        headers = {"WWW-Authenticate": "Bearer"}
        if page := lost(Request(scope), 401, headers):  # the page asks for the token
            return page
        detail = "send the server's token as `Authorization: Bearer ...` (MOOT_TOKEN)"
        return problem(401, "unauthorized", detail, headers=headers)

    return check


def _is_page(scope: Scope) -> bool:
    """Whether this is the page, or a shared debate. The page is there for everybody: it asks for
    the token, and has nothing to tell without it."""
    is_open = is_page(scope["path"]) or scope["path"].startswith(SHARED)
    return scope["method"] in ("GET", "HEAD") and is_open


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()
