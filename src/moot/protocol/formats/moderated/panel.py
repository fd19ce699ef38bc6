"""The standard and the custom debate of seed 000: everybody speaks once in every round.

A custom debate has a set number of rounds, and everybody knows it; its moderator may be asked for a
ruling in place of a summary that takes no side. A standard debate goes on until somebody ends it,
or a limit does, or its `max_rounds` are over: speakers are told only which round is the last.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from moot.protocol.events import AnyEvent, MessageSaid
from moot.protocol.formats.moderated.order import (
    INTRODUCTION,
    ModeratedSettings,
    Order,
    Speech,
    has_moderator,
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
from moot.protocol.settings import Settings, narrowed
from moot.protocol.state import DebateState
from moot.protocol.values import Config, Participant
from moot.protocol.vocabulary import FormatWord
from moot.protocol.words import Stance

DISCUSSION = "discussion"


class PanelSettings(ModeratedSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    max_rounds: int


class CustomSettings(PanelSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    max_rounds: Annotated[
        int, Meta(ge=1, le=50, description="How many rounds; everybody speaks once in each.")
    ] = 3
    ruling: Annotated[
        bool,
        Meta(
            description="The moderator says at the end what holds and what does not, instead of "
            "summing up without taking sides."
        ),
    ] = False


class StandardSettings(PanelSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    max_rounds: Annotated[
        int,
        Meta(
            ge=1,
            le=10_000,
            description="The moderator sums up after this many rounds, unless you end it before.",
        ),
    ] = 5
    max_total_output_tokens: Annotated[
        Annotated[int, Meta(ge=1, le=100_000_000)] | None,
        Meta(description="Stop after this many tokens of answers; thinking is not counted."),
    ] = 200_000


# --- the order ------------------------------------------------------------------------------------


class PanelOrder(Order):
    stages: ClassVar[tuple[str, ...]] = (INTRODUCTION, DISCUSSION)

    def __init__(self, config: Config, settings: PanelSettings) -> None:
        super().__init__(config, settings)
        self.settings = settings

    def rounds(self, stage: str) -> int:
        return self.settings.max_rounds if stage == DISCUSSION else 1

    def make(self, stage: str, round_: int) -> tuple[Speech, ...]:
        return self.introduction() if stage == INTRODUCTION else self._discussion(round_)

    def _discussion(self, round_: int) -> tuple[Speech, ...]:
        """One round of the roster; the floor is opened to the very first (seed 000, "Standard")."""
        return self.thought_over(
            Speech(
                stage=DISCUSSION,
                round=round_,
                number=number,
                speaker=one,
                is_answer=number > 0,
                signal=_signal(round_, number),
                task=self._task(round_, number, one),
                words=self.settings.words,
                max_tokens=self.settings.max_tokens,
            )
            for number, one in enumerate(speakers(self.config))
        )

    def _task(self, round_: int, number: int, speaker: Participant) -> str:
        if round_ == 1:
            return "moderated/begin_task" if number == 0 else "moderated/position_task"
        if round_ < self.settings.max_rounds:
            return "moderated/answer_task"
        is_free = speaker.stance is Stance.NONE  # to change their mind
        return "moderated/last_task" if is_free else "moderated/last_task_sided"


class CustomOrder(PanelOrder):
    def __init__(self, config: Config, settings: CustomSettings) -> None:
        super().__init__(config, settings)
        if settings.ruling:
            self.chair, self.last_task = "moderated/ruler", "moderated/rule_task"


class StandardOrder(PanelOrder):
    is_open_ended: ClassVar[bool] = True


def _signal(round_: int, number: int) -> str:
    return "moderated/open_floor" if (round_, number) == (1, 0) else "moderated/next_speaker"


# --- the formats ----------------------------------------------------------------------------------

STAGES: tuple[Stage, ...] = stages(
    introduction="The moderator introduces the topic and the participants.",
    discussion="Everybody speaks once in every round, in the order of the roster.",
)
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


class Custom(Moderated):
    name = "custom"
    about = "Everybody speaks in a fixed number of rounds; a moderator opens and sums up."
    when_to_use = "When two to twelve voices should be heard equally, in a fixed number of rounds."
    words: FormatWord | None = FormatWord(
        name="A panel with a set number of rounds",
        end="“Three blame Victor, one blames the reader.”",
        asks="What is there to be said?",
        roles=("moderator", "debater"),
        length="max_rounds",
        unit="round",
        short=2,
        long=6,
        joins="leads",
    )
    settings: type[Settings] = CustomSettings
    stages: tuple[Stage, ...] = STAGES
    transitions: tuple[Transition, ...] = TRANSITIONS

    def fold(self, config: Config, settings: Settings) -> Order:
        return CustomOrder(config, narrowed(settings, CustomSettings))


class Standard(Moderated):
    name = "standard"
    about = "Everybody speaks in turn until you end it; a moderator opens and sums up."
    when_to_use = "When you want an open discussion that people can take part in or interrupt."
    words: FormatWord | None = FormatWord(
        name="An open panel with a moderator",
        end="“Samuel sums up: flats above, a market below, and no new car park.”",
        asks="What is there to be said?",
        roles=("moderator", "debater"),
        length="max_rounds",
        unit="round",
        short=3,
        long=8,
        joins="leads",
    )
    settings: type[Settings] = StandardSettings
    stages: tuple[Stage, ...] = STAGES
    transitions: tuple[Transition, ...] = TRANSITIONS

    def fold(self, config: Config, settings: Settings) -> Order:
        return StandardOrder(config, narrowed(settings, StandardSettings))

    def refusal(self, state: DebateState, event: AnyEvent) -> str | None:
        """Whoever watches may interject at any time; the next speakers see it."""
        return None if isinstance(event, MessageSaid) else super().refusal(state, event)
