from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.export import attacks, samples

from moot.export import render
from moot.protocol import events as e
from moot.protocol.values import Usage


def document(log: samples.Log) -> dict[str, Any]:
    found = json.loads(render(log, "json", debate_id="d1"))
    assert isinstance(found, dict)
    return found


def test_has_the_debate_with_everything_it_was_created_with() -> None:
    debate = document(samples.log())["debate"]
    assert debate["id"] == "d1"
    assert debate["settings"]["premise"] == "Tea is better."
    assert [one["name"] for one in debate["participants"]] == ["Ada", "Bob", "Jo"]
    assert debate["participants"][1]["muted"] is False, "defaults are written out"
    assert debate["status"] == "completed"
    assert debate["outcome"]["winner"] == "Ada"


def test_has_every_turn_in_reading_order_with_its_meta() -> None:
    log = samples.log()
    turns = document(log)["turns"]
    recorded = {one.seq for one in log if isinstance(one.event, e.TurnRecorded)}
    assert {one["seq"] for one in turns} == recorded
    kinds = [one["kind"] for one in turns]
    assert kinds[:6] == ["plan", "plan", "think", "speak", "evaluate", "score"]
    first = turns[0]
    assert first["id"] == first["seq"]
    assert first["visibility"] == "private"
    assert list(first["meta"]) == [
        *("prompt", "model", "usage", "duration_ms", "attempts", "finish", "flags"),
        *("sampling", "reasoning"),
    ]


def test_keeps_failed_attempts_even_those_made_good_later() -> None:
    failed = e.AttemptFailed(
        attempt_of="planning/1/a/plan",
        attempt=1,
        code="unreadable",
        error="no object",
        reply="<b>",
        usage=Usage(input_tokens=9, cost_usd=0.5),
    )
    given_up = e.StepFailed(failed_key="planning/1/a/plan", code="x", error="y", attempts=3)
    log = samples.begun(e.DebateStarted(), failed, given_up, e.DebateFailed(error="y"))
    log = samples.then(log, e.DebateRetried())
    found = document(log)
    first, second = found["failed_attempts"]
    assert (first["step_key"], first["gave_up"], first["reply"]) == (
        "planning/1/a/plan",
        False,
        "<b>",
    )
    assert (second["step_key"], second["gave_up"], second["attempts"]) == (
        "planning/1/a/plan",
        True,
        3,
    )
    assert found["debate"]["usage"]["cost_usd"] == 0.5


@pytest.mark.parametrize("attack", attacks.ATTACKS)
def test_keeps_every_text_as_it_was_recorded(attack: str) -> None:
    found = document(attacks.debate(attack))
    assert found["debate"]["topic"] == attack
    assert found["debate"]["outcome"]["winner"] == attack
    assert found["turns"][0]["content"] == attack
