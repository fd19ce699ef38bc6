"""Who gets in, on every route of the description: Host, origin, token, headers (RELIABILITY 4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.unit.api.serving import Serving, client_of, serving

from moot.api import create_app
from moot.api.guards.stack import POLICY
from moot.definitions import panels, personas

TOKEN = "correct-horse-battery-staple"
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
BODIES: dict[str, Any] = {
    "/api/debates": {"topic": "T"},
    "/api/debates/{debate_id}/answers": {"answers": {"q": "a"}},
    "/api/personas": {"name": "Zed"},
    "/api/personas/{name}": {"name": "Ada"},
    "/api/panels": {"name": "mine", "about": "A."},
    "/api/panels/{name}": {"name": "duel", "about": "A."},
    "/api/panels/{name}/questions": {"question": "Q"},
}


async def routes_of(on: Serving, debate: str) -> list[tuple[str, str, Any]]:
    """Method, path and a body that would do, of everything there is."""
    described = create_app(on.parts)
    async with client_of(described) as client:
        paths = (await client.get("/openapi.json", headers=_token(on))).json()["paths"]
    made = [("GET", "/openapi.json", None)]
    for path, methods in paths.items():
        if path.endswith("/events"):
            continue  # streams have a test of their own: httpx would wait for their end
        where = path.replace("{debate_id}", debate).replace("{format_id}", "duel")
        where = where.replace("{name}", "duel" if "/panels/" in where else "Ada")
        where = where.replace("{model}", "council")
        made += [(method.upper(), where, BODIES.get(path)) for method in methods]
    assert len(made) > 18
    # Deleting comes last, so that the others have something to work on.
    return sorted(made, key=lambda route: route[0] == "DELETE")


def _token(on: Serving) -> dict[str, str]:
    return {"authorization": f"Bearer {on.parts.token}"} if on.parts.token else {}


async def _ask(on: Serving, route: tuple[str, str, Any], **headers: str) -> httpx.Response:
    method, path, body = route
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return await on.client.request(method, path, json=body, headers=given)


def _code(answer: httpx.Response) -> str:
    """Of a problem, whichever way it is told."""
    told = answer.json()
    return str(told.get("error", told)["code"])


async def _everything(on: Serving) -> list[Any]:
    page = await on.service.list(limit=100)
    mine = personas.own(on.parts.own_personas)
    asked = list(panels.own(on.parts.own_panels))
    return [mine, asked, *[(one, await on.service.log(one.id)) for one in page.items]]


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.localhost",
        "127.0.0.2",
        "0.0.0.0",  # noqa: S104 - not bound to
        "localhost.",
        "[::2]:8000",
    ],
)
async def test_refuses_other_hosts_on_every_route_before_anything_else(
    tmp_path: Path, host: str
) -> None:
    async with serving(tmp_path, worker=False, token=TOKEN) as on:
        await on.client.post("/api/debates", json={"topic": "T"}, headers=_token(on))
        (row,) = (await on.service.list()).items
        before = await _everything(on)
        for route in await routes_of(on, row.id):
            answer = await _ask(on, route, host=host, authorization=f"Bearer {TOKEN}")
            assert answer.status_code == 403, (route, answer.text)
            assert _code(answer) == "host_not_allowed"
            assert answer.headers.items() >= HEADERS.items()
        async with on.stream(row.id, host=host) as stream:
            assert stream.status == 403
        assert await _everything(on) == before


@pytest.mark.parametrize(
    "host", ["", "a b", "localhost@evil.example", "localhost/x", "localhost:x", "ü"]
)
async def test_refuses_a_host_that_is_none(tmp_path: Path, host: str) -> None:
    async with serving(tmp_path, worker=False) as on, on.stream("x", host=host) as stream:
        assert stream.status == 400


async def test_refuses_none_and_two_hosts(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        for hosts in ([], [b"localhost", b"evil.example"]):
            stream = on.stream("x")
            stream._scope["headers"] = [(b"host", host) for host in hosts]
            async with stream:
                assert stream.status == 400


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "127.0.0.1:8000", "[::1]:8000", "moot.lan"]
)
async def test_answers_to_its_own_names(tmp_path: Path, host: str) -> None:
    names = frozenset({"Moot.LAN"})
    async with serving(tmp_path, worker=False, allowed_hosts=names) as on:
        assert (await on.client.get("/healthz", headers={"host": host})).status_code == 200


FOREIGN = [
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"origin": "http://localhost:3000"},
    {"origin": "http://localhost"},
    {"origin": "http://localhost:8000.evil.example"},
    {"origin": "http://127.0.0.1:8000"},
    {"origin": ""},
    {"sec_fetch_site": "cross-site"},
    {"sec_fetch_site": "same-site"},
    {"origin": "http://localhost:8000", "sec_fetch_site": "cross-site"},
    {"origin": "http://evil.example", "sec_fetch_site": "same-origin"},
    {"origin": "http://evil.example", "authorization": "Bearer made-up"},
]


@pytest.mark.parametrize("headers", FOREIGN)
async def test_refuses_to_act_for_other_sites(tmp_path: Path, headers: dict[str, str]) -> None:
    async with serving(tmp_path, worker=False) as on:
        debate = await on.create()
        before = await _everything(on)
        for route in await routes_of(on, debate):
            if route[0] == "GET":
                continue
            answer = await _ask(on, route, **headers)
            assert answer.status_code == 403, (route, answer.text)
            assert _code(answer) == "cross_origin"
        assert await _everything(on) == before


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://localhost:8000"},
        {"origin": "https://localhost:8000", "sec_fetch_site": "same-origin"},
        {"sec_fetch_site": "none"},
    ],
)
async def test_acts_for_its_own_pages_and_for_programs(
    tmp_path: Path, headers: dict[str, str]
) -> None:
    async with serving(tmp_path, worker=False) as on:
        answer = await _ask(on, ("POST", "/api/debates", {"topic": "T"}), **headers)
        assert answer.status_code == 201


async def test_other_sites_may_link_here_and_load_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        debate = await on.create()
        foreign = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
        path = f"/api/debates/{debate}"
        assert (await on.client.get(path, headers=foreign)).status_code == 403
        foreign["sec-fetch-mode"] = "navigate"
        assert (await on.client.get(path, headers=foreign)).status_code == 200
        async with on.stream(debate, sec_fetch_site="cross-site", sec_fetch_mode="cors") as stream:
            assert stream.status == 403


async def test_asks_for_the_token_everywhere_but_at_the_pulse(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False, token=TOKEN) as on:
        made = await on.client.post("/api/debates", json={"topic": "T"}, headers=_token(on))
        debate = made.json()["id"]
        before = await _everything(on)
        wrong: tuple[dict[str, str], ...] = (
            {},
            {"authorization": "Bearer"},
            {"authorization": "Bearer "},
            {"authorization": f"Bearer {TOKEN}x"},
            {"authorization": f"Basic {TOKEN}"},
            {"authorization": TOKEN},
            {"cookie": f"token={TOKEN}"},
        )
        for route in await routes_of(on, debate):
            for headers in wrong:
                answer = await _ask(on, route, **headers)
                expected = 200 if route[1] == "/healthz" else 401
                assert answer.status_code == expected, (route, headers)
                assert answer.headers.items() >= HEADERS.items()
                if expected == 401:
                    assert answer.headers["www-authenticate"] == "Bearer"
        async with on.stream(debate) as stream:
            assert stream.status == 401
        for path in (
            "/healthz/",
            "/healthz/../api/debates",
            "/healthz%2f",
            "/x;/healthz",
        ):
            # Whole, or the client takes the first of them for the name of a host.
            answer = await on.client.get(str(on.client.base_url).rstrip("/") + path)
            assert answer.status_code in (401, 404), path
            assert "items" not in answer.text
        assert await _everything(on) == before
        for scheme in ("Bearer", "bearer"):
            given = {"authorization": f"{scheme} {TOKEN}"}
            assert (await on.client.get("/api/debates", headers=given)).status_code == 200


async def test_a_token_speaks_for_itself_unless_a_cookie_comes_with_it(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False, token=TOKEN) as on:
        route = ("POST", "/api/debates", {"topic": "T"})
        foreign = {"origin": "http://app.example", "authorization": f"Bearer {TOKEN}"}
        assert (await _ask(on, route, **foreign)).status_code == 201
        assert (await _ask(on, route, **foreign, cookie="a=b")).status_code == 403


async def test_every_response_has_the_headers_and_none_allows_another_origin(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, worker=False) as on:
        debate = await on.create()
        for route in [
            *await routes_of(on, debate),
            ("GET", "/nope", None),
            ("PUT", "/healthz", None),
        ]:
            answer = await _ask(on, route)
            for name, value in HEADERS.items():
                if name == "content-security-policy" and route[1].endswith("/export"):
                    assert "default-src 'none'" in answer.headers[name]
                else:
                    assert answer.headers[name] == value, (route, name)
            assert not [name for name in answer.headers if name.startswith("access-control")]


async def test_a_preflight_gets_no_permission(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        headers = {
            "origin": "http://evil.example",
            "access-control-request-method": "POST",
            "access-control-request-headers": "content-type",
        }
        answer = await on.client.options("/api/debates", headers=headers)
        assert answer.status_code == 405
        assert not [name for name in answer.headers if name.startswith("access-control")]


async def test_reading_never_changes_anything(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        debate = await on.create()
        before = await _everything(on)
        for method, path, _ in await routes_of(on, debate):
            for safe in ("GET", "HEAD", "OPTIONS"):
                answer = await on.client.request(safe, path)
                fine = (200, 404, 405) if "{response_id}" in path else (200, 405)
                assert answer.status_code in fine, (safe, method, path)
        async with on.stream(debate) as stream:
            await stream.events(until=1)
        assert await _everything(on) == before


async def test_there_are_no_web_sockets(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "websocket.connect"}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "websocket", "path": "/", "headers": []}
        await on.app(scope, receive, send)
        assert sent == [{"type": "websocket.close", "code": 1008}]
