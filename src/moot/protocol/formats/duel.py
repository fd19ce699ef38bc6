"""The judged duel of seed 001: two debaters, `turns` statements, and a judge who scores each.

Every participant has its own growing history; what is private stays in it. A debater thinks about
a statement while the judge weighs it: the longest chain of calls that depend on each other is
2·turns + 7 of 4·turns + 6.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Annotated

import msgspec
from msgspec import Meta

from moot.protocol.answers import Answer, OnUnreadable, Text
from moot.protocol.briefs import brief
from moot.protocol.checkpoints import LAST, checkpoint
from moot.protocol.machine import END, START, UPCOMING, Format, Rounds, Stage, Transition, walk
from moot.protocol.outcomes import Verdict
from moot.protocol.quoting import inset
from moot.protocol.roster import pair_and_judge
from moot.protocol.settings import RoundSettings, Settings
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Next, Prompt, Step
from moot.protocol.values import Config, Participant, Place
from moot.protocol.verdicts import (
    AnnouncementAnswer,
    NameAnswer,
    ScoreAnswer,
    VerdictAnswer,
    settle,
)
from moot.protocol.words import Role, Stance, StepKind, StopReason, Visibility

PLANNING, OPENING, EXCHANGE, VERDICT = "planning", "opening", "exchange", "verdict"
SIDES = {Stance.PRO: "FOR", Stance.CON: "AGAINST"}
SILENCE = "(nothing: they passed)"
PRIVATE_TEXT = Text(on_unreadable=OnUnreadable.RECORD)


class DuelSettings(RoundSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    premise: Annotated[
        str,
        Meta(max_length=2000, description="A claim: one side defends it, the other attacks it."),
    ] = ""
    turns: Annotated[
        int, Meta(ge=1, le=100, description="Public statements in total, both sides together.")
    ] = 6


# --- who and what --------------------------------------------------------------------------------


def _debaters(state: DebateState) -> tuple[Participant, Participant]:
    a, b = state.config.participants[:2]  # `cast` puts them first
    return a, b


def _judge(state: DebateState) -> Participant | None:
    return next(iter(state.config.participants[2:]), None)


def _speaker(state: DebateState, number: int) -> Participant:
    """A makes the odd statements, B the even ones."""
    return _debaters(state)[(number - 1) % 2]


def _premise(state: DebateState) -> str:
    return str(state.config.settings["premise"])


def _section(number: int) -> tuple[str, int]:
    """Stage and round of a statement: one round of the exchange is B's answer and A's."""
    return (OPENING, 1) if number == 1 else (EXCHANGE, number // 2)


def _key(state: DebateState, number: int, kind: StepKind) -> str:
    stage, round_ = _section(number)
    speaker = _speaker(state, number).id
    if kind in (StepKind.EVALUATE, StepKind.SCORE):
        judge = _judge(state)
        return f"{stage}/{round_}/{judge.id if judge else ''}/{kind}/{speaker}"
    return f"{stage}/{round_}/{speaker}/{kind}"


def _plan_key(participant: Participant) -> str:
    return f"{PLANNING}/1/{participant.id}/plan"


def _verdict_key(state: DebateState, part: str) -> str:
    judge = _judge(state)
    return f"{VERDICT}/1/{judge.id if judge else ''}/{part}"


def _statement(state: DebateState, number: int) -> Turn | None:
    return state.turns.get(_key(state, number, StepKind.SPEAK)) if number else None


def _words(state: DebateState, number: int) -> str:
    turn = state.turns[_key(state, number, StepKind.SPEAK)]
    return SILENCE if turn.is_silent else inset(turn.said.content)


def _last(state: DebateState) -> int:
    """How many statements there will be: `turns`, or what fairness asks once a limit is met."""
    turns = int(state.config.settings["turns"])
    if not state.limits:
        return turns
    # Who has been spoken to may answer before the closing stage (DESIGN section 9).
    return min(turns, state.statements + state.statements % 2)


def _is_final(state: DebateState, number: int) -> bool:
    """The last two statements are each debater's final go; the opening never is."""
    return number >= max(2, _last(state) - 1)


def _is_scored(state: DebateState, number: int) -> bool:
    return number == 0 or _key(state, number, StepKind.SCORE) in state.turns


