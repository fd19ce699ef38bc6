"""`/api/panels`: panels over HTTP, those made from debates, and questions for them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.unit.api.serving import Serving, serving

from moot.api import ApiLimits
from moot.definitions import panels

MINE = {
    "name": "my-board",
    "about": "Two people who know our shop.",
    "format": "council",
    "participants": [
        {"persona": "ada", "role": "member"},
        {
            "name": "Zed",
            "role": "member",
            "personality": "You are Zed.\nYou sail.",
            "model": "human",
        },
        {"name": "Jo", "role": "judge", "temperature": 0.5},
    ],
    "settings": {"rounds": 1},
    "limits": {"max_cost_usd": 0.5},
    "grace_seconds": 0,
}
DUEL = {"turns": 1}


def own(path: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in (path / "panels").glob("*.yaml")}


async def ask(on: Serving, name: str = "duel", **body: Any) -> Any:
    given = {"question": "Tea?", "settings": DUEL, "start": True} | body
    made = await on.client.post(f"/api/panels/{name}/questions", json=given)
    assert made.status_code == 201, made.text
    return made.json()


async def test_one_is_added_read_replaced_and_removed(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        made = await on.client.post("/api/panels", json=MINE)
        assert made.status_code == 201, made.text
        found = made.json()
        expected = {**MINE, "is_own": True, "replaces": False, "team": None, "thinking": "steps"}
        assert {key: found[key] for key in expected} == expected
        assert [seat["name"] for seat in found["cast"]] == ["Ada", "Zed", "Jo"]
        assert str(tmp_path) not in made.text
        where = made.headers["location"]
        assert where == "/api/panels/my-board"
        assert (await on.get(where)) == (await on.get("/api/panels/My_Board")) == found
        assert (await on.get("/api/panels"))["items"][0] == found
        assert list(own(tmp_path)) == ["my-board.yaml"]

        put = await on.client.put(where, json={**MINE, "limits": {}, "about": "Three."})
        assert (put.status_code, put.json()["limits"]) == (200, {})
        assert (await on.get(where)) == put.json()

        assert (await on.client.delete(where)).status_code == 204
        assert (await on.client.get(where)).status_code == 404
        gone = await on.client.delete(where)
        assert gone.status_code == 404
        assert "you have none of your own" in gone.json()["detail"]
        await on.client.post("/api/panels", json={**MINE, "name": "mine"})
        gone = await on.client.delete("/api/panels/nope")
        assert "'nope'; your own are: mine" in gone.json()["detail"]
        wrong = await on.client.post("/api/panels", json={**MINE, "name": "Two Words"})
        assert "1 to 40 small letters, digits, hyphens and underscores" in wrong.text


async def test_what_is_read_can_be_sent_back(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        for one in (await on.get("/api/panels"))["items"]:
            sent = {key: one[key] for key in one if key not in ("cast", "is_own", "replaces")}
            put = await on.client.put(f"/api/panels/{one['name']}", json=sent)
            assert put.status_code == 200, put.text
            assert put.json() == {**one, "is_own": True, "replaces": True}


async def test_of_many_at_once_one_is_first(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        sent = [on.client.post("/api/panels", json={**MINE, "about": f"T{n}"}) for n in range(8)]
        answers = await asyncio.gather(*sent)
        assert sorted(one.status_code for one in answers) == [201, *[409] * 7]
        (winner,) = (one for one in answers if one.status_code == 201)
        assert await on.get("/api/panels/my-board") == winner.json()


async def test_a_shipped_one_stays_behind_your_own(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        gone = await on.client.delete("/api/panels/council")
        assert (gone.status_code, gone.json()["code"]) == (409, "refused")
        shipped = await on.get("/api/panels/council")
        mine = {"name": "council", "about": "Mine.", "team": "design"}
        put = await on.client.put("/api/panels/council", json=mine)
        assert put.json().items() >= {"is_own": True, "replaces": True, "format": "council"}.items()
        names = [one["name"] for one in (await on.get("/api/panels"))["items"]]
        assert names.count("council") == 1
        assert (await on.client.delete("/api/panels/council")).status_code == 204
        assert await on.get("/api/panels/council") == shipped


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": None}, "name"),
        ({"name": "Two Words"}, "name"),
        ({"name": "../x"}, "name"),
        ({"about": ""}, "about"),
        ({"about": "a\u0000b"}, "about"),
        ({"format": "room"}, "format"),
        ({"format": "counsel"}, "format"),
        ({"format": 6}, "format"),
        ({"team": "design"}, "team"),
        ({"topic": "T"}, "topic"),
        ({"abuot": "T"}, "abuot"),
        ({"attach": ["/etc/passwd"]}, "attach"),
        ({"context_directory": "/"}, "context_directory"),
        ({"settings": {"rounds": 99}}, "settings.rounds"),
        ({"settings": {"round": 1}}, "settings.round"),
        ({"limits": {"max_cost_usd": -1}}, "limits.max_cost_usd"),
        ({"settings": {"max_cost_usd": 1}}, "settings.max_cost_usd"),
        ({"participants": ["nobody at all", "ada"]}, "participants.0"),
        ({"participants": [{"name": "<b>", "role": "member"}]}, "participants.0.name"),
        ({"participants": [{"name": "A", "role": "member"}]}, "participants"),
        ({"participants": [{"name": "A", "role": "member", "id": "a"}]}, "participants.0.id"),
        ({"thinking": "loud"}, "thinking"),
        ({"grace_seconds": 1.5}, "grace_seconds"),
        ({"from": "abc"}, "limits"),
    ],
)
async def test_what_will_not_do_is_refused_with_its_field(
    tmp_path: Path, changes: dict[str, Any], field: str
) -> None:
    async with serving(tmp_path, worker=False) as on:
        for method, path in (("POST", "/api/panels"), ("PUT", "/api/panels/council")):
            answer = await on.client.request(method, path, json={**MINE, **changes})
            problem = answer.json()
            assert (answer.status_code, problem["code"]) == (422, "invalid_input"), problem
            assert answer.headers["content-type"] == "application/problem+json"
            assert field in [
                problem.get("field"),
                *(e.get("field") for e in problem.get("errors", ())),
            ]
        assert own(tmp_path) == {}


async def test_files_that_only_the_file_may_name_stay_in_it_untold(tmp_path: Path) -> None:
    (tmp_path / "panels").mkdir()
    file = tmp_path / "panels" / "mine.yaml"
    file.write_text("# mine\nname: mine\nabout: A.  # why\nformat: council\nattach: [plan.md]\n")
    async with serving(tmp_path, worker=False) as on:
        assert "plan.md" not in (await on.client.get("/api/panels/mine")).text
        body = {"name": "mine", "about": "A.", "format": "duel"}
        assert (await on.client.put("/api/panels/mine", json=body)).status_code == 200
    assert file.read_text() == (
        "# mine\nname: mine\nabout: A.  # why\nformat: duel\nattach: [plan.md]\n"
    )


async def test_a_broken_file_is_told_beside_the_others_and_can_be_removed(tmp_path: Path) -> None:
    (tmp_path / "panels").mkdir()
    (tmp_path / "panels" / "mine.yaml").write_text("name: mine\nabot: x\n")
    async with serving(tmp_path, worker=False) as on:
        page = await on.get("/api/panels")
        (bad,) = page["broken"]
        assert bad["file"] == "mine.yaml"
        assert "line 2: abot: " in bad["detail"]
        assert str(tmp_path) not in str(page)
        assert "duel" in [one["name"] for one in page["items"]]
        asked = await on.client.post("/api/panels/mine/questions", json={"question": "Tea?"})
        for answer in (await on.client.get("/api/panels/mine"), asked):
            assert answer.status_code == 422
            assert "did you mean `about`" in answer.text
            assert str(tmp_path) not in answer.text
        await ask(on)
        assert (await on.client.delete("/api/panels/mine")).status_code == 204
        assert (await on.get("/api/panels"))["broken"] == []


async def test_a_server_without_a_folder_changes_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False, own_panels=None) as on:
        for method, path in (("POST", ""), ("PUT", "/council"), ("DELETE", "/council")):
            answer = await on.client.request(method, f"/api/panels{path}", json=MINE)
            assert (answer.status_code, answer.json()["code"]) == (409, "refused")


# --- from a debate ---


async def test_a_debate_becomes_a_panel_without_what_belonged_to_its_question(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, worker=False) as on:
        debate = await on.create(
            topic="Should the Zanzibar office close?",
            format="duel",
            settings={
                "turns": 2,
                "premise": "Zanzibar closes.",
                "max_cost_usd": 1.5,
                "temperature": 0.3,
            },
            me={"name": "Marisol", "as": "con"},
            attachments=[{"name": "plan.md", "content": "secret plan"}],
        )
        body = {"name": "shop-duel", "about": "As we did.", "from": debate}
        made = await on.client.post("/api/panels", json=body)
        assert made.status_code == 201, made.text
        found = made.json()
        assert found["settings"] == {"turns": 2, "temperature": 0.3}
        assert found["limits"] == {"max_cost_usd": 1.5}
        people = found["participants"]
        (me,) = (one for one in people if one.get("stance") == "con")
        assert (me["name"], me["model"], me["role"]) == ("Marisol", "human", "debater")
        assert {one["model"] for one in people} == {"human", "scripted:debater", "scripted:judge"}
        text = own(tmp_path)["shop-duel.yaml"]
        assert not any(word in text for word in ("Zanzibar", "plan.md", "secret plan"))

        again = await ask(on, "shop-duel", question="Should the Oslo office close?", settings={})
        before = await on.debate(debate)
        kept = ("name", "role", "stance", "model", "personality", "sampling")
        assert [{k: one[k] for k in kept} for one in again["participants"]] == [
            {k: one[k] for k in kept} for one in before["participants"]
        ]
        dropped = {"premise"}
        assert {k: v for k, v in again["settings"].items() if k not in dropped} == {
            k: v for k, v in before["settings"].items() if k not in dropped
        }
        assert again["attachments"] == []


async def test_a_room_and_a_debate_that_is_not_there_become_no_panel(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        room = await on.create(format="room")
        for debate, field in ((room, "format"), ("nowhere", "from")):
            body = {"name": "mine", "about": "A.", "from": debate}
            answer = await on.client.post("/api/panels", json=body)
            assert (answer.status_code, answer.json()["field"]) == (422, field), answer.text
        assert own(tmp_path) == {}


# --- questions ---


async def test_a_question_becomes_a_debate_once_per_key(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        sent = {"question": "Tea?", "settings": DUEL, "start": True}
        key = {"Idempotency-Key": "k"}
        path = "/api/panels/duel/questions"
        answers = [await on.client.post(path, json=sent, headers=key) for _ in range(3)]
        assert [one.status_code for one in answers] == [201, 200, 200]
        (debate,) = {one.json()["id"] for one in answers}
        assert answers[0].headers["location"] == f"/api/debates/{debate}"
        found = await on.until(debate, "completed")
        assert (found["topic"], found["format"], found["settings"]["turns"]) == ("Tea?", "duel", 1)
        assert (found["origin"]["door"], found["origin"]["panel"]) == ("", "duel")
        assert [one["origin"] for one in (await on.get("/api/debates?door="))["items"]] == [""]
        other = await on.client.post(path, json={**sent, "question": "No?"}, headers=key)
        assert (other.status_code, other.json()["field"]) == (422, "Idempotency-Key")
        elsewhere = "/api/panels/council/questions"
        other = await on.client.post(elsewhere, json={**sent, "settings": {}}, headers=key)
        assert (other.status_code, other.json()["field"]) == (422, "Idempotency-Key")


async def test_it_does_not_start_unless_asked_to(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        made = await ask(on, start=False, model="scripted:x", judge_model="scripted:y")
        assert made["status"] == "created"
        models = {one["role"]: one["model"] for one in made["participants"]}
        assert models == {"debater": "scripted:x", "judge": "scripted:y"}


async def test_a_long_question_and_files_are_for_all_to_read(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        made = await ask(
            on, question="Why? " * 1000, attachments=[{"name": "a.md", "content": "A"}]
        )
        assert [one["name"] for one in made["attachments"]] == ["question.md", "a.md"]
        assert len(made["topic"]) <= 2000


async def test_a_follow_up_is_told_the_earlier_question_and_answer(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        first = (await ask(on, question="Tea or coffee?"))["id"]
        await on.until(first, "completed")
        made = await ask(on, question="And for children?", after=first)
        assert made["follows"] == first
        assert [one["name"] for one in made["attachments"]] == ["earlier.md"]
        (text,) = (await on.service.files(made["id"])).values()
        assert "Tea or coffee?" in text
        answer = (await on.client.get(f"/api/debates/{first}/export?as=answer")).text
        assert answer.strip() in text


async def test_what_has_no_answer_cannot_be_followed(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        first = (await ask(on, start=False))["id"]
        sent = {"question": "And?", "after": first}
        path = "/api/panels/duel/questions"
        early = await on.client.post(path, json=sent)
        assert (early.status_code, early.json()["code"]) == (409, "refused")
        assert "(created); ask again when it is over" in early.json()["detail"]
        for unknown in ("nowhere", "../x", ""):
            none = await on.client.post(path, json={**sent, "after": unknown})
            assert (none.status_code, none.json()["field"]) == (422, "after")
        await on.command(first, "cancel")
        never = await on.client.post(path, json=sent)
        assert never.status_code == 409
        assert "nothing can follow it" in never.json()["detail"]
        assert len((await on.get("/api/debates"))["items"]) == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "question"),
        ({"question": " \n"}, "question"),
        ({"question": "\x1b[31m\x1b[0m\0"}, "question"),
        ({"question": "\u4e00" * 100_000}, "question"),
        ({"question": "x" * 200_001}, "question"),
        ({"question": "T", "topic": "T"}, "topic"),
        ({"question": "T", "settings": {"x": 1}}, "settings.x"),
        ({"question": "T", "settings": {"turns": 0}}, "settings.turns"),
        ({"question": "T", "model": ""}, "model"),
        ({"question": "T", "seed": -1}, "seed"),
    ],
)
async def test_a_question_that_will_not_do_is_refused(
    tmp_path: Path, body: dict[str, Any], field: str
) -> None:
    async with serving(tmp_path, worker=False) as on:
        answer = await on.client.post("/api/panels/duel/questions", json=body)
        assert (answer.status_code, answer.json()["field"]) == (422, field), answer.text
        unknown = await on.client.post("/api/panels/duell/questions", json={"question": "T"})
        assert (unknown.status_code, unknown.json()["code"]) == (404, "not_found")
        assert not (await on.get("/api/debates"))["items"]


async def test_questions_are_counted_with_new_debates(tmp_path: Path) -> None:
    limits = ApiLimits(creations_per_minute=2)
    async with serving(tmp_path, worker=False, limits=limits) as on:
        await on.create()
        await ask(on)
        for path, body in (
            ("/api/panels/duel/questions", {"question": "T"}),
            ("/api/debates", {"topic": "T"}),
        ):
            answer = await on.client.post(path, json=body)
            assert (answer.status_code, answer.json()["code"]) == (429, "too_many_debates")


async def test_debates_are_listed_by_door(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        plain = await on.create()
        sample = (await on.client.post("/api/samples/a-dog")).json()["id"]

        async def listed(door: str) -> list[str]:
            return [one["id"] for one in (await on.get(f"/api/debates?door={door}"))["items"]]

        assert await listed("import") == [sample]
        assert await listed("") == [plain]
        assert await listed("v1") == []


def test_every_shipped_panel_is_found_by_its_name() -> None:
    names = [one.name for one in panels.all_shipped()]
    assert set(names) >= {"council", "council-deep", "duel", "red-team"}
    for name in names:
        assert panels.find(name.replace("-", " ").title()).name == name


async def test_a_panel_that_nobody_answers_for_is_refused_before_anything_is_made(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, worker=False) as on:
        mine = {"name": "pair", "about": "A.", "debaters": ["ada", "simone"]}
        assert (await on.client.post("/api/panels", json=mine)).status_code == 201
        answer = await on.client.post("/api/panels/pair/questions", json={"question": "Tea?"})
        assert (answer.status_code, answer.json()["field"]) == (422, "panel")
        assert "it needs a judge or a moderator" in answer.json()["detail"]
        assert not (await on.get("/api/debates"))["items"]
