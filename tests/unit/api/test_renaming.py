"""Titles through HTTP: given, found, taken back, at any time, and never more than text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
from tests.unit.api.serving import Serving, serving

from moot.testing import oracles

SCRIPT = "<script>alert(1)</script>"


async def rename(on: Serving, debate: str, title: Any) -> httpx.Response:
    return await on.client.patch(f"/api/debates/{debate}", json={"title": title})


async def listed(on: Serving, query: str) -> list[str]:
    page = await on.client.get("/api/debates", params={"q": query})
    return [one["id"] for one in page.json()["items"]]


async def test_a_title_is_given_found_and_taken_back(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        debate = await on.create(topic="Cats or dogs?")
        before = await on.debate(debate)
        assert before["title"] == ""
        named = (await rename(on, debate, "  Our\npets ")).json()
        assert (named["title"], named["topic"]) == ("Our pets", "Cats or dogs?")
        assert (named["seq"], named["updated_at"]) == (before["seq"] + 1, before["updated_at"])
        assert await listed(on, "OUR PETS") == await listed(on, "dogs") == [debate]
        assert (await rename(on, debate, "Our pets")).json()["seq"] == named["seq"]
        assert (await rename(on, debate, " \n")).json()["title"] == ""
        assert await listed(on, "our pets") == []


async def test_what_is_over_can_be_renamed_and_stays_over(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create(start=True)
        before = await on.until(debate, "completed")
        after = (await rename(on, debate, "The one we agreed on")).json()
        changed = {name for name in after if after[name] != before[name]}
        assert changed == {"title", "seq"}
        assert (await on.command(debate, "resume")).status_code == 409
        oracles.check_book(await oracles.read_book(on.store, debate))
        async with on.stream(debate) as stream:
            seen = [frame.event for frame in await stream.events()]
        assert seen[-2:] == ["DebateCompleted", "DebateRenamed"]
        async with on.stream(debate, f"after={before['seq']}") as stream:
            assert [frame.event for frame in await stream.events()] == ["DebateRenamed"]
        assert (await on.client.get(f"/api/debates/{debate}/events?after=999")).status_code == 204


HOSTILE = (
    (SCRIPT, SCRIPT),
    ("a\r\nb\u2028c\td", "a b c d"),
    ("\u202egnirts\u2066 \x1b[31mred\x00", "gnirts red"),
    ("x" * 200, "x" * 200),
)


async def test_a_hostile_title_is_text_in_one_line(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        for given, kept in HOSTILE:
            debate = await on.create()
            assert (await rename(on, debate, given)).json()["title"] == kept
            html = (await on.client.get(f"/api/debates/{debate}/export?as=html")).text
            assert SCRIPT not in html
            markdown = (await on.client.get(f"/api/debates/{debate}/export?as=md")).text
            assert SCRIPT not in markdown
            exported = await on.get(f"/api/debates/{debate}/export?as=json")
            assert exported["debate"]["title"] == kept


async def test_a_title_that_will_not_do_changes_nothing(tmp_path: Path) -> None:
    wrong: tuple[Any, ...] = ("x" * 201, "x" * 10_000, None, 7, ["x"])
    async with serving(tmp_path, worker=False) as on:
        debate = await on.create()
        before = await on.debate(debate)
        for title in wrong:
            refused = await rename(on, debate, title)
            assert (refused.status_code, refused.json()["field"]) == (422, "title"), title
            assert await on.debate(debate) == before, title
        assert (await on.client.patch(f"/api/debates/{debate}", json={})).status_code == 422
        assert await on.debate(debate) == before


async def test_nothing_but_the_title_can_be_changed_so(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        debate = await on.create()
        body = {"title": "Ours", "topic": "Another?"}
        refused = await on.client.patch(f"/api/debates/{debate}", json=body)
        assert (refused.status_code, refused.json()["field"]) == (422, "topic")
        assert (await rename(on, "nope", "Ours")).status_code == 404
