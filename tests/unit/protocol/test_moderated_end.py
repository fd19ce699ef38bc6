"""Seed 000, "Manual End": from anywhere, exactly one final summary, then completed."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.protocol.moderating import MODERATED, begun, entered, moderated, signals, spoken
from tests.unit.protocol.playing import Play

from moot.protocol import events as e
from moot.protocol.log import fold
from moot.protocol.outcomes import Summary
from moot.protocol.registry import FORMATS
from moot.protocol.words import Status, StepKind, StopReason

FINAL = "[SYSTEM]: Manual termination triggered. Moderator, please provide a final summary."
MOST = {"standard": 6, "custom": 6, "classic": 12}
PLACES = [(name, said) for name in MODERATED for said in range(MOST[name])]


def stood(name: str, said: int, *, moderator: bool = True) -> Play:
    settings: dict[str, Any] = {} if name == "classic" else {"max_rounds": 2}
    return begun(moderated(name, 2, moderator=moderator, **settings)).run(most=said)


def summaries(played: Play) -> list[str]:
    turns = [turn.said for turn in played.state.transcript()]
    return [one.prompt.splitlines()[0] for one in turns if one.kind is StepKind.SUMMARIZE]


@pytest.mark.parametrize(("name", "said"), PLACES)
def test_from_every_stage_one_summary_follows(name: str, said: int) -> None:
    played = stood(name, said)
    (in_flight,) = played.ready()
    played.append(e.EndRequested())
    (step,) = played.ready()
    # What was in flight is not wanted any more, be it the moderator's own summary.
    assert step.key != in_flight.key
    assert (step.participant, step.stage) == ("mo", "conclusion")
    played.append(e.EndRequested())  # twice in a row
    assert [one.key for one in played.ready()] == [step.key]
    played.run()
    assert spoken(played)[said:] == ["mo"]
    assert summaries(played) == [FINAL]
    assert entered(played)[-1] == ("conclusion", 1)
    assert played.state.status is Status.COMPLETED
    assert played.state.stop_reason is StopReason.ENDED
    assert played.state.outcome == Summary(summary=f"<{step.key}>", by="Mo", by_id="mo")


@pytest.mark.parametrize(("name", "said"), PLACES)
def test_without_a_moderator_it_completes_at_once(name: str, said: int) -> None:
    played = stood(name, min(said, 3), moderator=False)
    before = spoken(played)
    played.append(e.EndRequested())
    assert not played.ready()
    assert spoken(played) == before
    assert played.state.status is Status.COMPLETED
    assert (played.state.stop_reason, played.state.outcome) == (StopReason.ENDED, None)


@pytest.mark.parametrize("name", MODERATED)
def test_it_survives_a_crash_between_the_request_and_the_summary(name: str) -> None:
    played = stood(name, 2)
    played.append(e.EndRequested())
    (step,) = played.ready()
    again = fold(played.log)
    decision = FORMATS[name].next(again, played.now)
    assert [one.key for one in getattr(decision, "steps", ())] == [step.key]
    # Also before anything was decided.
    cut = next(n for n, one in enumerate(played.log, 1) if isinstance(one.event, e.EndRequested))
    early = Play(FORMATS[name], played.state.config)
    early.log, early.state = played.log[:cut], fold(played.log[:cut])
    assert signals(early.run())[-1] == FINAL
    assert summaries(early) == [FINAL]


@pytest.mark.parametrize("name", MODERATED)
def test_the_end_wins_over_a_limit(name: str) -> None:
    played = stood(name, 2)
    played.append(e.LimitReached(limit=StopReason.MAX_COST, observed=1.0), e.EndRequested())
    played.run()
    assert summaries(played) == [FINAL]
    assert played.state.stop_reason is StopReason.ENDED


@pytest.mark.parametrize("name", MODERATED)
def test_it_can_be_ended_after_it_failed(name: str) -> None:
    played = stood(name, 2)
    (step,) = played.ready()
    failure = e.StepFailed(failed_key=step.key, code="error", error="no model", attempts=1)
    played.append(failure, e.DebateFailed(error="no model", step_key=step.key), e.EndRequested())
    assert played.run().state.stop_reason is StopReason.ENDED
    assert summaries(played) == [FINAL]


@pytest.mark.parametrize("name", MODERATED)
def test_only_the_moderator_is_next_then(name: str) -> None:
    played = stood(name, 2)
    played.append(e.EndRequested())
    assert FORMATS[name].upcoming(played.state, played.now) == ("mo",)
