"""Who can reach the server, and whether that is safe."""

from __future__ import annotations

import ipaddress

from moot.errors import InvalidInput

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
