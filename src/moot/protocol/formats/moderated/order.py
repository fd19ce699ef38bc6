"""The settings of every moderated debate, and its order: what a speech carries, where it stands."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, ClassVar

from msgspec import Meta

from moot.protocol import order
from moot.protocol.formats.moderated.roster import moderator
from moot.protocol.settings import RoundSettings
from moot.protocol.state import DebateState
from moot.protocol.values import Config, Participant, Place
from moot.protocol.words import StepKind

INTRODUCTION, CONCLUSION = "introduction", "conclusion"
MANUAL = "/manual"
"""Ends the key of the summary somebody asked for, so that one already being written is dropped."""


class ModeratedSettings(RoundSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    max_tokens: Annotated[
        int, Meta(ge=16, le=100_000, description="Length of one statement, in tokens.")
    ] = 500
    max_tokens_moderator: Annotated[
        int,
        Meta(
            ge=16,
            le=100_000,
            description="Length of what the moderator says before the end, in tokens.",
        ),
    ] = 400
    max_tokens_summary: Annotated[
        int, Meta(ge=16, le=100_000, description="Length of the moderator's summary, in tokens.")
    ] = 800


class Speech(order.Speech, frozen=True, kw_only=True):
    """`signal` and `task` are templates: the seed's `[SYSTEM]` line, and what is asked for;
    `max_tokens` is the longest it may be."""

    signal: str = "moderated/next_speaker"
    task: str
    max_tokens: int


class Order(order.Order[Speech]):
    """The order of one moderated debate, the moderator's last word left out."""

    closing: ClassVar[str] = CONCLUSION
    is_open_ended: ClassVar[bool] = False
    """Whether nobody is told how many rounds there are."""
    last_signal: ClassVar[str] = "moderated/max_rounds"
    """What the moderator is told when everything has been said."""

    def __init__(self, config: Config, settings: ModeratedSettings) -> None:
        super().__init__()
        self.config = config
        self.lengths = settings

    def place(self, speech: Speech) -> Place:
        stages = (*self.stages, CONCLUSION)
        return (stages.index(speech.stage) + 1, speech.round, speech.number)

    def shown_round(self, speech: Speech) -> str:
        rounds = 1 if speech.stage == CONCLUSION else self.rounds(speech.stage)
        is_counted = rounds > 1 and not self.is_open_ended
        return f"{speech.round} of {rounds}" if is_counted else str(speech.round)

    def introduction(self) -> tuple[Speech, ...]:
        """The moderator's first words, where there is one."""
        chair = moderator(self.config)
        if chair is None:
            return ()
        speech = Speech(
            stage=INTRODUCTION,
            round=1,
            speaker=chair,
            signal="moderated/introduce",
            task="moderated/introduce_task",
            max_tokens=self.lengths.max_tokens_moderator,
        )
        return (speech,)

    def conclusion(self, state: DebateState) -> Speech | None:
        """The moderator's last word, for the reason that there is."""
        chair = moderator(self.config)
        if chair is None:
            return None
        return Speech(
            stage=CONCLUSION,
            round=1,
            speaker=chair,
            signal=self._reason(state),
            task="moderated/conclude_task",
            max_tokens=self.lengths.max_tokens_summary,
            kind=StepKind.SUMMARIZE,
            suffix=MANUAL if state.ending else "",
        )

    def _reason(self, state: DebateState) -> str:
        if state.ending:
            return "moderated/ended"
        return self.last_signal if self.is_through(state) else "moderated/limit"

    def next_speakers(self, state: DebateState, count: int) -> tuple[Participant, ...]:
        """Who speaks next, the moderator's last word included, once for every time they speak."""
        coming = [speech.speaker for speech in islice(self.coming(state), count)]
        chair = moderator(state.config)
        return tuple([*coming, chair] if chair and len(coming) < count else coming)


def order_of(state: DebateState) -> Order:
    return state.own_as(Order)
