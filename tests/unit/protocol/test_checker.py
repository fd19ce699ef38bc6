"""What can be proven of a format before anything runs, and that planted faults are found."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import pytest
from tests.unit.protocol.examples import ALL
from tests.unit.protocol.playing import play, readable
from tests.unit.protocol.talk import Talk, talk

from moot.errors import IllegalEvent
from moot.protocol import deciding
from moot.protocol.checker import problems, rehearse
from moot.protocol.machine import END, START, Rounds, Stage, Transition, mermaid, walk
from moot.protocol.registry import FORMATS
from moot.protocol.state import DebateState
from moot.protocol.steps import Idle, Next, Step
from moot.protocol.values import Config
from moot.protocol.words import USER, Status, StopReason

GOOD = (
    Transition(source=None, event=START, target="one"),
    Transition(source="one", event="ON", target="two"),
    Transition(source="one", event=END, target="two"),
    Transition(source="two", event="OUT", target=None),
)


def stage(name: str, emits: str | None = None) -> Stage:
    return Stage(name=name, about="", steps=lambda _state: (), emits=lambda _state: emits)


def form(*transitions: Transition, stages: Sequence[Stage] | None = None) -> Talk:
    made = Talk()
    made.stages = tuple(stages or (stage("one", "ON"), stage("two", "OUT")))
    made.transitions = transitions
    return made


def reply(step: Step, _state: DebateState) -> str:
    return readable(step)


@pytest.mark.parametrize("name", FORMATS)
def test_it_finds_nothing_wrong_with_the_registered_formats(name: str) -> None:
    assert problems(FORMATS[name]) == []


def test_it_finds_nothing_wrong_with_sound_tables() -> None:
    assert problems(form(*GOOD)) == []
    assert problems(Talk()) == []


@pytest.mark.parametrize(
    ("transitions", "stages", "expected"),
    [
        pytest.param(
            GOOD,
            (stage("one"), stage("two"), stage("three")),
            [
                "three cannot be reached",
                "three never leads to the end",
                "three has no way out for END",
            ],
            id="unreachable stage",
        ),
        pytest.param(
            (*GOOD[:3], Transition(source="two", event="BACK", target="one")),
            None,
            [
                "one never leads to the end",
                "two never leads to the end",
                "two has no way out for END",
            ],
            id="no way to the end",
        ),
        pytest.param(
            (*GOOD, Transition(source="two", event="ODD", target="nowhere")),
            None,
            ["nowhere is no stage"],
            id="unknown target",
        ),
        pytest.param(
            (*GOOD, Transition(source="nowhere", event="ODD", target="one")),
            None,
            ["nowhere is no stage"],
            id="unknown source",
        ),
        pytest.param(
            (GOOD[0], GOOD[1], GOOD[3]), None, ["one has no way out for END"], id="missing END"
        ),
        pytest.param(
            GOOD,
            (stage("one"), stage("two"), stage("two")),
            ["two is declared twice", "two is declared twice"],
            id="declared twice",
        ),
    ],
)
def test_it_finds_the_fault(
    transitions: tuple[Transition, ...], stages: Sequence[Stage] | None, expected: list[str]
) -> None:
    assert problems(form(*transitions, stages=stages)) == expected


@pytest.mark.parametrize("config", [c for _, c in ALL], ids=[name for name, _ in ALL])
def test_it_never_makes_more_calls_than_promised(config: Config) -> None:
    made = rehearse(FORMATS[config.format], config, reply)
    assert made.state.status is Status.COMPLETED
    calls = [step for step in made.steps if step.participant != USER]
    assert len(calls) <= FORMATS[config.format].most_calls(config)
    assert len({step.key for step in made.steps}) == len(made.steps)
    assert len({step.place for step in made.steps}) == len(made.steps)


@pytest.mark.parametrize("config", [c for _, c in ALL], ids=[name for name, _ in ALL])
def test_it_rehearses_what_is_played(config: Config) -> None:
    made = rehearse(FORMATS[config.format], config, reply)
    played = play(config)
    assert list(made.state.turns) == list(played.state.turns)
    assert made.state.outcome == played.state.outcome


def test_it_counts_the_same_calls_one_at_a_time_as_all_at_once() -> None:
    at_once = rehearse(Talk(), talk("a", "b"), reply)
    singly = rehearse(Talk(), talk("a", "b"), reply, lambda steps: steps[:1])
    assert (at_once.rounds, singly.rounds) == (4, 8)
    assert len(at_once.steps) == len(singly.steps) == 8


class Endless(Talk):
    """Always another round."""

    transitions: tuple[Transition, ...] = (
        Transition(source=None, event=START, target="talk"),
        Transition(source="talk", event="ROUND_SAID", target="talk", rounds=Rounds.NEXT),
        Transition(source="talk", event="ALL_SAID", target="talk", rounds=Rounds.NEXT),
        Transition(source="talk", event=END, target=None),
    )


def test_it_notices_a_format_that_never_ends() -> None:
    with pytest.raises(IllegalEvent, match="does not end within"):
        rehearse(Endless(), talk("a"), reply)


def test_it_notices_a_format_that_goes_round_in_circles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deciding, "MOST_MOVES", 50)
    circle = form(
        GOOD[0],
        Transition(source="one", event="ON", target="two"),
        Transition(source="two", event="OUT", target="one"),
    )
    with pytest.raises(IllegalEvent, match="in circles"):
        rehearse(circle, talk("a"), reply)


class Still(Talk):
    def next(self, state: DebateState, now: datetime) -> Next:
        return Idle("nobody is there")


def test_it_notices_a_format_that_stands_still() -> None:
    with pytest.raises(IllegalEvent, match="stands still: nobody is there"):
        rehearse(Still(), talk("a"), reply)


def test_it_refuses_an_event_that_leads_nowhere() -> None:
    lost = form(GOOD[0], stages=(stage("one", "LOST"),))
    with pytest.raises(IllegalEvent, match="LOST leads nowhere from one"):
        rehearse(lost, talk("a"), reply)


def test_it_takes_the_first_row_whose_guard_holds() -> None:
    def never(_state: DebateState) -> bool:
        return False

    guarded = form(
        GOOD[0],
        Transition(source="one", event="ON", target="three", guard=never),
        Transition(source="one", event="ON", target=None),
        stages=(stage("one", "ON"), stage("three")),
    )
    made = rehearse(guarded, talk("a"), reply)
    assert made.state.stage == "one"
    assert made.state.stop_reason is StopReason.DONE


def test_it_says_idle_when_a_stage_has_nothing_open() -> None:
    made = form(GOOD[0], stages=(stage("one", None),))
    rehearsed = rehearse(Talk(), talk("a"), reply).log[:2]
    state = DebateState(rehearsed[0], made)
    state.apply(rehearsed[1])
    state.stage = "one"
    assert isinstance(walk(made, state), Idle)


@pytest.mark.parametrize("name", FORMATS)
def test_it_draws_every_transition_of_the_tables(name: str) -> None:
    lines = mermaid(FORMATS[name]).splitlines()
    assert lines[0] == "stateDiagram-v2"
    assert len(lines) == len(FORMATS[name].transitions) + 1
    for row, line in zip(FORMATS[name].transitions, lines[1:], strict=True):
        assert line.startswith(f"    {row.source or '[*]'} --> {row.target or '[*]'}: {row.event}")
        assert line.endswith("]") == (row.guard is not None)


def test_it_names_guards_in_words() -> None:
    assert "    opening --> verdict: ALL_SAID [has judge]" in mermaid(FORMATS["duel"]).splitlines()
