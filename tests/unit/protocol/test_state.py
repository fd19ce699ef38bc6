"""Laws of the fold, for any legal log; and what each event does to the state."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings, strategies as st
from tests.unit.protocol.logs import ANY_EVENT, BUILDERS, CONFIG, legal_logs, snapshot, stored
from tests.unit.protocol.playing import ADA, NOON, SECOND

from moot.errors import IllegalEvent
from moot.protocol import events as e
from moot.protocol.lifecycle import LIFECYCLE, TITLES
from moot.protocol.log import begin, fold
from moot.protocol.machine import completed
from moot.protocol.outcomes import OutcomeStatus, Verdict
from moot.protocol.row import Cursor
from moot.protocol.state import DebateState
from moot.protocol.values import Participant, Usage
from moot.protocol.words import Pacing, Role, Status, StepKind, StopReason, Visibility

LAW = settings(max_examples=30, deadline=None)


def test_it_is_tested_with_every_kind_of_event() -> None:
    assert set(BUILDERS) == set(get_args(e.AnyEvent))


# --- laws -----------------------------------------------------------------------------------------


@LAW
@given(log=legal_logs())
def test_it_folds_to_the_same_state_one_by_one_and_all_at_once(log: list[e.Recorded]) -> None:
    grown = begin(log[0])
    for count, record in enumerate(log[1:], start=2):
        grown.apply(record)
        if count % 5 == 0:
            assert snapshot(grown) == snapshot(fold(log[:count]))
    assert snapshot(grown) == snapshot(fold(log)) == snapshot(fold(map(stored, log)))


@LAW
@given(log=legal_logs(), event=ANY_EVENT)
def test_it_changes_nothing_when_it_refuses(log: list[e.Recorded], event: e.AnyEvent) -> None:
    state = fold(log)
    before = snapshot(state)
    try:
        state.apply(e.Recorded(state.seq + 1, log[-1].at, event))
    except IllegalEvent:
        assert snapshot(state) == before
    else:
        assert type(event) in LIFECYCLE[fold(log).status]


@LAW
@given(log=legal_logs(), gap=st.integers(-3, 3).filter(lambda n: n != 1))
def test_it_refuses_a_gap_or_a_repeat_in_the_log(log: list[e.Recorded], gap: int) -> None:
    state = fold(log)
    before = snapshot(state)
    with pytest.raises(IllegalEvent, match="cannot follow"):
        state.apply(e.Recorded(state.seq + gap, log[-1].at, e.DebateCanceled()))
    assert snapshot(state) == before


@LAW
@given(log=legal_logs())
def test_it_records_every_step_at_most_once(log: list[e.Recorded]) -> None:
    state = fold(log)
    keys = [e.step_key_of(record.event) for record in log]
    recorded = [key for key in keys if key is not None]
    assert len(recorded) == len(set(recorded))
    for record in log:
        if isinstance(record.event, e.TurnRecorded):
            before = snapshot(state)
            with pytest.raises(IllegalEvent):
                state.apply(e.Recorded(state.seq + 1, log[-1].at, record.event))
            assert snapshot(state) == before


@LAW
@given(log=legal_logs(), pause=st.integers(0, 1000))
def test_it_counts_only_the_time_somebody_was_at_work(log: list[e.Recorded], pause: int) -> None:
    """To give it a title is no work: whoever did the work may have been dead for long."""
    expected = 0.0
    state = begin(log[0])
    latest = log[0].at
    for record in log[1:]:
        was_active = state.status.is_active
        state.apply(record)
        if isinstance(record.event, e.DebateRenamed):
            continue
        if isinstance(record.event, e.ClockJumped):
            expected = record.event.ran_s
        elif was_active and not isinstance(record.event, e.DebateRecovered):
            expected += (record.at - latest).total_seconds()
        latest = record.at
    assert state.timeline.runtime_s(latest) == expected
    later = expected + (pause if state.status.is_active else 0)
    assert state.timeline.runtime_s(latest + timedelta(seconds=pause)) == later


@LAW
@given(log=legal_logs())
def test_it_loses_no_spending(log: list[e.Recorded]) -> None:
    state = fold(log)
    spent = Usage()
    calls = statements = said = 0
    for record in log:
        match record.event:
            case e.TurnRecorded() as turn:
                spent += turn.usage
                calls += bool(turn.model)
                statements += turn.kind is StepKind.SPEAK and turn.visibility is Visibility.PUBLIC
            case e.AttemptFailed(usage=usage):
                spent += usage
                calls += 1
            case e.ToolUsed(usage=usage, model=model):
                spent += usage
                calls += bool(model)
            case e.MessageSaid():
                said += 1
            case _:
                pass
    assert state.usage == spent
    assert (state.calls, state.statements, state.messages_said) == (calls, statements, said)


@LAW
@given(log=legal_logs())
def test_it_lists_turns_by_place_for_all_and_for_each(log: list[e.Recorded]) -> None:
    state = fold(log)
    shown = state.transcript()
    assert [turn.place for turn in shown] == sorted(turn.place for turn in shown)
    assert {id(turn) for turn in shown} == {id(turn) for turn in state.turns.values()}
    for participant, own in state.own_turns.items():
        assert own
        assert [turn.place for turn in own] == sorted(turn.place for turn in own)
        assert {turn.said.participant for turn in own} == {participant}
    assert sum(map(len, state.own_turns.values())) == len(shown)
    for turn in shown:
        assert state.turn(turn.said.step_key) is state.turn_at(turn.seq) is turn


@LAW
@given(log=legal_logs())
def test_it_summarizes_what_it_holds(log: list[e.Recorded]) -> None:
    state = fold(log)
    summary = state.summary("d1", Cursor(stage="s", next_round=2, next_actor="bo"))
    assert (summary.id, summary.format, summary.topic) == ("d1", "duel", "T")
    assert (summary.status, summary.seq, summary.stop_reason) == (
        state.status,
        log[-1].seq,
        state.stop_reason,
    )
    assert (summary.turns, summary.calls) == (len(state.turns), state.calls)
    assert summary.output_tokens == state.usage.output_tokens
    course = [record for record in log if not isinstance(record.event, TITLES)]
    assert (summary.created_at, summary.updated_at) == (log[0].at, course[-1].at)
    titles = [record.event.title for record in log if isinstance(record.event, e.DebateRenamed)]
    assert summary.title == (titles[-1] if titles else "")
    assert summary.name == state.name == (summary.title or "T")


@LAW
@given(log=legal_logs())
def test_it_stays_over_once_it_is_over(log: list[e.Recorded]) -> None:
    statuses = [fold(log[:count]).status for count in range(1, len(log) + 1)]
    for before, after, record in zip(statuses, statuses[1:], log[1:], strict=False):
        if before.is_terminal:
            assert after is before
            assert isinstance(record.event, TITLES)


# --- single events --------------------------------------------------------------------------------


def started(*events: e.AnyEvent) -> DebateState:
    state = begin(e.Recorded(1, NOON, e.DebateCreated(config=CONFIG)))
    for event in (e.DebateStarted(), *events):
        apply(state, event)
    return state


def apply(state: DebateState, event: e.AnyEvent, after: timedelta = SECOND) -> None:
    state.apply(e.Recorded(state.seq + 1, state.updated_at + after, event))


def turn(key: str = "k", **fields: Any) -> e.TurnRecorded:
    given_fields = {
        "participant": "ada",
        "kind": StepKind.SPEAK,
        "stage": "s",
        "round": 1,
        "place": (1,),
        "visibility": Visibility.PUBLIC,
        "content": "text",
        **fields,
    }
    return e.TurnRecorded(step_key=key, **given_fields)


def test_it_begins_with_the_creation_and_nothing_else() -> None:
    with pytest.raises(IllegalEvent, match="begins with DebateCreated"):
        begin(e.Recorded(1, NOON, e.DebateStarted()))
    with pytest.raises(IllegalEvent, match="begins with DebateCreated"):
        begin(e.Recorded(2, NOON, e.DebateCreated(config=CONFIG)))
    with pytest.raises(IllegalEvent, match="an empty log is no debate"):
        fold([])


def test_it_leaves_pauses_out_of_the_running_time() -> None:
    minute = timedelta(minutes=1)
    state = started()
    apply(state, e.StopRequested(), minute)
    apply(state, e.DebateStopped(), minute)  # stopping still works
    apply(state, e.DebateResumed(), minute * 100)
    apply(state, e.DebateSuspended(), minute)
    apply(state, e.MessageSaid(participant="ada", content="hi"), minute * 100)
    apply(state, e.DebateFailed(error="x"), minute)
    apply(state, e.DebateRetried(), minute * 100)
    apply(state, turn(), minute)
    apply(state, e.DebateRecovered(), minute * 100)  # nobody was there
    apply(state, e.DebateCompleted(stop_reason=StopReason.DONE), minute)
    assert state.timeline.runtime_s(state.updated_at + minute * 100) == 6 * 60


def test_it_survives_a_clock_that_goes_back() -> None:
    state = started()
    apply(state, turn(), timedelta(days=-1))
    assert state.timeline.runtime_s(state.updated_at) == 0


def test_it_includes_and_excludes_turns_and_settles_pending_ones() -> None:
    state = started(turn("a", is_pending=True), turn("b", included=False))
    one, other = state.turns["a"], state.turns["b"]
    assert (one.included, one.is_pending, other.included) == (True, True, False)
    apply(state, e.TurnExcluded(turn=one.seq))
    apply(state, e.TurnIncluded(turn=other.seq))
    one, other = state.turns["a"], state.turns["b"]
    assert (one.included, one.is_pending, other.included) == (False, False, True)
    before = snapshot(state)
    for wrong in (e.TurnIncluded(turn=1), e.TurnExcluded(turn=99)):
        with pytest.raises(IllegalEvent, match="there is no turn"):
            apply(state, wrong)
    assert snapshot(state) == before


def test_it_mutes_and_unmutes() -> None:
    state = started(e.ParticipantMuted(participant="ada"))
    assert state.participants["ada"].muted
    assert not state.config.participants[0].muted
    apply(state, e.ParticipantUnmuted(participant="ada"))
    assert state.participants["ada"] == ADA


def test_it_lets_people_join_leave_and_come_back() -> None:
    guest = Participant(id="guest", name="Guest", role=Role.MEMBER)
    state = started(e.ParticipantJoined(participant=guest), e.ParticipantLeft(participant="guest"))
    assert "guest" not in state.participants
    assert state.left["guest"] == guest
    apply(state, e.ParticipantJoined(participant=guest))
    assert list(state.participants) == ["ada", "bo", "judith", "guest"]
    assert state.left == {}


@pytest.mark.parametrize(
    "event",
    [
        e.ParticipantLeft(participant="nobody"),
        e.ParticipantMuted(participant="nobody"),
        e.ParticipantUnmuted(participant="nobody"),
    ],
)
def test_it_refuses_what_concerns_nobody_on_the_roster(event: e.AnyEvent) -> None:
    state = started()
    before = snapshot(state)
    with pytest.raises(IllegalEvent, match="nobody is not on the roster"):
        apply(state, event)
    assert snapshot(state) == before


def test_it_places_a_message_after_everything_so_far() -> None:
    state = started(turn("a", place=(1, 3, 1)), turn("b", place=(1, 2), participant="bo"))
    apply(state, e.MessageSaid(participant="bo", content="first"))
    apply(state, e.MessageSaid(participant="ada", content="second"))
    apply(state, turn("c", place=(1, 3, 2)))
    apply(state, e.MessageSaid(participant="bo", content="third"))
    assert [one.said.content for one in state.transcript()] == [
        "text",
        "text",
        "first",
        "second",
        "text",
        "third",
    ]
    assert state.statements == 3
    assert state.messages_said == 3
    assert state.calls == 0


def test_it_says_first_what_is_said_before_any_turn() -> None:
    state = started(e.MessageSaid(participant="bo", content="hello"), turn("a", place=(1,)))
    assert [one.said.content for one in state.transcript()] == ["hello", "text"]


def test_it_keeps_the_places_of_many_messages_short() -> None:
    state = started(turn("a", place=(1, 3, 1)))
    for number in range(50):
        apply(state, e.MessageSaid(participant="bo", content=str(number)))
    said = state.transcript()[1:]
    assert [one.said.content for one in said] == [str(number) for number in range(50)]
    assert {len(one.place) for one in said} == {4}


def test_it_closes_a_question_with_its_answer() -> None:
    question = e.QuestionOpened(
        question_id="k", participant="ada", kind=StepKind.SPEAK, stage="s", round=1, text="?"
    )
    state = started(question)
    assert state.questions == {"k": question}
    apply(state, turn("k"))
    assert state.questions == {}
    assert state.calls == 0  # a person's turn names no model


@pytest.mark.parametrize(
    "event", [e.DebateCanceled(), e.DebateCompleted(stop_reason=StopReason.DONE)]
)
def test_it_asks_nobody_once_it_is_over(event: e.AnyEvent) -> None:
    question = e.QuestionOpened(
        question_id="k", participant="ada", kind=StepKind.SPEAK, stage="s", round=1, text="?"
    )
    state = started(question, event)
    assert state.questions == {}


FAILED = (
    e.AttemptFailed(attempt_of="k", attempt=1, code="c", error="x", usage=Usage(output_tokens=5)),
    e.StepFailed(failed_key="k", code="c", error="x", attempts=1),
)


def test_it_forgets_failures_once_the_step_has_its_turn() -> None:
    state = started(*FAILED)
    assert (list(state.failures), list(state.attempts_failed)) == (["k"], ["k"])
    apply(state, turn("k", model="m"))
    assert (state.failures, state.attempts_failed) == ({}, {})
    assert (state.calls, state.usage.output_tokens) == (2, 5)


LOOKED_UP = e.ToolUsed(
    used_by="k", exchange=1, tool="list_files", model="m", usage=Usage(output_tokens=5)
)


def test_it_remembers_what_was_looked_up_until_the_step_has_its_turn() -> None:
    state = started(LOOKED_UP)
    assert state.tools_used == {"k": [LOOKED_UP]}
    apply(state, e.StopRequested())
    apply(state, e.DebateStopped())
    apply(state, e.DebateResumed())
    assert state.tools_used == {"k": [LOOKED_UP]}
    apply(state, turn("k", model="m"))
    assert state.tools_used == {}
    assert (state.calls, state.usage.output_tokens) == (2, 5)


def test_it_begins_a_failed_step_anew_and_not_those_beside_it() -> None:
    other = msgspec.structs.replace(LOOKED_UP, used_by="other")
    state = started(LOOKED_UP, other, FAILED[1], e.DebateFailed(error="x", step_key="k"))
    apply(state, e.DebateRetried())
    assert state.tools_used == {"other": [other]}


@pytest.mark.parametrize("way_on", [e.DebateRetried(), e.EndRequested()])
def test_it_forgets_failures_when_it_goes_on(way_on: e.AnyEvent) -> None:
    failed = e.DebateFailed(error="x", code="c", step_key="k")
    state = started(*FAILED, failed)
    assert (state.failure, state.stop_reason) == (failed, StopReason.ERROR)
    apply(state, way_on)
    assert (state.failure, state.stop_reason, state.failures) == (None, None, {})
    assert state.calls == 1
    assert state.ending is isinstance(way_on, e.EndRequested)


def test_it_says_why_it_stands_still() -> None:
    state = started(e.StopRequested())
    assert state.stop_reason is None
    apply(state, e.DebateStopped())
    assert state.stop_reason is StopReason.STOPPED
    apply(state, e.DebateResumed())
    assert state.stop_reason is None
    apply(state, e.DebateSuspended())
    apply(state, e.StopRequested())
    assert (state.status, state.stop_reason) == (Status.STOPPED, StopReason.STOPPED)
    apply(state, e.DebateCanceled())
    assert state.stop_reason is StopReason.CANCELED


def test_it_keeps_the_first_observation_of_a_limit_and_their_order() -> None:
    state = started(
        e.LimitReached(limit=StopReason.MAX_TOKENS, observed=5),
        e.LimitReached(limit=StopReason.MAX_COST, observed=1),
        e.LimitReached(limit=StopReason.MAX_TOKENS, observed=9),
    )
    assert list(state.limits.items()) == [(StopReason.MAX_TOKENS, 5), (StopReason.MAX_COST, 1)]


ADA_WON = Verdict(status=OutcomeStatus.DECIDED, winner="Ada", winner_id="ada")


def test_it_notes_stage_round_pacing_and_outcome() -> None:
    state = started(
        e.StageEntered(stage="s", round=2, by="X"), e.PacingChanged(pacing=Pacing.MANUAL)
    )
    assert (state.stage, state.round, state.stage_seq) == ("s", 2, 3)
    assert state.pacing is Pacing.MANUAL
    apply(state, completed(StopReason.DONE, ADA_WON))
    assert (state.outcome, state.stop_reason) == (ADA_WON, StopReason.DONE)


@pytest.mark.parametrize(
    ("one", "other", "cost"),
    [(None, None, None), (None, 1.0, 1.0), (0.0, None, 0.0), (1.0, 2.0, 3.0)],
)
def test_it_adds_known_costs_and_invents_none(
    one: float | None, other: float | None, cost: float | None
) -> None:
    assert (Usage(cost_usd=one) + Usage(cost_usd=other)).cost_usd == cost
    assert (Usage(cost_usd=other) + Usage(cost_usd=one, is_estimated=True)).is_estimated


def test_it_holds_values_that_nobody_can_change() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        ADA.name = "Eve"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="immutable"):
        turn().content = "forged"  # type: ignore[misc]
    assert msgspec.structs.replace(ADA, title="Analyst").label == "Ada | Analyst"
    assert ADA.label == "Ada"
