"""Which site a request is sent to, and which it comes from: both must be ours; and for whom a proxy
speaks.

Host: a page of evil.example whose name suddenly resolves to 127.0.0.1 is same-origin for the
browser; the Host header is what gives it away (DNS rebinding).

Origin: no other site can act for a user. Browsers say where a request comes from (Origin,
Sec-Fetch-Site) and pages cannot make them lie. Programs say nothing, and need not: whoever can run
one here needs no browser to reach us.

Proxies: behind one, every connection is the proxy's, and all users would be one client for every
rate limit. A proxy says in X-Forwarded-For whom it speaks for and in X-Forwarded-Proto how it was
reached. Anybody can send such headers, so they are believed from the proxies that the operator has
named, and from nobody else. X-Forwarded-Host is never believed: a proxy passes Host on, or a page
that rebinds its name could choose what the check of the Host header sees.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from moot.api.guards.tokens import LOOPBACK_HOSTS
from moot.api.problems import problem

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
OURS = frozenset({"same-origin", "none"})
_HOST = re.compile(rb"(\[[0-9a-fA-F:.]+\]|[0-9a-zA-Z._-]+)(?::[0-9]{1,5})?")

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

MOST_HOPS = 20
SCHEME_TOLD = "moot.scheme_told"
"""In the scope: whether a proxy that we trust has said by which scheme it was reached."""


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


def as_told_by(trusted: Sequence[Network]) -> Callable[[Scope], None]:
    """Puts the client that a trusted proxy speaks for, and its scheme, into a scope."""

    def tell(scope: Scope) -> None:
        peer = _address(scope["client"][0]) if scope.get("client") else None
        if peer is None or not _is_in(peer, trusted):
            return
        found = _client(peer, _listed(scope, b"x-forwarded-for"), trusted)
        if found != peer:
            scope["client"] = (str(found), 0)  # its port is not known
        schemes = _listed(scope, b"x-forwarded-proto")
        if schemes and schemes[-1].lower() in ("http", "https"):
            scope["scheme"] = schemes[-1].lower()
            scope[SCHEME_TOLD] = True

    return tell


def _client(peer: Address, hops: Sequence[str], trusted: Sequence[Network]) -> Address:
    """The address nearest to us that is not a proxy of ours.

    Each hop adds, at the right, the address that it heard from. So whatever stands to the left of
    the first stranger is only what that stranger says. An entry that is no address ends the search:
    all that is known is the hop that sent it.
    """
    found = peer
    for hop in reversed(hops[-MOST_HOPS:]):
        told = _address(hop)
        if told is None:
            return found
        found = told
        if not _is_in(told, trusted):
            return found
    return found


def _is_in(address: Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)


def _address(text: str) -> Address | None:
    """The address, with or without a port and brackets; IPv4 written as IPv6 counts as IPv4. None
    if there is none."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def _listed(scope: Scope, name: bytes) -> list[str]:
    """The values of a header; if it comes in several lines, those of all of them."""
    values = [value.decode("latin-1") for key, value in scope["headers"] if key == name]
    return [part.strip() for part in ",".join(values).split(",") if part.strip()]
