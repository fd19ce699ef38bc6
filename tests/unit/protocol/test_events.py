"""The stored form of events: what is written decodes, for ever, to what it was."""

from __future__ import annotations

import json
from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings
from tests.unit.protocol.logs import ANY_EVENT, BUILDERS

from moot.protocol import events as e


@settings(max_examples=100, deadline=None)
@given(event=ANY_EVENT)
def test_it_decodes_what_it_encoded(event: e.AnyEvent) -> None:
    body = e.encode(event)
    assert e.decode(body) == event
    assert e.decode(body.decode()) == event
    assert e.encode(e.decode(body)) == body
    assert json.loads(body)["type"] == type(event).__name__


@pytest.mark.parametrize("kind", BUILDERS, ids=lambda kind: kind.__name__)
def test_it_round_trips_every_kind(kind: type[e.Event]) -> None:
    @settings(max_examples=5, deadline=None)
    @given(event=BUILDERS[kind])
    def check(event: e.AnyEvent) -> None:
        assert e.decode(e.encode(event)) == event
        assert type(e.decode(e.encode(event))) is kind

    check()


def test_it_leaves_defaults_out_of_the_log() -> None:
    assert e.encode(e.DebateStarted()) == b'{"type":"DebateStarted"}'
    assert e.encode(e.DebateStopped()) == b'{"type":"DebateStopped"}'


def test_it_ignores_fields_of_a_newer_version_and_refuses_unknown_kinds() -> None:
    assert e.decode('{"type": "TurnIncluded", "turn": 3, "why": "new"}') == e.TurnIncluded(turn=3)
    with pytest.raises(msgspec.ValidationError):
        e.decode('{"type": "DebateForgotten"}')


def test_it_gives_a_step_key_to_turns_only() -> None:
    keyed = [kind.__name__ for kind in get_args(e.AnyEvent) if "step_key" in kind.__struct_fields__]
    assert keyed == ["DebateFailed", "TurnRecorded"]
    assert e.step_key_of(e.DebateFailed(error="x", step_key="k")) is None


def test_it_takes_its_fields_by_name_only() -> None:
    for kind in get_args(e.AnyEvent):
        with pytest.raises(TypeError):
            kind("positional")
