"""Seed 003 through HTTP, scenario by scenario, on SQLite and a scripted model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.unit.api.serving import Serving, serving
from tests.unit.engine.bench import HeldModel, key_of

from moot.errors import ModelRefused
from moot.models.port import ChatRequest
from moot.protocol import events as e
from moot.protocol.lifecycle import COMMANDS, LIFECYCLE, commands_for
from moot.protocol.log import fold
from moot.protocol.words import Status, StopReason
from moot.store.sqlite_driver import sqlite3
from moot.testing.scripted import Said, ScriptedModel, sensible

VERDICT = {
    "summary": "A was clearer.",
    "score_a": 7,
    "score_b": 5,
    "winner": "debater_a",
    "no_new_substantive_arguments": False,
}


def speak(round_: int, who: str) -> str:
    return f"debate/{round_}/debater_{who}/speak"


def verdict(round_: int) -> str:
    return f"verdict/{round_}/judge/verdict"


def judged(reply: str = json.dumps(VERDICT)) -> Callable[[ChatRequest], Said]:
    """Sensible debaters, and a judge who says this."""

    def script(request: ChatRequest) -> Said:
        return reply if key_of(request).endswith("/verdict") else sensible(request)

    return script


async def turns_of(on: Serving, debate: str) -> Any:
    return (await on.get(f"/api/debates/{debate}/turns?private=1"))["items"]


# --- Requirement: Debate lifecycle ---------------------------------------------------------------


async def test_debate_runs_debater_rounds_and_judges_at_end_by_default(tmp_path: Path) -> None:
    model = HeldModel(judged())
    steps = [speak(1, "a"), speak(1, "b"), speak(2, "a"), speak(2, "b"), verdict(2)]
    async with serving(tmp_path, model) as on:
        debate = await on.create(settings={"max_rounds": 2})
        assert (await on.debate(debate))["status"] == "created"
        assert (await on.command(debate, "start")).json()["status"] == "running"
        for done, step in enumerate(steps):
            await model.until(step)
            # Each is persisted before the next one begins.
            assert [turn["step_key"] for turn in await turns_of(on, debate)] == steps[:done]
            model.let(step)
        found = await on.until(debate, "completed")
    assert model.asked == steps
    assert found["stop_reason"] == "max_rounds"
    assert found["outcome"]["winner_id"] == "debater_a"
    assert found["commands"] == []


async def test_a_created_debate_does_not_run_by_itself(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with serving(tmp_path, model) as on:
        debate = await on.create()
        await asyncio.sleep(0.5)
        assert (await on.debate(debate))["status"] == "created"
    assert model.requests == []


# --- Requirements: Persisted turns as source of truth, Background-safe execution ------------------


async def test_worker_resumes_from_persisted_state(tmp_path: Path) -> None:
    first = HeldModel()
    async with serving(tmp_path, first) as on:
        debate = await on.create(settings={"max_rounds": 2}, start=True)
        await first.until(speak(1, "a"))
        await first.answer(speak(1, "a"), then=[speak(1, "b")])
    second = ScriptedModel(judged())
    async with serving(tmp_path, second) as on:
        found = await on.until(debate, "completed")
        keys = [turn["step_key"] for turn in await turns_of(on, debate)]
    assert [key_of(one) for one in second.requests] == keys[1:]
    assert found["turns"] == 5


async def test_ui_disconnects_during_run(tmp_path: Path) -> None:
    model = HeldModel(judged())
    async with serving(tmp_path, model) as on:
        debate = await on.create(start=True)
        async with on.stream(debate) as stream:
            await stream.events(until=1)
            await model.until(speak(1, "a"))
        assert on.service.viewers == 0
        model.open()
        await on.until(debate, "completed")
        async with on.stream(debate) as again:
            said = [f.data for f in await again.events() if f.event == "TurnRecorded"]
        assert [turn["step_key"] for turn in said] == [speak(1, "a"), speak(1, "b"), verdict(1)]


# --- Requirements: Stop conditions, defaults, per-step limits -------------------------------------


async def test_new_debate_uses_default_limits(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        answer = await on.client.post("/api/debates", json={"format": "rounds", "topic": "Why?"})
        settings = answer.json()["settings"]
    assert settings["max_rounds"] == 5
    assert settings["max_runtime_seconds"] == 600
    assert settings["max_total_output_tokens"] == 8000


async def test_step_output_uses_defaults(tmp_path: Path) -> None:
    model = ScriptedModel(judged())
    async with serving(tmp_path, model) as on:
        debate = await on.create(start=True)
        await on.until(debate, "completed")
    limits = {key_of(one): one.max_tokens for one in model.requests}
    assert limits == {speak(1, "a"): 600, speak(1, "b"): 600, verdict(1): 400}


async def test_a_limit_that_is_reached_is_shown_with_its_figure(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(judged())) as on:
        limits = {"max_rounds": 5, "max_total_output_tokens": 30}
        debate = await on.create(settings=limits, start=True)
        found = await on.until(debate, "completed")
    assert found["stop_reason"] == "max_tokens"
    assert found["limits_reached"]["max_tokens"] >= 30
    assert found["statements"] == 2


# --- Requirement: Manual stop ---------------------------------------------------------------------


async def test_user_stops_and_resumes_a_debate(tmp_path: Path) -> None:
    model = HeldModel(judged())
    async with serving(tmp_path, model) as on:
        debate = await on.create(start=True)
        await model.until(speak(1, "a"))
        assert (await on.command(debate, "stop")).json()["status"] == "stopping"
        model.let(speak(1, "a"))
        found = await on.until(debate, "stopped")
        assert found["turns"] == 1
        assert model.in_flight == set()
        assert (await on.command(debate, "resume")).json()["status"] == "running"
        await model.until(speak(1, "b"))
        model.open()
        assert (await on.until(debate, "completed"))["turns"] == 3
    assert model.asked == [speak(1, "a"), speak(1, "b"), verdict(1)]


async def test_the_cursor_of_a_stopped_debate_names_the_step_to_come(tmp_path: Path) -> None:
    model = HeldModel(judged())
    async with serving(tmp_path, model) as on:
        debate = await on.create(start=True)
        await model.until(speak(1, "a"))
        await on.command(debate, "stop")
        model.let(speak(1, "a"))
        cursor = (await on.until(debate, "stopped"))["cursor"]
    assert (cursor["next_round"], cursor["next_actor"]) == (1, "debater_b")


async def test_end_jumps_to_the_judge(tmp_path: Path) -> None:
    model = HeldModel(judged())
    async with serving(tmp_path, model) as on:
        debate = await on.create(settings={"max_rounds": 9}, start=True)
        await model.until(speak(1, "a"))
        await model.answer(speak(1, "a"), then=[speak(1, "b")])
        await on.command(debate, "end")
        model.open()
        found = await on.until(debate, "completed")
    assert found["stop_reason"] == "ended"
    assert model.asked[-1].endswith("/judge/verdict")
    assert len(model.asked) == 3


# --- Requirements: Idempotent step advancement, Persisted next-step cursor ------------------------


async def test_duplicate_task_delivery_does_not_duplicate_turns(tmp_path: Path) -> None:
    model = ScriptedModel(judged(), latency_s=0.01)
    async with serving(tmp_path, model) as on, serving(tmp_path, model) as other:
        debate = await on.create(settings={"max_rounds": 3}, start=True)
        for _ in range(50):
            on.dispatcher.wake(debate)
            other.dispatcher.wake(debate)
        await on.until(debate, "completed")
        keys = [turn["step_key"] for turn in await turns_of(on, debate)]
    assert len(keys) == len(set(keys)) == 7
    assert len(model.requests) == 7


async def test_worker_advances_from_cursor(tmp_path: Path) -> None:
    model = HeldModel(judged())
    async with serving(tmp_path, model) as on:
        debate = await on.create(settings={"max_rounds": 2}, start=True)
        for step, (round_, actor) in {
            speak(1, "a"): (1, "debater_a"),
            speak(1, "b"): (1, "debater_b"),
            speak(2, "a"): (2, "debater_a"),
        }.items():
            await model.until(step)
            cursor = (await on.debate(debate))["cursor"]
            assert (cursor["next_round"], cursor["next_actor"]) == (round_, actor)
            (listed,) = (await on.get("/api/debates"))["items"]
            assert listed["cursor"] == cursor
            model.let(step)
        model.open()
        await on.until(debate, "completed")


async def test_cursor_reconciliation_from_turns(tmp_path: Path) -> None:
    model = HeldModel()
    async with serving(tmp_path, model) as on:
        debate = await on.create(start=True)
        await model.until(speak(1, "a"))
        await model.answer(speak(1, "a"), then=[speak(1, "b")])
    with sqlite3.connect(tmp_path / "moot.db") as connection:
        connection.execute("UPDATE debates SET next_round = 77, next_actor = NULL")
    connection.close()
    again = HeldModel(judged())
    async with serving(tmp_path, again) as on:
        await again.until(speak(1, "b"))
        assert (await on.debate(debate))["cursor"]["next_actor"] == "debater_b"
        again.open()
        await on.until(debate, "completed")


# --- Requirement: Debate discovery ----------------------------------------------------------------


async def test_user_lists_debates(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(judged())) as on:
        ids = [await on.create(topic=f"Topic {number}") for number in range(5)]
        await on.command(ids[2], "start")
        await on.until(ids[2], "completed")
        page = await on.get("/api/debates?limit=2")
        assert [one["id"] for one in page["items"]] == ids[:2:-1]
        rest = await on.get(f"/api/debates?limit=100&cursor={page['next']}")
        assert [one["id"] for one in rest["items"]] == ids[2::-1]
        assert rest["next"] is None
        (done,) = (await on.get("/api/debates?status=completed"))["items"]
        assert done["id"] == ids[2]
        assert (done["statements"], done["turns"], done["stop_reason"]) == (2, 3, "max_rounds")
        assert len((await on.get("/api/debates?q=TOPIC+3"))["items"]) == 1
        assert (await on.get("/api/debates?format=duel"))["items"] == []
        for bad in ("limit=0", "limit=100000", "cursor=zzz", "status=odd", "q=" + "x" * 201):
            assert (await on.client.get(f"/api/debates?{bad}")).status_code == 422, bad


# --- Requirement: Per-debate model overrides ------------------------------------------------------


async def test_debate_uses_default_models_or_overrides_them_via_settings(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(judged())) as on:
        default = await on.create(start=True)
        own = await on.create(
            settings={"model_debater": "x:talker", "model_judge": "y:wise"}, start=True
        )
        for debate, debater, judge in (
            (default, "scripted:debater", "scripted:judge"),
            (own, "x:talker", "y:wise"),
        ):
            await on.until(debate, "completed")
            models = [turn["meta"]["model"] for turn in await turns_of(on, debate)]
            assert models == [debater, debater, judge]


# --- Requirements: Structured judge verdict metadata, timing --------------------------------------


async def test_judge_verdict_metadata_is_present(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(judged())) as on:
        debate = await on.create(start=True)
        await on.until(debate, "completed")
        turn = (await turns_of(on, debate))[-1]
    assert turn["data"] == VERDICT
    assert turn["content"] == VERDICT["summary"]
    assert turn["kind"] == "verdict"
    assert isinstance(turn["meta"]["duration_ms"], int)


async def test_judge_output_is_invalid_json(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(judged("I would rather not say."))) as on:
        debate = await on.create(start=True)
        found = await on.until(debate, "completed")
        turn = (await turns_of(on, debate))[-1]
    assert turn["data"]["winner"] == "undecided"
    assert turn["data"]["score_a"] is None
    assert turn["data"]["fallback"] is True
    assert "unreadable" in turn["meta"]["flags"]
    assert found["outcome"]["winner"] is None


# --- Requirement: Explicit pro/con stances --------------------------------------------------------


@pytest.mark.parametrize(("stance", "other"), [("pro", "con"), ("con", "pro")])
async def test_user_selects_debater_a_stance(tmp_path: Path, stance: str, other: str) -> None:
    model = ScriptedModel(judged())
    async with serving(tmp_path, model) as on:
        debate = await on.create(settings={"stance_a": stance}, start=True)
        found = await on.until(debate, "completed")
    a, b, judge = found["participants"]
    assert (a["stance"], b["stance"], judge["stance"]) == (stance, other, "none")
    assert found["settings"]["stance_a"] == stance
    assert stance.upper() in model.requests[0].messages[0].content
    assert other.upper() in model.requests[1].messages[0].content


# --- Requirements: Cancel, Retry ------------------------------------------------------------------


async def test_user_cancels_a_running_debate_and_no_judge_runs(tmp_path: Path) -> None:
    model = HeldModel()
    async with serving(tmp_path, model) as on:
        debate = await on.create(start=True)
        await model.until(speak(1, "a"))
        assert (await on.command(debate, "cancel")).json()["status"] == "canceled"
        await model.until()
        await asyncio.sleep(0.3)
        found = await on.debate(debate)
    assert model.dropped == [speak(1, "a")]
    assert model.asked == [speak(1, "a")]
    assert (found["status"], found["stop_reason"], found["turns"]) == ("canceled", "canceled", 0)


async def test_retry_scope_is_next_step_only(tmp_path: Path) -> None:
    broken = [True]

    def script(request: ChatRequest) -> Said:
        if key_of(request) == speak(1, "b") and broken[0]:
            return ModelRefused("no such model")
        return judged()(request)

    model = ScriptedModel(script)
    async with serving(tmp_path, model) as on:
        debate = await on.create(start=True)
        found = await on.until(debate, "failed")
        assert found["failure"]["step_key"] == speak(1, "b")
        assert found["failure"]["code"] == "model_refused"
        assert "retry" in found["commands"]
        broken[0] = False
        await on.command(debate, "retry")
        await on.until(debate, "completed")
    asked = [key_of(one) for one in model.requests]
    assert asked == [speak(1, "a"), speak(1, "b"), speak(1, "b"), verdict(1)]


# --- every status and every command ---------------------------------------------------------------

LEADING_TO: dict[Status, tuple[e.AnyEvent, ...]] = {
    Status.CREATED: (),
    Status.RUNNING: (e.DebateStarted(),),
    Status.WAITING: (e.DebateStarted(), e.DebateSuspended()),
    Status.STOPPING: (e.DebateStarted(), e.StopRequested()),
    Status.STOPPED: (e.DebateStarted(), e.StopRequested(), e.DebateStopped()),
    Status.FAILED: (e.DebateStarted(), e.DebateFailed(error="no")),
    Status.COMPLETED: (e.DebateStarted(), e.DebateCompleted(stop_reason=StopReason.DONE)),
    Status.CANCELED: (e.DebateCanceled(),),
}


async def in_status(on: Serving, status: Status) -> str:
    """A debate that no worker touches, with that status."""
    debate = await on.create()
    log = await on.service.log(debate)
    for event in LEADING_TO[status]:
        log.append(e.Recorded(len(log) + 1, datetime.now(UTC), event))
    summary = fold(log).summary(debate, (await on.service.summary(debate)).cursor)
    if len(log) > 1:
        await on.store.append(log[1:], summary)
    return debate


@pytest.mark.parametrize("status", Status)
async def test_every_command_is_carried_out_or_refused_without_a_change(
    tmp_path: Path, status: Status
) -> None:
    async with serving(tmp_path, worker=False) as on:
        for command in COMMANDS:
            debate = await in_status(on, status)
            before = await on.service.log(debate)
            possible = commands_for(status)
            assert (await on.debate(debate))["commands"] == list(possible)
            answer = await on.command(debate, command)
            after = await on.service.log(debate)
            if command in possible:
                assert answer.status_code == 200
                assert answer.json()["status"] == LIFECYCLE[status][COMMANDS[command]]
                assert len(after) == len(before) + 1
                assert answer.json()["seq"] == len(after)
            else:
                problem = answer.json()
                assert answer.status_code == problem["status"] == 409
                assert answer.headers["content-type"] == "application/problem+json"
                assert problem["code"] == "refused"
                assert f"cannot {command} a debate that is {status}" in problem["detail"]
                assert after == before


@pytest.mark.parametrize("status", Status)
async def test_a_debate_is_deleted_unless_it_is_running(tmp_path: Path, status: Status) -> None:
    async with serving(tmp_path, worker=False) as on:
        debate = await in_status(on, status)
        answer = await on.client.delete(f"/api/debates/{debate}")
        assert answer.status_code == (409 if status.is_active else 204)
        found = await on.client.get(f"/api/debates/{debate}")
        assert found.status_code == (200 if status.is_active else 404)


# --- people ---------------------------------------------------------------------------------------

PEOPLE = [
    {"name": "Ada", "role": "debater", "model": "human"},
    {"name": "Bob", "role": "debater"},
    {"name": "Jo", "role": "judge"},
]


async def test_a_person_answers_and_the_debate_goes_on(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(judged())) as on:
        debate = await on.create(participants=PEOPLE, start=True)
        found = await on.until(debate, "waiting")
        (question,) = found["questions"]
        assert question["participant"] == "ada"
        path = f"/api/debates/{debate}/answers"
        for bad, status in (
            ({"answers": {}}, 422),
            ({"answers": {question["id"]: "x" * 20_001}}, 422),
            ({"answers": {"nope": "Yes."}}, 404),
            ({"answers": {question["id"]: {}}}, 422),
            ({"answers": {question["id"]: {"score": 7}}}, 422),
            ({"answers": {question["id"]: None}}, 422),
        ):
            answer = await on.client.post(path, json=bad)
            assert answer.status_code == status, (bad, answer.text)
        assert (await on.debate(debate))["seq"] == found["seq"]
        answer = await on.client.post(path, json={"answers": {question["id"]: "I say so."}})
        assert answer.status_code == 200
        await on.until(debate, "completed")
        first = (await turns_of(on, debate))[0]
    assert (first["participant"], first["content"]) == ("ada", "I say so.")


# --- creating, and creating once ------------------------------------------------------------------


async def test_creating_answers_with_the_debate_and_where_it_is(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        answer = await on.client.post("/api/debates", json={"topic": "Why?"})
        assert answer.status_code == 201
        found = await on.client.get(answer.headers["location"])
        assert found.json() == answer.json()
        assert found.headers["etag"] == answer.headers["etag"]
        # A duel has no roster of its own: personas are drawn, and the draw is recorded.
        assert len(found.json()["participants"]) == 3
        assert found.json()["draws"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "topic"),
        ({"topic": ""}, "topic"),
        ({"topic": "   "}, "topic"),
        ({"topic": "x" * 2001}, "topic"),
        ({"topic": "T", "colour": "red"}, "colour"),
        ({"topic": "T", "start": 1}, "start"),
        ({"topic": "T", "settings": {"turns": 10**9}}, "settings.turns"),
        ({"topic": "T", "settings": {"turns": -1}}, "settings.turns"),
        ({"topic": "T", "settings": {"nope": 1}}, "settings.nope"),
        ({"topic": "T", "settings": {"max_tokens": 1.5}}, "settings.max_tokens"),
        ({"topic": "T", "participants": [{"name": "Ada"}]}, "participants.0.role"),
        (
            {"topic": "T", "participants": [{"name": "<script>", "role": "judge"}]},
            "participants.0.name",
        ),
        ({"topic": "T", "participants": [{"name": "Ada", "role": "judge"}]}, "participants"),
        (
            {"topic": "T", "participants": [{"name": "A", "role": "debater", "id": "../x"}]},
            "participants.0.id",
        ),
        (
            {
                "topic": "T",
                "participants": [{"name": "A", "role": "judge", "base_url": "http://x"}],
            },
            "participants.0.base_url",
        ),
    ],
)
async def test_what_cannot_be_used_is_refused_with_its_field(
    tmp_path: Path, body: Any, field: str
) -> None:
    async with serving(tmp_path, worker=False) as on:
        answer = await on.client.post("/api/debates", json=body)
        assert answer.status_code == 422, answer.text
        assert answer.json()["code"] == "invalid_input"
        assert answer.json()["field"] == field
        assert (await on.get("/api/debates"))["items"] == []


async def test_an_unknown_format_is_told_by_its_field(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        answer = await on.client.post("/api/debates", json={"topic": "T", "format": "brawl"})
        assert (answer.status_code, answer.json()["field"]) == (422, "format")
        assert "duel" in answer.json()["detail"]


async def test_the_same_key_creates_one_debate_also_after_a_restart(tmp_path: Path) -> None:
    body, key = {"topic": "Why?", "settings": {"turns": 2}}, {"Idempotency-Key": "k-1"}
    async with serving(tmp_path, worker=False) as on:
        first = await on.client.post("/api/debates", json=body, headers=key)
        assert first.status_code == 201
    async with serving(tmp_path, worker=False) as on:
        # The order of members does not matter, and neither does what is left as it was.
        swapped = {"settings": {"turns": 2}, "topic": "Why?"}
        again = await on.client.post("/api/debates", json=swapped, headers=key)
        assert again.status_code == 200
        assert again.json() == first.json()
        other = await on.client.post("/api/debates", json=body | {"start": True}, headers=key)
        assert other.status_code == 422
        assert other.json()["field"] == "Idempotency-Key"
        assert len((await on.get("/api/debates"))["items"]) == 1
        new = await on.client.post("/api/debates", json=body, headers={"Idempotency-Key": "k-2"})
        assert new.status_code == 201


async def test_the_same_key_at_the_same_time_creates_one_debate(tmp_path: Path) -> None:
    body, key = {"topic": "Why?"}, {"Idempotency-Key": "k"}
    async with serving(tmp_path, worker=False) as on, serving(tmp_path, worker=False) as other:
        answers = await asyncio.gather(
            *(
                one.client.post("/api/debates", json=body, headers=key)
                for one in (on, other)
                for _ in range(8)
            )
        )
        assert sorted(one.status_code for one in answers) == [200] * 15 + [201]
        assert len({one.json()["id"] for one in answers}) == 1
        assert len((await on.get("/api/debates"))["items"]) == 1


@pytest.mark.parametrize("key", ["", " ", "x" * 256, "a b"])
async def test_a_key_that_cannot_be_one_is_refused(tmp_path: Path, key: str) -> None:
    async with serving(tmp_path, worker=False) as on:
        answer = await on.client.post(
            "/api/debates", json={"topic": "T"}, headers={"Idempotency-Key": key}
        )
        assert answer.status_code == 422


# --- reading --------------------------------------------------------------------------------------


async def test_reads_say_when_there_is_nothing_new(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        debate = await on.create()
        for path in (
            f"/api/debates/{debate}",
            f"/api/debates/{debate}/turns",
            f"/api/debates/{debate}/turns?private=1",
            "/api/debates",
        ):
            tag = (await on.client.get(path)).headers["etag"]
            assert tag.startswith('W/"')
            for known in (tag, f'"x", {tag}', "*", tag.removeprefix("W/")):
                answer = await on.client.get(path, headers={"If-None-Match": known})
                assert (answer.status_code, answer.content) == (304, b"")
            await on.service.command(
                debate, "start" if "start" in await _possible(on, debate) else "stop"
            )
            answer = await on.client.get(path, headers={"If-None-Match": tag})
            assert answer.status_code == 200
            assert answer.headers["etag"] != tag
            debate_now = await on.debate(debate)
            if debate_now["status"] == "stopping":
                await on.service.command(debate, "resume")


async def _possible(on: Serving, debate: str) -> list[str]:
    return list((await on.debate(debate))["commands"])


async def test_private_turns_and_prompts_are_shown_only_when_asked_for(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create(format="duel", settings={"turns": 1}, start=True)
        await on.until(debate, "completed")
        public = (await on.get(f"/api/debates/{debate}/turns"))["items"]
        everything = await turns_of(on, debate)
        assert {turn["visibility"] for turn in public} == {"public"}
        assert all("prompt" not in turn["meta"] for turn in public)
        assert {turn["visibility"] for turn in everything} == {"public", "private"}
        assert all(turn["meta"]["prompt"] for turn in everything)
        assert len(everything) == 10
        some = await on.get(f"/api/debates/{debate}/turns?private=1&limit=4")
        rest = await on.get(f"/api/debates/{debate}/turns?private=1&cursor={some['next']}")
        assert some["items"] + rest["items"] == everything
        assert rest["next"] is None


@pytest.mark.parametrize(
    ("kind", "media_type"),
    [
        ("md", "text/markdown"),
        ("html", "text/html"),
        ("json", "application/json"),
        ("csv", "text/csv"),
    ],
)
async def test_exports_are_files(tmp_path: Path, kind: str, media_type: str) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create(topic="<b>Is</b> it so?", start=True)
        await on.until(debate, "completed")
        answer = await on.client.get(f"/api/debates/{debate}/export?as={kind}")
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(media_type)
        name = f'attachment; filename="moot-{debate}.{kind}"'
        assert answer.headers["content-disposition"] == name
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "sandbox" in policy
        assert ("style-src 'sha256-" in policy) == (kind == "html")
        assert (await on.client.get(f"/api/debates/{debate}/export?as=exe")).status_code == 422


async def test_the_catalogue_tells_what_there_is(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        formats = (await on.get("/api/formats"))["items"]
        assert {"duel", "rounds"} <= {one["id"] for one in formats}
        for one in formats:
            whole = await on.get(f"/api/formats/{one['id']}")
            assert whole["mermaid"].startswith("stateDiagram-v2")
            assert whole["stages"]
            assert any(row["from"] is None for row in whole["transitions"])
            assert any(row["to"] is None for row in whole["transitions"])
            assert whole["settings_schema"]["$defs"]
        assert (await on.client.get("/api/formats/brawl")).status_code == 404
        assert (await on.get("/api/models"))["items"][0]["is_usable"] is True
        assert (await on.get("/api/personas"))["items"][0]["origin"] == "general"
        assert (await on.get("/api/debate-files"))["items"]


async def test_operations_tell_how_it_is(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(judged())) as on:
        await on.until(await on.create(start=True), "completed")
        assert (await on.get("/healthz"))["status"] == "ok"
        assert (await on.get("/readyz"))["status"] == "ready"
        page = await on.client.get("/metrics")
        assert page.headers["content-type"].startswith("text/plain; version=0.0.4")
        lines = page.text.splitlines()
        assert "moot_steps_total 3" in lines
        assert "moot_calls_total 3" in lines
        assert "moot_running 0" in lines or "moot_running 1" in lines
        assert 'moot_http_requests_total{method="GET",route="/healthz",status="200"} 1' in lines
    # The database is closed now.
    on.open()
    assert (await on.client.get("/healthz")).status_code == 200
    answer = await on.client.get("/readyz")
    assert answer.status_code in (500, 503)
    assert answer.headers["content-type"] == "application/problem+json"
