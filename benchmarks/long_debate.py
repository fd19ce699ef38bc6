"""A debate that goes on and on: what its thousandth turn costs, against its tenth.

A duel ends after 406 turns at the latest, so this is a format of the benchmark's own: four
participants speak one after the other, a stage per round, prompts of 300 characters.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import MappingProxyType
from typing import Annotated

from msgspec import Meta

from benchmarks.measure import Job
from moot.engine.creation import NewDebate
from moot.engine.service import Service
from moot.protocol import registry
from moot.protocol.events import Recorded, TurnRecorded
from moot.protocol.machine import START, Format, Rounds, Stage, Transition
from moot.protocol.settings import Settings
from moot.protocol.state import DebateState
from moot.protocol.steps import Prompt, Step
from moot.protocol.values import Config, Participant
from moot.protocol.words import Role, StepKind, View

LONG = "long"
STAGE = "talk"
PROMPT = "What do you answer to that, and what follows from it for the question before us? " * 4
SPEAKERS = ("Ada", "Bruno", "Chen", "Dara")


class LongSettings(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    turns: Annotated[int, Meta(ge=1, le=100_000)] = 1000
    view: View = View.OWN


def _steps(state: DebateState) -> Iterator[Step]:
    at = len(state.turns)
    speaker = state.config.participants[at % len(SPEAKERS)]
    yield Step(
        key=f"{STAGE}/{state.round}/{speaker.id}/speak",
        participant=speaker.id,
        kind=StepKind.SPEAK,
        stage=STAGE,
        round=state.round,
        place=(at,),
        prompt=Prompt("verbatim", {"text": f"{at} {PROMPT}"[:300]}),
        system=Prompt("verbatim", {"text": speaker.personality}),
        view=View(state.config.settings["view"]),
        max_tokens=1000,
    )


def _emits(state: DebateState) -> str | None:
    if len(state.turns) >= int(state.config.settings["turns"]):
        return "ALL_SAID"
    return "ROUND_SAID" if len(state.turns) >= state.round * len(SPEAKERS) else None


class Long(Format):
    name = LONG
    about = "Participants speak in turn, for ever."
    when_to_use = "In benchmarks."
    settings: type[Settings] = LongSettings
    default_roster: tuple[Participant, ...] = ()
    stages: tuple[Stage, ...] = (
        Stage(name=STAGE, about="All speak in turn.", steps=_steps, emits=_emits),
    )
    transitions: tuple[Transition, ...] = (
        Transition(source=None, event=START, target=STAGE),
        Transition(source=STAGE, event="ROUND_SAID", target=STAGE, rounds=Rounds.NEXT),
        Transition(source=STAGE, event="ALL_SAID", target=None),
    )

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        del settings
        return participants

    def most_calls(self, config: Config) -> int:
        return int(config.settings["turns"])


def register() -> None:
    """Make the format known. Nothing but a benchmark may do it like this."""
    known = {**registry.FORMATS, LONG: Long()}
    registry.FORMATS = MappingProxyType(known)


def long_debate(turns: int, model: str, view: View) -> NewDebate:
    speakers = tuple(
        Participant(id=name.lower(), name=name, role=Role.DEBATER, personality=PROMPT, model=model)
        for name in SPEAKERS
    )
    settings = {"turns": turns, "view": view}
    return NewDebate(topic="For how long?", format=LONG, settings=settings, participants=speakers)


async def turn_costs(service: Service, job: Job, model: str) -> list[float]:
    """The CPU milliseconds of every turn of one debate, from one being recorded to the next."""
    # A short debate first: the extra cost of a process's first turns would flatter the comparison.
    view = View.TRANSCRIPT if job.is_shared else View.OWN
    await _played(service, long_debate(100, model, view))
    return await _played(service, long_debate(job.size, model, view))


async def _played(service: Service, new: NewDebate) -> list[float]:
    debate_id = await service.create(new)
    found, last = [], time.process_time()
    async for item in service.play(debate_id):
        if isinstance(item, Recorded) and isinstance(item.event, TurnRecorded):
            now = time.process_time()
            found.append(1000 * (now - last))
            last = now
    return found
