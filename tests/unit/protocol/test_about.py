"""A turn says whom it is about; where a log of 0.1 does not say it, the fold does."""

from __future__ import annotations

import msgspec
import pytest
from tests.golden.replay import HERE, read_log
from tests.unit.protocol.examples import ALL
from tests.unit.protocol.playing import council, duel, play

from moot.protocol import events as e
from moot.protocol.log import fold
from moot.protocol.state import DebateState
from moot.protocol.values import Config
from moot.protocol.words import StepKind

ABOUT = (StepKind.EVALUATE, StepKind.SCORE, StepKind.CRITIQUE)


def about(state: DebateState) -> dict[str, str]:
    return {turn.said.step_key: turn.said.about for turn in state.transcript() if turn.said.about}


def test_a_judge_evaluates_and_scores_the_speaker() -> None:
    state = play(duel(turns=2)).state
    assert about(state) == {
        "opening/1/judith/evaluate/ada": "ada",
        "opening/1/judith/score/ada": "ada",
        "exchange/1/judith/evaluate/bo": "bo",
        "exchange/1/judith/score/bo": "bo",
    }


def test_a_critique_is_about_the_author_of_the_proposal() -> None:
    state = play(council(2, rounds=1)).state
    assert about(state) == {
        "critique/1/ada/critique/bo": "bo",
        "critique/1/bo/critique/ada": "ada",
    }


@pytest.mark.parametrize("config", [c for _, c in ALL], ids=[name for name, _ in ALL])
def test_it_is_in_the_log_and_the_fold_of_an_old_log_has_the_same(config: Config) -> None:
    log = play(config).log
    old = [e.Recorded(one.seq, one.at, _of_old(one.event)) for one in log]
    assert about(fold(old)) == about(fold(log))
    for record in log:
        if isinstance(record.event, e.TurnRecorded):
            assert record.event.about == about(fold(log)).get(record.event.step_key, "")


def _of_old(event: e.AnyEvent) -> e.AnyEvent:
    is_turn = isinstance(event, e.TurnRecorded)
    return msgspec.structs.replace(event, about="") if is_turn else event


@pytest.mark.parametrize("name", ["duel", "council"])
def test_golden_logs_say_it_once_they_are_folded(name: str) -> None:
    log = read_log(HERE / f"{name}.jsonl")
    assert not any(one.event.about for one in log if isinstance(one.event, e.TurnRecorded))
    found = about(fold(log))
    assert found
    assert all(key.endswith(f"/{whom}") for key, whom in found.items())


def test_nothing_is_read_into_a_key_that_ends_with_something_else() -> None:
    state = play(duel(turns=1)).state
    said = state.turns["opening/1/judith/score/ada"].said
    for key in ("opening/1/judith/score/nobody", "score/ada", "a/b/c/d/e/ada"):
        odd = msgspec.structs.replace(said, step_key=key, about="")
        again = play(duel(turns=1)).log[:-1]
        made = fold([*again, e.Recorded(len(again) + 1, again[-1].at, odd)])
        assert made.turns[key].said.about == ""
