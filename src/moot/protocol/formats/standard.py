"""The standard debate of seed 000: the moderator introduces, then the roster speaks on and on.

It has no end of its own. Somebody ends it, or a limit does: `max_rounds` is generous, and there for
the debate that was forgotten.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from moot.protocol.events import AnyEvent, MessageSaid
from moot.protocol.machine import Stage, Transition
from moot.protocol.moderated import panel, tables
from moot.protocol.moderated.closing import Closing
from moot.protocol.moderated.form import Moderated
from moot.protocol.moderated.order import INTRODUCTION, Order, Speech
from moot.protocol.moderated.settings import ModeratedSettings
from moot.protocol.settings import Settings
from moot.protocol.state import DebateState
from moot.protocol.values import Config
from moot.protocol.words import StopReason


class StandardSettings(ModeratedSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    max_rounds: Annotated[
        int,
        Meta(ge=1, le=10_000, description="Rounds after which a debate nobody ended is ended."),
    ] = 100
    max_total_output_tokens: Annotated[
        Annotated[int, Meta(ge=1, le=100_000_000)] | None,
        Meta(description="Tokens written by all models."),
    ] = 200_000


def _speeches(config: Config, stage: str, round_: int) -> tuple[Speech, ...]:
    if stage == INTRODUCTION:
        return panel.introduction(config)
    return panel.discussion(config, round_, last_task="moderated/answer_task")


ORDER = Order(stages=panel.STAGES, rounds=panel.rounds, speeches=_speeches, is_open_ended=True)
CLOSING = Closing(ORDER, reason=StopReason.MAX_ROUNDS, signal="moderated/max_rounds")


class Standard(Moderated):
    name = "standard"
    about = "A moderator introduces, then everybody speaks in turn until somebody ends it."
    when_to_use = "When you want an open discussion, with people in it or joining in from outside."
    settings: type[Settings] = StandardSettings
    order = ORDER
    closing = CLOSING
    stages: tuple[Stage, ...] = tables.stages(
        ORDER,
        CLOSING,
        (
            "The moderator introduces the topic and the participants.",
            "Everybody speaks once in every round, in the order of the roster.",
        ),
    )
    transitions: tuple[Transition, ...] = panel.TRANSITIONS

    def refusal(self, state: DebateState, event: AnyEvent) -> str | None:
        """Whoever watches may interject at any time; the next speakers see it."""
        return None if isinstance(event, MessageSaid) else super().refusal(state, event)
