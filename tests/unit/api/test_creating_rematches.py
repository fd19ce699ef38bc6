"""Rematches through HTTP: made from a configuration, once per key, and counted with the rest."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
from tests.unit.api.serving import Serving, serving

from moot.api import ApiLimits

PAIR = [
    {"name": "Ada", "role": "debater", "stance": "pro"},
    {"name": "Bo", "role": "debater", "stance": "con"},
]


async def rematch(on: Serving, debate: str, body: Any = None, **headers: str) -> httpx.Response:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return await on.client.post(f"/api/debates/{debate}/rematches", json=body, headers=given)


async def count(on: Serving) -> int:
    return len((await on.get("/api/debates"))["items"])


async def test_a_rematch_is_the_same_debate_from_the_beginning(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        attachments = [{"name": "notes.md", "content": "Trams are slow."}]
        source = await on.create(start=True, attachments=attachments)
        before = await on.until(source, "completed")
        made = await rematch(on, source, {"start": True})
        assert made.status_code == 201
        found = made.json()
        assert made.headers["Location"] == f"/api/debates/{found['id']}"
        same = ("topic", "format", "settings", "participants", "attachments")
        assert {name: found[name] for name in same} == {name: before[name] for name in same}
        assert (found["rematch_of"], before["rematch_of"]) == (source, "")
        assert (found["forked_from"], found["turns"], found["calls"]) == (None, 0, 0)
        after = await on.until(found["id"], "completed")
        assert after["statements"] == before["statements"]
        assert await on.debate(source) == before
        await on.client.delete(f"/api/debates/{source}")
        assert (await on.debate(found["id"]))["rematch_of"] == source


async def test_it_needs_no_body_and_does_not_start_by_itself(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        source = await on.create()
        made = await on.client.post(f"/api/debates/{source}/rematches")
        assert (made.status_code, made.json()["status"]) == (201, "created")


async def test_sides_are_swapped_and_models_replaced(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        source = await on.create(format="duel", participants=PAIR)
        body = {"swap": True, "model": "scripted:other", "models": {"bo": "scripted:third"}}
        found = (await rematch(on, source, body)).json()["participants"]
        assert [(one["name"], one["stance"], one["model"]) for one in found] == [
            ("Ada", "con", "scripted:other"),
            ("Bo", "pro", "scripted:third"),
        ]


REFUSED: tuple[tuple[Any, int, str | None], ...] = (
    ({"swap": True}, 409, None),
    ({"swap": 1}, 422, "swap"),
    ({"sides": "swapped"}, 422, "sides"),
    ({"topic": "Another?"}, 422, "topic"),
    ({"seed": 7}, 422, "seed"),
    ({"seed": -1}, 422, "seed"),
    ({"model": ""}, 422, "model"),
    ({"model": "x" * 201}, 422, "model"),
    ({"models": {"zed": "scripted:other"}}, 404, None),
)


async def test_a_refused_rematch_makes_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        source = await on.create(format="room")
        for body, status, field in REFUSED:
            refused = await rematch(on, source, body)
            assert (refused.status_code, refused.json().get("field")) == (status, field), body
            assert await count(on) == 1, body


async def test_there_is_no_rematch_of_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        assert (await rematch(on, "nope")).status_code == 404


async def test_a_key_makes_one_rematch(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        source, key = await on.create(), {"Idempotency_Key": "once"}
        answers = await asyncio.gather(*(rematch(on, source, {}, **key) for _ in range(5)))
        assert sorted(one.status_code for one in answers) == [200] * 4 + [201]
        assert len({one.json()["id"] for one in answers}) == 1
        refused = await rematch(on, source, {"swap": True}, **key)
        assert (refused.status_code, refused.json()["field"]) == (422, "Idempotency-Key")
        assert await count(on) == 2


async def test_rematches_count_with_all_that_is_created(tmp_path: Path) -> None:
    limits = ApiLimits(creations_per_minute=2)
    async with serving(tmp_path, worker=False, limits=limits) as on:
        source = await on.create()
        answers = [await rematch(on, source) for _ in range(2)]
        assert [one.status_code for one in answers] == [201, 429]
