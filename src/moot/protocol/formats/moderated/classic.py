"""The classic debate of seed 000: openings, rebuttals, free debate and summaries of two sides.

A side may be a team: its members take turns at whatever the side has to say, and in `free`
everybody speaks at least once in every round, so that nobody is silent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta

from moot.errors import InvalidInput
from moot.protocol.formats.moderated.order import (
    INTRODUCTION,
    ModeratedSettings,
    Order,
    Speech,
    has_moderator,
    moderator,
    speakers,
)
from moot.protocol.formats.moderated.rules import (
    CONCLUDED,
    Moderated,
    early_ends,
    stages,
    to_the_end,
)
from moot.protocol.machine import START, Rounds, Stage, Transition
from moot.protocol.order import ALL_SAID, ROUND_SAID, SAID
from moot.protocol.settings import Settings, Words, narrowed
from moot.protocol.values import Config, Participant
from moot.protocol.vocabulary import FormatWord
from moot.protocol.words import Role, Stance, StopReason

FREE = "free"
SECTIONS: dict[str, tuple[Stance, int, str]] = {
    "pro_opening": (Stance.PRO, 0, "classic/opening_task"),
    "con_opening": (Stance.CON, 0, "classic/opening_task"),
    "pro_rebuttal": (Stance.PRO, 1, "classic/rebuttal_task"),
    "con_rebuttal": (Stance.CON, 1, "classic/defence_task"),
    "pro_summary": (Stance.PRO, -1, "classic/summary_task"),
    "con_summary": (Stance.CON, -1, "classic/summary_task"),
}
"""Stages in which one side speaks: which side, the number of its speech (-1 is the last), and the
task."""
BEFORE_FREE = 2
"""The speeches that each side has given before `free`: an opening and a rebuttal."""

STAGES = (INTRODUCTION, *list(SECTIONS)[:4], FREE, *list(SECTIONS)[4:])


class ClassicSettings(ModeratedSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    BEFORE: ClassVar[Mapping[str, Any]] = MappingProxyType(
        {**ModeratedSettings.BEFORE, "words_free": 0, "words_closing": 0, "facilitate": False}
    )

    free_rounds: Annotated[
        int,
        Meta(ge=1, le=20, description="Rounds of free debate; everybody speaks in each."),
    ] = 2
    facilitate: Annotated[
        bool, Meta(description="Whether the moderator steps in between rounds of free debate.")
    ] = True
    words: Words = 200
    words_free: Annotated[
        int,
        Meta(
            ge=0,
            le=5000,
            description="About how many words a statement in the free debate should have; 0 sets "
            "no length.",
        ),
    ] = 80
    words_closing: Annotated[
        int,
        Meta(
            ge=0,
            le=5000,
            description="About how many words a side's summary should have; 0 sets no length.",
        ),
    ] = 150
    max_tokens: Annotated[
        int, Meta(ge=16, le=100_000, description="Longest opening or rebuttal, in tokens.")
    ] = 600
    max_tokens_free: Annotated[
        int,
        Meta(ge=16, le=100_000, description="Longest statement in the free debate, in tokens."),
    ] = 300
    max_tokens_closing: Annotated[
        int, Meta(ge=16, le=100_000, description="Longest summary of a side, in tokens.")
    ] = 500


# --- the order ------------------------------------------------------------------------------------


class ClassicOrder(Order):
    stages: ClassVar[tuple[str, ...]] = STAGES
    last_signal: ClassVar[str] = "classic/concluding"

    def __init__(self, config: Config, settings: ClassicSettings) -> None:
        super().__init__(config, settings)
        self.settings = settings

    @cached_property
    def _teams(self) -> dict[Stance, tuple[Participant, ...]]:
        return {
            stance: tuple(one for one in speakers(self.config) if one.stance is stance)
            for stance in (Stance.PRO, Stance.CON)
        }

    @cached_property
    def _exchanges(self) -> int:
        """How often pro and con alternate in a round of `free`, so that all of the larger team
        speak."""
        return max(len(team) for team in self._teams.values())

    def rounds(self, stage: str) -> int:
        return self.settings.free_rounds if stage == FREE else 1

    def make(self, stage: str, round_: int) -> tuple[Speech, ...]:
        if stage == INTRODUCTION:
            return self.introduction()
        if stage == FREE:
            return (*self._floor(round_), *self.thought_over(self._free(round_)))
        return self.thought_over((self._of_a_side(stage),))

    def _member(self, stance: Stance, number: int) -> Participant:
        """Who gives a side's speech of that number: its members take turns."""
        team = self._teams[stance]
        return team[number % len(team)]

    def _of_a_side(self, stage: str) -> Speech:
        stance, number, task = SECTIONS[stage]
        is_last = number < 0
        if is_last:
            number = BEFORE_FREE + self.settings.free_rounds * self._exchanges
        lengths = self.settings
        return Speech(
            stage=stage,
            round=1,
            speaker=self._member(stance, number),
            is_answer=stance is Stance.CON,
            task=task,
            words=lengths.words_closing if is_last else lengths.words,
            max_tokens=lengths.max_tokens_closing if is_last else lengths.max_tokens,
        )

    def _floor(self, round_: int) -> tuple[Speech, ...]:
        """The moderator opens the floor, and steps in before every round that follows."""
        chair, is_first = moderator(self.config), round_ == 1
        if chair is None or not (is_first or self.settings.facilitate):
            return ()
        speech = Speech(
            stage=FREE,
            round=round_,
            speaker=chair,
            signal="moderated/open_floor" if is_first else "moderated/next_speaker",
            task="classic/open_floor_task" if is_first else "classic/facilitate_task",
            words=self.settings.words_moderator,
            max_tokens=self.settings.max_tokens_moderator,
        )
        return (speech,)

    def _free(self, round_: int) -> Iterator[Speech]:
        is_open = moderator(self.config) is not None or round_ > 1
        for exchange in range(self._exchanges):
            said = BEFORE_FREE + (round_ - 1) * self._exchanges + exchange
            for index, stance in enumerate((Stance.PRO, Stance.CON)):
                yield Speech(
                    stage=FREE,
                    round=round_,
                    number=2 * exchange + index + 1,
                    speaker=self._member(stance, said),
                    is_answer=stance is Stance.CON,
                    signal="moderated/next_speaker" if is_open else "moderated/open_floor",
                    task="classic/free_task",
                    words=self.settings.words_free,
                    max_tokens=self.settings.max_tokens_free,
                    suffix=f"/{exchange + 1}",
                )
                is_open = True


