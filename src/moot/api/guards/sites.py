"""Which site a request is sent to, and which it comes from: both must be ours.

Host: a page of evil.example whose name suddenly resolves to 127.0.0.1 is same-origin for the
browser; the Host header is what gives it away (DNS rebinding).

Origin: no other site can act for a user. Browsers say where a request comes from (Origin,
Sec-Fetch-Site) and pages cannot make them lie. Programs say nothing, and need not: whoever can run
one here needs no browser to reach us.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from moot.api.exposure import LOOPBACK_HOSTS
from moot.api.guards.proxies import SCHEME_TOLD
from moot.api.problems import problem

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
OURS = frozenset({"same-origin", "none"})
_HOST = re.compile(rb"(\[[0-9a-fA-F:.]+\]|[0-9a-zA-Z._-]+)(?::[0-9]{1,5})?")


def check_host(allowed: frozenset[str]) -> Callable[[Scope], Response | None]:
    known = LOOPBACK_HOSTS | {name.lower() for name in allowed}

    def check(scope: Scope) -> Response | None:
        given = [value for name, value in scope["headers"] if name == b"host"]
        match = _HOST.fullmatch(given[0]) if len(given) == 1 else None
        if match is None:
            return problem(400, "bad_host", "send exactly one Host header with a plain host name")
        name = match[1].decode().lower()
        if name in known:
            return None
        detail = f"this server does not answer to the name {name}; allow it with MOOT_ALLOWED_HOSTS"
        return problem(403, "host_not_allowed", detail)

    return check


def check_origin(has_token: Callable[[Scope], bool]) -> Callable[[Scope], Response | None]:
    def check(scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if scope["method"] in SAFE:
            return _refusal() if _is_foreign_read(headers) else None
        if "cookie" not in headers and has_token(scope):
            return None
        return None if _is_same_origin(scope, headers) else _refusal()

    return check


def _is_same_origin(scope: Scope, headers: Headers) -> bool:
    if headers.get("sec-fetch-site", "none") not in OURS:
        return False
    origin = headers.get("origin")
    if origin is None:
        return True
    scheme, _, host = origin.partition("://")
    # Ports too: whatever else listens on this machine is not us. Whether a browser speaks HTTPS to
    # a proxy in front of us is known only if that proxy is trusted.
    is_scheme = not scope.get(SCHEME_TOLD) or scheme == scope["scheme"]
    return is_scheme and host == headers.get("host")


def _is_foreign_read(headers: Headers) -> bool:
    """Whether another site loads from us, which it may not: every stream takes a place. It may link
    to us."""
    is_foreign = headers.get("sec-fetch-site", "none") not in OURS
    return is_foreign and headers.get("sec-fetch-mode") != "navigate"


def _refusal() -> Response:
    detail = "requests from other sites are refused; use the pages of this server, or a program"
    return problem(403, "cross_origin", detail)
