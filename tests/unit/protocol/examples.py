"""Small configurations of every format, for what must hold whatever the format.

A new format is covered by adding its rows here.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.unit.protocol.moderating import moderated
from tests.unit.protocol.playing import PREMISE, council, duel, rounds

from moot.protocol.values import Config
from moot.protocol.words import Stance

EXAMPLES: Mapping[str, tuple[Config, ...]] = {
    "duel": (
        duel(turns=1),
        duel(turns=2, judge=False),
        duel(turns=3, premise=PREMISE, a=Stance.CON),
        duel(turns=6, premise=PREMISE),
    ),
    "rounds": (
        rounds(max_rounds=1),
        rounds(max_rounds=3, stance_a="con"),
        rounds(max_rounds=3, judge_each_round=True),
        rounds(max_rounds=2, judge=False),
        rounds(max_rounds=2, checkpoint="every_round"),
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
    ),
    "standard": (
        moderated("standard", 2, max_rounds=2),
        moderated("standard", 3, max_rounds=1, moderator=False),
        moderated("standard", 2, max_rounds=10_000, max_runtime_seconds=9),
    ),
    "custom": (
        moderated("custom", 2, max_rounds=1),
        moderated("custom", 3, max_rounds=3),
        moderated("custom", 2, max_rounds=2, moderator=False, stances=True),
        moderated("custom", 5, max_rounds=2, stances=True, checkpoint="every_round"),
    ),
    "classic": (
        moderated("classic", 2),
        moderated("classic", 3, free_rounds=1),
        moderated("classic", 5, free_rounds=1, moderator=False),
        moderated("classic", 2, max_runtime_seconds=7),
    ),
}

ALL = [
    (f"{name}-{number}", config)
    for name, configs in EXAMPLES.items()
    for number, config in enumerate(configs)
]
