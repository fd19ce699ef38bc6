"""Small configurations of every format, for what must hold whatever the format.

A new format is covered by adding its rows here.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.unit.protocol.playing import PREMISE, duel, rounds

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
}

ALL = [
    (f"{name}-{number}", config)
    for name, configs in EXAMPLES.items()
    for number, config in enumerate(configs)
]
