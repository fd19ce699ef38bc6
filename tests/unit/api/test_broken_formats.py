"""A format that breaks where a debate is only looked at breaks no answer of the server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.unit.api.serving import serving

from moot.protocol.formats.council.rules import Council
from moot.protocol.formats.duel.rules import Duel

DUEL: dict[str, Any] = {"format": "duel", "settings": {"turns": 2}}
SHOWN: dict[str, Any] = {"upcoming": [], "allows": [], "certificate": None, "can_be_heard": False}


def cracked(*_given: object) -> Any:
    raise ZeroDivisionError("a mistake")


@pytest.mark.parametrize("name", ["upcoming", "refusal", "certificate", "can_be_heard"])
async def test_a_debate_is_created_run_and_shown_all_the_same(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Duel, name, cracked)
    async with serving(tmp_path) as server:
        debate = await server.create(start=True, **DUEL)
        over = await server.until(debate, "completed")
        field = "allows" if name == "refusal" else name
        assert over[field] == SHOWN[field]
        for kind in ("md", "html", "json"):
            answer = await server.client.get(f"/api/debates/{debate}/export?as={kind}")
            assert answer.status_code == 200


async def test_so_is_one_without_its_own_view(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Council, "view", cracked)
    async with serving(tmp_path) as server:
        debate = await server.create(format="council")
        assert (await server.debate(debate))["council"] is None


@pytest.mark.parametrize("name", ["opening", "cast"])
async def test_what_breaks_before_is_refused_with_the_name_of_the_format(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Duel, name, cracked)
    async with serving(tmp_path) as server:
        answer = await server.client.post("/api/debates", json={"topic": "Is it so?", **DUEL})
        assert answer.status_code == 422, answer.text
        assert "a mistake in the format duel: ZeroDivisionError: a mistake" in answer.text
        assert (await server.get("/api/debates"))["items"] == []


@pytest.mark.parametrize("name", ["cautions", "most_calls"])
async def test_so_is_a_forecast(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Duel, name, cracked)
    async with serving(tmp_path) as server:
        answer = await server.client.post("/api/forecasts", json={"topic": "Is it so?", **DUEL})
        assert answer.status_code == 422, answer.text


async def test_a_document_of_its_own_is_refused_and_all_others_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Council, "documents", {"report": cracked})
    async with serving(tmp_path) as server:
        debate = await server.create(format="council")
        path = f"/api/debates/{debate}/export"
        answer = await server.client.get(f"{path}?as=report")
        assert answer.status_code == 409, answer.text
        assert "a mistake in the format council: ZeroDivisionError: a mistake" in answer.text
        assert (await server.client.get(f"{path}?as=md")).status_code == 200


async def test_a_hearing_of_it_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(tmp_path) as server:
        debate = await server.create(start=True, **DUEL)
        await server.until(debate, "completed")
        monkeypatch.setattr(Duel, "case", cracked)
        path = f"/api/debates/{debate}"
        for made in (
            await server.client.post(f"{path}/hearings", json={"bench": ["test:one"]}),
            await server.client.put(f"{path}/label", json={"winner": "tie", "by": "ann"}),
        ):
            assert made.status_code == 409, made.text
            assert "a mistake in the format duel" in made.text
