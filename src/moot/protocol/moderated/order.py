"""The order of a moderated debate, and all that follows from it.

A pass is one round of one stage. The order says which passes there are and who speaks in each; open
steps, events that lead on, next speakers and the most calls are all read from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from moot.protocol.state import DebateState
from moot.protocol.values import Config, Participant, Place
from moot.protocol.words import StepKind

INTRODUCTION, CONCLUSION = "introduction", "conclusion"

SAID, ROUND_SAID, ALL_SAID, LIMIT, COMPLETE = "SAID", "ROUND_SAID", "ALL_SAID", "LIMIT", "COMPLETE"


class Speech(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody's turn to speak, before it is spoken.

    `signal` and `task` are templates: the seed's `[SYSTEM]` line, and what is asked for; `tokens`
    is the setting with the longest it may be.
    """

    stage: str
    round: int
    speaker: Participant
    number: int = 0
    """Its place within the pass, from 0."""
    is_answer: bool = False
    """Whether it answers somebody in its round: then no limit may come before it."""
    signal: str = "moderated/next_speaker"
    task: str
    tokens: str = "max_tokens"
    kind: StepKind = StepKind.SPEAK
    suffix: str = ""
    """What tells it from the same speaker's other speeches in the pass."""

    @property
    def key(self) -> str:
        return f"{self.stage}/{self.round}/{self.speaker.id}/{self.kind}{self.suffix}"


Speeches = Callable[[Config, str, int], tuple[Speech, ...]]
Rounds = Callable[[dict[str, Any], str], int]


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """`stages` in order, without the conclusion; `rounds` of a stage; `speeches` of a pass."""

    stages: tuple[str, ...]
    rounds: Rounds
    speeches: Speeches
    is_open_ended: bool = False
    """Whether nobody is told how many rounds there are."""

    def coming(self, state: DebateState) -> Iterator[Speech]:
        """What will still be said before the conclusion, as far as can be known now."""
        for speech in self._unsaid(state):
            # Who has been spoken to may answer, then a limit ends it (DESIGN section 9).
            if state.ending or (state.limits and not speech.is_answer):
                return
            yield speech

    def emits(self, state: DebateState) -> str | None:
        """The event that leads out of the pass, or None while somebody is left to speak in it."""
        speech = next(self.coming(state), None)
        if speech is None:
            return ALL_SAID if self.is_through(state) else LIMIT
        if speech.stage != state.stage:
            return SAID
        return ROUND_SAID if speech.round != state.round else None

    def is_through(self, state: DebateState) -> bool:
        """Whether everything was said that there was to say."""
        last = self.stages[-1]
        rounds = self.rounds(state.config.settings, last)
        return all(one.key in state.turns for one in self.speeches(state.config, last, rounds))

    def most_speeches(self, config: Config) -> int:
        return sum(self._speeches_in(config, stage) for stage in self.stages)

    def _speeches_in(self, config: Config, stage: str) -> int:
        """All rounds of a stage have the same speeches; only the first may have more."""
        first, others = (len(self.speeches(config, stage, round_)) for round_ in (1, 2))
        return first + (self.rounds(config.settings, stage) - 1) * others

    def place(self, speech: Speech) -> Place:
        stages = (*self.stages, CONCLUSION)
        return (stages.index(speech.stage) + 1, speech.round, speech.number)

    def shown_round(self, settings: dict[str, Any], speech: Speech) -> str:
        rounds = 1 if speech.stage == CONCLUSION else self.rounds(settings, speech.stage)
        is_counted = rounds > 1 and not self.is_open_ended
        return f"{speech.round} of {rounds}" if is_counted else str(speech.round)

    def _unsaid(self, state: DebateState) -> Iterator[Speech]:
        for stage, round_ in self._passes(state):
            for speech in self.speeches(state.config, stage, round_):
                if speech.key not in state.turns:
                    yield speech

    def _passes(self, state: DebateState) -> Iterator[tuple[str, int]]:
        """The pass that the debate is in, and those after it."""
        if state.stage == CONCLUSION:
            return
        begin = self.stages.index(state.stage) if state.stage else 0
        first = max(state.round, 1)
        for stage in self.stages[begin:]:
            for round_ in range(first, self.rounds(state.config.settings, stage) + 1):
                yield stage, round_
            first = 1
