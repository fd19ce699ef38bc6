"""The verdict of a duel: the judge deliberates, confirms a winner, records scores and announces. A
person does all of it in one form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from moot.protocol.answers import Answer
from moot.protocol.formats.duel import prompts
from moot.protocol.formats.duel.answers import (
    REASONING,
    AnnouncementAnswer,
    NameAnswer,
    PersonsRecord,
    PersonsVerdict,
    VerdictAnswer,
    compared,
    settle,
)
from moot.protocol.formats.duel.order import DECIDING, VERDICT, DuelOrder, goes_along, order_of
from moot.protocol.formats.duel.steps import PRIVATE_TEXT, judging, made_by
from moot.protocol.occasions import Part
from moot.protocol.state import DebateState
from moot.protocol.steps import Prompt, Step
from moot.protocol.values import Participant
from moot.protocol.winners import claimed, names_winner
from moot.protocol.words import Stance, StepKind, Visibility

KINDS = {
    "deliberate": StepKind.DELIBERATE,
    "confirm": StepKind.CONFIRM,
    "record": StepKind.CONFIRM,
    "announce": StepKind.VERDICT,
}


def verdict_steps(state: DebateState) -> Iterator[Step]:
    order = order_of(state)
    owed = list(judging(state))
    yield from owed
    part = next((one for one in DECIDING if order.verdict_keys[one] not in state.turns), None)
    if owed or part is None or order.judge is None:
        return
    if goes_along(state, order.judge, *(order.verdict_keys[one] for one in DECIDING[:-1])):
        yield _decided(order, state, order.judge)
    else:
        prompt, answer = _decision(order, state, part)
        yield _deciding(order, state, order.judge, part, prompt=prompt, answer=answer)


def _deciding(
    order: DuelOrder, state: DebateState, judge: Participant, part: str, **fields: Any
) -> Step:
    """One part of the verdict."""
    is_public = KINDS[part] is StepKind.VERDICT
    return made_by(
        state,
        judge,
        key=order.verdict_keys[part],
        kind=KINDS[part],
        stage=VERDICT,
        round=1,
        place=(2, DECIDING.index(part)),
        visibility=Visibility.PUBLIC if is_public else Visibility.PRIVATE,
        **fields,
    )


def _decided(order: DuelOrder, state: DebateState, judge: Participant) -> Step:
    """The whole verdict of a person, in one form."""
    ids = {one.id: one.name for one in (order.a, order.b)}
    names = tuple(ids.values())
    parts: dict[str, tuple[Prompt, Answer]] = {
        "deliberate": (prompts.deliberate(order), Part(field=REASONING)),
        "confirm": (prompts.confirm(order), NameAnswer(names=names)),
        "record": (prompts.record(order, None), PersonsRecord(names=names)),
    }
    return _deciding(
        order,
        state,
        judge,
        "announce",
        prompt=Prompt("duel/announce"),
        asks=prompts.verdict(order),
        answer=PersonsVerdict(ids=ids, upholds=_upholds(order)),
        along=tuple(
            _deciding(order, state, judge, part, prompt=prompt, answer=answer)
            for part, (prompt, answer) in parts.items()
        ),
    )


def _decision(order: DuelOrder, state: DebateState, part: str) -> tuple[Prompt, Answer]:
    """What is asked for in one part of the verdict, and the shape of the answer."""
    names = order.a.name, order.b.name
    match part:
        case "deliberate":
            return prompts.deliberate(order), PRIVATE_TEXT
        case "confirm":
            return prompts.confirm(order), NameAnswer(names=names)
        case "record":
            confirmed = _confirmed(order, state)
            named = next(iter(claimed(_weighed(order, state), names)), None)
            answer = VerdictAnswer(names=names, confirmed=confirmed, named=named)
            return prompts.record(order, confirmed), answer
        case _:
            verdict = compared(_settled(order, state), _weighed(order, state), names)
            unnamed = _unnamed(order, state, verdict)
            announced = AnnouncementAnswer(verdict=verdict, names=names, unnamed=unnamed)
            return Prompt("duel/announce"), announced


def _confirmed(order: DuelOrder, state: DebateState) -> str | None:
    data = state.turns[order.verdict_keys["confirm"]].said.data or {}
    return data.get("confirmed_winner")


def _unnamed(order: DuelOrder, state: DebateState, verdict: Mapping[str, Any]) -> str | None:
    """The winner, if nothing but the record names them so far (DESIGN section 9)."""
    if not verdict["is_unconfirmed"]:
        return None
    winner: str = verdict["winner"]
    names = order.a.name, order.b.name
    return None if names_winner(_weighed(order, state), winner, names) else winner


def _weighed(order: DuelOrder, state: DebateState) -> str:
    """The judge's deliberation."""
    return state.turns[order.verdict_keys["deliberate"]].said.content


def _settled(order: DuelOrder, state: DebateState) -> dict[str, Any]:
    return settle(
        {one.id: one.name for one in (order.a, order.b)},
        confirmed=_confirmed(order, state),
        extracted=state.turns[order.verdict_keys["record"]].said.data,
        upholds=_upholds(order),
    )


def _upholds(order: DuelOrder) -> str | None:
    """Who argues FOR the premise, if there is one."""
    pro = (one.name for one in (order.a, order.b) if one.stance is Stance.PRO)
    return next(pro, None) if order.settings.premise else None
