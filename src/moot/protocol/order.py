"""The order in which a debate is spoken, written once per format, and all that follows from it.

A pass is one round of one stage. An order says which passes there are and who speaks in each; what
is due, the event that leads on, who comes next and how many speeches there are at the most are all
read from it. It is made once per debate; what has been said is looked up in the state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from functools import cached_property
from typing import ClassVar, Generic, Self, TypeVar

import msgspec

from moot.protocol import events as e
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.turns import Known
from moot.protocol.values import Participant
from moot.protocol.words import StepKind

SAID, ROUND_SAID, ALL_SAID, LIMIT, COMPLETE = "SAID", "ROUND_SAID", "ALL_SAID", "LIMIT", "COMPLETE"


class Speech(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody's turn to speak, before it is spoken."""

    stage: str
    round: int
    speaker: Participant
    number: int = 0
    """The number of the speech: within its pass, or as the format counts."""
    is_answer: bool = False
    """Whether it answers somebody in its round: if so, no limit may come before it."""
    kind: StepKind = StepKind.SPEAK
    suffix: str = ""
    """What tells it apart from the same speaker's other speeches in the pass."""

    key: str = ""
    """Made from the other fields."""

    def __post_init__(self) -> None:
        key = f"{self.stage}/{self.round}/{self.speaker.id}/{self.kind}{self.suffix}"
        msgspec.structs.force_setattr(self, "key", key)


S = TypeVar("S", bound=Speech)


def thought_first(speech: S) -> tuple[S, ...]:
    """The speech, and before it a private thought about it. People think by themselves."""
    if speech.speaker.is_human:
        return (speech,)
    return msgspec.structs.replace(speech, kind=StepKind.THINK), speech


FEW = 2
"""If there are no more rounds than this, each may be different: one is the first, one the last."""


class Order(Generic[S]):
    """The order of one debate. A format says `stages`, `rounds` and `make`.

    Whatever is derived from the configuration is made when it is first needed and kept, so that a
    log can be read whatever its configuration is.
    """

    stages: ClassVar[tuple[str, ...]]
    """The stages in which speeches are made, in order."""
    closing: ClassVar[str]
    """The stage that comes after them."""
    after: ClassVar[tuple[str, ...]] = ()
    """The stages that come after the closing one."""
    events: ClassVar[dict[str, str]] = {}
    """What a format calls SAID, ROUND_SAID, ALL_SAID or LIMIT, where it has a name of its own."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, int], tuple[S, ...]] = {}
        self.forget()

    @cached_property
    def _last(self) -> tuple[S, ...]:
        """The speeches of the last pass."""
        passes = [(stage, self.rounds(stage)) for stage in self.stages]
        return self.speeches(*next(one for one in reversed(passes) if one[1] > 0))

    def rounds(self, stage: str) -> int:
        """How many rounds a stage has."""
        raise NotImplementedError

    def make(self, stage: str, round_: int) -> tuple[S, ...]:
        """The speeches of a pass. All rounds of a stage have equally many, but the first may have
        more, and the last may have fewer."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """The same for equal debates, however far they have come."""
        return f"{type(self).__name__}()"

    def apply(self, record: e.Recorded, state: Known) -> None:
        """No event changes the order. Kept steps are forgotten at their turn or at a limit."""
        del state
        match record.event:
            case e.TurnRecorded(step_key=key):
                self._kept.pop(key, None)
            case e.LimitReached():
                self._kept.clear()  # a step may now have to be asked as the last of its kind
            case _:
                pass

    def kept(self, key: str, make: Callable[[], Step]) -> Step:
        """The step with that key, made once. For steps that depend on nothing but turns before
        them, so that steps side by side are not all made anew whenever the turn of one arrives."""
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = make()
        return found

    def copied(self) -> Self:
        """A twin for a copy of the state: the same order, which finds by itself what is due."""
        twin = copy(self)
        twin.forget()
        return twin

    def forget(self) -> None:
        """Forget what is due and what is kept, so that both are made anew."""
        self._due: tuple[int, S | None] = (0, None)
        self._kept: dict[str, Step] = {}

    def speeches(self, stage: str, round_: int) -> tuple[S, ...]:
        """The speeches of a pass, made when first asked for."""
        found = self._made.get((stage, round_))
        if found is None:
            found = self._made[stage, round_] = self.make(stage, round_)
        return found

    def coming(self, state: DebateState) -> Iterator[S]:
        """What will still be said before the closing stage, as far as can be known now."""
        for speech in self._unsaid(state):
            # Whoever has been spoken to may answer; then a limit ends it (DESIGN section 9).
            if state.ending or (state.limits and not speech.is_answer):
                return
            yield speech

    def spoken(self, state: DebateState) -> Iterator[S]:
        """The same without private thoughts: what others will hear."""
        return (speech for speech in self.coming(state) if speech.kind is not StepKind.THINK)

    def due(self, state: DebateState) -> S | None:
        """The speech that comes next, if there is one; looked for only once after each event."""
        if self._due[0] != state.seq:
            self._due = state.seq, next(self.coming(state), None)
        return self._due[1]

    def emits(self, state: DebateState) -> str | None:
        """The event that leads out of the pass, or None while somebody is left to speak in it."""
        speech = self.due(state)
        if speech is None:
            event = ALL_SAID if self.is_through(state) else LIMIT
        elif speech.stage != state.stage:
            event = SAID
        elif speech.round != state.round:
            event = ROUND_SAID
        else:
            return None
        return self.events.get(event, event)

    def is_through(self, state: DebateState) -> bool:
        """Whether everything was said that there was to say."""
        return all(one.key in state.turns for one in self._last)

    def most_speeches(self) -> int:
        """How many there are if nothing cuts them short."""
        return sum(self._speeches_in(stage, self.rounds(stage)) for stage in self.stages)

    def _speeches_in(self, stage: str, rounds: int) -> int:
        if rounds <= FEW:
            return sum(len(self.make(stage, round_)) for round_ in range(1, rounds + 1))
        first, another, last = (len(self.make(stage, round_)) for round_ in (1, 2, rounds))
        return first + (rounds - 2) * another + last

    def stands(self, state: DebateState) -> tuple[str, int] | None:
        """The pass that the debate is in, or comes to first; None once it is closing."""
        if state.stage == self.closing or state.stage in self.after:
            return None
        return (state.stage, state.round) if state.stage in self.stages else (self.stages[0], 1)

    def _unsaid(self, state: DebateState) -> Iterator[S]:
        for stage, round_ in self._passes(state):
            for speech in self.speeches(stage, round_):
                if speech.key not in state.turns:
                    yield speech

    def _passes(self, state: DebateState) -> Iterator[tuple[str, int]]:
        """The pass that the debate is in, and those after it."""
        here = self.stands(state)
        if here is None:
            return
        at, round_ = here
        for stage in self.stages[self.stages.index(at) :]:
            for number in range(round_ if stage == at else 1, self.rounds(stage) + 1):
                yield stage, number
