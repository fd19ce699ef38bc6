"""What people answer, turned into the turns it amounts to. Nothing here writes to the store.

Everything a person sends is checked against the step as the format asks for it now; several answers
are taken all together or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from moot.engine.creation import MAX_TEXT
from moot.errors import InvalidInput, NotFound, Refused
from moot.models.cleaning import clean_text
from moot.protocol import events as e
from moot.protocol.answers import Unreadable
from moot.protocol.forms import filled_in
from moot.protocol.parsing import MAX_CHARACTERS, read_object
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState
from moot.protocol.steps import Run, Step
from moot.protocol.words import EXPIRED, PASSED, Status

Given = str | Mapping[str, Any]
"""A text, the fields of a form, or nothing: who says nothing passes."""

MAX_FORM = MAX_CHARACTERS
MAX_DEPTH = 5
"""Forms are flat, so what is deeper than this is no answer to one."""


def answered(
    state: DebateState, given: Mapping[str, Given], now: datetime
) -> tuple[e.AnyEvent, ...]:
    """The turns that answer those questions, and what follows from them.

    Raises NotFound for a question nobody asked, Refused for one that was answered already or cannot
    be answered now, and InvalidInput, naming the question, for what is not what was asked for.
    """
    for question_id in given:
        _check_open(state, question_id)
    steps = _open_steps(state, now)
    turns: list[e.AnyEvent] = []
    follow: list[e.AnyEvent] = []
    for question_id, value in given.items():
        if question_id not in steps:
            raise _gone(question_id)
        step, question = steps[question_id], state.questions[question_id]
        turn = _turn(step, question, value)
        turns.append(turn)
        if PASSED not in turn.flags:
            follow += step.answer.consequences(turn.data)
    return (*turns, *follow)


def expired(step: Step, question: e.QuestionOpened) -> e.TurnRecorded:
    """The turn of somebody who did not answer in time: they passed."""
    return _passed(step, question, EXPIRED)


def cleaned(text: str, *, field: str, most: int) -> str:
    """What a person wrote, made as safe as what models write. Raises InvalidInput if too long."""
    text = clean_text(text, max_chars=most + 1).strip()
    if len(text) > most:
        message = f"must have at most {most} characters"
        raise InvalidInput(message, field=field)
    return text


def _check_open(state: DebateState, question_id: str) -> None:
    turn = state.turns.get(question_id)
    if turn is not None and not turn.said.model:
        how = "the time for it was up" if EXPIRED in turn.said.flags else "it was answered already"
        message = f"question {question_id!r} cannot be answered: {how}; nothing was changed"
        raise Refused(message)
    if question_id not in state.questions:
        message = f"there is no open question {question_id!r}"
        raise NotFound(message)
    if state.status not in (Status.WAITING, Status.RUNNING):
        message = f"cannot answer while the debate is {state.status}"
        raise Refused(message)


def _open_steps(state: DebateState, now: datetime) -> dict[str, Step]:
    decision = format_named(state.config.format).next(state, now)
    return {step.key: step for step in decision.steps} if isinstance(decision, Run) else {}


def _gone(question_id: str) -> NotFound:
    message = f"question {question_id!r} is not asked any more"
    return NotFound(message)


def _turn(step: Step, question: e.QuestionOpened, given: Given) -> e.TurnRecorded:
    field = f"answers.{question.question_id}"
    text = _text(given, field)
    if not text:
        if not step.may_pass:
            raise InvalidInput("this question wants an answer", field=field)
        return _passed(step, question)
    return _spoken(step, question, text, field)


def _text(given: Given, field: str) -> str:
    if isinstance(given, str):
        return cleaned(given, field=field, most=MAX_TEXT)
    text = json.dumps(_clean_values(given, field), ensure_ascii=False)
    if len(text) > MAX_FORM:
        message = f"must have at most {MAX_FORM} characters"
        raise InvalidInput(message, field=field)
    return text


def _clean_values(value: Any, field: str, depth: int = 0) -> Any:
    if depth > MAX_DEPTH:
        raise InvalidInput("is nested too deeply", field=field)
    match value:
        case str():
            return clean_text(value)
        case Mapping():
            return {
                clean_text(str(key)): _clean_values(one, field, depth + 1)
                for key, one in value.items()
            }
        case list():
            return [_clean_values(one, field, depth + 1) for one in value]
        case _:
            return value


def _spoken(step: Step, question: e.QuestionOpened, text: str, field: str) -> e.TurnRecorded:
    data = _read(step, text)
    if isinstance(data, Unreadable):
        raise InvalidInput(data.reason, field=field)
    return _answer(step, question, step.answer.shown(text, data), data, step.answer.flags(data))


def _read(step: Step, text: str) -> dict[str, Any] | Unreadable | None:
    """By the form, if there is one and it is filled in; else as if a model had written it."""
    answer = step.answer
    if answer.form is None:
        return answer.read(text)
    found = read_object(text)
    filled = found if isinstance(found, Unreadable) else filled_in(answer.form, found)
    if not isinstance(filled, Unreadable):
        return answer.read(json.dumps(answer.unfold(filled), ensure_ascii=False))
    plain = answer.read(text)
    return filled if isinstance(plain, Unreadable) and isinstance(found, dict) else plain


def _passed(step: Step, question: e.QuestionOpened, *flags: str) -> e.TurnRecorded:
    data = step.answer.fallback("the time was up" if flags else "passed")
    return _answer(step, question, "", data, (PASSED, *flags))


def _answer(
    step: Step,
    question: e.QuestionOpened,
    content: str,
    data: dict[str, Any] | None,
    flags: tuple[str, ...],
) -> e.TurnRecorded:
    return e.TurnRecorded(
        step_key=step.key,
        participant=step.participant,
        kind=step.kind,
        stage=step.stage,
        round=step.round,
        place=step.place,
        visibility=step.answer.visibility(data) or step.visibility,
        content=content,
        data=data,
        prompt=question.text,
        flags=flags,
        included=step.included,
        is_pending=step.is_pending,
    )
