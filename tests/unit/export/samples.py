"""Logs to export: rehearsed duels with prose of one's own choosing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from moot.protocol import events as e
from moot.protocol.checker import BEGINNING, STEP_TIME, rehearse
from moot.protocol.formats.duel.order import DuelSettings
from moot.protocol.formats.duel.rules import Duel
from moot.protocol.settings import as_data
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.values import Config, Participant
from moot.protocol.words import Role, Stance, StepKind

Log = tuple[e.Recorded, ...]
Replies = Mapping[StepKind, str | Callable[[Step], str]]

A = Participant(
    id="a", name="Ada", role=Role.DEBATER, stance=Stance.PRO, model="x:one", color="#2f6f9f"
)
B = Participant(id="b", name="Bob", role=Role.DEBATER, stance=Stance.CON, model="x:two")
J = Participant(id="j", name="Jo", role=Role.JUDGE, model="x:three")


def config(
    *participants: Participant,
    topic: str = "Tea or coffee?",
    premise: str = "Tea is better.",
    turns: int = 4,
) -> Config:
    return Config(
        format="duel",
        topic=topic,
        settings=as_data(DuelSettings(premise=premise, turns=turns)),
        participants=participants or (A, B, J),
        moot_version="0.1.0",
    )


def log(of: Config | None = None, replies: Replies | None = None) -> Log:
    """A whole duel. Kinds without a reply say their own key; scores are 7, Ada wins 8 to 6."""
    plan = of or config()

    def reply(step: Step, _state: DebateState) -> str:
        given = (replies or {}).get(step.kind)
        if given is not None:
            return given(step) if callable(given) else given
        return _usual(step, plan)

    return rehearse(Duel(), plan, reply).log


def _usual(step: Step, plan: Config) -> str:
    a, b = plan.participants[0].name, plan.participants[1].name
    if step.kind is StepKind.SCORE:
        return json.dumps({"score": 7, "reasoning": f"Reason for {step.key}."})
    if step.key.endswith("/record"):
        return json.dumps({"winner": a, "scores": {a: 8, b: 6}})
    return a if step.key.endswith("/confirm") else f"Words of {step.key}."


def then(log: Log, *events: e.AnyEvent) -> Log:
    """The log with more events after it."""
    extra = [
        e.Recorded(len(log) + number, BEGINNING + STEP_TIME * (len(log) + number), event)
        for number, event in enumerate(events, 1)
    ]
    return (*log, *extra)


def begun(*events: e.AnyEvent, of: Config | None = None) -> Log:
    """A debate that was created and what happened to it then."""
    created = e.Recorded(1, BEGINNING, e.DebateCreated(config=of or config()))
    return then((created,), *events)


def turn_of(log: Log, kind: StepKind) -> e.TurnRecorded:
    return next(
        one.event for one in log if isinstance(one.event, e.TurnRecorded) and one.event.kind is kind
    )


def outcome_of(log: Log) -> dict[str, Any] | None:
    last = log[-1].event
    return last.outcome if isinstance(last, e.DebateCompleted) else None