def _is_judged_so_far(state: DebateState) -> bool:
    return _judge(state) is None or _is_scored(state, state.statements)


# --- prompts -------------------------------------------------------------------------------------


def _system(participant: Participant) -> Prompt:
    fields = (
        (participant.personality, participant.judging_criteria)
        if participant.role is Role.JUDGE
        else (participant.personality, participant.position, participant.instructions)
    )
    parts = [field.strip() for field in fields if field.strip()]
    return Prompt("verbatim", {"text": "\n\n".join(parts)})


def _side_block(state: DebateState, speaker: Participant) -> Prompt | str:
    premise = _premise(state)
    if not premise:
        return ""
    return Prompt("duel/side", {"side": SIDES[speaker.stance], "premise": premise})


def _opening_prompt(state: DebateState, template: str, speaker: Participant) -> Prompt:
    return Prompt(
        template,
        {
            "topic": state.config.topic,
            "side_block": _side_block(state, speaker),
            "opponent": _debaters(state)[1].name,
        },
    )


def _think_prompt(state: DebateState, number: int) -> Prompt:
    speaker = _speaker(state, number)
    if number == 1:
        return _opening_prompt(state, "duel/think_opening", speaker)
    said = _words(state, number - 1)
    # B has not been told its side yet when it thinks for the first time (DESIGN section 9).
    block = _side_block(state, speaker) if number == 2 else ""  # noqa: PLR2004 - B's first
    template = "duel/think_final" if _is_final(state, number) else "duel/think"
    return Prompt(template, {"statement": said, "side_block": block})


def _speak_prompt(state: DebateState, number: int) -> Prompt:
    if number == 1:
        return _opening_prompt(state, "duel/opening", _speaker(state, number))
    return Prompt("duel/respond_final" if _is_final(state, number) else "duel/respond")


def _score_prompt(state: DebateState, number: int) -> Prompt:
    template = "duel/score_first" if number <= 2 else "duel/score_running"  # noqa: PLR2004 - each once
    return Prompt(template, {"speaker": _speaker(state, number).name})


def _evaluate_prompt(state: DebateState, number: int) -> Prompt:
    said = _words(state, number)
    return Prompt("duel/evaluate", {"speaker": _speaker(state, number).name, "statement": said})


# --- steps ---------------------------------------------------------------------------------------


def _step(  # noqa: PLR0913 - a step has that many parts
    state: DebateState,
    participant: Participant,
    key: str,
    *,
    kind: StepKind,
    place: Place,
    prompt: Prompt,
    answer: Answer = PRIVATE_TEXT,
    is_public: bool = False,
    said: Turn | None = None,
) -> Step:
    stage, round_ = key.split("/")[:2]
    side = "" if participant.role is Role.JUDGE else _side_block(state, participant)
    return Step(
        key=key,
        participant=participant.id,
        kind=kind,
        stage=stage,
        round=int(round_),
        place=place,
        prompt=prompt,
        system=_system(participant),
        for_people=brief(state, participant, prompt, side=side, said=said),
        visibility=Visibility.PUBLIC if is_public else Visibility.PRIVATE,
        max_tokens=int(state.config.settings["max_tokens"]),
        answer=answer,
    )


def _plans(state: DebateState) -> Iterator[Step]:
    for index, debater in enumerate(_debaters(state)):
        if _plan_key(debater) not in state.turns:
            prompt = Prompt("duel/plan", {"topic": state.config.topic})
            key = _plan_key(debater)
            yield _step(state, debater, key, kind=StepKind.PLAN, place=(0, index), prompt=prompt)


def _speaking(state: DebateState) -> Iterator[Step]:
    """The next statement's thought, or the statement itself."""
    number = state.statements + 1
    speaker = _speaker(state, number)
    if number > _last(state) or _plan_key(speaker) not in state.turns:
        return
    if pause := _checkpoint(state):
        yield pause
        return
    think, speak = (_key(state, number, kind) for kind in (StepKind.THINK, StepKind.SPEAK))
    said = _statement(state, number - 1)
    if think not in state.turns:
        prompt = _think_prompt(state, number)
        place = (1, number, 0)
        yield _step(
            state, speaker, think, kind=StepKind.THINK, place=place, prompt=prompt, said=said
        )
    elif not list(_plans(state)):  # both have planned before anything is said in public
        yield _step(
            state,
            speaker,
            speak,
            kind=StepKind.SPEAK,
            place=(1, number, 1),
            prompt=_speak_prompt(state, number),
            answer=Text(),
            is_public=True,
            said=said,
        )


