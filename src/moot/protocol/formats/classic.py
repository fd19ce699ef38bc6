"""The classic debate of seed 000: openings, rebuttals, free debate and summaries of two sides.

A side may be a team: its members take turns at whatever the side has to say, and in `free`
everybody speaks at least once in every round, so that nobody is silent.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from moot.errors import InvalidInput
from moot.protocol.machine import START, Rounds, Stage, Transition
from moot.protocol.moderated import panel, tables
from moot.protocol.moderated.closing import Closing
from moot.protocol.moderated.form import Moderated
from moot.protocol.moderated.order import (
    ALL_SAID,
    INTRODUCTION,
    ROUND_SAID,
    SAID,
    Order,
    Speech,
)
from moot.protocol.moderated.roster import has_moderator, moderator, speakers
from moot.protocol.moderated.settings import ModeratedSettings
from moot.protocol.settings import Settings
from moot.protocol.values import Config, Participant
from moot.protocol.words import Role, Stance, StopReason

FREE = "free"
SECTIONS: dict[str, tuple[Stance, int, str, str]] = {
    "pro_opening": (Stance.PRO, 0, "classic/opening_task", "max_tokens"),
    "con_opening": (Stance.CON, 0, "classic/opening_task", "max_tokens"),
    "pro_rebuttal": (Stance.PRO, 1, "classic/rebuttal_task", "max_tokens"),
    "con_rebuttal": (Stance.CON, 1, "classic/defence_task", "max_tokens"),
    "pro_summary": (Stance.PRO, -1, "classic/summary_task", "max_tokens_closing"),
    "con_summary": (Stance.CON, -1, "classic/summary_task", "max_tokens_closing"),
}
"""Stages in which one side speaks: which, the number of its speech (-1 is the last), task, length.
"""
BEFORE_FREE = 2
"""What each side has said by then: an opening and a rebuttal."""

STAGES = (INTRODUCTION, *list(SECTIONS)[:4], FREE, *list(SECTIONS)[4:])


class ClassicSettings(ModeratedSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    free_rounds: Annotated[
        int,
        Meta(ge=1, le=20, description="Rounds of the free debate; everybody speaks in each."),
    ] = 2
    max_tokens: Annotated[
        int, Meta(ge=16, le=100_000, description="Length of an opening or rebuttal, in tokens.")
    ] = 600
    max_tokens_free: Annotated[
        int,
        Meta(ge=16, le=100_000, description="Length of a statement in the free debate, in tokens."),
    ] = 300
    max_tokens_closing: Annotated[
        int, Meta(ge=16, le=100_000, description="Length of a side's own summary, in tokens.")
    ] = 500


# --- who speaks when ------------------------------------------------------------------------------


def _team(config: Config, stance: Stance) -> tuple[Participant, ...]:
    return tuple(one for one in speakers(config) if one.stance is stance)


def _member(config: Config, stance: Stance, number: int) -> Participant:
    """Who gives a side's speech of that number: its members take turns."""
    team = _team(config, stance)
    return team[number % len(team)]


def _exchanges(config: Config) -> int:
    """How often pro and con alternate in a round of `free`: the larger team speaks once each."""
    return max(len(_team(config, stance)) for stance in (Stance.PRO, Stance.CON))


def _speeches(config: Config, stage: str, round_: int) -> tuple[Speech, ...]:
    if stage == INTRODUCTION:
        return panel.introduction(config)
    if stage == FREE:
        return (*_floor(config, round_), *_free(config, round_))
    stance, number, task, tokens = SECTIONS[stage]
    if number < 0:
        number = BEFORE_FREE + int(config.settings["free_rounds"]) * _exchanges(config)
    speech = Speech(
        stage=stage,
        round=round_,
        speaker=_member(config, stance, number),
        is_answer=stance is Stance.CON,
        task=task,
        tokens=tokens,
    )
    return (speech,)


