"""The judged duel: two debaters, `turns` statements, and a judge who scores each.

Every participant has its own growing history; what is private stays in it. A debater thinks about
a statement while the judge weighs it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any

import msgspec

from moot.errors import IllegalEvent
from moot.protocol.answers import Answer, OnUnreadable, Text
from moot.protocol.briefs import brief
from moot.protocol.checkpoints import LAST, checkpoint
from moot.protocol.formats.duel import prompts
from moot.protocol.formats.duel.answers import (
    AnnouncementAnswer,
    NameAnswer,
    ScoreAnswer,
    VerdictAnswer,
    settle,
)
from moot.protocol.formats.duel.judging import REASONING, PersonsRecord, PersonsVerdict
from moot.protocol.formats.duel.order import (
    DECIDING,
    EXCHANGE,
    OPENING,
    PLANNING,
    VERDICT,
    DuelOrder,
    DuelSettings,
    Statement,
    goes_along,
    order_of,
)
from moot.protocol.machine import END, START, UPCOMING, Format, Rounds, Stage, Transition
from moot.protocol.occasions import Part, with_notes
from moot.protocol.order import ALL_SAID, COMPLETE, ROUND_SAID
from moot.protocol.outcomes import Verdict
from moot.protocol.parsing import names_in
from moot.protocol.roster import pair_and_judge
from moot.protocol.settings import Settings, frozen, narrowed
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Prompt, Step
from moot.protocol.values import Config, Participant
from moot.protocol.words import Stance, StepKind, StopReason, Visibility

PRIVATE_TEXT = Text(on_unreadable=OnUnreadable.RECORD)
KINDS = {
    "deliberate": StepKind.DELIBERATE,
    "confirm": StepKind.CONFIRM,
    "record": StepKind.CONFIRM,
    "announce": StepKind.VERDICT,
}


# --- steps ---------------------------------------------------------------------------------------


def _step(
    state: DebateState,
    participant: Participant,
    *,
    prompt: Prompt,
    said: Turn | None = None,
    asks: Prompt | None = None,
    **fields: Any,
) -> Step:
    """A step of a duel, private unless told otherwise; `said` is what a person has to answer, and
    `asks` what they are asked if not what a model is."""
    order = order_of(state)
    side = prompts.side(order, participant)
    given: dict[str, Any] = {"visibility": Visibility.PRIVATE, "answer": PRIVATE_TEXT, **fields}
    return Step(
        participant=participant.id,
        prompt=prompt,
        system=prompts.system(participant),
        for_people=brief(state, participant, asks or prompt, side=side, said=said),
        max_tokens=order.settings.max_tokens,
        **given,
    )


def _plans(state: DebateState) -> Iterator[Step]:
    order = order_of(state)
    for debater in (order.a, order.b):
        if not order.has_planned(state, debater):
            yield _planned_by(order, state, debater)


def _planned_by(order: DuelOrder, state: DebateState, debater: Participant) -> Step:
    return _step(
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
    return _step(
        state,
        statement.speaker,
        key=statement.think_key,
        kind=StepKind.THINK,
        stage=statement.stage,
        round=statement.round,
        place=(1, statement.number, 0),
        prompt=prompts.think(order, state, statement),
        said=_made(state, order.before(statement)),
        is_owed=statement.is_answer,
    )


def _spoken(order: DuelOrder, state: DebateState, statement: Statement) -> Step:
    spoken = _said_by(order, state, statement)
    return with_notes(spoken, *_before(order, state, statement))


def _before(order: DuelOrder, state: DebateState, statement: Statement) -> Iterator[Step]:
    """What a person need not do before they speak, and may leave notes of instead."""
    speaker = statement.speaker
    if goes_along(state, speaker, order.plan_keys[speaker.id]):
        yield _planned_by(order, state, speaker)
    if goes_along(state, speaker, statement.think_key):
        yield _thought(order, state, statement)


def _said_by(order: DuelOrder, state: DebateState, statement: Statement) -> Step:
    return _step(
        state,
        statement.speaker,
        key=statement.key,
        kind=StepKind.SPEAK,
        stage=statement.stage,
        round=statement.round,
        place=(1, statement.number, 1),
        prompt=prompts.speak(order, state, statement),
        said=_made(state, order.before(statement)),
        is_owed=statement.is_answer,
        answer=Text(),
        visibility=Visibility.PUBLIC,
    )


def _made(state: DebateState, statement: Statement | None) -> Turn | None:
    return state.turns.get(statement.key) if statement else None


def _judging(state: DebateState) -> Iterator[Step]:
    """What the judge owes: the oldest statement that has no score, evaluated first."""
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
    if statement.evaluate_key not in state.turns:  # a person's, who says both at once
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
    return _step(
        state,
        order.judge,
        stage=statement.stage,
        round=statement.round,
        said=_made(state, statement),
        about=statement.speaker.id,
        is_owed=True,
        **fields,
    )


def _open_steps(state: DebateState) -> Iterator[Step]:
    if state.stage in (PLANNING, OPENING):
        yield from _plans(state)
    yield from _speaking(state)
    yield from _judging(state)


# --- the verdict: deliberate, confirm, extract, announce -----------------------------------------


def _verdict_steps(state: DebateState) -> Iterator[Step]:
    order = order_of(state)
    judging = list(_judging(state))
    yield from judging
    part = next((one for one in DECIDING if order.verdict_keys[one] not in state.turns), None)
    if judging or part is None or order.judge is None:
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
    return _step(
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
            answer = VerdictAnswer(names=names, confirmed=confirmed)
            return prompts.record(order, confirmed), answer
        case _:
            verdict = _settled(order, state)
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
    weighed = state.turns[order.verdict_keys["deliberate"]].said.content
    winner: str = verdict["winner"]
    return None if winner in names_in(weighed, (order.a.name, order.b.name)) else winner


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


# --- the tables ----------------------------------------------------------------------------------


def _has_judge(state: DebateState) -> bool:
    return order_of(state).judge is not None and state.statements > 0


def _planned(state: DebateState) -> str | None:
    order = order_of(state)
    return "PLANNED" if order.has_planned(state, order.a) else None


def _said(state: DebateState) -> str | None:
    return order_of(state).emits(state)


def _judged(state: DebateState) -> str | None:
    return COMPLETE if order_of(state).verdict_keys["announce"] in state.turns else None


def _to_the_end(source: str, event: str) -> tuple[Transition, Transition]:
    """To the verdict, if there is anybody to judge anything."""
    return (
        Transition(source=source, event=event, target=VERDICT, guard=_has_judge),
        Transition(source=source, event=event, target=None),
    )


class Duel(Format):
    name = "duel"
    about = "Two debaters argue in turn; a judge scores every statement and names a winner."
    when_to_use = "When a claim has two sides and you want to know which case is stronger."
    settings: type[Settings] = DuelSettings
    default_roster: tuple[Participant, ...] = ()
    stages: tuple[Stage, ...] = (
        Stage(
            name=PLANNING,
            about="Both debaters plan in private.",
            steps=_open_steps,
            emits=_planned,
        ),
        Stage(name=OPENING, about="A thinks, then opens.", steps=_open_steps, emits=_said),
        Stage(
            name=EXCHANGE,
            about="B and A answer each other; the judge scores.",
            steps=_open_steps,
            emits=_said,
        ),
        Stage(
            name=VERDICT,
            about="The judge deliberates, confirms a winner, records scores, announces.",
            steps=_verdict_steps,
            emits=_judged,
            closes=True,
        ),
    )
    transitions: tuple[Transition, ...] = (
        Transition(source=None, event=START, target=PLANNING),
        Transition(source=PLANNING, event="PLANNED", target=OPENING),
        Transition(source=PLANNING, event=END, target=None),
        Transition(source=OPENING, event="OPENED", target=EXCHANGE),
        *_to_the_end(OPENING, ALL_SAID),
        *_to_the_end(OPENING, END),
        Transition(source=EXCHANGE, event=ROUND_SAID, target=EXCHANGE, rounds=Rounds.NEXT),
        *_to_the_end(EXCHANGE, ALL_SAID),
        *_to_the_end(EXCHANGE, END),
        Transition(source=VERDICT, event=COMPLETE, target=None),
    )

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """Two debaters on opposite sides, and at most one judge."""
        del settings
        return pair_and_judge(participants, Stance.PRO)

    def fold(self, config: Config, settings: Settings) -> DuelOrder:
        return DuelOrder(config, narrowed(settings, DuelSettings))

    def most_calls(self, config: Config) -> int:
        return self.fold(config, frozen(self.settings, config.settings)).most_calls()

    def longest_chain(self, config: Config) -> int:
        return self.fold(config, frozen(self.settings, config.settings)).longest_chain()

    def owes(self, state: DebateState) -> bool:
        return order_of(state).due(state) is not None

    def reached(self, state: DebateState) -> StopReason | None:
        return StopReason.DONE if order_of(state).is_through(state) else None

    def outcome(self, state: DebateState) -> Verdict | None:
        turn = state.turns.get(order_of(state).verdict_keys["announce"])
        return msgspec.convert(turn.said.data, Verdict) if turn else None

    def upcoming(self, state: DebateState, now: datetime) -> tuple[str, ...]:
        del now
        return tuple(islice(_speakers(state), UPCOMING))


def _speakers(state: DebateState) -> Iterator[str]:
    """Who is still to be heard in public: the debaters in turn, and the judge at the end."""
    order = order_of(state)
    yield from (statement.speaker.id for statement in order.coming(state))
    # A duel that is ended before anything was said has nothing to be judged.
    if order.judge is not None and not (state.ending and not state.statements):
        yield order.judge.id
