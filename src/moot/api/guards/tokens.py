"""Who may come in at all, once a token is configured."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from moot.api.pages import is_page, lost
from moot.api.problems import problem

OPEN = frozenset({"/healthz"})
"""Load balancers ask here, and learn nothing but that the process is up."""
SHARED = "/shared/"
"""Whoever knows an address below this path needs no token; see `api.sharing`."""


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
