"""Hearings over HTTP: asked for once, forecast before, and told with the debate they are about."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.unit.api.serving import Serving, serving

from moot.models.port import ChatRequest
from moot.testing.scripted import ScriptedModel, sensible

BENCH = ["test:one", "test:two", "test:three"]
DUEL: dict[str, Any] = {"format": "duel", "settings": {"turns": 2}}


def votes(request: ChatRequest) -> str:
    """As always, but ballots are for whoever spoke first."""
    said = request.messages[-1].content
    if '"margin"' not in said:
        return sensible(request)
    first = re.search(r"^\[(\w)\]: ", said, re.MULTILINE)
    assert first is not None
    return json.dumps({"reasons": "It was never met.", "winner": first[1], "margin": 1})


async def over(server: Serving, **body: Any) -> str:
    debate = await server.create(start=True, **(DUEL | body))
    await server.until(debate, "completed")
    return debate


async def test_a_bench_is_asked_and_the_debate_has_its_certificate(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(votes)) as server:
        debate = await over(server)
        path = f"/api/debates/{debate}"
        before = await server.client.get(path)
        assert before.json()["can_be_heard"]
        assert (before.json()["certificate"], before.json()["hearings"]) == (None, [])
        seq = before.json()["seq"]

        made = await server.client.post(f"{path}/hearings", json={"bench": BENCH})
        assert made.status_code == 201, made.text
        hearing = made.json()["id"]
        assert made.json()["hears"] == {"debate": debate, "at": seq}
        heard = await server.until(hearing, "completed")
        assert heard["outcome"]["type"] == "certificate"
        assert heard["outcome"]["status"] == "stable"
        assert heard["hearing"]["certificate"] == heard["outcome"]
        assert not heard["can_be_heard"]

        tag = before.headers["etag"]
        after = await server.client.get(path, headers={"If-None-Match": tag})
        assert after.status_code == 200, "a hearing is news, though the log has not grown"
        found = after.json()
        assert found["seq"] == seq
        assert [one["id"] for one in found["hearings"]] == [hearing]
        told = found["certificate"]
        assert told["hearing"] == hearing
        assert told["headline"].startswith("Stable: ")
        assert [row[0] for row in told["table"]] == ["", "one", "two", "three"]
        assert told["right"].startswith("unknown")
        same = await server.client.get(path, headers={"If-None-Match": after.headers["etag"]})
        assert same.status_code == 304


async def test_an_unfinished_hearing_takes_no_place(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(votes)) as server:
        debate = await over(server)
        path = f"/api/debates/{debate}/hearings"
        first = (await server.client.post(path, json={"bench": BENCH})).json()["id"]
        await server.until(first, "completed")
        later = await server.client.post(path, json={"bench": BENCH[:2], "start": False})
        found = await server.debate(debate)
        assert [one["id"] for one in found["hearings"]] == [later.json()["id"], first]
        assert found["certificate"]["hearing"] == first


async def test_the_same_key_asks_once(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(votes)) as server:
        path = f"/api/debates/{await over(server)}/hearings"
        keyed = {"Idempotency-Key": "once"}
        made = [
            await server.client.post(path, json={"bench": BENCH}, headers=keyed) for _ in range(2)
        ]
        assert [one.status_code for one in made] == [201, 200]
        assert made[0].json()["id"] == made[1].json()["id"]


async def test_what_it_takes_is_told_before(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        path = f"/api/debates/{await over(server)}/hearings/forecasts"
        found = (await server.client.post(path, json={"bench": BENCH})).json()
        assert (found["calls"], found["models"]) == (18, BENCH)
        alone = (await server.client.post(path, json={"bench": BENCH[:1]})).json()
        assert any("can certify nothing" in one for one in alone["warnings"])
        assert len((await server.get("/api/debates"))["items"]) == 1


@pytest.mark.parametrize(
    ("body", "status", "wrong"),
    [
        ({"bench": ["test:one", "test:one"]}, 422, "on the bench twice"),
        ({"bench": ["nobody at all"]}, 422, "a judge is a model"),
        ({"bench": ["scripted:debater", "test:two"]}, 422, "nobody judges their own case"),
        ({"bench": []}, 422, "name the judges"),
        ({"bench": [f"test:{n}" for n in range(10)]}, 422, "more than 9"),
        ({"bench": BENCH, "repeats": 6}, 422, "repeats"),
        ({"bench": BENCH, "settings": {"turns": 3}}, 422, "turns"),
    ],
)
async def test_a_bench_that_cannot_be_asked_is_refused(
    tmp_path: Path, body: dict[str, Any], status: int, wrong: str
) -> None:
    async with serving(tmp_path) as server:
        debate = await over(server)
        answer = await server.client.post(f"/api/debates/{debate}/hearings", json=body)
        assert answer.status_code == status, answer.text
        assert wrong in answer.text
        assert (await server.debate(debate))["hearings"] == []


async def test_only_what_is_over_and_has_sides_can_be_judged(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        asked: dict[str, Any] = {"json": {"bench": BENCH}}
        begun = await server.create(**DUEL)
        early = await server.client.post(f"/api/debates/{begun}/hearings", **asked)
        assert (early.status_code, early.json()["code"]) == (409, "refused")
        assert "is not over" in early.text
        poll = await over(server, format="poll", settings={})
        none = await server.client.post(f"/api/debates/{poll}/hearings", **asked)
        assert none.status_code == 409
        assert "there is nothing to judge" in none.text
        assert not (await server.debate(poll))["can_be_heard"]


async def test_a_hearing_is_not_made_forked_or_held_again_by_hand(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(votes)) as server:
        by_hand = {"topic": "Is it so?", "format": "hearing"}
        made = await server.client.post("/api/debates", json=by_hand)
        assert (made.status_code, "moot judge" in made.text) == (422, True)
        debate = await over(server)
        hearing = await server.client.post(f"/api/debates/{debate}/hearings", json={"bench": BENCH})
        found = hearing.json()["id"]
        await server.until(found, "completed")
        for what in ("forks", "rematches", "hearings"):
            answer = await server.client.post(f"/api/debates/{found}/{what}", json={})
            assert answer.status_code == 409, (what, answer.text)
        assert len((await server.get("/api/debates"))["items"]) == 2
        assert "hearing" not in [one["id"] for one in (await server.get("/api/formats"))["items"]]


async def test_judges_are_told_with_what_is_not_enough(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(votes)) as server:
        assert (await server.get("/api/judges"))["items"] == []
        debate = await over(server)
        path = f"/api/debates/{debate}/hearings"
        hearing = (await server.client.post(path, json={"bench": BENCH})).json()["id"]
        await server.until(hearing, "completed")
        found = (await server.get("/api/judges"))["items"]
        assert [one["judge"] for one in found] == sorted(BENCH)
        assert [(one["debates"], one["calls"]) for one in found] == [(1, 2)] * 3
        flips = found[0]["figures"][0]
        assert flips["figure"] == {"type": "not_enough", "n": 1, "needed": 20}
        assert flips["told"] == "not enough: 1 of 20 debates"
