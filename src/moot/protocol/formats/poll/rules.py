"""The format `poll`: its stages and transitions."""

from __future__ import annotations

from datetime import datetime

from moot.protocol.formats.poll.order import (
    ANSWERS,
    DECISION,
    DEFAULT_ROSTER,
    PollSettings,
    cast_poll,
    cautions,
    longest_chain,
    most_calls,
)
from moot.protocol.formats.poll.outcome import outcome, retries, without
from moot.protocol.formats.poll.steps import (
    ALL_ANSWERED,
    DECIDED,
    answered,
    answering,
    decided,
    deciding,
    is_to_decide,
    lacks_answers,
)
from moot.protocol.machine import (
    END,
    START,
    Format,
    Stage,
    Transition,
    walk,
)
from moot.protocol.outcomes import Solution
from moot.protocol.recovering import BROUGHT_BACK, Recovery, recovered, recoveries, returned
from moot.protocol.settings import Settings, narrowed
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Next
from moot.protocol.values import Config, Participant
from moot.protocol.vocabulary import FormatWord
from moot.protocol.words import StepKind

STAGES = (
    Stage(
        name=ANSWERS,
        about="All members answer at the same time, and nobody sees another's answer.",
        steps=answering,
        emits=answered,
    ),
    Stage(
        name=DECISION,
        about="Members vote on the answers, or a judge reads them, all without names.",
        steps=deciding,
        emits=decided,
        closes=True,
    ),
)


TRANSITIONS = (
    Transition(source=None, event=START, target=ANSWERS),
    Transition(source=ANSWERS, event=ALL_ANSWERED, target=DECISION, guard=is_to_decide),
    Transition(source=ANSWERS, event=ALL_ANSWERED, target=None),
    Transition(source=ANSWERS, event=END, target=DECISION, guard=is_to_decide),
    Transition(source=ANSWERS, event=END, target=None),
    Transition(source=DECISION, event=BROUGHT_BACK, target=ANSWERS, guard=lacks_answers),
    Transition(source=DECISION, event=DECIDED, target=None),
    *recoveries(ANSWERS, DECISION),
)

RECOVERY = Recovery(retries=retries, without=without)


class Poll(Format):
    name = "poll"
    about = "Members answer alone, one or several times; what they say is counted or judged."
    when_to_use = "When you want an answer at once, or to see how far models agree unprompted."
    words: FormatWord | None = FormatWord(
        name="A poll of models that answer alone",
        end="“4 of 5 say yes. One says: not before spring.”",
        asks="What do they say, each for itself?",
        roles=("member",),
        length="samples",
        unit="answer",
        short=1,
        long=5,
        nick="A poll",
    )
    settings: type[Settings] = PollSettings
    default_roster: tuple[Participant, ...] = DEFAULT_ROSTER
    stages: tuple[Stage, ...] = STAGES
    transitions: tuple[Transition, ...] = TRANSITIONS
    gives_verdict = False
    answers_itself = True
    unnamed = frozenset({StepKind.ANSWER, StepKind.VOTE, StepKind.SYNTHESIZE})

    def without_names(self, turn: Turn) -> str:
        """Empty for ballots and the judge's answer, which say whose answers they are about."""
        return turn.said.content if turn.said.kind is StepKind.ANSWER else ""

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """One to ten members, and a judge if one decides, who is added if nobody is named."""
        return cast_poll(narrowed(settings, PollSettings), participants or self.default_roster)

    def cautions(self, config: Config) -> tuple[str, ...]:
        return cautions(config)

    def most_calls(self, config: Config) -> int:
        return most_calls(config)

    def longest_chain(self, config: Config) -> int:
        return longest_chain(config)

    def next(self, state: DebateState, now: datetime) -> Next:
        del now
        return recovered(self, state, returned(self, state) or walk(self, state), RECOVERY)

    def upcoming(self, state: DebateState, now: datetime) -> tuple[str, ...]:
        """Nobody: all are asked at once, and nobody waits for anybody else."""
        del state, now
        return ()

    def outcome(self, state: DebateState) -> Solution | None:
        return outcome(state)