# --- the sides ------------------------------------------------------------------------------------


def _on_sides(participants: tuple[Participant, ...]) -> tuple[Participant, ...]:
    """Debaters who name no side are put on the one that has fewer, in turn."""
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
        message = f"classic needs somebody on each side, and nobody is {missing[0]}"
        raise InvalidInput(message, field="participants")
    return tuple(placed)


# --- the format -----------------------------------------------------------------------------------


class Classic(Moderated):
    name = "classic"
    about = "Two sides open, rebut, debate freely and sum up; a moderator leads and concludes."
    when_to_use = "When you want a full, formal debate between two speakers or two teams."
    words: FormatWord | None = FormatWord(
        name="Openings, rebuttals and summaries",
        end="“Both sides now agree on the pilot, and on nothing else.”",
        asks="What is there to be said?",
        roles=("moderator", "debater"),
        length="free_rounds",
        unit="round",
        short=1,
        long=4,
        joins="leads",
    )
    settings: type[Settings] = ClassicSettings
    said_all = StopReason.DONE
    stages: tuple[Stage, ...] = stages(
        introduction="The moderator introduces the topic and the participants.",
        pro_opening="The pro side presents its case.",
        con_opening="The con side presents its case.",
        pro_rebuttal="The pro side answers the con side's opening.",
        con_rebuttal="The con side answers the pro side's opening and rebuttal.",
        free="The moderator opens the floor and steps in between rounds; everybody speaks.",
        pro_summary="The pro side sums up its case.",
        con_summary="The con side sums up its case.",
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
        *to_the_end(STAGES[-1], ALL_SAID),
        *early_ends(*STAGES),
        CONCLUDED,
    )

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """As in every moderated format, with everybody put on a side."""
        return _on_sides(super().cast(settings, participants))

    def fold(self, config: Config, settings: Settings) -> Order:
        return ClassicOrder(config, narrowed(settings, ClassicSettings))