def _checkpoint(state: DebateState) -> Step | None:
    """The question before every round of the exchange but the first."""
    over = state.round - 1 if state.stage == EXCHANGE else 0
    return checkpoint(state, over=over, place=(1, 2 * over + 1, LAST))


def _judging(state: DebateState) -> Iterator[Step]:
    """What the judge owes: the oldest statement that has no score, evaluated first."""
    judge = _judge(state)
    number = state.statements
    if judge is None or _is_scored(state, number):
        return
    while not _is_scored(state, number - 1):
        number -= 1
    said = _statement(state, number)
    evaluate, score = (_key(state, number, kind) for kind in (StepKind.EVALUATE, StepKind.SCORE))
    if evaluate not in state.turns:
        prompt = _evaluate_prompt(state, number)
        place = (1, number, 2)
        yield _step(
            state, judge, evaluate, kind=StepKind.EVALUATE, place=place, prompt=prompt, said=said
        )
    else:
        yield _step(
            state,
            judge,
            score,
            kind=StepKind.SCORE,
            place=(1, number, 3),
            prompt=_score_prompt(state, number),
            answer=ScoreAnswer(),
            said=said,
        )


def _open_steps(state: DebateState) -> Iterator[Step]:
    yield from _plans(state)
    yield from _speaking(state)
    yield from _judging(state)


# --- the verdict: deliberate, confirm, extract, announce -----------------------------------------


def _verdict_steps(state: DebateState) -> Iterator[Step]:
    judge = _judge(state)
    if judge is None or not _is_judged_so_far(state):
        yield from _judging(state)
        return
    for index, (part, kind, make) in enumerate(VERDICT_PARTS):
        key = _verdict_key(state, part)
        if key not in state.turns:
            prompt, answer = make(state)
            yield _step(
                state,
                judge,
                key,
                kind=kind,
                place=(2, index),
                prompt=prompt,
                answer=answer,
                is_public=kind is StepKind.VERDICT,
            )
            return


def _names(state: DebateState) -> tuple[str, str]:
    a, b = _debaters(state)
    return a.name, b.name


def _deliberate(state: DebateState) -> tuple[Prompt, Answer]:
    a, b = _debaters(state)
    premise = _premise(state)
    slots = {
        "a": a.name,
        "b": b.name,
        "a_side": SIDES.get(a.stance, ""),
        "b_side": SIDES.get(b.stance, ""),
        "premise": premise,
    }
    block = Prompt("duel/premise", slots) if premise else ""
    return Prompt("duel/deliberate", {"premise_block": block}), PRIVATE_TEXT


def _confirm(state: DebateState) -> tuple[Prompt, Answer]:
    a, b = _names(state)
    return Prompt("duel/confirm", {"a": a, "b": b}), NameAnswer(names=(a, b))


def _confirmed(state: DebateState) -> str | None:
    data = state.turns[_verdict_key(state, "confirm")].said.data or {}
    return data.get("confirmed_winner")


def _extract(state: DebateState) -> tuple[Prompt, Answer]:
    a, b = _names(state)
    confirmed = _confirmed(state)
    template = "duel/record" if confirmed else "duel/record_open"
    slots = {"a": a, "b": b, "confirmed_winner": confirmed or ""}
    return Prompt(template, slots), VerdictAnswer(names=(a, b), confirmed=confirmed)


def _announce(state: DebateState) -> tuple[Prompt, Answer]:
    debaters = _debaters(state)
    pro = next((one.name for one in debaters if one.stance is Stance.PRO), None)
    verdict = settle(
        {one.id: one.name for one in debaters},
        confirmed=_confirmed(state),
        extracted=state.turns[_verdict_key(state, "record")].said.data,
        upholds=pro if _premise(state) else None,
    )
    return Prompt("duel/announce"), AnnouncementAnswer(verdict=verdict)


VERDICT_PARTS = (
    ("deliberate", StepKind.DELIBERATE, _deliberate),
    ("confirm", StepKind.CONFIRM, _confirm),
    ("record", StepKind.CONFIRM, _extract),
    ("announce", StepKind.VERDICT, _announce),
)


