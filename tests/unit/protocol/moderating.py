"""Moderated debates for tests: up to twelve speakers, and Mo in the chair."""

from __future__ import annotations

from typing import Any

from tests.unit.protocol.playing import Play, configured

from moot.protocol import events as e
from moot.protocol.registry import FORMATS
from moot.protocol.steps import Step
from moot.protocol.values import Config, Participant
from moot.protocol.words import HUMAN, Role, Stance

NAMES = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ida", "Jo", "Kim", "Lou", "Max")
MO = Participant(id="mo", name="Mo", role=Role.MODERATOR, personality="You are Mo.")
MODERATED = ("standard", "custom", "classic")


def debaters(count: int, *, stances: bool = False, person: str = "") -> tuple[Participant, ...]:
    sides = (Stance.PRO, Stance.CON) if stances else (Stance.NONE, Stance.NONE)
    return tuple(
        Participant(
            id=name.lower(),
            name=name,
            role=Role.DEBATER,
            stance=sides[number % 2],
            personality=f"You are {name}.",
            model=HUMAN if name.lower() == person else "",
        )
        for number, name in enumerate(NAMES[:count])
    )


def moderated(
    name: str, count: int, *, moderator: bool = True, stances: bool = False, **settings: Any
) -> Config:
    """A debate of `count` speakers, with Mo if `moderator`."""
    chair = (MO,) if moderator else ()
    return configured(name, (*debaters(count, stances=stances), *chair), **settings)


def begun(config: Config) -> Play:
    return Play(FORMATS[config.format], config)


def spoken(played: Play) -> list[str]:
    """Who spoke, in order."""
    return [turn.said.participant for turn in played.state.transcript()]


def entered(played: Play) -> list[tuple[str, int]]:
    """The stages and rounds, in the order in which they were entered."""
    events = [record.event for record in played.log]
    return [(one.stage, one.round) for one in events if isinstance(one, e.StageEntered)]


def signals(played: Play) -> list[str]:
    """The first lines of all prompts."""
    return [prompt.splitlines()[0] for prompt in played.prompts()]


def only(played: Play) -> Step:
    (step,) = played.ready()
    return step
