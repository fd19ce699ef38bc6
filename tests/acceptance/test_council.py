"""Seed 004 through HTTP, scenario by scenario, on SQLite and a scripted model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tests.unit.api.serving import Serving, serving
from tests.unit.engine.bench import key_of

from moot.models.port import ChatRequest
from moot.testing.scripted import Said, ScriptedModel, sensible

ADA, BO, CY = (
    {"id": name, "name": name.title(), "role": "member", "personality": f"You are {name}."}
    for name in ("ada", "bo", "cy")
)
JO = {"id": "jo", "name": "Jo", "role": "judge"}

ONE_ROUND = [
    *("BEGIN_ROUND", "CONTEXTS_READY", "PROPOSALS_COMPLETE"),
    *("CRITIQUES_COMPLETE", "REFINEMENTS_COMPLETE"),
]


def script(*special: tuple[str, Said]) -> Callable[[ChatRequest], Said]:
    """Sensible replies, but these to steps whose key contains that."""

    def say(request: ChatRequest) -> Said:
        found = (said for part, said in special if part in key_of(request))
        return next(found, None) or sensible(request)

    return say


async def council(on: Serving, *, members: Iterable[Any] = (ADA, BO), **settings: Any) -> str:
    return await on.create(
        format="council",
        topic="How should a small town heat its homes?",
        settings=settings,
        participants=[*members, JO],
        start=True,
    )


async def turns_of(on: Serving, debate: str) -> Any:
    return (await on.get(f"/api/debates/{debate}/turns?private=1&limit=500"))["items"]


async def events_of(on: Serving, debate: str, kind: str) -> list[Any]:
    async with on.stream(debate, "private=1") as stream:
        return [frame.data for frame in await stream.events() if frame.event == kind]


async def course(on: Serving, debate: str) -> list[str]:
    """The events of the machine, in order."""
    return [one["by"] for one in await events_of(on, debate, "StageEntered")]


# --- the state diagram ----------------------------------------------------------------------------


async def test_a_council_of_fixed_rounds_takes_the_way_of_the_diagram(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with serving(tmp_path, model) as on:
        debate = await council(on, members=(ADA, BO, CY), rounds=2)
        found = await on.until(debate, "completed")
        steps = await course(on, debate)
    assert steps == [
        *("START", "START", "ALL_CLEAR"),
        *(*ONE_ROUND, "CONTINUE"),
        *(*ONE_ROUND, "CONTINUE"),
        "MAX_ROUNDS_REACHED",
    ]
    assert found["stop_reason"] == "max_rounds"
    kinds = Counter(key_of(one).split("/")[0] for one in model.requests)
    assert kinds == {"proposal": 3, "critique": 12, "refinement": 6, "synthesis": 1}
    assert found["verdict"]["status"] == "decided"
    assert found["verdict"]["description"] == "text"
