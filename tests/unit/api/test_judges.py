"""Exams for judges over HTTP: what they take, told before; asked for once; told with the judges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.unit.api.serving import serving
from tests.unit.api.test_hearings import votes

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
