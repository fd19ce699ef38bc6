"""Read-only links: made once, for anybody who has the address, until they are taken back."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.unit.api.serving import Serving, client_of, serving

from moot.api import sharing
from moot.export import render_public
from moot.protocol.events import TurnRecorded
from moot.protocol.words import StepKind

TOKEN = "a-token-that-is-long-enough"
UNKNOWN = "A" * 32


async def share(on: Serving, debate: str, **body: Any) -> httpx.Response:
    return await on.client.post(f"/api/debates/{debate}/links", json=body)


async def duel(on: Serving) -> str:
    """A whole duel, in which everybody thinks and is judged in private."""
    debate = await on.create(format="duel", settings={"turns": 2}, start=True)
    await on.until(debate, "completed")
    return debate


async def test_a_link_is_made_once_and_shown(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        debate = await on.create(topic="Cats or dogs?")
        assert await on.get(f"/api/debates/{debate}/links") == {"items": [], "next": None}
        made = (await share(on, debate)).json()
        assert re.fullmatch(r"/shared/[A-Za-z0-9_-]{32}", made["path"])
        assert made["url"] == f"http://localhost:8000{made['path']}"
        assert made["private"] is False
        assert (await share(on, debate)).json() == made
        assert (await on.get(f"/api/debates/{debate}/links"))["items"] == [made]
        page = await on.client.get(made["path"])
        assert page.status_code == 200
        assert "Cats or dogs?" in page.text
        assert debate not in page.text  # it opens nothing else
        assert page.headers["x-robots-tag"] == "noindex, nofollow"
        assert page.headers["cache-control"] == "no-store"
        assert page.headers["referrer-policy"] == "no-referrer"
        assert "content-disposition" not in page.headers
        policy = page.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; style-src 'sha256-")
        assert policy.endswith("; sandbox; frame-ancestors 'none'")
        assert (await on.client.head(made["path"])).status_code == 200


async def test_a_link_that_shows_something_else_is_not_changed(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        debate = await on.create()
        made = (await share(on, debate)).json()
        refused = await share(on, debate, private=True)
        assert refused.status_code == 409
        assert "revoke it" in refused.json()["detail"]
        assert (await on.get(f"/api/debates/{debate}/links"))["items"] == [made]


async def test_private_words_are_there_only_if_they_were_asked_for(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await duel(on)
        turns = (await on.get(f"/api/debates/{debate}/turns?private=1"))["items"]
        private = [one for one in turns if one["visibility"] == "private"]
        kinds = {one["kind"] for one in private}
        assert {"plan", "think", "evaluate", "score", "deliberate"} <= kinds
        # A judge's confirmation is a name, which is in every page.
        told = ("score", "confirm")
        secrets = {one["content"] for one in private if one["kind"] not in told}
        public = (await on.client.get((await share(on, debate)).json()["path"])).text
        said = [one["content"] for one in turns if one["kind"] == "speak"]
        assert all(words in public for words in said)
        assert not [words for words in secrets if words in public]
        assert "Show private thoughts" not in public
        assert "private reasoning" not in public
        assert "<dt>Cost</dt>" not in public
        assert (await on.client.delete(f"/api/debates/{debate}/links")).status_code == 204
        path = (await share(on, debate, private=True)).json()["path"]
        whole = (await on.client.get(path)).text
        exported = await on.client.get(f"/api/debates/{debate}/export?as=html")
        assert whole == exported.text
        assert [words for words in secrets if words in whole]


async def test_what_leads_nowhere_is_told_one_thing(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        debate, other = await on.create(), await on.create()
        revoked = (await share(on, debate)).json()["path"]
        deleted = (await share(on, other)).json()["path"]
        for path in (revoked, deleted):
            assert (await on.client.get(path)).status_code == 200
        for _ in range(2):  # once more does no harm
            assert (await on.client.delete(f"/api/debates/{debate}/links")).status_code == 204
        assert (await on.client.delete(f"/api/debates/{other}")).status_code == 204
        wrong = ["", UNKNOWN, "short", f"{UNKNOWN}/x", "%00", "%ff", "..%2fapi", "x" * 5000, debate]
        found = [
            await on.client.get(path)
            for path in (revoked, deleted, *(f"/shared/{one}" for one in wrong))
        ]
        assert {one.status_code for one in found} == {404}
        assert {one.text for one in found} == {sharing.NOWHERE}
        assert "leads nowhere" in sharing.NOWHERE
        assert len({str(sorted(one.headers.items())) for one in found}) == 1
        again = (await share(on, debate)).json()["path"]
        assert again != revoked
        for verb in ("post", "get", "delete"):
            missing = await getattr(on.client, verb)("/api/debates/nobody/links")
            assert missing.status_code == 404


async def test_it_needs_no_token_and_opens_nothing_else(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False, token=TOKEN) as on:
        mine = {"Authorization": f"Bearer {TOKEN}"}
        new = {"format": "rounds", "topic": "Is it so?"}
        debate = (await on.client.post("/api/debates", json=new, headers=mine)).json()["id"]
        links = f"/api/debates/{debate}/links"
        made = (await on.client.post(links, headers=mine)).json()
        assert (await on.client.get(made["path"])).status_code == 200
        assert (await on.client.get(f"/shared/{UNKNOWN}")).status_code == 404
        for verb in ("post", "get", "delete"):
            assert (await getattr(on.client, verb)(links)).status_code == 401
        for verb in ("post", "put", "patch", "delete"):
            assert (await getattr(on.client, verb)(made["path"])).status_code == 401
        strange = await on.client.get(made["path"], headers={"Host": "evil.example"})
        assert strange.status_code == 403
        framed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
        assert (await on.client.get(made["path"], headers=framed)).status_code == 403
        linked = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
        assert (await on.client.get(made["path"], headers=linked)).status_code == 200
    async with serving(tmp_path / "open", worker=False) as on:
        made = (await share(on, await on.create())).json()
        for verb in ("post", "put", "patch", "delete"):
            assert (await getattr(on.client, verb)(made["path"])).status_code == 405


async def test_a_page_is_rendered_again_only_if_there_is_something_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = most = rendered = 0

    def counted(*given: Any, **named: Any) -> str:
        nonlocal at_once, most, rendered
        at_once, rendered = at_once + 1, rendered + 1
        most = max(most, at_once)
        try:
            return render_public(*given, **named)
        finally:
            at_once -= 1

    monkeypatch.setattr(sharing, "render_public", counted)
    async with serving(tmp_path, worker=False) as on:
        paths = []
        for _ in range(3):
            debate = await on.create()
            paths.append((await share(on, debate)).json()["path"])
        await asyncio.gather(*(on.client.get(path) for path in paths * 10))
        assert (rendered, most) == (3, 1)
        await on.client.patch(f"/api/debates/{debate}", json={"title": "Renamed"})
        assert "Renamed" in (await on.client.get(paths[-1])).text
        assert rendered == 4


async def test_few_pages_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "MOST_KEPT_BYTES", 1)
    async with serving(tmp_path, worker=False) as on:
        pages = sharing.Pages(on.service)
        for _ in range(3):
            link = await on.service.links.share(await on.create())
            assert await pages.find(link.token) is await pages.find(link.token)
            assert len(pages._kept) == 1


async def test_what_a_chair_may_not_know_is_not_in_it(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create(
            format="duel",
            settings={"turns": 2},
            me={"name": "Mia", "as": "con"},
            start=True,
        )
        await on.until(debate, "waiting")
        for private in (False, True):
            path = (await share(on, debate, private=private)).json()["path"]
            page = (await on.client.get(path)).text
            assert "are hidden until the debate is over" in page or not private
            log = [one.event for one in await on.service.log(debate)]
            turns = [one for one in log if isinstance(one, TurnRecorded)]
            plans = [one.content for one in turns if one.kind is StepKind.PLAN and one.content]
            assert plans
            assert not [words for words in plans if words in page]
            await on.client.delete(f"/api/debates/{debate}/links")


async def test_a_fork_is_shown_anew_when_its_source_opens_the_cards(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        me = {"name": "Mia", "as": "con"}
        source = await on.create(format="duel", settings={"turns": 2}, me=me, start=True)
        seats = (await on.until(source, "waiting"))["participants"]
        mia = next(one["id"] for one in seats if one["model"] == "human")
        changes = {"changes": {"models": {mia: "scripted:debater"}}}
        fork = (await on.client.post(f"/api/debates/{source}/forks", json=changes)).json()
        path = (await share(on, fork["id"], private=True)).json()["path"]
        turns = [one.event for one in await on.service.log(source)]
        plan = next(
            one.content
            for one in turns
            if isinstance(one, TurnRecorded) and one.kind is StepKind.PLAN and one.content
        )
        assert plan not in (await on.client.get(path)).text
        assert (await on.client.post(f"/api/debates/{source}/reveal")).status_code == 200
        assert (await on.debate(fork["id"]))["seq"] == fork["seq"]
        assert plan in (await on.client.get(path)).text


async def test_the_address_is_that_of_the_host_that_was_used(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False, allowed_hosts=frozenset({"moot.example"})) as on:
        debate = await on.create()
        async with client_of(on.app, headers={"Host": "moot.example:9000"}) as other:
            made = (await other.post(f"/api/debates/{debate}/links")).json()
        assert made["url"].startswith("http://moot.example:9000/shared/")
