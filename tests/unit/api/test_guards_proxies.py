"""Who is believed about whom it speaks for: the proxies that were named, and nobody else."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from tests.unit.api.serving import serving

from moot.api import ApiLimits, create_app
from moot.api.guards.sites import MOST_HOPS, as_told_by

TRUSTED = tuple(map(ip_network, ("10.0.0.0/8", "fd00::/8", "127.0.0.1")))


def told(
    peer: str | None, *forwarded: str, proto: Sequence[str] = (), trusted: Any = TRUSTED
) -> tuple[str | None, str]:
    """The client and the scheme of a request from `peer` with those headers."""
    scope: dict[str, Any] = {
        "client": (peer, 40_000) if peer is not None else None,
        "scheme": "http",
        "headers": [
            *((b"x-forwarded-for", one.encode("latin-1")) for one in forwarded),
            *((b"x-forwarded-proto", one.encode()) for one in proto),
        ],
    }
    as_told_by(trusted)(scope)
    return (scope["client"][0] if scope["client"] else None), scope["scheme"]


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        # Nobody believes a stranger, nor anybody when nobody is trusted.
        ("203.0.113.9", ("1.2.3.4",), "203.0.113.9"),
        ("2001:db8::9", ("1.2.3.4",), "2001:db8::9"),
        ("11.0.0.1", ("10.0.0.5",), "11.0.0.1"),
        # A proxy speaks for the one it heard from; what that one says of itself is not believed.
        ("10.0.0.1", ("203.0.113.9",), "203.0.113.9"),
        ("10.0.0.1", ("1.1.1.1, 203.0.113.9",), "203.0.113.9"),
        ("10.0.0.1", ("127.0.0.1, 203.0.113.9",), "203.0.113.9"),
        ("10.0.0.1", ("1.1.1.1", "203.0.113.9"), "203.0.113.9"),
        # Several proxies of ours in a row.
        ("10.0.0.1", ("6.6.6.6, 203.0.113.9, 10.0.0.3,10.0.0.2",), "203.0.113.9"),
        ("10.0.0.1", ("10.9.9.9, 10.0.0.2",), "10.9.9.9"),
        # IPv6, IPv4 written as IPv6, ports, brackets, zones.
        ("fd00::1", ("2001:DB8:0::9",), "2001:db8::9"),
        ("::ffff:10.0.0.1", ("203.0.113.9",), "203.0.113.9"),
        ("10.0.0.1", ("::ffff:203.0.113.9",), "203.0.113.9"),
        ("10.0.0.1", ("[2001:db8::9]:443",), "2001:db8::9"),
        ("10.0.0.1", ("203.0.113.9:5555",), "203.0.113.9"),
        ("10.0.0.1", ("fe80::1%eth0",), "fe80::1"),
        # Nonsense: all that is known is who sent it.
        ("10.0.0.1", ("unknown",), "10.0.0.1"),
        ("10.0.0.1", ("203.0.113.9, <script>",), "10.0.0.1"),
        ("10.0.0.1", ("203.0.113.9, nonsense, 10.0.0.2",), "10.0.0.2"),
        ("10.0.0.1", ("", " , ,"), "10.0.0.1"),
        ("10.0.0.1", ("\xff\xfe",), "10.0.0.1"),
        ("10.0.0.1", ("999.1.1.1",), "10.0.0.1"),
        ("10.0.0.1", ("1.2.3.4",) + ("10.0.0.2",) * MOST_HOPS, "10.0.0.2"),
        ("no address", ("1.2.3.4",), "no address"),
        (None, ("1.2.3.4",), None),
    ],
)
def test_finds_the_stranger_nearest_to_us(
    peer: str | None, forwarded: Sequence[str], client: str | None
) -> None:
    assert told(peer, *forwarded)[0] == client
    assert told(peer, *forwarded, trusted=())[0] == peer


@pytest.mark.parametrize(
    ("peer", "proto", "scheme"),
    [
        ("10.0.0.1", ["https"], "https"),
        ("10.0.0.1", ["http", "HTTPS"], "https"),
        ("10.0.0.1", ["https, http"], "http"),
        ("10.0.0.1", ["javascript"], "http"),
        ("10.0.0.1", [], "http"),
        ("203.0.113.9", ["https"], "http"),
    ],
)
def test_believes_only_a_proxy_about_the_scheme(
    peer: str, proto: Sequence[str], scheme: str
) -> None:
    assert told(peer, proto=proto)[1] == scheme


async def _create(
    app: Any, peer: str, forwarded: str, origin: str | None = None, proto: str = "https"
) -> int:
    headers = {"X-Forwarded-For": forwarded, "X-Forwarded-Proto": proto}
    headers |= {"Origin": origin} if origin else {}
    transport = httpx.ASGITransport(app, client=(peer, 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answer = await client.post("/api/debates", json={"topic": "So?"}, headers=headers)
        return answer.status_code


async def test_users_behind_a_proxy_have_a_limit_each_and_spoofing_gains_nothing(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as server:
        parts = msgspec.structs.replace(
            server.parts, trusted_proxies=TRUSTED, limits=ApiLimits(creations_per_minute=1)
        )
        app = create_app(parts)
        users = ["203.0.113.1", "203.0.113.2", "2001:db8::3"]
        assert [await _create(app, "10.0.0.1", user) for user in users] == [201, 201, 201]
        assert await _create(app, "10.0.0.1", "203.0.113.1") == 429
        # A name of its own for every request, before the proxy adds the true one.
        assert await _create(app, "10.0.0.1", "8.8.8.8, 203.0.113.2") == 429
        assert await _create(app, "10.0.0.1", "2001:0db8:0000::3") == 429
        # Somebody who reaches us directly is one client, whatever it says.
        answers = [await _create(app, "203.0.113.77", f"9.9.9.{n}") for n in range(3)]
        assert answers == [201, 429, 429]


async def test_a_page_of_the_same_name_but_another_scheme_is_another_site(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        app = create_app(msgspec.structs.replace(server.parts, trusted_proxies=TRUSTED))
        assert await _create(app, "10.0.0.1", "203.0.113.1", "https://localhost") == 201
        assert await _create(app, "10.0.0.1", "203.0.113.1", "http://localhost") == 403
        # Not told by anybody whom we trust: the proxy may speak HTTPS, or not.
        assert await _create(app, "203.0.113.1", "x", "http://localhost", "https") == 201
        assert await _create(app, "203.0.113.1", "x", "https://localhost", "http") == 201


async def test_the_host_is_never_taken_from_a_forwarded_header(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        app = create_app(msgspec.structs.replace(server.parts, trusted_proxies=TRUSTED))
        transport = httpx.ASGITransport(app, client=("10.0.0.1", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://evil.example") as client:
            answer = await client.get("/api/debates", headers={"X-Forwarded-Host": "localhost"})
            assert answer.status_code == 403
