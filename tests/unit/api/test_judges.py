"""`/api/judges` and labels over HTTP: what is known of judges, and what people say about who really
made the better case.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.unit.api.serving import serving
from tests.unit.api.test_hearings import BENCH, DUEL, over, votes

from moot.testing.scripted import ScriptedModel

EXAMS = "/api/judges/exams"
CALLS = 80


async def test_what_an_exam_takes_is_told_before(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        body = {"model": "test:one", "max_cost_usd": 0.5}
        found = await server.client.post(f"{EXAMS}/forecasts", json=body)
        assert found.status_code == 200, found.text
        assert (found.json()["calls"], found.json()["models"]) == (CALLS, ["test:one"])
        assert found.json()["staged"]["settings"]["max_cost_usd"] == 0.5
        assert (await server.get("/api/debates"))["items"] == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"model": "nothing"}, "model"),
        ({"model": "human"}, "model"),
        ({"model": ""}, "model"),
        ({"model": "test:one", "max_cost_usd": -1}, "max_cost_usd"),
        ({"model": "test:one", "max_cost_usd": "much"}, "max_cost_usd"),
        ({}, "model"),
    ],
)
async def test_an_exam_that_cannot_be_held_is_refused_and_not_made(
    tmp_path: Path, body: dict[str, Any], field: str
) -> None:
    async with serving(tmp_path) as server:
        for path in (EXAMS, f"{EXAMS}/forecasts"):
            answer = await server.client.post(path, json=body)
            assert answer.status_code == 422, answer.text
            assert answer.json()["field"] == field
        assert (await server.get("/api/debates"))["items"] == []


async def test_the_newest_exam_is_told_with_the_judges(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(votes)) as server:
        keyed: dict[str, Any] = {"headers": {"Idempotency-Key": "once"}}
        made = [
            await server.client.post(EXAMS, json={"model": "test:one"}, **keyed) for _ in range(2)
        ]
        assert [one.status_code for one in made] == [201, 200]
        exam = made[0].json()["id"]
        assert made[1].json()["id"] == exam
        await server.until(exam, "completed")
        found = await server.get("/api/judges")
        assert found["items"] == []
        (told,) = found["exams"]
        assert (told["id"], told["model"], told["pairs"]) == (exam, "test:one", CALLS / 2)
        assert [one["name"] for one in told["figures"]] == ["leaning", "length", "competence"]
        assert all(one["about"] and one["told"].endswith(" pairs") for one in told["figures"])


async def test_a_label_is_kept_beside_the_debate_and_replaced(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        debate = await over(server)
        before = await server.client.get(f"/api/debates/{debate}")
        path = f"/api/debates/{debate}/label"
        given = await server.client.put(path, json={"winner": "PRO", "note": "Clear."})
        assert given.status_code == 200, given.text
        pro = next(one["id"] for one in before.json()["participants"] if one["stance"] == "pro")
        assert (given.json()["winner"], given.json()["by"]) == (pro, "user")
        await server.client.put(path, json={"winner": "tie"})
        await server.client.put(path, json={"winner": pro, "by": "Marisol"})
        headers = {"If-None-Match": before.headers["etag"]}
        after = (await server.client.get(f"/api/debates/{debate}", headers=headers)).json()
        assert [(one["by"], one["winner"]) for one in after["labels"]] == [
            ("Marisol", pro),
            ("user", "tie"),
        ]
        assert after["seq"] == before.json()["seq"]
        gone = await server.client.delete(path)
        assert gone.status_code == 204
        assert (await server.client.delete(path)).status_code == 404
        assert [one["by"] for one in (await server.debate(debate))["labels"]] == ["Marisol"]


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({"winner": "nobody"}, "or tie"),
        ({"winner": ""}, "or tie"),
        ({"winner": "pro", "by": " "}, "must not be blank"),
        ({"winner": "pro", "by": "x" * 101}, "by"),
        ({"winner": "pro", "note": "x" * 2001}, "note"),
        ({}, "winner"),
    ],
)
async def test_a_wrong_label_is_refused_and_nothing_is_kept(
    tmp_path: Path, body: dict[str, Any], wrong: str
) -> None:
    async with serving(tmp_path) as server:
        debate = await over(server)
        answer = await server.client.put(f"/api/debates/{debate}/label", json=body)
        assert answer.status_code == 422
        assert wrong in answer.text
        assert (await server.debate(debate))["labels"] == []


async def test_only_what_is_over_and_has_sides_is_labelled(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(votes)) as server:
        begun = await server.create(**DUEL)
        poll = await over(server, format="poll", settings={})
        debate = await over(server)
        asked: dict[str, Any] = {"json": {"bench": BENCH}}
        heard = await server.client.post(f"/api/debates/{debate}/hearings", **asked)
        await server.until(heard.json()["id"], "completed")
        for one in (begun, poll, heard.json()["id"]):
            answer = await server.client.put(f"/api/debates/{one}/label", json={"winner": "tie"})
            assert answer.status_code == 409, answer.text


async def test_a_certificate_says_how_many_of_its_debates_are_labelled(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(votes)) as server:
        debate = await over(server)
        asked: dict[str, Any] = {"json": {"bench": BENCH}}
        heard = await server.client.post(f"/api/debates/{debate}/hearings", **asked)
        await server.until(heard.json()["id"], "completed")
        assert "none of the debates" in (await server.debate(debate))["certificate"]["right"]
        await server.client.put(f"/api/debates/{debate}/label", json={"winner": "pro"})
        right = (await server.debate(debate))["certificate"]["right"]
        assert right == "unknown, 1 of 20 labelled"
        # Those who disagree about a debate say nothing about a bench.
        other = {"winner": "con", "by": "Marisol"}
        await server.client.put(f"/api/debates/{debate}/label", json=other)
        assert "none of the debates" in (await server.debate(debate))["certificate"]["right"]


async def test_labels_come_with_those_who_can_be_named(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        debate = await over(server)
        path = f"/api/debates/{debate}/labels"
        found = await server.get(path)
        assert found["items"] == []
        assert [one["stance"] for one in found["sides"]] == ["pro", "con"]
        for side in found["sides"]:
            given = {"winner": side["id"], "note": "Clear."}
            label = await server.client.put(f"/api/debates/{debate}/label", json=given)
            assert (await server.get(path))["items"] == [label.json()]
        people = {one["id"]: one["name"] for one in (await server.debate(debate))["participants"]}
        assert all(people[one["id"]] == one["name"] for one in found["sides"])


async def test_where_a_label_would_be_refused_nobody_can_be_named(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        poll = await over(server, format="poll", settings={})
        for one in (await server.create(**DUEL), poll):
            assert await server.get(f"/api/debates/{one}/labels") == {"items": [], "sides": []}
        assert (await server.client.get("/api/debates/absent/labels")).status_code == 404
