"""Search through HTTP: rows with what was found in them, and nothing that somebody may not know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.acceptance.test_people import BO, ME
from tests.acceptance.test_veiled_forks import MODEL, forked
from tests.unit.api.serving import Serving, serving
from tests.unit.api.test_listing import ROSTER

from moot.testing.scripted import ScriptedModel, sensible


async def found(on: Serving, query: str, **more: str) -> list[str]:
    answer = await on.client.get("/api/search", params={"q": query, **more})
    assert answer.status_code == 200, answer.text
    return [one["id"] for one in answer.json()["items"]]


async def test_a_row_comes_with_what_was_found_in_it(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create(
            topic="Trams <b>or</b> monorails?", participants=ROSTER, start=True
        )
        await on.until(debate, "completed")
        (row,) = (await on.get("/api/search?q=MONORAIL"))["items"]
        (listed,) = (await on.get("/api/debates"))["items"]
        topic = row["hits"][0]
        assert {name: row[name] for name in listed} == listed
        assert (topic["kind"], topic["turn"], topic["participant"]) == ("topic", None, "")
        assert {"text": "monorails", "is_match": True} in topic["snippet"]
        turns = (await on.get(f"/api/debates/{debate}/turns"))["items"]
        said = turns[0]["content"].split()[-1].strip(".")
        hit = (await on.get(f"/api/search?q={said}"))["items"][0]["hits"][0]
        assert hit["turn"] in [one["id"] for one in turns]
        assert hit["participant"] in ("ada", "bo", "jo")


async def test_the_same_answer_is_not_sent_twice(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        debate = await on.create(topic="Trams?", participants=ROSTER)
        first = await on.client.get("/api/search?q=tram")
        known = {"If-None-Match": first.headers["ETag"]}
        assert (await on.client.get("/api/search?q=tram", headers=known)).status_code == 304
        assert (await on.client.get("/api/search?q=none", headers=known)).status_code == 200
        await on.client.patch(f"/api/debates/{debate}", json={"title": "Ours"})
        assert (await on.client.get("/api/search?q=tram", headers=known)).status_code == 200
        assert await found(on, "our trams") == [debate]


async def test_bad_requests_are_problems_and_odd_queries_are_not(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        for query in ("", '"', "NEAR(", "a\0b", "x" * 10_000, "*", "\ufffe"):
            assert await found(on, query) == []
        for bad in ("limit=0", "cursor=x", "status=odd", f"q={'x' * 16_001}"):
            answer = await on.client.get(f"/api/search?q=a&{bad}")
            assert answer.status_code == 422
            assert answer.headers["content-type"] == "application/problem+json"


async def test_the_description_has_the_types_of_what_is_found(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        schemas = (await on.get("/openapi.json"))["components"]["schemas"]
        assert schemas["FoundView"]["properties"]["hits"]["items"]["$ref"].endswith("/Hit")
        assert set(schemas["Piece"]["properties"]) == {"text", "is_match"}


def proposing(request: Any) -> str:
    return sensible(request).replace(': "text', ': "canary')


async def test_what_a_chair_may_not_know_is_not_found_nor_in_forks_until_it_may(
    tmp_path: Path,
) -> None:
    members = [{**one, "role": "member"} for one in (ME, BO, {"name": "Cy"})]
    async with serving(tmp_path, ScriptedModel(proposing)) as on:
        debate = await on.create(
            format="council",
            topic="Trams?",
            settings={"rounds": 1},
            participants=members,
            start=True,
        )
        await on.until(debate, "waiting")
        fork = await forked(on, debate, ada=MODEL)
        await on.command(fork, "resume")
        await on.until(fork, "completed")

        assert await found(on, "canary") == []
        assert await found(on, "trams canary") == []
        assert await found(on, "trams") == [fork, debate]
        assert await found(on, "trams", limit="1") == [fork]
        known = {"If-None-Match": (await on.client.get("/api/search?q=trams")).headers["ETag"]}
        assert "canary" not in (await on.client.get("/api/search?q=trams")).text

        assert (await on.command(debate, "cancel")).status_code == 200
        assert await found(on, "canary") == [fork, debate]
        again = await on.client.get("/api/search?q=trams", headers=known)
        assert again.status_code == 200


async def test_hidden_debates_leave_no_gap_in_a_page(tmp_path: Path) -> None:
    members = [{**one, "role": "member"} for one in (ME, BO, {"name": "Cy"})]
    async with serving(tmp_path, ScriptedModel(proposing)) as on:
        wanted = await on.create(topic="A canary?", participants=ROSTER)
        hidden = await on.create(
            format="council", settings={"rounds": 1}, participants=members, start=True
        )
        await on.until(hidden, "waiting")
        assert await found(on, "canary", limit="1") == [wanted]
