"""Who speaks next, as far as it is known: never more than four, and what then really happens."""

from __future__ import annotations

import pytest
from tests.unit.protocol.playing import Play, duel, readable, rounds

from moot.protocol import events as e
from moot.protocol.registry import FORMATS
from moot.protocol.steps import Step
from moot.protocol.values import Config
from moot.protocol.words import USER, StepKind

CONFIGS = {
    "duel": duel(turns=5),
    "duel-alone": duel(turns=2, judge=False),
    "rounds": rounds(max_rounds=3),
    "rounds-judged": rounds(max_rounds=3, judge_each_round=True),
    "rounds-alone": rounds(max_rounds=1, judge=False),
    "rounds-guided": rounds(max_rounds=3, checkpoint="every_round"),
}


def is_heard(step: Step) -> bool:
    return step.kind in (StepKind.SPEAK, StepKind.VERDICT)


@pytest.mark.parametrize("config", CONFIGS.values(), ids=list(CONFIGS))
def test_it_tells_what_then_happens(config: Config) -> None:
    form = FORMATS[config.format]
    order = [
        turn.said.participant
        for turn in Play(form, config).run().state.transcript()
        if turn.said.kind in (StepKind.SPEAK, StepKind.VERDICT)
    ]
    played = Play(form, config)
    heard = 0
    assert form.upcoming(played.state, played.now) == tuple(order[:4])
    while ready := played.ready():
        told = form.upcoming(played.state, played.now)
        assert told == tuple(order[heard : heard + 4])
        assert USER not in told
        played.perform(ready[0], readable(ready[0]))
        heard += is_heard(ready[0])
    assert heard == len(order)


@pytest.mark.parametrize("config", [duel(turns=6), rounds(max_rounds=3)], ids=["duel", "rounds"])
def test_only_the_judge_comes_after_somebody_has_ended_it(config: Config) -> None:
    played = Play(FORMATS[config.format], config)
    while not played.state.statements:
        step = played.ready()[0]
        played.perform(step, readable(step))
    played.append(e.EndRequested())
    assert played.form.upcoming(played.state, played.now) == ("judith",)


def test_nobody_comes_where_nothing_was_said_before_it_was_ended() -> None:
    for config in (duel(turns=6), rounds(max_rounds=3)):
        played = Play(FORMATS[config.format], config)
        played.append(e.EndRequested())
        assert played.form.upcoming(played.state, played.now) == ()
