"""A copy of a state goes its own way: what is applied to one never shows in the other."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.protocol.playing import Play, council, duel, rounds
from tests.unit.protocol.rooms import Talking, every_prompt

from moot.protocol import events as e
from moot.protocol.copying import slots_of
from moot.protocol.log import fold
from moot.protocol.machine import ask
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState
from moot.protocol.steps import Run
from moot.protocol.words import StopReason


def held(state: DebateState) -> dict[str, Any]:
    """Everything in a state, to be compared; the floor of a room shows all of itself in its repr,
    and an order of speakers has nothing to show."""
    parts = {name: getattr(state, name) for name in slots_of(DebateState)}
    return parts | {"own": repr(state.own)}


def played() -> dict[str, list[e.Recorded]]:
    logs: dict[str, list[e.Recorded]] = {}
    for config in (duel(turns=2), rounds(max_rounds=2), council()):
        play = Play(format_named(config.format), config)
        play.run()
        logs[config.format] = play.log
    talk = Talking(pacing="manual")
    talk.say("@Alice, @Bob, what do you think?")
    for step in talk.ready():
        talk.perform(step, "Well.")
    for turn in talk.state.pending:
        talk.append(e.TurnIncluded(turn=turn.seq))
    logs["room"] = talk.log
    logs["room, summed up"] = every_prompt()[0].log
    return logs


LOGS = played()


@pytest.mark.parametrize("name", LOGS)
def test_a_copy_goes_on_like_the_fold_of_the_whole_log_and_leaves_the_original(name: str) -> None:
    log = LOGS[name]
    whole = held(fold(log))
    for cut in range(1, len(log), 3):
        state = fold(log[:cut])
        twin = state.copy()
        assert held(twin) == held(state)
        for record in log[cut:]:
            twin.apply(record)
        assert held(twin) == whole
        assert held(state) == held(fold(log[:cut]))


def test_a_turn_that_is_included_in_a_copy_is_not_in_the_original() -> None:
    log = LOGS["duel"]
    state = fold(log[:-1])
    (first, *_) = state.transcript()
    twin = state.copy()
    twin.apply(e.Recorded(state.seq + 1, state.updated_at, e.TurnExcluded(turn=first.seq)))
    for one, included in ((state, True), (twin, False)):
        turn = one.turn_at(first.seq)
        assert turn is not None
        assert turn.included is included
        assert one.transcript()[0] is turn
        assert one.own_turns[turn.said.participant][0] is turn
        assert one.turns[turn.said.step_key] is turn


def test_knows_its_pending_turns_by_place() -> None:
    state = fold(LOGS["room"])
    assert state.pending == [turn for turn in state.transcript() if turn.is_pending]
    seen = False
    for cut in range(1, len(LOGS["room"])):
        state = fold(LOGS["room"][:cut])
        seen |= bool(state.pending)
        assert state.pending == [turn for turn in state.transcript() if turn.is_pending]
    assert seen


def test_a_copy_finds_by_itself_what_is_due() -> None:
    play = Play(format_named("duel"), duel(turns=6)).run(most=4)
    rules, state, _ = format_named("duel"), play.state, play.ready()
    twin = state.copy()
    before = ask(rules, state, play.now)
    limit = e.LimitReached(limit=StopReason.MAX_TOKENS, observed=1)
    twin.apply(e.Recorded(twin.seq + 1, play.now, limit))
    state.apply(e.Recorded(state.seq + 1, play.now, e.TurnExcluded(turn=state.transcript()[0].seq)))
    assert twin.seq == state.seq
    limited = ask(rules, twin, play.now)
    assert isinstance(before, Run)
    assert isinstance(limited, Run)
    assert ask(rules, state, play.now) == before
    assert [step.prompt.template for step in before.steps] == ["duel/think", "duel/evaluate"]
    assert [step.prompt.template for step in limited.steps] == ["duel/think_final", "duel/evaluate"]
