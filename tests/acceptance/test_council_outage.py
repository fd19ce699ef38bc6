"""The provider is down during one stage of a council, then back: nothing is left out.

The real adapter on the real wire behind the real retry; only the pauses take no time.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.provider import Stage, stage

from moot.export import render
from moot.library import Debate
from moot.protocol.outcomes import Solution
from moot.protocol.values import Participant
from moot.protocol.words import Role
from moot.testing.server_wire import ChatCall

ROSTER = tuple(
    Participant(id=name.lower(), name=name, role=Role.MEMBER, personality=f"You are {name}.")
    for name in ("Ada", "Bo", "Cy")
)
STAGES = {
    "ask": "Before you begin: is there anything",
    "summarize": "Your record of this council has become long",
    "propose": "Propose your answer to the question",
    "critique": "Criticise it:",
    "refine": "Refine your proposal.",
    "evaluate": "is over. Look at",
    "vote": "Vote for the one",
    "judge's summary": "The record of this council has become long",
    "synthesize": "The council is over. Write the solution",
}
SETTINGS: dict[str, Any] = {
    "rounds": 2,
    "termination": "convergence",
    "interactive_clarifications": True,
    "summary_threshold_tokens": 100,
    "decision": "vote",
}


class Weather:
    """Down for prompts with `marker`, once `after` of them have been answered."""

    def __init__(self, marker: str, after: int = 0, fault: str = "status_503") -> None:
        self.marker, self.after, self.fault = marker, after, fault
        self.is_down = True
        self.answered = 0

    def __call__(self, call: ChatCall) -> str | None:
        if self.marker not in call.messages[-1][1] or not self.is_down:
            return None
        self.answered += 1
        return self.fault if self.answered > self.after else None


def say(call: ChatCall) -> str | None:
    return '{"questions": []}' if STAGES["ask"] in call.messages[-1][1] else None


async def held(on: Stage, **settings: Any) -> Debate:
    debate = await on.moot.create(
        "How should a small town heat its homes?",
        format="council",
        participants=ROSTER,
        **{**SETTINGS, **settings},
    )
    return await on.go_on(debate)


def kinds(debate: Debate) -> Counter[str]:
    return Counter(turn.step_key for turn in debate.turns)


async def test_the_whole_course_has_every_stage(tmp_path: Path) -> None:
    async with stage(tmp_path, say) as on:
        debate = await held(on)
        asked = [call.messages[-1][1] for call in on.calls]
    assert debate.status == "completed"
    for name, marker in STAGES.items():
        assert any(marker in one for one in asked), name


@pytest.mark.parametrize("after", [0, 1], ids=["from the beginning", "in the middle"])
@pytest.mark.parametrize("name", STAGES)
@pytest.mark.parametrize("patience", [600, 0], ids=["patient", "impatient"])
async def test_an_outage_fails_the_debate_and_a_retry_brings_back_what_is_missing(
    tmp_path: Path, name: str, after: int, patience: int
) -> None:
    weather = Weather(STAGES[name], after)
    async with stage(tmp_path / "calm", say) as on:
        expected = kinds(await held(on))
    async with stage(tmp_path / "storm", say, faults=weather) as on:
        debate = await held(on, provider_patience_seconds=patience)
        if debate.status == "completed":
            assert after == weather.answered == 1  # the stage has one call only
            return
        assert debate.status == "failed"
        state = await debate.refresh()
        assert not [
            one for one in state.notices if getattr(one.event, "code", "") != "round_measured"
        ]
        weather.is_down = False
        await debate.command("retry")
        await on.go_on(debate)
        log = await on.moot.service.log(debate.id)
    assert debate.status == "completed"
    assert kinds(debate) == expected
    found = debate.outcome
    assert isinstance(found, Solution)
    assert (found.left_out, found.sat_out) == ((), ())
    assert "Left out" not in render(log, "report", debate_id=debate.id)


@pytest.mark.parametrize(
    "fault", ["status_401_echoes_key", "status_429", "status_402", "reset_before_body"]
)
async def test_no_failure_of_the_provider_is_a_members(tmp_path: Path, fault: str) -> None:
    weather = Weather(STAGES["critique"], fault=fault)
    async with stage(tmp_path, say, faults=weather) as on:
        debate = await held(on)
        assert debate.status == "failed"
        weather.is_down = False
        await debate.command("retry")
        await on.go_on(debate)
    assert isinstance(debate.outcome, Solution)
    assert debate.outcome.left_out == ()
