"""For whom a reverse proxy speaks.

Behind a proxy every connection is the proxy's, and all users would be one client for every rate
limit. A proxy says in X-Forwarded-For whom it speaks for and in X-Forwarded-Proto how it was
reached. Anybody can send such headers, so they are believed from the proxies that the operator has
named, and from nobody else. X-Forwarded-Host is never believed: a proxy passes Host on, or a page
that rebinds its name could choose what the check of the Host header sees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from starlette.types import Scope

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

MOST_HOPS = 20
SCHEME_TOLD = "moot.scheme_told"
"""In the scope: whether a proxy that we trust has said by which scheme it was reached."""


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
