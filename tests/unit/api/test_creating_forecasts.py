"""What a debate would take, before there is one; and a model tried before it is trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.unit.api.serving import serving

from moot.engine.forecast import Pace
from moot.errors import ModelUnavailable
from moot.models.port import ChatReply, ChatRequest, ModelFacts
from moot.protocol.values import Usage
from moot.protocol.words import Finish
from moot.testing.scripted import ScriptedModel


def _price(_model: str, usage: Usage) -> float:
    return (usage.input_tokens + 4 * usage.output_tokens) / 1_000_000


async def _forecast(path: Path, body: dict[str, Any], **changes: Any) -> Any:
    async with serving(path, worker=False, **changes) as on:
        answer = await on.client.post("/api/forecasts", json={"topic": "Is it so?", **body})
        assert (await on.get("/api/debates"))["items"] == []
    return answer


async def test_it_counts_the_calls_of_the_format_and_creates_nothing(tmp_path: Path) -> None:
    answer = await _forecast(tmp_path, {"settings": {"turns": 6}}, price=_price)
    found = answer.json()
    assert found["calls"] == 30
    assert 0 < found["output_tokens"]["low"] < found["output_tokens"]["high"] == 30 * 1000
    assert 0 < found["input_tokens"]["low"] < found["input_tokens"]["high"]
    assert 0 < found["cost_usd"]["low"] < found["cost_usd"]["high"]


async def test_it_counts_the_files_that_everybody_reads(tmp_path: Path) -> None:
    poll = {"format": "poll"}
    file = {"name": "plan.md", "content": "word " * 2000}
    alone = (await _forecast(tmp_path, poll)).json()
    read = (await _forecast(tmp_path, {**poll, "attachments": [file]})).json()
    for end in ("low", "high"):
        more = read["input_tokens"][end] - alone["input_tokens"][end]
        assert more == alone["calls"] * 2500
    # Of what is longer, no more than this is ever in a prompt.
    files = [{**file, "name": name, "content": "w " * 50_000} for name in ("a.md", "b.md")]
    most = (await _forecast(tmp_path, {**poll, "attachments": files})).json()
    assert most["input_tokens"]["low"] - alone["input_tokens"]["low"] == alone["calls"] * 6000


async def test_it_tells_which_debate_it_is_a_forecast_of(tmp_path: Path) -> None:
    drawn = (await _forecast(tmp_path, {})).json()["staged"]
    assert (drawn["topic"], drawn["format"], drawn["settings"]) == ("Is it so?", "duel", {})
    chairs = sorted((one["role"], one["stance"]) for one in drawn["participants"])
    assert chairs == [("debater", "con"), ("debater", "pro"), ("judge", "none")]
    # Models are put in where a debate is made, so that another can still be chosen for all.
    assert {one["model"] for one in drawn["participants"]} == {""}


async def test_it_reads_a_shipped_debate_and_draws_its_cast(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        answer = await on.client.post("/api/forecasts", json={"file": "mathematics"})
    read = answer.json()["staged"]
    assert read["topic"] == "Is mathematics discovered or invented?"
    assert read["settings"]["premise"]
    assert all(one["position"] for one in read["participants"] if one["role"] == "debater")


async def test_an_unknown_price_is_unknown(tmp_path: Path) -> None:
    found = (await _forecast(tmp_path, {"format": "rounds"})).json()
    assert found["cost_usd"] is None
    assert found["unpriced"] == found["models"] != []
    # The limit on all that is written bounds it.
    assert found["output_tokens"]["high"] <= 8000 + 2 * 600


async def test_it_says_before_anything_is_spent_that_a_cap_cannot_be_held(tmp_path: Path) -> None:
    capped = {"format": "rounds", "settings": {"max_cost_usd": 1.0}}
    (warning,) = (await _forecast(tmp_path, capped)).json()["warnings"]
    assert warning.startswith("max_cost_usd cannot be held: the price of scripted:debater and ")
    assert (await _forecast(tmp_path, capped, price=_price)).json()["warnings"] == []
    assert (await _forecast(tmp_path, {"format": "rounds"})).json()["warnings"] == []


async def test_it_says_that_thoughts_come_on_top(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False, facts=ModelFacts(thinks=True)) as on:
        answer = await on.client.post("/api/forecasts", json={"topic": "Is it so?"})
    (warning,) = answer.json()["warnings"]
    assert "thoughts are paid for too" in warning


async def test_a_debate_tells_that_its_cap_cannot_be_held(tmp_path: Path) -> None:
    capped = {"topic": "Is it so?", "settings": {"max_cost_usd": 1.0}}
    async with serving(tmp_path, worker=False) as on:
        made = (await on.client.post("/api/debates", json=capped)).json()
        assert made["warnings"] == [one["text"] for one in made["notices"]] != []
        assert made["notices"][0]["code"] == "budget_not_held"
        other = (await on.client.post("/api/debates", json={"topic": "Is it so?"})).json()
        assert other["warnings"] == []


async def test_a_strict_budget_is_refused_rather_than_not_held(tmp_path: Path) -> None:
    settings = {"max_cost_usd": 1.0, "strict_budget": True}
    async with serving(tmp_path, worker=False) as on:
        strict = {"topic": "Is it so?", "settings": settings, "start": True}
        refused = await on.client.post("/api/debates", json=strict)
        assert refused.status_code == 422
        assert refused.json()["field"] == "settings.strict_budget"
        assert "the price of scripted:debater and scripted:judge" in refused.json()["detail"]
        assert (await on.get("/api/debates"))["items"] == []
        uncapped = {"topic": "Is it so?", "settings": {"strict_budget": True}}
        assert (await on.client.post("/api/debates", json=uncapped)).status_code == 201


async def test_it_says_about_how_long_it_takes_where_calls_were_timed(tmp_path: Path) -> None:
    def slow(request: ChatRequest) -> ChatReply:
        return ChatReply(
            content="Well.",
            finish=Finish.STOP,
            usage=Usage(input_tokens=1, output_tokens=1),
            model=request.model,
            duration_ms=2000,
        )

    new: dict[str, Any] = {"topic": "Is it so?", "settings": {"turns": 6}}
    people = [
        {"name": "Ada", "role": "debater", "model": "human"},
        {"name": "Bo", "role": "debater"},
    ]
    async with serving(tmp_path, ScriptedModel(slow)) as on:

        async def runtime(**body: Any) -> Any:
            answer = await on.client.post("/api/forecasts", json={**new, **body})
            return answer.json()["runtime_s"]

        assert await runtime() is None  # nothing has been called yet
        on.service.pace = Pace(on.store, on.clock)  # what was found is kept for a while
        made = await on.client.post("/api/debates", json={**new, "start": True})
        await on.until(made.json()["id"], "completed")
        # A plan, a thought and a speech for each of six, two judgements, the verdict in four.
        assert await runtime() == 2 * (1 + 2 * 6 + 2 + 4)
        assert await runtime(settings={"turns": 6, "max_runtime_seconds": 5}) == 5
        assert await runtime(format="room", settings={}) is None
        assert await runtime(participants=people) is None
        assert await runtime(settings={"turns": 6, "model_judge": "scripted:another"}) is None
        log = await on.client.get(f"/api/debates/{made.json()['id']}/export?as=log")
    async with serving(tmp_path / "elsewhere") as on:
        assert (await on.client.post("/api/imports", content=log.content)).status_code == 201
        assert await runtime() is None  # nothing was called for here


async def test_people_cost_nothing(tmp_path: Path) -> None:
    people = [{"name": name, "role": "debater", "model": "human"} for name in ("Ada", "Bob")]
    body = {"format": "rounds", "participants": people}
    found = (await _forecast(tmp_path, body, price=_price)).json()
    assert found["calls"] == 0
    assert found["cost_usd"] == {"low": 0.0, "high": 0.0}


async def test_what_cannot_be_created_cannot_be_forecast(tmp_path: Path) -> None:
    answer = await _forecast(tmp_path, {"settings": {"turns": 1000}})
    assert answer.status_code == 422
    assert answer.json()["field"] == "settings.turns"


async def test_a_model_is_tried(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(["Here."]), worker=False) as on:
        answer = await on.client.post("/api/models/test", json={"model": "scripted:a"})
        found = answer.json()
        assert (found["is_working"], found["reply"], found["error"]) == (True, "Here.", "")
        human = await on.client.post("/api/models/test", json={"model": "human"})
        assert human.status_code == 422


async def test_a_model_that_does_not_answer_is_said_not_to(tmp_path: Path) -> None:
    broken = ScriptedModel(lambda _request: ModelUnavailable("nobody is there"))
    async with serving(tmp_path, broken, worker=False) as on:
        answer = await on.client.post("/api/models/test", json={"model": "scripted:a"})
        found = answer.json()
        assert answer.status_code == 200
        assert (found["is_working"], found["reply"]) == (False, "")
        assert "nobody is there" in found["error"]


async def test_models_are_not_tried_too_often(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(), worker=False) as on:
        statuses = [
            (await on.client.post("/api/models/test", json={"model": "scripted:a"})).status_code
            for _ in range(21)
        ]
    assert statuses == [200] * 20 + [429]
