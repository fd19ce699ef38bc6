"""A result whose append was answered by silence is found in the log, whatever it holds."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from moot.engine.work import Result
from moot.protocol import events as e
from moot.protocol.values import Sampling, Usage
from moot.protocol.words import StepKind, Visibility

AT = datetime(2026, 11, 16, tzinfo=UTC)


def score(**changes: object) -> e.TurnRecorded:
    wanted = {
        "step_key": "opening/1/jo/score/ada",
        "participant": "jo",
        "kind": StepKind.SCORE,
        "stage": "opening",
        "round": 1,
        "place": (1, 1, 3),
        "visibility": Visibility.PRIVATE,
        "content": "7",
        **changes,
    }
    return e.TurnRecorded(**wanted)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "event",
    [
        score(sampling=Sampling(temperature=0)),
        score(data={"score": 7.0, "of": (1, 2)}),
        score(usage=Usage(input_tokens=10, output_tokens=5, cost_usd=0)),
    ],
)
def test_what_is_in_the_log_is_recognised(event: e.TurnRecorded) -> None:
    result = Result(event=event, step_key=event.step_key, tried=[e.Recorded(7, AT, event)])
    result.look_for({7: e.Recorded(7, AT, e.decode(e.encode(event)))})
    assert result.is_in_log


def test_what_another_wrote_there_is_not() -> None:
    event = score()
    result = Result(event=event, step_key=event.step_key, tried=[e.Recorded(7, AT, event)])
    result.look_for({7: e.Recorded(7, AT, score(content="8"))})
    assert not result.is_in_log


def test_it_is_looked_for_in_the_log_even_if_it_is_given_up_as_what_it_is() -> None:
    record = e.Recorded(5, AT, score())
    result = Result(record.event, record.event.step_key, tried=[record])  # type: ignore[arg-type, union-attr]
    result.spoil(is_certain=True)
    assert result.is_spoilt
    result.look_for({5: record})
    assert result.is_in_log


def test_what_cannot_be_recorded_is_in_no_log() -> None:
    record = e.Recorded(5, AT, score(data={"a": object()}))
    result = Result(record.event, record.event.step_key, tried=[record])  # type: ignore[arg-type, union-attr]
    result.spoil(is_certain=False)
    assert (result.is_spoilt, result.tried) == (True, [])
