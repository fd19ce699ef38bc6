"""The steps of a poll, and what each stage emits once it is through.

Until everybody has answered, nobody's prompt has anything that another said; after that, it has the
answers without names. Everybody's first answer is owed once the first has come; further samples are
not begun after a limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from moot.protocol.answers import Answer
from moot.protocol.ballots import BallotAnswer
from moot.protocol.briefs import brief, introduced, persona
from moot.protocol.formats.poll import counting
from moot.protocol.formats.poll.answers import Prose, ShortAnswer
from moot.protocol.formats.poll.counting import all_asked, answers, every_answer, has_answers, said
from moot.protocol.formats.poll.order import (
    ANSWERS,
    BEFORE_ANSWERS,
    BEFORE_BALLOTS,
    DECISION,
    LAST,
    ONCE,
    ballot_key,
    judge,
    judge_key,
    members,
    settings_of,
)
from moot.protocol.labelling import ANSWER, LETTERS, shuffle_key
from moot.protocol.quoting import inset, quotations
from moot.protocol.recovering import is_settled
from moot.protocol.state import DebateState
from moot.protocol.steps import Prompt, Step
from moot.protocol.values import Participant
from moot.protocol.words import StepKind, View

ALL_ANSWERED, DECIDED = "ALL_ANSWERED", "DECIDED"
PROMPTS: Mapping[str, str] = {
    "text": "poll/short",
    "choice": "poll/choice",
    "number": "poll/number",
    "yes_no": "poll/yes_no",
}
"""What is asked for each type of answer."""
PROSE, WRITE, JUDGE = "poll/prose", "poll/write", "poll/judge"


# --- answers --------------------------------------------------------------------------------------


def answering(state: DebateState) -> tuple[Step, ...]:
    """The answers still to be given: everybody is asked at once."""
    return tuple(step for step in _answering(state) if not is_settled(state, step.key))


def _answering(state: DebateState) -> Iterator[Step]:
    prompt, answer = _asked_for(state)
    for one in all_asked(state):
        yield Step(
            key=one.key,
            participant=one.member.id,
            kind=StepKind.ANSWER,
            stage=ANSWERS,
            round=1,
            place=one.place,
            horizon=BEFORE_ANSWERS,
            prompt=prompt,
            system=_system(state, one.member),
            view=View.BLANK,
            answer=answer,
            max_tokens=settings_of(state).max_tokens,
            for_people=brief(state, one.member, prompt),
            is_owed=one.sample == ONCE and bool(state.turns),
        )


def _asked_for(state: DebateState) -> tuple[Prompt, Answer]:
    """What every member is asked, and the shape of the answer."""
    settings = settings_of(state)
    if settings.is_prose:
        return Prompt(PROSE), Prose()
    return _typed(state), ShortAnswer(type=settings.answer_type, choices=settings.choices)


def _typed(state: DebateState, *, for_people: bool = False) -> Prompt:
    settings = settings_of(state)
    name = PROMPTS[settings.answer_type] + "_for_people" * for_people
    listed = "\n".join(f"- {inset(one)}" for one in settings.choices)
    return Prompt(name, {"choices": listed} if settings.choices else {})


def _system(state: DebateState, member: Participant) -> Prompt:
    told = persona(member.personality, member.position, member.instructions)
    slots = {"name": member.name, "topic": state.config.topic, "persona_block": told}
    return Prompt("poll/system", slots)


def answered(state: DebateState) -> str | None:
    return None if answering(state) else ALL_ANSWERED


def lacks_answers(state: DebateState) -> bool:
    """Whether a missing answer can still be given: not once ballots are cast on the others."""
    return bool(answering(state)) and not counting.has_begun(state)


def is_to_decide(state: DebateState) -> bool:
    """Whether somebody has to be asked what follows from the answers."""
    return counting.is_voted(state) or (judge(state.config) is not None and has_answers(state))


# --- ballots, or the judge ------------------------------------------------------------------------


def deciding(state: DebateState) -> tuple[Step, ...]:
    chair = judge(state.config)
    steps = (_judging(state, chair),) if chair else tuple(_voting(state))
    return tuple(step for step in steps if not is_settled(state, step.key))


def decided(state: DebateState) -> str | None:
    return None if deciding(state) else DECIDED


def _voting(state: DebateState) -> Iterator[Step]:
    if not counting.is_voted(state):
        return
    settings, standing = settings_of(state), counting.candidates(state)
    read = quotations((f"{ANSWER} {one.label}", one.text) for one in standing)
    prompt = Prompt(f"poll/{settings.decision}", {"answers": read})
    answer = BallotAnswer(
        labels=tuple(one.label for one in standing),
        names={one.label: one.name for one in standing},
        is_ranked=settings.decision == "rank",
        noun=ANSWER,
    )
    for seat, member in enumerate(members(state.config)):
        yield Step(
            key=ballot_key(member),
            participant=member.id,
            kind=StepKind.VOTE,
            place=(*BEFORE_BALLOTS, seat),
            horizon=BEFORE_BALLOTS,
            prompt=prompt,
            system=_system(state, member),
            answer=answer,
            max_tokens=settings.max_tokens,
            for_people=brief(state, member, prompt),
            **_CLOSING,
        )


_CLOSING: dict[str, Any] = {"stage": DECISION, "round": 1, "view": View.BLANK}


def _judging(state: DebateState, chair: Participant) -> Step:
    settings = settings_of(state)
    read, names = _labelled(state)
    slots = {"number": str(len(answers(state))), "answers": read}
    is_prose = settings.is_prose
    task = Prompt(WRITE) if is_prose else _typed(state)
    for_people = Prompt(f"{WRITE}_for_people") if is_prose else _typed(state, for_people=True)
    short = ShortAnswer(type=settings.answer_type, choices=settings.choices, names=names)
    return Step(
        key=judge_key(chair),
        participant=chair.id,
        kind=StepKind.SYNTHESIZE,
        place=LAST,
        prompt=Prompt(JUDGE, {**slots, "task": task}),
        system=_judge_system(state, chair),
        answer=Prose(names=names) if is_prose else short,
        max_tokens=settings.max_tokens_judge,
        for_people=brief(state, chair, Prompt(JUDGE, {**slots, "task": for_people})),
        **_CLOSING,
    )


def judge_names(state: DebateState) -> dict[str, str]:
    """Whose answer is behind each label that the judge is given."""
    return _labelled(state)[1]


def _labelled(state: DebateState) -> tuple[str, dict[str, str]]:
    """All answers as the judge reads them, each by its letter, and whose they are."""
    topic = state.config.topic
    in_order = sorted(every_answer(state), key=lambda one: shuffle_key(topic, one.key))
    labelled = {f"{ANSWER} {letter}": one for letter, one in zip(LETTERS, in_order, strict=False)}
    standing = {label: one for label, one in labelled.items() if said(state, one.key)}
    told = (
        (label, "\n\n".join(filter(None, (one.reasons, one.answer))))
        for label, one in standing.items()
    )
    return quotations(told), {label: one.name for label, one in standing.items()}


def _judge_system(state: DebateState, chair: Participant) -> Prompt:
    slots = {
        "who": introduced(chair, "the judge"),
        "topic": state.config.topic,
        "persona_block": persona(chair.personality, chair.judging_criteria),
    }
    return Prompt("poll/judge_system", slots)
