"""What a frame says of an event, beyond the event itself."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.golden.replay import HERE, read_log

from moot.api.events import event_frame
from moot.protocol import events as e
from moot.protocol.lifecycle import commands_for
from moot.protocol.log import begin
from moot.protocol.words import Status, StepKind, StopReason, Visibility

LOGS = sorted(HERE.glob("*.jsonl"))
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def told(event: e.AnyEvent, status: Status = Status.RUNNING, **how: Any) -> dict[str, Any]:
    frame = event_frame(e.Recorded(2, NOON, event), status, **{"is_private": True, **how})
    data = next(line for line in frame.decode().split("\n") if line.startswith("data: "))
    made: dict[str, Any] = json.loads(data.removeprefix("data: "))
    return made


def turn(**changes: Any) -> e.TurnRecorded:
    fields: dict[str, Any] = {
        "step_key": "k",
        "participant": "ada",
        "kind": StepKind.SPEAK,
        "stage": "s",
        "round": 1,
        "place": (1,),
        "visibility": Visibility.PUBLIC,
        "content": "Well.",
    }
    return e.TurnRecorded(**{**fields, **changes})


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_a_reader_needs_no_table_to_know_where_a_debate_stands(path: Path) -> None:
    first, *rest = read_log(path)
    state = begin(first)
    statuses = [state.status]
    for record in rest:
        state.apply(record)
        statuses.append(state.status)
        after = told(record.event, state.status)["after"]
        assert after == {"status": state.status, "commands": list(commands_for(state.status))}
    assert [state.timeline.status_at(seq) for seq in range(1, len(statuses) + 1)] == statuses
    assert state.timeline.status_at(len(statuses) + 99) == statuses[-1]


@pytest.mark.parametrize(
    ("flags", "is_pending"), [((), True), (("skipped",), False), (("passed",), False)]
)
def test_only_what_was_said_is_pending(flags: tuple[str, ...], *, is_pending: bool) -> None:
    frame = told(turn(is_pending=True, included=False, flags=flags))
    assert (frame["is_pending"], frame["is_silent"]) == (is_pending, not is_pending)


def test_a_turn_says_whom_it_is_about() -> None:
    assert told(turn(kind=StepKind.SCORE, about="bo"))["about"] == "bo"


def test_the_end_is_told_in_words_whatever_version_recorded_it() -> None:
    tie = {"winner": None, "winner_id": None, "is_tie": True, "scores": {"Ada": 6, "Bo": 6}}
    done = told(e.DebateCompleted(stop_reason=StopReason.DONE, outcome=tie), Status.COMPLETED)
    assert (done["outcome"]["type"], done["outcome"]["is_tie"]) == ("verdict", True)
    assert (done["title"], done["headline"], done["doubts"]) == ("Verdict", "A tie", [])
    none = told(e.DebateCompleted(stop_reason=StopReason.DONE), Status.COMPLETED)
    assert none["outcome"] is None
    assert "headline" not in none


def test_private_words_stay_with_who_asked_for_them() -> None:
    secret = turn(visibility=Visibility.PRIVATE, data={"x": 1}, prompt="Say it.")
    assert told(secret)["content"] == "Well."
    public = told(secret, is_private=False)
    assert (public["content"], public["data"]) == (None, None)
    assert "prompt" not in public
