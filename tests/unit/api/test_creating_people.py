"""Who takes part when a debate is created over HTTP: personas and teams by name, a seed, models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
from tests.unit.api.serving import Serving, serving

TOPIC = {"topic": "Is it so?"}


async def _created(on: Serving, body: dict[str, Any]) -> Any:
    answer = await on.client.post("/api/debates", json=TOPIC | body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def _refused(on: Serving, body: dict[str, Any]) -> httpx.Response:
    """Whatever is refused when created is refused when foretold, and nothing is created."""
    made = await on.client.post("/api/debates", json=TOPIC | body)
    told = await on.client.post("/api/forecasts", json=TOPIC | body)
    assert made.json() == told.json()
    assert (await on.get("/api/debates"))["items"] == []
    return made


def _fields(answer: httpx.Response) -> list[str]:
    found = answer.json()
    return [one["field"] for one in found.get("errors", [found])]


async def test_personas_take_part_by_name_beside_others(tmp_path: Path) -> None:
    (tmp_path / "personas").mkdir()
    (tmp_path / "personas" / "ada.yaml").write_text("name: Ada\ntitle: Mine\nmodel: own:model\n")
    people = [
        {"persona": "mine", "stance": "con", "temperature": 0.5},
        {"name": "Zed", "role": "debater", "title": "Sailor"},
    ]
    async with serving(tmp_path, worker=False) as on:
        found = await _created(on, {"participants": people})
    ada, zed, *_ = found["participants"]
    chair = tuple(ada[key] for key in ("id", "title", "role", "stance"))
    assert chair == ("ada", "Mine", "debater", "con")
    assert (ada["model"], ada["sampling"]["temperature"]) == ("own:model", 0.5)
    assert (zed["id"], zed["stance"]) == ("zed", "pro")


async def test_what_is_given_beside_a_persona_replaces_its_own(tmp_path: Path) -> None:
    people = [
        {"persona": "Ada", "role": "member", "name": "Bea", "model": "own:other", "id": "b"},
        {"persona": "Ada"},
    ]
    async with serving(tmp_path, worker=False) as on:
        found = await _created(on, {"format": "council", "participants": people})
    bea, ada = (one for one in found["participants"] if one["role"] == "member")
    assert (bea["id"], bea["name"], bea["model"]) == ("b", "Bea", "own:other")
    assert bea["title"] == ada["title"] != ""


async def test_every_persona_that_nobody_knows_is_told(tmp_path: Path) -> None:
    people = [{"persona": "Nobody Such"}, {"persona": "Ada"}, {"persona": "Nor This"}]
    async with serving(tmp_path, worker=False) as on:
        answer = await _refused(on, {"participants": people})
    assert answer.status_code == 422
    assert _fields(answer) == ["participants.0.persona", "participants.2.persona"]


async def test_a_mistake_in_either_form_is_told_by_its_field(tmp_path: Path) -> None:
    people = [{"persona": "Ada", "stance": "maybe"}, {"name": "Zed", "role": "king"}]
    async with serving(tmp_path, worker=False) as on:
        answer = await _refused(on, {"participants": people})
    assert _fields(answer) == ["participants.0.stance", "participants.1.role"]


async def test_a_team_takes_part_by_name(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        team = (await on.get("/api/teams"))["items"][0]
        found = await _created(on, {"format": "council", "team": team["name"]})
        members = [one["name"] for one in found["participants"] if one["role"] == "member"]
        assert members == team["members"]
        again = await on.client.post(
            "/api/debates",
            json=TOPIC | {"team": team["name"], "participants": [{"persona": "Ada"}]},
        )
    assert (again.status_code, _fields(again)) == (422, ["team"])


async def test_the_same_seed_draws_the_same_cast(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        first, second = [await _created(on, {"seed": 7}) for _ in range(2)]
        wrong = await on.client.post("/api/debates", json=TOPIC | {"seed": -1})
    assert first["seed"] == second["seed"] == 7
    assert first["participants"] == second["participants"]
    assert (wrong.status_code, _fields(wrong)) == (422, ["seed"])


async def test_models_are_chosen_for_everybody_and_for_judges(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        found = await _created(on, {"model": "a:one", "judge_model": "b:two"})
    by_role = {one["role"]: one["model"] for one in found["participants"]}
    assert by_role == {"debater": "a:one", "judge": "b:two"}