# --- the tables ----------------------------------------------------------------------------------


def _is_said(state: DebateState) -> bool:
    return state.statements >= _last(state)


def _has_judge(state: DebateState) -> bool:
    return _judge(state) is not None and state.statements > 0


def _planned(state: DebateState) -> str | None:
    return "PLANNED" if _plan_key(_debaters(state)[0]) in state.turns else None


def _opened(state: DebateState) -> str | None:
    if _is_said(state):
        return "ALL_SAID"
    return "OPENED" if state.statements else None


def _exchanged(state: DebateState) -> str | None:
    if _is_said(state):
        return "ALL_SAID"
    # Statements 2 and 3 are round 1, 4 and 5 round 2: the round is through once A has answered.
    return "ROUND_SAID" if state.statements >= 2 * state.round + 1 else None


def _judged(state: DebateState) -> str | None:
    return "COMPLETE" if _verdict_key(state, "announce") in state.turns else None


def _stop_reason(state: DebateState) -> StopReason:
    if state.ending:
        return StopReason.ENDED
    turns = int(state.config.settings["turns"])
    return next(iter(state.limits)) if state.statements < turns else StopReason.DONE


def _outcome(state: DebateState) -> Verdict | None:
    turn = state.turns.get(_verdict_key(state, "announce"))
    return msgspec.convert(turn.said.data, Verdict) if turn else None


def _speakers(state: DebateState) -> Iterator[str]:
    """Who is still to be heard in public: the debaters in turn, and the judge at the end."""
    if state.stage != VERDICT and not state.ending:
        for number in range(state.statements + 1, _last(state) + 1):
            yield _speaker(state, number).id
    judge = _judge(state)
    # A duel that is ended before anything was said has nothing to be judged.
    if judge is not None and not (state.ending and not state.statements):
        yield judge.id


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
        Stage(
            name=OPENING,
            about="A thinks, then opens.",
            steps=_open_steps,
            emits=_opened,
        ),
        Stage(
            name=EXCHANGE,
            about="B and A answer each other; the judge scores.",
            steps=_open_steps,
            emits=_exchanged,
        ),
        Stage(
            name=VERDICT,
            about="The judge deliberates, confirms a winner, records scores, announces.",
            steps=_verdict_steps,
            emits=_judged,
        ),
    )
    transitions: tuple[Transition, ...] = (
        Transition(source=None, event=START, target=PLANNING),
        Transition(source=PLANNING, event="PLANNED", target=OPENING),
        Transition(source=PLANNING, event=END, target=None),
        Transition(source=OPENING, event="OPENED", target=EXCHANGE),
        Transition(source=OPENING, event="ALL_SAID", target=VERDICT, guard=_has_judge),
        Transition(source=OPENING, event="ALL_SAID", target=None),
        Transition(source=OPENING, event=END, target=VERDICT, guard=_has_judge),
        Transition(source=OPENING, event=END, target=None),
        Transition(source=EXCHANGE, event="ROUND_SAID", target=EXCHANGE, rounds=Rounds.NEXT),
        Transition(source=EXCHANGE, event="ALL_SAID", target=VERDICT, guard=_has_judge),
        Transition(source=EXCHANGE, event="ALL_SAID", target=None),
        Transition(source=EXCHANGE, event=END, target=VERDICT, guard=_has_judge),
        Transition(source=EXCHANGE, event=END, target=None),
        Transition(source=VERDICT, event="COMPLETE", target=None),
    )

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """Two debaters on opposite sides, and at most one judge."""
        del settings
        return pair_and_judge(participants, Stance.PRO)

    def most_calls(self, config: Config) -> int:
        turns = int(config.settings["turns"])
        has_judge = any(p.role is Role.JUDGE for p in config.participants)
        return 4 * turns + 6 if has_judge else 2 * turns + 2

    def next(self, state: DebateState, now: datetime) -> Next:
        del now  # a duel's course does not depend on the clock: its limits arrive as events
        return walk(self, state, stop_reason=_stop_reason, outcome=_outcome)

    def upcoming(self, state: DebateState, now: datetime) -> tuple[str, ...]:
        del now
        return tuple(islice(_speakers(state), UPCOMING))
