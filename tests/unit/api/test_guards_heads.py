"""HEAD answers as GET does, and has no body."""

from __future__ import annotations

from pathlib import Path

from tests.unit.api.serving import serving

PATHS = (
    "/",
    "/healthz",
    "/readyz",
    "/metrics",
    "/openapi.json",
    "/api/formats",
    "/api/formats/rounds",
    "/api/models",
    "/api/debates",
    "/api/debates/{id}",
    "/api/debates/{id}/export.md",
    "/api/debates/nobody",
    "/nowhere",
)


async def test_head_tells_what_get_would(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create()
        for path in (one.replace("{id}", debate) for one in PATHS):
            head = await on.client.head(path)
            assert head.content == b"", path
            get = await on.client.get(path)
            assert head.status_code == get.status_code, path
            moving = {"date", "content-length"} if path == "/metrics" else {"date"}
            assert _without(dict(head.headers), moving) == _without(dict(get.headers), moving)


async def test_head_of_a_stream_opens_none(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        head = await on.client.head(f"/api/debates/{await on.create()}/events")
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-type"].startswith("text/event-stream")
        assert on.service.viewers == 0


async def test_head_knows_what_the_client_has(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        path = f"/api/debates/{await on.create()}"
        tag = (await on.client.head(path)).headers["etag"]
        again = await on.client.head(path, headers={"If-None-Match": tag})
        assert again.status_code == 304


async def test_there_is_no_head_where_there_is_no_get(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        path = f"/api/debates/{await on.create()}/start"
        assert (await on.client.head(path)).status_code == 405
        assert (await on.get(f"/api/debates/{path.split('/')[3]}"))["status"] == "created"


async def test_head_is_counted_under_its_own_name(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        await on.client.head("/api/formats")
        told = (await on.client.get("/metrics")).text
        assert 'method="HEAD",route="/api/formats",status="200"' in told


def _without(headers: dict[str, str], names: set[str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name not in names}