def _floor(config: Config, round_: int) -> tuple[Speech, ...]:
    """The moderator opens the floor, once."""
    chair = moderator(config)
    if chair is None or round_ > 1:
        return ()
    speech = Speech(
        stage=FREE,
        round=round_,
        speaker=chair,
        signal="moderated/open_floor",
        task="classic/open_floor_task",
        tokens="max_tokens_moderator",
    )
    return (speech,)


def _free(config: Config, round_: int) -> tuple[Speech, ...]:
    exchanges = _exchanges(config)
    is_first_to_speak = moderator(config) is None and round_ == 1
    found: list[Speech] = []
    for exchange in range(exchanges):
        said = BEFORE_FREE + (round_ - 1) * exchanges + exchange
        for index, stance in enumerate((Stance.PRO, Stance.CON)):
            opens = is_first_to_speak and not found
            found.append(
                Speech(
                    stage=FREE,
                    round=round_,
                    number=2 * exchange + index + 1,
                    speaker=_member(config, stance, said),
                    is_answer=stance is Stance.CON,
                    signal="moderated/open_floor" if opens else "moderated/next_speaker",
                    task="classic/free_task",
                    tokens="max_tokens_free",
                    suffix=f"/{exchange + 1}",
                )
            )
    return tuple(found)


def _rounds(settings: dict[str, Any], stage: str) -> int:
    return int(settings["free_rounds"]) if stage == FREE else 1


# --- the sides ------------------------------------------------------------------------------------


def _on_sides(participants: tuple[Participant, ...]) -> tuple[Participant, ...]:
    """Who names no side is put on one, alternately; the first on that which the first lacks."""
    placed = []
    debaters = [one for one in participants if one.role is not Role.MODERATOR]
    counts = {
        stance: sum(one.stance is stance for one in debaters) for stance in (Stance.PRO, Stance.CON)
    }
    for one in participants:
        if one.role is Role.MODERATOR or one.stance is not Stance.NONE:
            placed.append(one)
            continue
        stance = min(counts, key=lambda side: counts[side])  # of equal sides, pro
        counts[stance] += 1
        placed.append(msgspec.structs.replace(one, stance=stance))
    missing = [stance for stance, count in counts.items() if count == 0]
    if missing:
        message = f"classic needs somebody on either side; nobody is {missing[0]}"
        raise InvalidInput(message, field="participants")
    return tuple(placed)


# --- the tables -----------------------------------------------------------------------------------

ORDER = Order(stages=STAGES, rounds=_rounds, speeches=_speeches)
CLOSING = Closing(ORDER, reason=StopReason.DONE, signal="classic/concluding")


class Classic(Moderated):
    name = "classic"
    about = "Two sides open, rebut, debate freely and sum up; a moderator leads and concludes."
    when_to_use = "When you want the full form of a debate, between two speakers or two teams."
    settings: type[Settings] = ClassicSettings
    order = ORDER
    closing = CLOSING
    stages: tuple[Stage, ...] = tables.stages(
        ORDER,
        CLOSING,
        (
            "The moderator introduces the topic and the participants.",
            "The pro side presents its case.",
            "The con side presents its case.",
            "The pro side answers the con side's opening.",
            "The con side answers the pro side's opening and rebuttal.",
            "The moderator opens the floor; pro and con alternate, and everybody speaks.",
            "The pro side sums up its case.",
            "The con side sums up its case.",
        ),
    )
    transitions: tuple[Transition, ...] = (
        # Seed 000, "Moderator First".
        Transition(source=None, event=START, target=INTRODUCTION, guard=has_moderator),
        Transition(source=None, event=START, target=STAGES[1]),
        *(
            Transition(source=source, event=SAID, target=target)
            for source, target in pairwise(STAGES)
        ),
        Transition(source=FREE, event=ROUND_SAID, target=FREE, rounds=Rounds.NEXT),
        *tables.to_the_end(STAGES[-1], ALL_SAID),
        *tables.early_ends(*STAGES),
        tables.CONCLUDED,
    )

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """As in every moderated format, and everybody on a side."""
        return _on_sides(super().cast(settings, participants))
