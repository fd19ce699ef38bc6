"""The stages and rows that every moderated format has."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from moot.protocol.checkpoints import LAST, checkpoint
from moot.protocol.machine import END, Stage, Transition
from moot.protocol.moderated.closing import Closing
from moot.protocol.moderated.order import COMPLETE, CONCLUSION, LIMIT, Order, Speech
from moot.protocol.moderated.prompting import step_for
from moot.protocol.moderated.roster import has_moderator
from moot.protocol.state import DebateState
from moot.protocol.steps import Step


def stages(order: Order, closing: Closing, about: tuple[str, ...]) -> tuple[Stage, ...]:
    """The stages of `order`, each with a sentence for people, and the conclusion."""
    spoken = tuple(
        Stage(name=name, about=sentence, steps=_speaking(order), emits=order.emits)
        for name, sentence in zip(order.stages, about, strict=True)
    )
    last = Stage(
        name=CONCLUSION,
        about="The moderator sums up; nobody wins.",
        steps=closing.steps,
        emits=closing.emits,
    )
    return (*spoken, last)


def _speaking(order: Order) -> Callable[[DebateState], Iterator[Step]]:
    def steps(state: DebateState) -> Iterator[Step]:
        speech = next(order.coming(state), None)
        if speech is not None:
            yield _pause(order, state, speech) or step_for(order, state, speech)

    return steps


def _pause(order: Order, state: DebateState, speech: Speech) -> Step | None:
    """The question to the user before a new round of the same stage."""
    first, *_ = order.speeches(state.config, speech.stage, speech.round)
    over = speech.round - 1 if speech == first else 0
    return checkpoint(state, over=over, place=(*order.place(speech)[:1], over, LAST))


def to_the_end(source: str, *events: str) -> tuple[Transition, ...]:
    """Each event leads to the conclusion, or to the end where there is no moderator."""
    return tuple(
        row
        for event in events
        for row in (
            Transition(source=source, event=event, target=CONCLUSION, guard=has_moderator),
            Transition(source=source, event=event, target=None),
        )
    )


CONCLUDED = Transition(source=CONCLUSION, event=COMPLETE, target=None)


def early_ends(*sources: str) -> tuple[Transition, ...]:
    """A limit, or somebody, may end it in any stage before the conclusion."""
    return tuple(row for source in sources for row in to_the_end(source, LIMIT, END))
