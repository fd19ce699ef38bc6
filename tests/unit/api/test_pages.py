"""The page is served at every address people see, and nothing of it hides an error of the API."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
from tests.unit.api.serving import serving
from tests.unit.protocol.talk import Talk

from moot.api.pages import is_page, told
from moot.protocol.registry import FORMATS


async def test_every_address_of_the_page_answers_with_it(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        for path in ("/", "/new", "/personas", "/panels", "/models", "/judges"):
            page = await on.client.get(path)
            assert page.status_code == 200, path
            assert '<div id="app">' in page.text
            assert page.headers["cache-control"] == "no-cache"
            assert "default-src 'none'" in page.headers["content-security-policy"]
            again = await on.client.get(path, headers={"If-None-Match": page.headers["etag"]})
            assert again.status_code == 304, path


async def test_the_page_comes_with_the_words(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        page = (await on.client.get("/")).text
    found = re.search(r'<script type="application/json" id="words">([^<]*)</script>', page)
    assert found
    assert json.loads(found[1]) == json.loads(msgspec.json.encode(told()))


def test_the_page_is_told_what_every_format_is_like() -> None:
    data = told({**FORMATS, "talk": Talk()})
    traits = data["traits"]
    assert set(traits) == {*FORMATS, "talk"}
    assert "talk" not in data["formats"]
    assert traits["talk"] == {
        "is_open_ended": False,
        "is_offered": True,
        "is_pair": False,
        "is_scored": False,
        "documents": [],
    }
    has = {kind: {name for name, one in traits.items() if one[kind]} for kind in traits["talk"]}
    assert has["is_open_ended"] == {"room"}
    assert has["is_offered"] == {*traits} - {"hearing", "exam"}
    assert has["is_pair"] == {"duel", "rounds"}
    assert has["is_scored"] == {"duel"}
    assert has["documents"] == {"council"}


async def test_what_is_not_there_is_a_problem_and_no_page(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        for path in ("/api/nothing", "/nothing", "/static/nothing", "/static/%2e%2e/errors.py"):
            answer = await on.client.get(path)
            assert answer.status_code == 404, path
            assert answer.headers["content-type"] == "application/problem+json", path


BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


NOWHERE = ("/nothing", "/personas/x", "/debates/absent", "/debates/NO", "/debates/a/b", "/debates/")


async def test_a_browser_gets_the_page_for_what_is_not_there_and_the_right_status(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, worker=False) as on:
        for path in NOWHERE:
            answer = await on.client.get(path, headers=BROWSER)
            assert answer.status_code == 404, path
            assert '<div id="app">' in answer.text
            assert "etag" not in answer.headers
            posted = await on.client.post(path, headers=BROWSER)
            assert posted.headers["content-type"] != "text/html", path
        for data in ("/api/nothing", "/api/debates/absent", "/static/nothing"):
            problem = await on.client.get(data, headers=BROWSER)
            assert problem.headers["content-type"] == "application/problem+json"
            assert problem.status_code == 404, data


async def test_the_page_of_a_debate_is_there_as_long_as_the_debate_is(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        one, other = [
            (await on.client.post("/api/debates", json={"topic": "T"})).json()["id"] for _ in "ab"
        ]
        paths = [f"/debates/{other}", f"/debates/{one}/with/{other}"]
        for path in (*paths, f"/debates/{one}/with"):
            assert (await on.client.get(path)).status_code == 200, path
        await on.client.delete(f"/api/debates/{other}")
        for path in paths:
            assert (await on.client.get(path)).status_code == 404, path


async def test_who_has_no_token_is_not_told_which_debates_there_are(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False, token="t" * 20) as on:
        assert (await on.client.get("/debates/absent", headers=BROWSER)).status_code == 200
        page = await on.client.get("/nothing", headers=BROWSER)
        assert page.status_code == 401
        assert '<div id="app">' in page.text
        assert (await on.client.get("/api/x", headers=BROWSER)).headers["content-type"] == (
            "application/problem+json"
        )


async def test_files_have_their_types_and_are_asked_for_again(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        script = await on.client.get("/static/main.js")
        assert script.headers["content-type"].startswith("text/javascript")
        assert script.headers["cache-control"] == "no-cache"
        tag = {"If-None-Match": script.headers["etag"]}
        assert (await on.client.get("/static/main.js", headers=tag)).status_code == 304


async def test_the_page_needs_no_token_and_the_api_does(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False, token="t" * 20) as on:
        for path in ("/", "/static/main.js", "/debates/abc", "/favicon.ico"):
            assert (await on.client.get(path)).status_code == 200, path
        for path in ("/api/debates", "/metrics", "/readyz", "/openapi.json", "/debates/a/b"):
            assert (await on.client.get(path)).status_code == 401, path
        assert (await on.client.post("/new")).status_code == 401


def test_it_is_no_page_if_it_is_data() -> None:
    for path in ("/api", "/api/debates", "/metrics", "/newer", "/debates/", "/statics/x", "//"):
        assert not is_page(path), path
