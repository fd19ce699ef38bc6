"""What was given to somebody before is remembered, and never changes what they are given next."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import msgspec
import pytest
from tests.golden.replay import HERE, read_log

from moot.protocol import events as e, visibility
from moot.protocol.events import Recorded
from moot.protocol.log import begin, fold
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Prompt, Step
from moot.protocol.words import StepKind, View


def _asking(state: DebateState) -> Iterator[Step]:
    """Steps of everybody's at the end of the transcript, one for each view that has turns in it."""
    for name, view in product(state.participants, (View.TRANSCRIPT, View.OWN)):
        yield Step(
            key=f"end/1/{name}/speak",
            participant=name,
            kind=StepKind.SPEAK,
            stage="end",
            round=1,
            place=(9999,),
            prompt=Prompt("verbatim", {"text": "?"}),
            system=Prompt("verbatim", {"text": ""}),
            view=view,
        )


def _growing(log: list[Recorded]) -> Iterator[DebateState]:
    state = begin(log[0])
    for record in log[1:]:
        state.apply(record)
        yield state


@pytest.mark.parametrize("name", ["room", "rounds", "standard", "duel", "council"])
def test_it_remembers_nothing_that_is_not_so_any_more(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a room turns are included and excluded; in a duel they come in another order than that in
    which they are read."""
    monkeypatch.setattr(visibility, "REMEMBERED_FROM", 1)
    log = read_log(HERE / f"{name}.jsonl")
    for state in _growing(log):
        fresh = fold(log[: state.seq])
        for step in _asking(state):
            fresh.readings.clear()
            assert visibility.history(state, step) == visibility.history(fresh, step)
    assert {view for (_, view), one in state.readings.items() if one.count} == {
        View.TRANSCRIPT,
        View.OWN,
    }


def test_it_calls_somebody_who_comes_back_by_the_new_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visibility, "REMEMBERED_FROM", 1)
    log = read_log(HERE / "room.jsonl")
    spoke = next(at for at, one in enumerate(log) if isinstance(one.event, e.TurnRecorded))
    state = fold(log[: spoke + 1])
    gone = state.participants[state.transcript()[-1].said.participant]
    reader = next(step for step in _asking(state) if step.participant != gone.id)
    before = visibility.history(state, reader)
    back = msgspec.structs.replace(gone, title="The Returned")
    events = (e.ParticipantLeft(participant=gone.id), e.ParticipantJoined(participant=back))
    for event in events:
        state.apply(Recorded(state.seq + 1, log[spoke].at, event))
    after = visibility.history(state, reader)
    assert "The Returned" not in before[-1].content
    assert "The Returned" in after[-1].content


def test_a_step_that_sees_less_is_not_given_what_is_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(visibility, "REMEMBERED_FROM", 1)
    state = fold(read_log(HERE / "standard.jsonl"))
    for step in _asking(state):
        visibility.history(state, step)
        earlier = msgspec.structs.replace(step, horizon=state.transcript()[2].place)
        later = msgspec.structs.replace(step, since=state.transcript()[2].place)
        for other in (earlier, later):
            fresh = fold(read_log(HERE / "standard.jsonl"))
            assert visibility.history(state, other) == visibility.history(fresh, other)


def test_it_reads_on_from_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visibility, "REMEMBERED_FROM", 1)
    state = fold(read_log(HERE / "standard.jsonl"))
    step = next(_asking(state))
    first = visibility.history(state, step)
    read: list[int] = []

    def part(_state: DebateState, begin: int, end: int) -> list[Turn]:
        read.append(end - begin)
        return []

    monkeypatch.setattr(DebateState, "part", part)
    assert visibility.history(state, step) == first
    assert read == [0]
