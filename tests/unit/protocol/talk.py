"""A format for tests: everybody sees the transcript, thinks in private, then speaks, twice.

It has what the duel lacks: the transcript view, groups side by side, a roster that changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from moot.protocol.machine import END, START, Format, Rounds, Stage, Transition
from moot.protocol.settings import Settings, as_data
from moot.protocol.state import DebateState
from moot.protocol.steps import Prompt, Step
from moot.protocol.values import Config, Participant
from moot.protocol.words import Role, StepKind, View, Visibility

ROUNDS = 2
PARTS = ((StepKind.THINK, Visibility.PRIVATE), (StepKind.SPEAK, Visibility.PUBLIC))


def _present(state: DebateState) -> list[Participant]:
    return [one for one in state.participants.values() if not one.muted]


def _key(state: DebateState, who: Participant, kind: StepKind) -> str:
    return f"talk/{state.round}/{who.id}/{kind}"


def _steps(state: DebateState) -> Iterator[Step]:
    for index, who in enumerate(_present(state)):
        for part, (kind, visibility) in enumerate(PARTS):
            key = _key(state, who, kind)
            if key in state.turns:
                continue
            yield Step(
                key=key,
                participant=who.id,
                kind=kind,
                stage="talk",
                round=state.round,
                place=(state.round, part, index),
                # Everybody's thoughts side by side, then everybody's words.
                horizon=(state.round, part),
                prompt=Prompt("verbatim", {"text": f"{kind}, please"}),
                system=Prompt("verbatim", {"text": who.personality}),
                visibility=visibility,
                view=View.TRANSCRIPT,
            )
            break


def _emits(state: DebateState) -> str | None:
    if list(_steps(state)):
        return None
    return "ROUND_SAID" if state.round < ROUNDS else "ALL_SAID"


class Talk(Format):
    name = "talk"
    about = "Everybody speaks."
    when_to_use = "In tests."
    settings: type[Settings] = Settings
    default_roster: tuple[Participant, ...] = ()
    stages: tuple[Stage, ...] = (
        Stage(name="talk", about="Thinking, then speaking.", steps=_steps, emits=_emits),
    )
    transitions: tuple[Transition, ...] = (
        Transition(source=None, event=START, target="talk"),
        Transition(source="talk", event="ROUND_SAID", target="talk", rounds=Rounds.NEXT),
        Transition(source="talk", event="ALL_SAID", target=None),
        Transition(source="talk", event=END, target=None),
    )

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        del settings
        return participants

    def most_calls(self, config: Config) -> int:
        return len(PARTS) * ROUNDS * len(config.participants)


def talk(*ids: str) -> Config:
    """A talk between those."""
    return Config(
        format="talk",
        topic="Anything",
        settings=as_data(Settings()),
        participants=tuple(
            Participant(id=one, name=one.title(), role=Role.MEMBER, personality=f"I am {one}.")
            for one in ids
        ),
    )
