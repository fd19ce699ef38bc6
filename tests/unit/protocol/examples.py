"""Small configurations of every format, for what must hold whatever the format.

A new format is covered by adding its rows here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace
from tests.unit.protocol.moderating import MO, debaters, moderated
from tests.unit.protocol.playing import (
    ADA,
    BO,
    JUDGE,
    PREMISE,
    PROPOSALS,
    configured,
    council,
    duel,
    exam,
    hearing,
    poll,
    rounds,
)

from moot.protocol.values import Config, Participant
from moot.protocol.words import Stance


def without_positions(name: str, *others: str, **settings: Any) -> Config:
    """Ada and Bo as the topic has them, but for those who keep the position of their persona."""
    pair = (one if one.id in others else replace(one, position="") for one in (ADA, BO))
    return configured(name, (*pair, replace(JUDGE, judging_criteria="")), **settings)


def _opposed(number: int) -> tuple[Participant, ...]:
    """Two on opposite sides, one of them with a position."""
    pair = debaters(2, stances=True)
    return tuple(
        replace(one, position="I have one.") if index == number else one
        for index, one in enumerate(pair)
    )


BENCH: Mapping[str, Any] = {"bench": ["lab:one", "lab:two", "lab:three"], "hearing": "adaptive"}
ASKED_TWICE: Mapping[str, Any] = {"bench": ["lab:one", "human"], "hearing": "2"}

EXAMPLES: Mapping[str, tuple[Config, ...]] = {
    "duel": (
        duel(turns=1),
        duel(turns=2, judge=False),
        duel(turns=3, premise=PREMISE, a=Stance.CON),
        duel(turns=6, premise=PREMISE),
        without_positions("duel", turns=2),
        duel(turns=2, **BENCH),
        duel(turns=2, judge=False, **ASKED_TWICE),
    ),
    "rounds": (
        rounds(max_rounds=1),
        rounds(max_rounds=3, stance_a="con"),
        rounds(max_rounds=3, judge_each_round=True),
        rounds(max_rounds=2, judge=False),
        rounds(max_rounds=2, checkpoint="every_round"),
        rounds(max_rounds=3, think=True, judge_each_round=True),
        rounds(max_rounds=2, think=True, checkpoint="every_round"),
        without_positions("rounds", max_rounds=2),
        without_positions("rounds", "ada", max_rounds=1),
        without_positions("rounds", "bo", max_rounds=1),
        rounds(max_rounds=2, judge_each_round=True, **BENCH),
        rounds(max_rounds=1, judge=False, checkpoint="every_round", **ASKED_TWICE),
    ),
    "council": (
        council(2, rounds=1),
        council(3, rounds=2, termination="convergence", threshold=100),
        council(2, rounds=1, termination="quality", threshold=0),
        council(2, rounds=2, interactive_clarifications=True, clarifications_max_iterations=2),
        council(3, rounds=2, summary_threshold_tokens=100, decision="vote"),
        council(2, rounds=1, decision="rank"),
        council(
            2,
            rounds=1,
            model="human",
            termination="quality",
            interactive_clarifications=True,
            decision="vote",
        ),
        council(2, rounds=1, model="human", decision="rank"),
        council(2, rounds=2, decision="vote", **BENCH),
        council(3, rounds=1, **ASKED_TWICE),
    ),
    "standard": (
        moderated("standard", 2, max_rounds=2),
        moderated("standard", 3, max_rounds=1, moderator=False),
        moderated("standard", 2, max_rounds=10_000, max_runtime_seconds=9),
        moderated("standard", 2, max_rounds=2, think=True),
    ),
    "custom": (
        moderated("custom", 2, max_rounds=1),
        moderated("custom", 3, max_rounds=3),
        moderated("custom", 2, max_rounds=1, ruling=True),
        moderated("custom", 2, max_rounds=2, moderator=False, stances=True),
        moderated("custom", 5, max_rounds=2, stances=True, checkpoint="every_round"),
        moderated("custom", 3, max_rounds=2, stances=True, think=True, checkpoint="every_round"),
        configured("custom", (MO, *_opposed(1)), max_rounds=2),
        configured("custom", (MO, *_opposed(0)), max_rounds=2),
    ),
    "classic": (
        moderated("classic", 2),
        moderated("classic", 3, free_rounds=1),
        moderated("classic", 5, free_rounds=1, moderator=False),
        moderated("classic", 2, max_runtime_seconds=7),
        moderated("classic", 3, think=True),
        moderated("classic", 2, facilitate=False, moderator=False, think=True),
    ),
    "poll": (
        poll(1, decision="first"),
        poll(3),
        poll(2, samples=2, answer_type="number"),
        poll(2, answer_type="yes_no", decision="first"),
        poll(3, decision="vote"),
        poll(2, samples=2, decision="rank"),
        poll(3, answer_type="choice", choices=["Tea", "Coffee"], decision="judge"),
        poll(2, judge=True, decision="judge"),
        poll(2, model="human", decision="vote"),
        poll(2, model="human", answer_type="yes_no", judge=True, decision="judge"),
    ),
    "hearing": (
        hearing(1),
        hearing(3),
        hearing(2, repeats=2),
        hearing(2, people=1, case=PROPOSALS),
        hearing(3, people=3, orders="one"),
        hearing(3, case=PROPOSALS),
    ),
    "exam": (exam(),),
}

ALL = [
    (f"{name}-{number}", config)
    for name, configs in EXAMPLES.items()
    for number, config in enumerate(configs)
]
