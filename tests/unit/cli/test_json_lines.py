"""Events for programs: the same keys for all, and nothing a terminal would obey."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.cli.duels import ADA, START, Duel

from moot.cli.view.json_lines import JsonView, as_line, event_line
from moot.protocol import events as e
from moot.protocol.words import StepKind

COMMON = ["seq", "at", "type", "stage", "round", "participant", "kind", "content", "data"]


def line(event: e.AnyEvent) -> dict[str, Any]:
    return parsed(e.Recorded(1, START, event))


def parsed(record: e.Recorded, *, with_private: bool = True) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(event_line(record, "x1", with_private=with_private))
    return found


def test_every_event_of_a_debate_has_the_common_keys() -> None:
    duel = Duel()
    duel.play()
    for record in duel.log:
        assert list(parsed(record))[: len(COMMON)] == COMMON


def test_the_first_event_says_which_debate_it_is() -> None:
    found = parsed(Duel().log[0])

    assert found["data"]["debate_id"] == "x1"
    assert found["data"]["config"]["topic"] == "A topic"


def test_a_turn_has_all_there_is_to_know() -> None:
    duel = Duel()
    duel.play()
    turn = next(
        record
        for record in duel.log
        if isinstance(record.event, e.TurnRecorded) and record.event.kind is StepKind.SCORE
    )
    found = parsed(turn)

    assert found["type"] == "TurnRecorded"
    assert (found["stage"], found["round"], found["participant"]) == ("opening", 1, "judy")
    assert found["data"] == {"score": 7, "reasoning": "because of opening/1/judy/score/ada"}
    assert found["step_key"] == "opening/1/judy/score/ada"
    assert found["visibility"] == "private"
    assert found["place"] == [1, 1, 3]
    assert found["meta"] == {
        "model": "test:x",
        "usage": {
            "input_tokens": 10,
            "output_tokens": 5,
            "thought_tokens": 0,
            "cached_tokens": 0,
            "cost_usd": None,
            "is_estimated": False,
        },
        "duration_ms": 1000,
        "attempts": 1,
        "finish": "stop",
        "flags": [],
        "sampling": {"temperature": None, "top_p": None, "seed": None, "reasoning_effort": None},
        "reasoning": "",
    }
    hidden = parsed(turn, with_private=False)
    assert "reasoning" not in hidden["meta"]


def test_other_events_carry_what_is_theirs_as_data() -> None:
    assert line(e.DebateStarted())["data"] is None
    assert line(e.DebateStopped())["data"] == {"reason": "stopped"}
    joined = line(e.ParticipantJoined(participant=ADA))
    assert joined["participant"] is None
    assert joined["data"]["participant"]["name"] == "Ada"


def test_a_question_has_its_text_as_content() -> None:
    question = e.QuestionOpened(
        question_id="k", participant="ada", kind=StepKind.SPEAK, stage="s", round=1, text="Well?"
    )
    assert line(question)["content"] == "Well?"
    assert line(question)["data"]["question_id"] == "k"


def test_what_a_terminal_would_obey_is_escaped() -> None:
    text = "a\x1b[31m\x9b31m\x7f\u202e語"
    encoded = as_line({"text": text})

    assert json.loads(encoded) == {"text": text}
    assert not set("\x1b\x9b\x7f\u202e\n") & set(encoded)
    assert "語" in encoded


def test_private_turns_can_be_hidden(capsys: pytest.CaptureFixture[str]) -> None:
    duel = Duel()
    view = JsonView("id", Duel().state, hides_private=True)
    for record in duel.play():
        view.take(record)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert {line["visibility"] for line in lines if "visibility" in line} == {"public"}
    assert view.state.seq == duel.state.seq
