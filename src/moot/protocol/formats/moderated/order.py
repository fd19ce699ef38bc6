"""Who takes part in a moderated debate, its settings, and its order: what a speech carries.

There is at most one moderator, and two to twelve others speak.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from moot.errors import InvalidInput
from moot.protocol import order
from moot.protocol.order import thought_first
from moot.protocol.settings import RoundSettings, Think, Words
from moot.protocol.state import DebateState
from moot.protocol.values import Config, Participant, Place
from moot.protocol.words import Role, StepKind

# --- who takes part -------------------------------------------------------------------------------

FEWEST, MOST = 2, 12


def moderator(config: Config) -> Participant | None:
    return next((one for one in config.participants if one.role is Role.MODERATOR), None)


def speakers(config: Config) -> tuple[Participant, ...]:
    """Everybody but the moderator, in the order in which they speak."""
    return tuple(one for one in config.participants if one.role is not Role.MODERATOR)


def has_moderator(state: DebateState) -> bool:
    return moderator(state.config) is not None


def check_roster(format_name: str, participants: Sequence[Participant]) -> None:
    """Raises InvalidInput if a debate of that format cannot be held with these participants."""
    moderators = [one.name for one in participants if one.role is Role.MODERATOR]
    judges = [one.name for one in participants if one.role is Role.JUDGE]
    count = len(participants) - len(moderators)
    if judges:
        message = (
            f"{judges[0]} is a judge, and {format_name} has none: its moderator sums up and nobody "
            "wins; leave the judge out (`--no-judge`), or use duel or rounds for a verdict"
        )
    elif len(moderators) > 1:
        message = f"{format_name} has one moderator, not {len(moderators)}: {', '.join(moderators)}"
    elif not FEWEST <= count <= MOST:
        message = f"{format_name} has {FEWEST} to {MOST} participants and a moderator, not {count}"
    else:
        return
    raise InvalidInput(message, field="participants")


def moderator_first(participants: Sequence[Participant]) -> tuple[Participant, ...]:
    """The moderator first, as in the debate; the others as they were given."""
    return tuple(sorted(participants, key=lambda one: one.role is not Role.MODERATOR))


# --- who speaks when ------------------------------------------------------------------------------

INTRODUCTION, CONCLUSION = "introduction", "conclusion"
MANUAL = "/manual"
"""Ends the key of a summary that somebody asked for, so that another, already being written, is
dropped."""


class ModeratedSettings(RoundSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    BEFORE: ClassVar[Mapping[str, Any]] = MappingProxyType(
        {"words": 0, "words_moderator": 0, "words_summary": 0}
    )

    max_tokens: Annotated[
        int, Meta(ge=16, le=100_000, description="Longest statement, in tokens.")
    ] = 500
    max_tokens_moderator: Annotated[
        int,
        Meta(
            ge=16,
            le=100_000,
            description="Longest turn of the moderator before the summary, in tokens.",
        ),
    ] = 400
    max_tokens_summary: Annotated[
        int, Meta(ge=16, le=100_000, description="Longest summary of the moderator, in tokens.")
    ] = 800
    words: Words = 150
    words_moderator: Annotated[
        int,
        Meta(
            ge=0,
            le=5000,
            description="About how many words the moderator should say in a turn before the "
            "summary; 0 sets no length.",
        ),
    ] = 100
    words_summary: Annotated[
        int,
        Meta(
            ge=0,
            le=5000,
            description="About how many words the moderator's summary should have; 0 sets no "
            "length.",
        ),
    ] = 250
    think: Think = False


class Speech(order.Speech, frozen=True, kw_only=True):
    """`signal` and `task` are templates: the seed's `[SYSTEM]` line, and what is asked for;
    `words` is the length to ask for, `max_tokens` the longest it may be. `chair` is the template
    that tells the moderator who they are."""

    signal: str = "moderated/next_speaker"
    task: str
    words: int
    max_tokens: int
    chair: str = "moderated/moderator"


class Order(order.Order[Speech]):
    """The order of one moderated debate, the moderator's last word left out."""

    closing: ClassVar[str] = CONCLUSION
    is_open_ended: ClassVar[bool] = False
    """Whether nobody is told how many rounds there are."""
    last_signal: ClassVar[str] = "moderated/max_rounds"
    """What the moderator is told when everything has been said."""
    chair: str = "moderated/moderator"
    last_task: str = "moderated/conclude_task"
    """Templates: who the moderator is, and what they are asked for at the end."""

    def __init__(self, config: Config, settings: ModeratedSettings) -> None:
        super().__init__()
        self.config = config
        self.lengths = settings

    def place(self, speech: Speech) -> Place:
        stages = (*self.stages, CONCLUSION)
        place = (stages.index(speech.stage) + 1, speech.round, speech.number)
        return (*place, int(speech.kind is not StepKind.THINK)) if self.lengths.think else place

    def thought_over(self, speeches: Iterable[Speech]) -> tuple[Speech, ...]:
        """The speeches of debaters, each with a thought before it if the settings say so."""
        if not self.lengths.think:
            return tuple(speeches)
        return tuple(part for speech in speeches for part in thought_first(speech))

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
            words=self.lengths.words_moderator,
            max_tokens=self.lengths.max_tokens_moderator,
            chair=self.chair,
        )
        return (speech,)

    def conclusion(self, state: DebateState) -> Speech | None:
        """The moderator's last word, whose signal says why it is time; None without a moderator."""
        chair = moderator(self.config)
        if chair is None:
            return None
        return Speech(
            stage=CONCLUSION,
            round=1,
            speaker=chair,
            signal=self._reason(state),
            task=self.last_task,
            words=self.lengths.words_summary,
            max_tokens=self.lengths.max_tokens_summary,
            chair=self.chair,
            kind=StepKind.SUMMARIZE,
            suffix=MANUAL if state.ending else "",
        )

    def _reason(self, state: DebateState) -> str:
        if state.ending:
            return "moderated/ended"
        return self.last_signal if self.is_through(state) else "moderated/limit"

    def next_speakers(self, state: DebateState, count: int) -> tuple[Participant, ...]:
        """Who speaks next, the moderator's last word included, once for every time they speak."""
        coming = [speech.speaker for speech in islice(self.spoken(state), count)]
        chair = moderator(state.config)
        return tuple([*coming, chair] if chair and len(coming) < count else coming)


def order_of(state: DebateState) -> Order:
    return state.own_as(Order)
