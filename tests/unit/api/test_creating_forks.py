"""Forks and changes to turns through HTTP."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
from tests.unit.api.serving import Serving, serving

from moot.api import ApiLimits


async def fork(on: Serving, debate: str, body: Any = None, **headers: str) -> httpx.Response:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return await on.client.post(f"/api/debates/{debate}/forks", json=body or {}, headers=given)


async def include(on: Serving, debate: str, turn: object, body: Any, query: str = "") -> Any:
    return await on.client.patch(f"/api/debates/{debate}/turns/{turn}{query}", json=body)


async def turns_of(on: Serving, debate: str) -> Any:
    return (await on.get(f"/api/debates/{debate}/turns?private=1"))["items"]


async def completed(on: Serving, **body: Any) -> str:
    debate = await on.create(start=True, **body)
    await on.until(debate, "completed")
    return debate


async def count(on: Serving) -> int:
    return len((await on.get("/api/debates"))["items"])


# --- forks ---


async def test_a_fork_shares_the_log_and_goes_on_by_itself(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        source = await completed(on)
        before = await on.debate(source)
        first = (await turns_of(on, source))[0]
        made = await fork(
            on, source, {"at": first["id"], "changes": {"settings": {"max_rounds": 2}}}
        )
        assert made.status_code == 201
        found = made.json()
        assert made.headers["Location"] == f"/api/debates/{found['id']}"
        assert found["forked_from"] == {"debate": source, "at": first["id"]}
        assert (found["status"], found["turns"]) == ("stopped", 1)
        assert found["cursor"]["next_actor"] == "debater_b"
        assert found["settings"]["max_rounds"] == 2
        assert found["usage"]["output_tokens"] == 0
        (shared,) = await turns_of(on, found["id"])
        assert (shared["step_key"], shared["content"]) == (first["step_key"], first["content"])
        assert shared["meta"]["prompt"] == first["meta"]["prompt"]
        assert shared["meta"]["flags"] == ["inherited"]
        assert (await on.command(found["id"], "resume")).status_code == 200
        assert (await on.until(found["id"], "completed"))["statements"] == 4
        assert await on.debate(source) == before
        assert before["forked_from"] is None


async def test_a_fork_needs_no_body(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        source = await on.create()
        made = await on.client.post(f"/api/debates/{source}/forks")
        assert (made.status_code, made.json()["status"]) == (201, "created")
        assert made.json()["forked_from"] == {"debate": source, "at": 1}


async def test_models_change_by_participant(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        source = await completed(on)
        made = await fork(on, source, {"changes": {"models": {"judge": "scripted:other"}}})
        models = {one["id"]: one["model"] for one in made.json()["participants"]}
        assert models == {
            "debater_a": "scripted:debater",
            "debater_b": "scripted:debater",
            "judge": "scripted:other",
        }


REFUSED: tuple[tuple[Any, str], ...] = (
    ({"at": 0}, "at"),
    ({"at": 999}, "at"),
    ({"at": "1"}, "at"),
    ({"at": True}, "at"),
    ({"since": 1}, "since"),
    ({"changes": {"format": "duel"}}, "changes"),
    ({"changes": {"topic": "Another?"}}, "changes"),
    ({"changes": {"participants": []}}, "changes"),
    ({"changes": {"settings": {"max_rounds": 0}}}, "changes.settings.max_rounds"),
    ({"changes": {"settings": {"max_rounds": 2}}}, "changes.settings"),
    ({"changes": {"settings": {"stance_a": "con"}}}, "changes.settings.stance_a"),
    ({"changes": {"models": {"nobody": "scripted:other"}}}, "changes.models.nobody"),
    ({"changes": {"models": {"judge": ""}}}, "changes.models.judge"),
)


async def test_a_refused_fork_changes_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        source = await completed(on)
        before = await on.debate(source)
        for body, field in REFUSED:
            refused = await fork(on, source, body)
            assert refused.status_code == 422, body
            assert (refused.json()["code"], refused.json()["field"]) == ("invalid_input", field)
            assert await count(on) == 1, body
            assert await on.debate(source) == before, body


async def test_a_role_or_a_name_is_as_good_as_an_id(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        source = await on.create()
        for who in ("judge", "Judge", "debater"):
            made = await fork(on, source, {"changes": {"models": {who: "scripted:other"}}})
            assert made.status_code == 201, made.text
            found = (await on.debate(made.json()["id"]))["participants"]
            changed = [one["role"] for one in found if one["model"] == "scripted:other"]
            assert changed == [who.lower()]


async def test_what_cannot_change_is_said(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        source = await on.create()
        refused = await fork(on, source, {"changes": {"format": "duel"}})
        assert refused.json()["detail"].startswith("a fork can change only settings and models")


async def test_there_is_no_fork_of_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        assert (await fork(on, "nope")).status_code == 404
        assert (await fork(on, "NOPE")).status_code == 404


async def test_a_key_makes_one_fork(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        source = await completed(on)
        other = await on.create()
        key = {"Idempotency_Key": "once"}
        answers = await asyncio.gather(*(fork(on, source, {"at": 3}, **key) for _ in range(5)))
        assert sorted(one.status_code for one in answers) == [200] * 4 + [201]
        assert len({one.json()["id"] for one in answers}) == 1
        assert await count(on) == 3
        for debate, body in ((source, {"at": 4}), (other, {"at": 3}), (other, {})):
            refused = await fork(on, debate, body, **key)
            assert (refused.status_code, refused.json()["field"]) == (422, "Idempotency-Key")
        refused = await on.client.post(
            "/api/debates", json={"topic": "Is it so?"}, headers={"Idempotency-Key": "once"}
        )
        assert refused.status_code == 422
        assert await count(on) == 3


async def test_forks_count_with_all_that_is_created(tmp_path: Path) -> None:
    limits = ApiLimits(creations_per_minute=3)
    async with serving(tmp_path, worker=False, limits=limits) as on:
        source = await on.create()
        answers = [await fork(on, source) for _ in range(3)]
        assert [one.status_code for one in answers] == [201, 201, 429]
        assert answers[-1].json()["code"] == "too_many_debates"


async def test_private_turns_of_a_fork_are_private(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        source = await completed(on, format="duel", settings={"turns": 1})
        made = (await fork(on, source)).json()["id"]
        public = (await on.get(f"/api/debates/{made}/turns"))["items"]
        assert {one["visibility"] for one in public} == {"public"}
        assert len(public) < len(await turns_of(on, made))


# --- turns ---


async def test_a_turn_is_excluded_and_included_again(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = (await fork(on, await completed(on), {"at": 5})).json()["id"]
        turn, other = await turns_of(on, debate)
        seq = (await on.debate(debate))["seq"]
        for _ in range(2):
            changed = await include(on, debate, turn["id"], {"included": False})
            assert changed.status_code == 200
            expected = turn | {"included": False}
            expected["meta"] = {
                k: v for k, v in turn["meta"].items() if k not in ("prompt", "reasoning")
            }
            assert changed.json() == expected
            assert (await on.debate(debate))["seq"] == seq + 1
        assert [one["included"] for one in await turns_of(on, debate)] == [False, True]
        changed = await include(on, debate, turn["id"], {"included": True}, "?private=1")
        assert changed.json() == turn
        assert (await on.debate(debate))["seq"] == seq + 2
        assert (await turns_of(on, debate)) == [turn, other]


async def test_a_private_turn_is_answered_without_its_text(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        source = await completed(on, format="duel", settings={"turns": 1})
        debate = (await fork(on, source)).json()["id"]
        plan = (await turns_of(on, debate))[0]
        assert plan["visibility"] == "private"
        changed = (await include(on, debate, plan["id"], {"included": False})).json()
        assert (changed["content"], changed["data"], changed["included"]) == ("", None, False)
        assert "prompt" not in changed["meta"]


async def test_turns_of_a_debate_that_is_over_stay_as_they_are(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await completed(on)
        before = await on.debate(debate)
        turn = (await turns_of(on, debate))[0]["id"]
        refused = await include(on, debate, turn, {"included": False})
        assert (refused.status_code, refused.json()["code"]) == (409, "refused")
        assert await on.debate(debate) == before


async def test_there_is_no_such_turn(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        debate = await on.create()
        for turn in ("1", "3", "999", "0", "-1", "x", "9" * 40, "1.5"):
            missing = await include(on, debate, turn, {"included": False})
            assert (missing.status_code, missing.json()["code"]) == (404, "not_found"), turn
            elsewhere = await include(on, "nope", turn, {"included": False})
            assert elsewhere.status_code == 404, turn


async def test_refuses_what_is_no_change_of_a_turn(tmp_path: Path) -> None:
    wrong: tuple[Any, ...] = ({}, {"included": 1}, {"included": None}, {"excluded": True}, [])
    async with serving(tmp_path, worker=False) as on:
        debate = await on.create()
        for body in wrong:
            assert (await include(on, debate, 1, body)).status_code == 422, body


async def test_a_limit_is_told_as_the_whole_number_that_it_is(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        debate = await server.create()
        answer = await server.client.post(f"/api/debates/{debate}/forks", json={"at": 2**60})
        assert answer.status_code == 422
        assert "must be 9007199254740991 or less" in answer.text
