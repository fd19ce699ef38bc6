"""The table of statuses: every pair of status and event, every pair of status and command."""

from __future__ import annotations

from itertools import zip_longest
from typing import get_args

import pytest
from tests.unit.protocol.logs import snapshot
from tests.unit.protocol.playing import NOON, SECOND, duel

from moot.errors import IllegalEvent, Refused
from moot.protocol import events as e
from moot.protocol.lifecycle import (
    COMMANDS,
    LIFECYCLE,
    TITLES,
    commands_for,
    event_for,
    status_after,
)
from moot.protocol.log import begin
from moot.protocol.state import DebateState
from moot.protocol.values import Participant
from moot.protocol.words import Pacing, Role, Status, StepKind, StopReason, Visibility

C, R, W, S = Status.CREATED, Status.RUNNING, Status.WAITING, Status.STOPPING
T, F, D, X = Status.STOPPED, Status.FAILED, Status.COMPLETED, Status.CANCELED

TURN = e.TurnRecorded(
    step_key="k",
    participant="ada",
    kind=StepKind.SPEAK,
    stage="opening",
    round=1,
    place=(1,),
    visibility=Visibility.PUBLIC,
    content="text",
)
GUEST = Participant(id="guest", name="Guest", role=Role.MEMBER)

# One event of every kind, and where it leads from created, running, waiting, stopping, stopped,
# failed; nothing but a title follows in the terminal two. Written out by hand: this is the
# specification.
ROWS: list[tuple[e.AnyEvent, tuple[Status | None, ...]]] = [
    (e.DebateCreated(config=duel()), (None, None, None, None, None, None)),
    (e.DebateStarted(), (R, None, None, None, None, None)),
    (e.StopRequested(), (None, S, T, None, None, None)),
    (e.DebateStopped(), (None, T, None, T, None, None)),
    (e.DebateResumed(), (None, None, None, R, R, None)),
    (e.DebateRecovered(), (None, R, None, S, None, None)),
    (e.ClockJumped(ran_s=1.0), (None, R, None, S, None, None)),
    (e.DebateSuspended(), (None, W, None, None, None, None)),
    (e.EndRequested(), (None, R, R, R, R, R)),
    (e.DebateCanceled(), (X, X, X, X, X, X)),
    (e.DebateFailed(error="x"), (None, F, None, None, None, None)),
    (e.DebateRetried(), (None, None, None, None, None, R)),
    (e.DebateCompleted(stop_reason=StopReason.DONE), (None, D, None, None, None, None)),
    (e.StageEntered(stage="opening", round=1, by="X"), (None, R, None, S, None, None)),
    (e.LimitReached(limit=StopReason.MAX_COST, observed=1), (None, R, None, None, None, None)),
    (TURN, (None, R, R, S, None, None)),
    (
        e.AttemptFailed(attempt_of="k", attempt=1, code="c", error="x"),
        (None, R, None, S, None, None),
    ),
    (e.ToolUsed(used_by="k", exchange=1, tool="t"), (None, R, None, S, None, None)),
    (e.StepFailed(failed_key="k", code="c", error="x", attempts=1), (None, R, None, S, None, None)),
    (
        e.QuestionOpened(
            question_id="k", participant="ada", kind=StepKind.SPEAK, stage="s", round=1, text="?"
        ),
        (None, R, None, None, None, None),
    ),
    (e.QuestionClosed(question_id="k"), (None, R, None, S, None, None)),
    (e.StepRetried(failed_key="k"), (None, R, R, None, None, None)),
    (e.NoticePosted(code="c", text="x"), (C, R, None, S, None, None)),
    (e.MessageSaid(participant="ada", content="hi"), (None, R, R, None, None, None)),
    (e.ParticipantJoined(participant=GUEST), (C, R, R, S, T, F)),
    (e.ParticipantLeft(participant="ada"), (C, R, R, S, T, F)),
    (e.ParticipantMuted(participant="ada"), (C, R, R, S, T, F)),
    (e.ParticipantUnmuted(participant="ada"), (C, R, R, S, T, F)),
    (e.TurnIncluded(turn=3), (C, R, R, S, T, F)),
    (e.TurnExcluded(turn=3), (C, R, R, S, T, F)),
    (e.PacingChanged(pacing=Pacing.MANUAL), (C, R, R, S, T, F)),
    (e.SettingsChanged(settings={"max_wait": 9}), (C, R, R, S, T, F)),
    (e.CardsOpened(), (C, R, W, S, T, F)),
    (e.DebateRenamed(title="Ours"), (C, R, W, S, T, F, D, X)),
]
OPEN = (C, R, W, S, T, F)
EXPECTED = {
    (status, type(event)): after
    for event, row in ROWS
    for status, after in zip_longest((*OPEN, D, X), row)
}

