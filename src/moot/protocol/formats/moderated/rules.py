"""Moderated formats, apart from their order: the stages, the rows, and how the moderator closes.

Nobody wins. The outcome is what the moderator wrote and who that was; without a moderator there is
no outcome. The summary is written exactly once, whatever leads to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from moot.protocol.bench.spoken import have_spoken, spoken
from moot.protocol.checkpoints import LAST, checkpoint
from moot.protocol.formats.moderated import roster
from moot.protocol.formats.moderated.order import CONCLUSION, MANUAL, Order, Speech, order_of
from moot.protocol.formats.moderated.prompts import step_for
from moot.protocol.hearing.case import Case
from moot.protocol.machine import END, UPCOMING, Format, Stage, Transition
from moot.protocol.order import COMPLETE, LIMIT
from moot.protocol.outcomes import Summary
from moot.protocol.settings import Settings, frozen
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Step
from moot.protocol.values import Config, Participant
from moot.protocol.words import StepKind, StopReason


class Moderated(Format):
    default_roster: tuple[Participant, ...] = ()
    gives_verdict = False
    said_all: StopReason = StopReason.MAX_ROUNDS
    """Why the debate is over when everything has been said."""

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """At most one moderator, who comes first, and two to twelve others."""
        del settings
        roster.check(self.name, participants)
        return roster.moderator_first(participants)

    def fold(self, config: Config, settings: Settings) -> Order:
        raise NotImplementedError

    def most_calls(self, config: Config) -> int:
        """Every speech and the summary; one follows the other."""
        order = self.fold(config, frozen(self.settings, config.settings))
        return order.most_speeches() + (roster.moderator(config) is not None)

    def owes(self, state: DebateState) -> bool:
        return order_of(state).due(state) is not None

    def reached(self, state: DebateState) -> StopReason | None:
        return self.said_all if order_of(state).is_through(state) else None

    def can_be_heard(self, state: DebateState) -> bool:
        return have_spoken(state)

    def case(self, state: DebateState) -> Case | None:
        return spoken(state)

    def outcome(self, state: DebateState) -> Summary | None:
        turn = _summary(state)
        if turn is None or turn.is_silent:
            return None
        by = turn.said.participant
        return Summary(summary=turn.said.content, by=state.participants[by].name, by_id=by)

    def upcoming(self, state: DebateState, now: datetime) -> tuple[str, ...]:
        """Each as often as they will speak: two debaters can fill all UPCOMING places."""
        del now
        if _summary(state):
            return ()
        return tuple(one.id for one in order_of(state).next_speakers(state, UPCOMING))


def _summary(state: DebateState) -> Turn | None:
    """The moderator's last word, whether or not somebody asked for it."""
    chair = roster.moderator(state.config)
    if chair is None:
        return None
    key = f"{CONCLUSION}/1/{chair.id}/{StepKind.SUMMARIZE}"
    return state.turn(key) or state.turn(key + MANUAL)


# --- the stages -----------------------------------------------------------------------------------


def stages(**about: str) -> tuple[Stage, ...]:
    """The stages of an order with a sentence for people about each, and the conclusion."""
    spoken = tuple(
        Stage(name=name, about=sentence, steps=_speaking, emits=_said)
        for name, sentence in about.items()
    )
    last = Stage(
        name=CONCLUSION,
        about="The moderator sums up; nobody wins.",
        steps=_concluding,
        emits=_concluded,
        closes=True,
    )
    return (*spoken, last)


def _speaking(state: DebateState) -> Iterator[Step]:
    order = order_of(state)
    speech = order.due(state)
    if speech is not None:
        yield _pause(order, state, speech) or step_for(order, state, speech)


def _pause(order: Order, state: DebateState, speech: Speech) -> Step | None:
    """The question to the user before a new round of the same stage."""
    first, *_ = order.speeches(speech.stage, speech.round)
    over = speech.round - 1 if speech == first else 0
    return checkpoint(state, over=over, place=(*order.place(speech)[:1], over, LAST))


def _said(state: DebateState) -> str | None:
    return order_of(state).emits(state)


def _concluding(state: DebateState) -> Iterator[Step]:
    order = order_of(state)
    speech = order.conclusion(state)
    if speech is not None and _summary(state) is None:
        yield step_for(order, state, speech)


def _concluded(state: DebateState) -> str | None:
    return COMPLETE if _summary(state) else None


# --- the rows -------------------------------------------------------------------------------------


def to_the_end(source: str, *events: str) -> tuple[Transition, ...]:
    """Each event leads to the conclusion, or to the end where there is no moderator."""
    return tuple(
        row
        for event in events
        for row in (
            Transition(source=source, event=event, target=CONCLUSION, guard=roster.has_moderator),
            Transition(source=source, event=event, target=None),
        )
    )


CONCLUDED = Transition(source=CONCLUSION, event=COMPLETE, target=None)


def early_ends(*sources: str) -> tuple[Transition, ...]:
    """A limit, or somebody, may end the debate in any stage before the conclusion."""
    return tuple(row for source in sources for row in to_the_end(source, LIMIT, END))
