"""What a debate would take, before there is one; and a model tried before it is trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.unit.api.serving import serving

from moot.errors import ModelUnavailable
from moot.protocol.values import Usage
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


async def test_an_unknown_price_is_unknown(tmp_path: Path) -> None:
    found = (await _forecast(tmp_path, {"format": "rounds"})).json()
    assert found["cost_usd"] is None
    assert found["unpriced"] == found["models"] != []
    # The limit on all that is written bounds it.
    assert found["output_tokens"]["high"] <= 8000 + 2 * 600


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