# How to get into each status, with a turn at event 3 where turns are possible at all.
WAYS: dict[Status, tuple[e.AnyEvent, ...]] = {
    C: (),
    R: (e.DebateStarted(),),
    W: (e.DebateStarted(), e.DebateSuspended()),
    S: (e.DebateStarted(), e.StopRequested()),
    T: (e.DebateStarted(), e.DebateStopped()),
    F: (e.DebateStarted(), e.DebateFailed(error="x")),
    D: (e.DebateStarted(), e.DebateCompleted(stop_reason=StopReason.DONE)),
    X: (e.DebateCanceled(),),
}
FIRST = TURN.__class__(**{**{f: getattr(TURN, f) for f in TURN.__struct_fields__}, "step_key": "0"})


def state_in(status: Status) -> DebateState:
    state = begin(e.Recorded(1, NOON, e.DebateCreated(config=duel())))
    way = WAYS[status]
    for event in (way[0], FIRST, *way[1:]) if len(way) > 1 or status is R else way:
        state.apply(e.Recorded(state.seq + 1, NOON + SECOND * state.seq, event))
    assert state.status is status
    return state


def test_it_is_specified_for_every_event_and_status() -> None:
    assert {type(event) for event, _ in ROWS} == set(get_args(e.AnyEvent))
    assert set(LIFECYCLE) == set(Status)
    table = {(s, kind): after for s, row in LIFECYCLE.items() for kind, after in row.items()}
    assert table == {pair: after for pair, after in EXPECTED.items() if after is not None}


@pytest.mark.parametrize("status", Status)
def test_the_fold_allows_and_refuses_exactly_what_the_table_says(status: Status) -> None:
    for event, _ in ROWS:
        _check(status, event)


def _check(status: Status, event: e.AnyEvent) -> None:
    expected = EXPECTED[status, type(event)]
    state = state_in(status)
    before = snapshot(state)
    record = e.Recorded(state.seq + 1, NOON + SECOND * 60, event)
    if expected is None:
        with pytest.raises(IllegalEvent, match=f"{type(event).__name__} cannot follow"):
            state.apply(record)
        with pytest.raises(IllegalEvent):
            status_after(status, event)
        assert snapshot(state) == before
    elif isinstance(event, e.TurnIncluded | e.TurnExcluded) and status is C:
        with pytest.raises(IllegalEvent, match="there is no turn 3"):
            state.apply(record)
        assert snapshot(state) == before
    else:
        state.apply(record)
        assert state.status is status_after(status, event) is expected


COMMANDS_BY_STATUS = {
    C: ("start", "cancel"),
    R: ("stop", "end", "cancel"),
    W: ("stop", "end", "cancel"),
    S: ("resume", "end", "cancel"),
    T: ("resume", "end", "cancel"),
    F: ("end", "cancel", "retry"),
    D: (),
    X: (),
}


@pytest.mark.parametrize("status", Status)
def test_it_offers_the_commands_that_are_possible(status: Status) -> None:
    assert commands_for(status) == COMMANDS_BY_STATUS[status]


@pytest.mark.parametrize("status", Status)
def test_it_records_or_refuses_every_command(status: Status) -> None:
    possible = COMMANDS_BY_STATUS[status]
    for command in possible:
        event = event_for(command, status)
        assert type(event) is COMMANDS[command]
        status_after(status, event)
    offered = f"; possible now: {', '.join(possible)}" if possible else ": it is over"
    for command in set(COMMANDS) - set(possible):
        with pytest.raises(Refused) as refusal:
            event_for(command, status)
        assert str(refusal.value) == f"cannot {command} a debate that is {status}{offered}"


def test_it_keeps_what_is_terminal_terminal() -> None:
    for status in Status:
        leads_out = set(LIFECYCLE[status].values()) - {status}
        assert status.is_terminal == (not leads_out) == (status in (D, X))
    for status in (D, X):
        assert set(LIFECYCLE[status]) == set(TITLES) == {e.DebateRenamed}


def test_a_title_changes_no_status_and_nothing_of_the_course() -> None:
    for status in Status:
        state = state_in(status)
        before = snapshot(state)
        state.apply(e.Recorded(state.seq + 1, NOON + SECOND * 600, e.DebateRenamed(title="Ours")))
        after = snapshot(state)
        assert {slot for slot in after if after[slot] != before[slot]} == {"seq", "title"}


def test_it_can_always_be_canceled_until_it_is_over() -> None:
    for status in OPEN:
        assert LIFECYCLE[status][e.DebateCanceled] is X


def test_it_can_reach_every_status_and_from_each_an_end() -> None:
    edges = {status: set(row.values()) for status, row in LIFECYCLE.items()}
    for start in Status:
        reached, waiting = {start}, [start]
        while waiting:
            fresh = edges[waiting.pop()] - reached
            reached |= fresh
            waiting += fresh
        assert reached & {D, X}
        assert start is not C or reached == set(Status)
