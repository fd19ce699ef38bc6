"""P6: a debate runs to its end on the configuration frozen at its creation, whatever the
environment says by the time it is gone on with."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from moot.cli.staging import sources
from moot.protocol.registry import offered
from moot.protocol.words import Status
from moot.settings import load_settings
from moot.staging import DebateRequest, stage
from moot.testing.server import ScriptedServer
from moot.wiring import open_system

SETTINGS: dict[str, dict[str, Any]] = {
    "duel": {"turns": 2},
    "rounds": {"max_rounds": 2},
    "standard": {"max_rounds": 2},
    "custom": {"max_rounds": 2},
    "council": {"rounds": 1},
    "poll": {"decision": "judge"},
    "room": {"max_messages": 2, "response_delay": 1},
}


def use_models(monkeypatch: pytest.MonkeyPatch, debater: str, judge: str) -> None:
    monkeypatch.setenv("MOOT_MODEL", f"openai:{debater}")
    monkeypatch.setenv("MOOT_MODEL_DEBATER", f"openai:{debater}")
    monkeypatch.setenv("MOOT_MODEL_JUDGE", f"openai:{judge}")


@pytest.mark.parametrize("form", offered())
async def test_another_default_model_changes_nothing_for_a_debate_that_goes_on(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ScriptedServer(latency_s=0.02) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        use_models(monkeypatch, "first", "first-judge")
        settings = load_settings(home=tmp_path)
        async with open_system(settings) as system:
            asked = DebateRequest(topic="Is it so?", format=form, settings=SETTINGS.get(form, {}))
            debate = await system.service.create(stage(asked, sources(system)), start=True)
            if form == "room":
                await system.service.say(debate, "Well?")
            running = asyncio.create_task(system.service.run(debate))
            async with asyncio.timeout(10):
                while len(server.calls) < (1 if form == "room" else 2):  # noqa: ASYNC110 - of other tasks' doing
                    await asyncio.sleep(0.002)
            await system.drain(5)
            await running
        before = len(server.calls)
        use_models(monkeypatch, "second", "second-judge")
        async with open_system(settings) as system:
            state = await system.service.run(debate)
        assert state.status in (Status.COMPLETED, Status.WAITING)
        assert len(server.calls) > before, "it was over before anything could change"
        models = {call.model for call in server.calls}
        assert "first" in models
        assert models <= {"first", "first-judge"}
