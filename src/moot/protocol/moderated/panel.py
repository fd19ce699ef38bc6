"""A discussion in rounds, in which everybody speaks once in each: standard and custom."""

from __future__ import annotations

from typing import Any

from moot.protocol.machine import START, Rounds, Transition
from moot.protocol.moderated.order import (
    ALL_SAID,
    INTRODUCTION,
    ROUND_SAID,
    SAID,
    Speech,
)
from moot.protocol.moderated.roster import has_moderator, moderator, speakers
from moot.protocol.moderated.tables import CONCLUDED, early_ends, to_the_end
from moot.protocol.values import Config

DISCUSSION = "discussion"
STAGES = (INTRODUCTION, DISCUSSION)

TRANSITIONS: tuple[Transition, ...] = (
    # Seed 000, "Moderator First".
    Transition(source=None, event=START, target=INTRODUCTION, guard=has_moderator),
    Transition(source=None, event=START, target=DISCUSSION),
    Transition(source=INTRODUCTION, event=SAID, target=DISCUSSION),
    Transition(source=DISCUSSION, event=ROUND_SAID, target=DISCUSSION, rounds=Rounds.NEXT),
    *to_the_end(DISCUSSION, ALL_SAID),
    *early_ends(INTRODUCTION, DISCUSSION),
    CONCLUDED,
)


def rounds(settings: dict[str, Any], stage: str) -> int:
    return int(settings["max_rounds"]) if stage == DISCUSSION else 1


def introduction(config: Config) -> tuple[Speech, ...]:
    """The moderator's first words, where there is one."""
    chair = moderator(config)
    if chair is None:
        return ()
    speech = Speech(
        stage=INTRODUCTION,
        round=1,
        speaker=chair,
        signal="moderated/introduce",
        task="moderated/introduce_task",
        tokens="max_tokens_moderator",
    )
    return (speech,)


def discussion(config: Config, round_: int, *, last_task: str) -> tuple[Speech, ...]:
    """One round of the roster; the floor is opened to the very first (seed 000, "Standard")."""
    is_last = round_ == int(config.settings["max_rounds"])
    return tuple(
        Speech(
            stage=DISCUSSION,
            round=round_,
            number=number,
            speaker=one,
            is_answer=number > 0,
            signal=_signal(round_, number),
            task=last_task if is_last and round_ > 1 else _task(round_, number),
        )
        for number, one in enumerate(speakers(config))
    )


def _signal(round_: int, number: int) -> str:
    return "moderated/open_floor" if (round_, number) == (1, 0) else "moderated/next_speaker"


def _task(round_: int, number: int) -> str:
    if round_ > 1:
        return "moderated/answer_task"
    return "moderated/begin_task" if number == 0 else "moderated/position_task"
