"""`/api/personas`, `/api/teams` and the shipped debates: the library over HTTP."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.unit.api.serving import serving

from moot.definitions import personas

ZED = {"name": "Zed", "role": "member", "title": "Sailor", "personality": "You are Zed.\nYou sail."}


async def test_one_is_added_read_replaced_and_removed(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        made = await on.client.post("/api/personas", json=ZED)
        assert made.status_code == 201, made.text
        assert made.json().items() >= {**ZED, "origin": "own", "replaces": None}.items()
        assert str(tmp_path) not in made.text
        where = made.headers["location"]
        assert where == "/api/personas/Zed"
        assert (await on.get(where)) == (await on.get("/api/personas/sailor")) == made.json()
        assert (await on.get("/api/personas"))["items"][0] == made.json()

        put = await on.client.put(where, json={**ZED, "title": "Captain", "color": "teal"})
        assert (put.status_code, put.json()["title"]) == (200, "Captain")
        assert (await on.get(where)) == put.json()

        assert (await on.client.delete(where)).status_code == 204
        assert (await on.client.get(where)).status_code == 404
        assert (await on.client.delete(where)).status_code == 404


async def test_a_second_of_that_name_is_a_conflict(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        await on.client.post("/api/personas", json=ZED)
        for name in ("Zed", "zed", "Z-e-d"):
            again = await on.client.post("/api/personas", json={"name": name})
            assert (again.status_code, again.json()["code"]) == (409, "refused")
            assert again.headers["content-type"] == "application/problem+json"
        assert (await on.get("/api/personas/zed"))["title"] == "Sailor"


async def test_of_many_at_once_one_is_first(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        sent = [on.client.post("/api/personas", json={**ZED, "title": f"T{n}"}) for n in range(8)]
        answers = await asyncio.gather(*sent)
        assert sorted(one.status_code for one in answers) == [201, *[409] * 7]
        (winner,) = (one for one in answers if one.status_code == 201)
        assert await on.get("/api/personas/Zed") == winner.json()


async def test_a_shipped_one_stays_behind_your_own(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        gone = await on.client.delete("/api/personas/Ada")
        assert (gone.status_code, gone.json()["code"]) == (409, "refused")
        shipped = await on.get("/api/personas/ada")
        own = await on.client.put("/api/personas/Ada", json={"name": "Ada", "role": "member"})
        assert (own.json()["origin"], own.json()["replaces"]) == ("own", "general")
        names = [one["name"] for one in (await on.get("/api/personas"))["items"]]
        assert names.count("Ada") == 1
        assert (await on.client.delete("/api/personas/Ada")).status_code == 204
        assert await on.get("/api/personas/ada") == shipped


async def test_a_name_may_need_to_be_quoted(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        for name in ("Zoë & Co / 2?", "100% Zed", "\u732b"):
            made = await on.client.post("/api/personas", json={"name": name})
            assert made.status_code == 201, made.text
            found = await on.get(made.headers["location"])
            assert found["name"] == name
            assert (await on.client.delete(made.headers["location"])).status_code == 204


REFUSED: tuple[tuple[Any, str | None], ...] = (
    ({}, "name"),
    ({"name": ""}, "name"),
    ({"name": "x" * 61}, "name"),
    ({"name": "System"}, "name"),
    ({"name": "\u0405adiq"}, "name"),
    ({"name": 6}, "name"),
    ({"name": "Zed", "role": "boss"}, "role"),
    ({"name": "Zed", "age": 6}, "age"),
    ({"name": "Zed", "color": "url(x)"}, "color"),
    ({"name": "Zed", "title": "a] [b"}, "title"),
    ({"name": "Zed", "title": "x" * 121}, "title"),
    ({"name": "Zed", "personality": "x" * 20_001}, "personality"),
    ({"name": "Zed", "personality": "a\u0000b"}, "personality"),
    ({"name": "Zed", "model": "two words"}, "model"),
    ({"name": "Zed", "position": None}, "position"),
    (["Zed"], None),
)


async def test_what_will_not_do_is_refused_with_its_field(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        for body, field in REFUSED:
            for answer in (
                await on.client.post("/api/personas", json=body),
                await on.client.put("/api/personas/Miriam%20Ashdown", json=body),
            ):
                problem = answer.json()
                assert (answer.status_code, problem["code"]) == (422, "invalid_input"), problem
                assert problem.get("field") == field, body
            assert personas.own(tmp_path / "personas") == (), body


async def test_nothing_outside_the_folder_can_be_reached(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("name: Secret\n")
    async with serving(tmp_path, worker=False) as on:
        for name in ("..%2Fsecret", "%2e%2e%2fsecret.yaml", "secret"):
            for method in ("GET", "DELETE"):
                answer = await on.client.request(method, f"/api/personas/{name}")
                assert answer.status_code == 404
    assert (tmp_path / "secret.yaml").exists()


async def test_a_server_without_a_folder_changes_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False, own_personas=None) as on:
        for method, path in (("POST", ""), ("PUT", "/Zed"), ("DELETE", "/Zed")):
            answer = await on.client.request(method, f"/api/personas{path}", json=ZED)
            assert (answer.status_code, answer.json()["code"]) == (409, "refused")


async def test_a_broken_file_of_the_user_is_told_without_its_path(tmp_path: Path) -> None:
    (tmp_path / "personas").mkdir()
    (tmp_path / "personas" / "mine.yaml").write_text("nme: Zed\n")
    async with serving(tmp_path, worker=False) as on:
        answer = await on.client.get("/api/personas")
        assert answer.status_code == 422
        assert str(tmp_path) not in answer.text


async def test_teams_name_personas_that_are_there(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        teams = (await on.get("/api/teams"))["items"]
        design = next(team for team in teams if team["name"] == "design")
        assert set(design) == {"name", "about", "members", "judge"}
        for name in (*design["members"], design["judge"]):
            assert (await on.get(f"/api/personas/{name}"))["name"] == name


async def test_a_shipped_debate_is_created_with_its_own_people(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        for row in (await on.get("/api/debate-files"))["items"]:
            made = await on.client.post("/api/debates", json={"file": row["name"]})
            assert made.status_code == 201, made.text
            assert made.json().items() >= {key: row[key] for key in ("topic", "format")}.items()
            assert all(one["personality"] for one in made.json()["participants"])
        body = {"file": "remote-work", "settings": {"turns": 2}}
        made = await on.client.post("/api/debates", json=body)
        assert made.json()["settings"]["turns"] == 2
        assert len(made.json()["draws"]) == 4


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"file": "../personas/judges"}, "file"),
        ({"file": ""}, "file"),
        ({"file": "remote-work", "topic": "T"}, "topic"),
        ({"file": "remote-work", "format": "duel"}, "format"),
        ({"file": "remote-work", "participants": []}, "participants"),
        ({"file": "remote-work", "settings": {"x": 1}}, "settings.x"),
        ({}, "topic"),
    ],
)
async def test_a_file_that_will_not_do_is_refused(tmp_path: Path, body: Any, field: str) -> None:
    async with serving(tmp_path, worker=False) as on:
        answer = await on.client.post("/api/debates", json=body)
        assert (answer.status_code, answer.json()["field"]) == (422, field)
        assert not (await on.get("/api/debates"))["items"]
