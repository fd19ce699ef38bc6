"""The custom debate of seed 000: a fixed number of full rounds, then the moderator's summary."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from moot.protocol.machine import Stage, Transition
from moot.protocol.moderated import panel, tables
from moot.protocol.moderated.closing import Closing
from moot.protocol.moderated.form import Moderated
from moot.protocol.moderated.order import INTRODUCTION, Order, Speech
from moot.protocol.moderated.settings import ModeratedSettings
from moot.protocol.settings import Settings
from moot.protocol.values import Config
from moot.protocol.words import StopReason


class CustomSettings(ModeratedSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    max_rounds: Annotated[
        int, Meta(ge=1, le=50, description="Rounds; in each of them everybody speaks once.")
    ] = 3


def _speeches(config: Config, stage: str, round_: int) -> tuple[Speech, ...]:
    if stage == INTRODUCTION:
        return panel.introduction(config)
    return panel.discussion(config, round_, last_task="custom/last_task")


ORDER = Order(stages=panel.STAGES, rounds=panel.rounds, speeches=_speeches)
CLOSING = Closing(ORDER, reason=StopReason.MAX_ROUNDS, signal="moderated/max_rounds")


class Custom(Moderated):
    name = "custom"
    about = "A moderator introduces, everybody speaks in a set number of rounds, then a summary."
    when_to_use = "When two to twelve voices should be heard equally, and it must come to an end."
    settings: type[Settings] = CustomSettings
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
