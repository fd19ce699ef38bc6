"""What is next, and what is recorded before it: the one place that everybody asks."""

from __future__ import annotations

import msgspec
from tests.unit.protocol.playing import ADA, JUDGE, NOON, SECOND, Play, duel

from moot.protocol import events as e
from moot.protocol.deciding import (
    cursor_at,
    decide,
    is_wanted,
    look_ahead,
    open_steps,
    pointing_at,
    settle,
)
from moot.protocol.registry import format_named
from moot.protocol.row import Cursor
from moot.protocol.steps import Finish, Idle, Run
from moot.protocol.values import Config
from moot.protocol.words import StepKind, StopReason

FORM = format_named("duel")


def started(config: Config | None = None) -> Play:
    return Play(FORM, config or duel(turns=2))


def with_person(config: Config, person: str) -> Config:
    people = tuple(
        msgspec.structs.replace(one, model="human") if one.id == person else one
        for one in config.participants
    )
    return msgspec.structs.replace(config, participants=people)


def ready(play: Play) -> Run:
    left = settle(play.form, play.state, play.append, lambda: play.now)
    assert isinstance(left, Run)
    return left


def test_one_look_records_nothing_and_says_so_if_that_is_wanted_first() -> None:
    play = started()
    before = len(play.log)
    assert open_steps(FORM, play.state, NOON) is None
    assert cursor_at(FORM, play.state, NOON) == Cursor()
    assert len(play.log) == before


def test_settling_records_what_follows_by_itself_and_leaves_the_steps() -> None:
    play = started()
    steps = ready(play).steps
    assert [type(one.event).__name__ for one in play.log[2:]] == ["StageEntered"]
    assert steps == open_steps(FORM, play.state, play.now)
    assert {step.stage for step in steps} == {"planning"}


def test_settling_records_a_limit_before_anything_rests_on_it() -> None:
    play = started(duel(turns=2, max_runtime_seconds=1))
    play.now += 2 * SECOND
    left = settle(play.form, play.state, play.append, lambda: play.now)
    assert left == Finish(StopReason.MAX_RUNTIME)  # nobody has been heard, so nobody is owed
    assert [type(one.event).__name__ for one in play.log[2:]] == ["LimitReached", "StageEntered"]


def test_a_debate_that_does_not_run_has_nothing_to_settle() -> None:
    play = started()
    play.append(e.StopRequested())
    before = len(play.log)
    assert isinstance(settle(FORM, play.state, play.append, lambda: play.now), Idle)
    assert len(play.log) == before


def test_the_cursor_stands_on_the_first_open_step_by_place() -> None:
    play = started()
    steps = ready(play).steps
    expected = Cursor(stage="planning", next_round=1, next_actor=ADA.id)
    assert pointing_at(play.state, tuple(reversed(steps))) == expected
    assert cursor_at(FORM, play.state, play.now) == expected


def test_what_is_over_points_at_nobody() -> None:
    play = started()
    ready(play)
    play.append(e.DebateCanceled())
    assert cursor_at(FORM, play.state, play.now) == Cursor(stage="planning")


def test_looking_ahead_enters_the_stage_and_begins_nothing() -> None:
    play = started()
    play.append(e.StopRequested())
    cursor = look_ahead(FORM, play.state, play.append, lambda: play.now)
    assert cursor == Cursor(stage="planning", next_round=1, next_actor=ADA.id)
    assert isinstance(play.log[-1].event, e.StageEntered)


def test_models_run_and_people_are_asked_once() -> None:
    play = started(with_person(duel(turns=2), JUDGE.id))
    while not any(step.participant == JUDGE.id for step in ready(play).steps):
        play.perform(ready(play).steps[0], "A text.")
    left = ready(play)
    decision = decide(play.state, left, ())
    assert [step.participant for step in decision.ask] == [JUDGE.id]
    assert decision.run
    assert not any(step.participant == JUDGE.id for step in decision.run)
    assert decision.ending is None
    (step,) = decision.ask
    opened = e.QuestionOpened(
        question_id=step.key,
        participant=step.participant,
        kind=step.kind,
        stage=step.stage,
        round=step.round,
        text="?",
    )
    play.append(opened)
    assert decide(play.state, left, ()).ask == ()


def test_questions_that_nobody_asks_any_more_are_withdrawn() -> None:
    play = started()
    left = ready(play)
    kind = left.steps[0].kind
    old = e.QuestionOpened(
        question_id="old", participant=ADA.id, kind=kind, stage="planning", round=1, text="?"
    )
    play.append(old)
    assert decide(play.state, left, ()).withdraw == ("old",)


def test_after_a_failure_only_what_is_in_flight_goes_on_and_then_it_fails() -> None:
    play = started()
    left = ready(play)
    first, second = left.steps
    play.append(e.StepFailed(failed_key=first.key, code="refused", error="no", attempts=1))
    going_on = decide(play.state, left, {second.key})
    assert (going_on.run, going_on.ending) == ((second,), None)
    alone = decide(play.state, left, ())
    assert alone.run == ()
    assert alone.ending == e.DebateFailed(error="no", code="refused", step_key=first.key)


def test_the_end_completes() -> None:
    play = started()
    ending = decide(play.state, Finish(StopReason.DONE), ()).ending
    assert ending == e.DebateCompleted(stop_reason=StopReason.DONE)


def test_it_waits_for_whoever_was_asked_and_fails_if_nobody_was() -> None:
    play = started()
    told = "a mistake in the format duel: it stands still: no step is open"
    stands_still = e.DebateFailed(error=told, code="internal")
    assert decide(play.state, Idle("no step is open"), ()).ending == stands_still
    asked = e.QuestionOpened(
        question_id="q",
        participant="user",
        kind=StepKind.ASK,
        stage="planning",
        round=1,
        text="Which one?",
    )
    play.state.questions["q"] = asked
    assert decide(play.state, Idle("no step is open"), ()).ending == e.DebateSuspended()


def test_knows_what_the_format_would_have_asked_for() -> None:
    play = started()
    entered = e.StageEntered(stage="planning", round=1, by="START")
    assert is_wanted(FORM, play.state, entered, play.now)
    assert not is_wanted(FORM, play.state, e.MessageSaid(participant="user", content="x"), NOON)
    ready(play)
    assert not is_wanted(FORM, play.state, entered, play.now)
