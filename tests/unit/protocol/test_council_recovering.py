"""What becomes of steps that fail, and that forks and replays agree about it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from tests.unit.protocol.playing import Play, council, readable
from tests.unit.protocol.talk import Talk, talk

from moot.engine.forking import Changes, forked_log
from moot.protocol import events as e
from moot.protocol.formats.council.seats import active
from moot.protocol.log import fold
from moot.protocol.recovering import Recovery, recovered, sat_out
from moot.protocol.registry import FORMATS
from moot.protocol.steps import Record, Run, Step
from moot.protocol.values import ForkPoint
from moot.protocol.words import Status

FORM = FORMATS["council"]


def fail(played: Play, step: Step) -> None:
    failure = e.StepFailed(failed_key=step.key, code="model", error="it is dead", attempts=4)
    played.append(failure)


def run(played: Play, dead: str, most: int = 200) -> Play:
    """Go on, every step whose key contains `dead` failing, to the end or to a failure."""
    for _ in range(most):
        ready = [step for step in played.ready() if step.key not in played.state.failures]
        if not ready:
            break
        for step in ready:
            if dead in step.key:
                fail(played, step)
            else:
                played.perform(step, readable(step))
    return played


def entered(played: Play) -> list[str]:
    return [r.event.by for r in played.log if isinstance(r.event, e.StageEntered)]


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_a_step_is_tried_again_as_often_as_it_may(retries: int) -> None:
    played = run(Play(FORM, council(3, rounds=1, step_retries=retries)), "cy/propose")
    assert entered(played).count("RETRY") == retries
    assert sat_out(played.state) == ("cy",)
    assert played.state.status is Status.COMPLETED
    assert played.solution.sat_out == ("cy",)


def test_an_outage_that_was_waited_for_is_no_members_failure() -> None:
    played = Play(FORM, council(3, rounds=1))
    step = next(one for one in played.ready() if one.key.endswith("ada/propose"))
    outage = e.StepFailed(
        failed_key=step.key, code="model_unavailable", error="down", attempts=25, waited_s=600
    )
    played.append(outage)
    run(played, "nobody")
    assert entered(played).count("RETRY") == entered(played).count("FALLBACK") == 0
    assert step.key in played.state.failures
    assert sat_out(played.state) == ()


def retried(played: Play) -> None:
    played.append(e.DebateFailed(error="it is down"), e.DebateRetried())


def test_a_retry_brings_back_whoever_sat_out_and_whatever_was_left_out() -> None:
    """Cy could not propose, a critique failed; then the debate fails, and is retried."""
    played = run(Play(FORM, council(4, rounds=1, step_retries=0)), "cy/propose", most=1)
    run(played, "ada/critique/bo", most=1)
    run(played, "/refine", most=1)  # which fails everybody, and the debate
    assert sat_out(played.state)[0] == "cy"
    before = set(played.state.turns)
    retried(played)
    assert sat_out(played.state) == ()
    run(played, "nothing")
    late = set(played.state.turns) - before
    assert {"proposal/1/cy/propose", "critique/1/ada/critique/bo"} <= late
    assert {f"critique/1/{one}/critique/cy" for one in ("ada", "bo", "di")} <= late
    assert {f"critique/1/cy/critique/{one}" for one in ("ada", "bo", "di")} <= late
    assert "BROUGHT_BACK" in entered(played)
    assert played.state.status is Status.COMPLETED
    assert (played.solution.sat_out, played.solution.left_out) == ((), ())


def test_who_could_not_propose_does_so_in_the_round_that_is_retried() -> None:
    played = run(Play(FORM, council(3, rounds=2, step_retries=0, termination="fixed")), "cy/", 4)
    assert (played.state.round, sat_out(played.state)) == (2, ("cy",))
    run(played, "critique/2", most=1)
    retried(played)
    run(played, "nothing")
    assert "proposal/2/cy/propose" in played.state.turns
    assert "critique/2/ada/critique/cy" in played.state.turns
    assert "refinement/2/cy/refine" in played.state.turns
    assert "<refinement/2/cy" in played.sent["synthesis/2/judith/synthesize"].text
    assert (played.solution.sat_out, played.solution.left_out) == ((), ())


def test_what_cannot_be_made_up_for_is_still_said_after_a_retry() -> None:
    played = run(
        Play(FORM, council(2, rounds=2, step_retries=0, termination="fixed")), "1/ada/critique", 5
    )
    run(played, "synthesize", most=9)
    retried(played)
    run(played, "nothing")
    assert "critique/1/ada/critique/bo" not in played.state.turns
    assert played.solution.left_out == ("Ada: no critique (it is dead)",)


@pytest.mark.parametrize(
    "dead", ["ada/critique/bo", "ada/ask", "judith/evaluate", "ada/vote", "summarize"]
)
def test_it_does_without_what_is_not_needed(dead: str) -> None:
    config = council(
        2,
        rounds=2,
        termination="convergence",
        interactive_clarifications=True,
        decision="vote",
        summary_threshold_tokens=100,
    )
    played = run(Play(FORM, config), dead)
    assert played.state.status is Status.COMPLETED
    left = [r.event for r in played.state.notices if isinstance(r.event, e.NoticePosted)]
    assert {one.code for one in left} >= {"left_out"}
    assert "it is dead" in next(one.text for one in left if one.code == "left_out")
    assert "FALLBACK" in entered(played)
    assert sat_out(played.state) == ()


@pytest.mark.parametrize("dead", ["bo/propose", "bo/refine", "judith/synthesize"])
def test_two_must_remain_and_the_judge_must_speak(dead: str) -> None:
    """The failed step stays open: the engine fails the debate once nothing else is in flight."""
    played = run(Play(FORM, council(2, rounds=1)), dead)
    assert [step.key for step in played.ready() if dead in step.key]
    assert sat_out(played.state) == ()
    assert "FALLBACK" not in entered(played)
    before = set(played.state.turns)
    played.append(e.DebateFailed(error="it is dead"), e.DebateRetried())
    assert not [step.key for step in played.ready() if step.key in before]
    assert run(played, "nothing").state.status is Status.COMPLETED


def test_a_limit_that_is_reached_buys_nothing_again() -> None:
    played = Play(FORM, council(3, rounds=1, max_total_output_tokens=1))
    (first, *_) = played.ready()
    played.append(e.LimitReached(limit="max_tokens", observed=2))  # type: ignore[arg-type]
    fail(played, first)
    played.ready()
    assert "RETRY" not in entered(played)
    assert sat_out(played.state) == (first.participant,)


@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_a_fork_sits_out_whom_its_source_sat_out(data: st.DataObject) -> None:
    played = run(Play(FORM, council(3, rounds=2, step_retries=1)), "/bo/re")
    at = data.draw(st.integers(2, len(played.log)))
    forked = forked_log(
        played.log,
        ForkPoint(debate="source", at=at),
        Changes(),
        now=played.now,
        version="test",
    )
    source, fork = fold(played.log[:at]), fold(forked)
    assert sat_out(fork) == sat_out(source)
    assert active(fork) == active(source)
    assert list(fork.turns) == list(source.turns)
    assert (fork.stage, fork.round) == (source.stage, source.round)


def test_a_format_without_such_rows_fails_as_any_other() -> None:
    played = Play(Talk(), talk("ann", "ben"))
    steps = tuple(played.ready())
    fail(played, steps[0])
    never = Recovery(retries=lambda _state: 1, without=lambda _state, _step: None)
    assert recovered(Talk(), played.state, Run(steps), never) == Run(steps)


def test_nothing_is_recorded_while_nothing_has_failed() -> None:
    played = Play(FORM, council(3))
    steps = played.ready()
    assert not isinstance(FORM.next(played.state, played.now), Record)
    assert len(steps) == 3
