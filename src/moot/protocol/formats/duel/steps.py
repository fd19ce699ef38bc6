"""The steps of a duel: plans, thoughts, statements, what the judge makes of each, and the verdict.

A debater thinks about a statement while the judge weighs it. A person who judges does all of the
verdict in one form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from moot.errors import IllegalEvent
from moot.protocol.answers import Answer, OnUnreadable, Text
from moot.protocol.briefs import brief
from moot.protocol.checkpoints import LAST, checkpoint
from moot.protocol.formats.duel import prompts
from moot.protocol.formats.duel.answers import (
    REASONING,
    AnnouncementAnswer,
    NameAnswer,
    PersonsRecord,
    PersonsVerdict,
    ScoreAnswer,
    VerdictAnswer,
    compared,
    settle,
)
from moot.protocol.formats.duel.order import (
    DECIDING,
    EXCHANGE,
    OPENING,
    PLANNING,
    VERDICT,
    DuelOrder,
    Statement,
    goes_along,
    order_of,
)
from moot.protocol.occasions import Part, with_notes
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Prompt, Step
from moot.protocol.values import Participant
from moot.protocol.winners import claimed, names_winner
from moot.protocol.words import Stance, StepKind, Visibility

PRIVATE_TEXT = Text(on_unreadable=OnUnreadable.RECORD)


def made_by(
    state: DebateState,
    participant: Participant,
    *,
    prompt: Prompt,
    said: Turn | None = None,
    asks: Prompt | None = None,
    **fields: Any,
) -> Step:
    """A step of a duel, private by default; `said` is the turn that a person has to answer, and
    `asks` what they are asked instead of `prompt`."""
    order = order_of(state)
    side = prompts.side(order, participant) if participant.is_human else ""
    fields.setdefault("visibility", Visibility.PRIVATE)
    fields.setdefault("answer", PRIVATE_TEXT)
    return Step(
        participant=participant.id,
        prompt=prompt,
        system=prompts.system(participant),
        for_people=brief(state, participant, asks or prompt, side=side, said=said),
        max_tokens=order.settings.max_tokens,
        **fields,
    )


def _plans(state: DebateState) -> Iterator[Step]:
    order = order_of(state)
    for debater in (order.a, order.b):
        if not order.has_planned(state, debater):
            yield _planned_by(order, state, debater)


def _planned_by(order: DuelOrder, state: DebateState, debater: Participant) -> Step:
    return made_by(
        state,
        debater,
        key=order.plan_keys[debater.id],
        kind=StepKind.PLAN,
        stage=PLANNING,
        round=1,
        place=(0, (order.a, order.b).index(debater)),
        prompt=prompts.plan(order, state, debater),
    )


def _speaking(state: DebateState) -> Iterator[Step]:
    """The next statement's thought, or the statement itself."""
    order = order_of(state)
    statement = order.due(state)
    if statement is None or not order.has_planned(state, statement.speaker):
        return
    is_along = goes_along(state, statement.speaker, statement.think_key)
    if pause := _pause(state, statement):
        yield pause
    elif statement.think_key not in state.turns and not is_along:
        yield order.kept(statement.think_key, lambda: _thought(order, state, statement))
    elif order.has_both_plans(state):  # before anything is said in public
        yield order.kept(statement.key, lambda: _spoken(order, state, statement))


def _pause(state: DebateState, statement: Statement) -> Step | None:
    """The question before every round of the exchange but the first."""
    over = state.round - 1 if state.stage == EXCHANGE else 0
    place = (1, 2 * over + 1, LAST)
    return checkpoint(state, over=over, place=place, is_owed=statement.is_answer)


def _thought(order: DuelOrder, state: DebateState, statement: Statement) -> Step:
    return _debaters_step(
        order,
        state,
        statement,
        key=statement.think_key,
        kind=StepKind.THINK,
        place=(1, statement.number, 0),
        prompt=prompts.think(order, state, statement),
    )


def _spoken(order: DuelOrder, state: DebateState, statement: Statement) -> Step:
    spoken = _said_by(order, state, statement)
    return with_notes(spoken, *_before(order, state, statement))


def _before(order: DuelOrder, state: DebateState, statement: Statement) -> Iterator[Step]:
    """The steps that a person need not take before they speak: notes can take their place."""
    speaker = statement.speaker
    if goes_along(state, speaker, order.plan_keys[speaker.id]):
        yield _planned_by(order, state, speaker)
    if goes_along(state, speaker, statement.think_key):
        yield _thought(order, state, statement)


def _said_by(order: DuelOrder, state: DebateState, statement: Statement) -> Step:
    return _debaters_step(
        order,
        state,
        statement,
        key=statement.key,
        kind=StepKind.SPEAK,
        place=(1, statement.number, 1),
        prompt=prompts.speak(order, state, statement),
        answer=Text(),
        visibility=Visibility.PUBLIC,
    )


def _debaters_step(
    order: DuelOrder, state: DebateState, statement: Statement, **fields: Any
) -> Step:
    return made_by(
        state,
        statement.speaker,
        stage=statement.stage,
        round=statement.round,
        said=_made(state, order.before(statement)),
        is_owed=statement.is_answer,
        **fields,
    )


def _made(state: DebateState, statement: Statement | None) -> Turn | None:
    return state.turns.get(statement.key) if statement else None


def judging(state: DebateState) -> Iterator[Step]:
    """What the judge owes: to evaluate, and then to score, the oldest statement without a score."""
    order = order_of(state)
    statement = order.unscored(state)
    if statement is None:
        return
    judge = order.judge
    is_along = judge is not None and goes_along(state, judge, statement.evaluate_key)
    if statement.evaluate_key in state.turns or is_along:
        yield order.kept(statement.score_key, lambda: _scored(order, state, statement))
    else:
        yield order.kept(statement.evaluate_key, lambda: _evaluated(order, state, statement))


def _evaluated(order: DuelOrder, state: DebateState, statement: Statement) -> Step:
    return _judged_step(
        order,
        state,
        statement,
        key=statement.evaluate_key,
        kind=StepKind.EVALUATE,
        place=(1, statement.number, 2),
        prompt=prompts.evaluate(order, state, statement),
    )


def _scored(order: DuelOrder, state: DebateState, statement: Statement) -> Step:
    along: tuple[Step, ...] = ()
    if statement.evaluate_key not in state.turns:  # a person gives both at once
        evaluated = _evaluated(order, state, statement)
        along = (msgspec.structs.replace(evaluated, answer=Part(field=REASONING)),)
    return _judged_step(
        order,
        state,
        statement,
        key=statement.score_key,
        kind=StepKind.SCORE,
        place=(1, statement.number, 3),
        prompt=prompts.score(statement),
        answer=ScoreAnswer(),
        along=along,
    )


def _judged_step(order: DuelOrder, state: DebateState, statement: Statement, **fields: Any) -> Step:
    if order.judge is None:
        raise IllegalEvent("a duel without a judge has nobody to judge it")
    return made_by(
        state,
        order.judge,
        stage=statement.stage,
        round=statement.round,
        said=_made(state, statement),
        about=statement.speaker.id,
        is_owed=True,
        **fields,
    )


def open_steps(state: DebateState) -> Iterator[Step]:
    if state.stage in (PLANNING, OPENING):
        yield from _plans(state)
    yield from _speaking(state)
    yield from judging(state)


# --- the verdict: the judge deliberates, confirms a winner, records scores and announces ----------

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
            answer = VerdictAnswer(
                names=names, confirmed=confirmed, named=named, has_scored=_has_scored(order, state)
            )
            return prompts.record(order, confirmed), answer
        case _:
            verdict = compared(_settled(order, state), _weighed(order, state), names)
            unnamed = _unnamed(order, state, verdict)
            announced = AnnouncementAnswer(verdict=verdict, names=names, unnamed=unnamed)
            return Prompt("duel/announce"), announced


def _confirmed(order: DuelOrder, state: DebateState) -> str | None:
    data = state.turns[order.verdict_keys["confirm"]].said.data or {}
    return data.get("confirmed_winner")


def _has_scored(order: DuelOrder, state: DebateState) -> bool:
    """Whether the judge has given a score to any statement that could be read."""
    given = (state.turns.get(one.score_key) for one in order.statements)
    return any((turn.said.data or {}).get("score") is not None for turn in given if turn)


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
