"""What people are asked, what they answer, and what else they do, as the events that record it.

Nothing here writes to the store: `Service` appends the events. Every function raises, having
changed nothing, where the debate does not allow what is asked for. Everything a person sends is
checked against the step as the format asks for it now; several answers are taken all together or
not at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from moot import prompts
from moot.engine.creation import MAX_TEXT
from moot.engine.looking import on_demand
from moot.errors import InvalidInput, NotFound, Refused
from moot.models.cleaning import clean_text
from moot.protocol import events as e
from moot.protocol.answers import Unreadable
from moot.protocol.deciding import in_format, open_steps, steps_to_come
from moot.protocol.forms import Form, filled_in
from moot.protocol.lifecycle import LIFECYCLE
from moot.protocol.machine import ask
from moot.protocol.occasions import part_of
from moot.protocol.parsing import MAX_CHARACTERS, read_object
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Broken, Step, recorded
from moot.protocol.visibility import notes_for, veil_of
from moot.protocol.words import EXPIRED, PASSED, USER, Status

Given = str | Mapping[str, Any]
"""A text, the fields of a form, or nothing: to say nothing is to pass."""

MAX_FORM = MAX_CHARACTERS
MAX_DEPTH = 5
"""Forms are flat, so what is deeper than this is no answer to one."""
_BETWEEN_LETTERS, _BETWEEN_TEXTS = re.compile(r"[\s,;>]+"), re.compile(r"[\n,;>]+")

GOES_ON = (Status.STOPPED, Status.STOPPING)
"""A conversation that was stopped goes on when somebody speaks."""


def asked(state: DebateState, step: Step, now: datetime) -> e.QuestionOpened:
    """The question that a person's step asks."""
    timeout_s = state.settings.human_timeout_seconds if step.may_pass else None
    return e.QuestionOpened(
        question_id=step.key,
        participant=step.participant,
        kind=step.kind,
        stage=step.stage,
        round=step.round,
        text="\n\n".join([*_notes(state, step), prompts.render(step.for_people or step.prompt)]),
        asker=step.asker,
        form=step.answer.form,
        may_pass=step.may_pass,
        expires_at=now + timedelta(seconds=timeout_s) if timeout_s else None,
    )


def _notes(state: DebateState, step: Step) -> list[str]:
    """What the user has left for this person since they last spoke."""
    own = state.own_turns.get(step.participant)
    return [note.content for note in notes_for(state, step, after=own[-1].place if own else ())]


def answered(
    state: DebateState, given: Mapping[str, Given], now: datetime
) -> tuple[e.AnyEvent, ...]:
    """The turns that answer those questions, and what follows from them.

    Raises NotFound for a question nobody asked, Refused for one that was answered already or cannot
    be answered now, and InvalidInput, naming the question, for an answer that does not fit it.
    """
    for question_id in given:
        _check_open(state, question_id)
    form = format_named(state.config.format)
    if isinstance(look := ask(form, state, now), Broken):
        told = in_format(form.name, look.error)
        message = f"nothing can be answered now, and nothing was changed: {told}"
        raise Refused(message)
    asked_for = open_steps(form, state, now)
    if asked_for is None:
        asked_for = steps_to_come(form, state, now)
    steps = {step.key: step for step in asked_for}
    turns: list[e.AnyEvent] = []
    follow: list[e.AnyEvent] = []
    for question_id, value in given.items():
        if question_id not in steps:
            raise _gone(question_id)
        step, question = steps[question_id], state.questions[question_id]
        with on_demand(form):
            *along, turn = _turns(step, question, value)
            turns += [*along, turn]
            if PASSED not in turn.flags:
                follow += step.answer.consequences(turn.data)
    return (*turns, *follow)


def expired(state: DebateState, steps: Iterable[Step], now: datetime) -> tuple[e.TurnRecorded, ...]:
    """The turns of those who did not answer in time: they have passed."""
    return tuple(
        _passed(one, question, EXPIRED)
        for step in steps
        if (question := state.questions.get(step.key)) is not None
        and question.expires_at is not None
        and question.expires_at <= now
        for one in (*step.along, step)
    )


def is_due(state: DebateState, now: datetime) -> bool:
    """Whether somebody's time to answer is up."""
    return state.wake_at is not None and state.wake_at <= now


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


def _gone(question_id: str) -> NotFound:
    message = f"question {question_id!r} is no longer open"
    return NotFound(message)


def _turns(step: Step, question: e.QuestionOpened, given: Given) -> list[e.TurnRecorded]:
    """The turns of the steps that one answer answers; that of the question is the last."""
    field = f"answers.{question.question_id}"
    if not isinstance(given, str) and step.answer.form is None:
        raise InvalidInput("this question has no form: answer with a text", field=field)
    text = _text(given, field)
    filled = _filled(step, text) if text else None
    if not text or (filled is not None and step.answer.is_passed_by(filled)):
        if not step.may_pass:
            raise InvalidInput("this question needs an answer", field=field)
        return [_passed(one, question) for one in (*step.along, step)]
    filled = filled or {}
    along = [_along(one, question, filled) for one in step.along]
    is_said = any(PASSED not in one.flags for one in along)
    if is_said and step.answer.may_be_left and part_of(step, filled) is None:
        return [*along, _passed(step, question)]
    return [*along, _spoken(step, question, text, field)]


def _along(step: Step, question: e.QuestionOpened, filled: dict[str, Any]) -> e.TurnRecorded:
    found = part_of(step, filled)
    if found is None:
        return _passed(step, question)
    text, data = found
    answer = step.answer
    return _answer(step, question, answer.shown(text, data), data, answer.flags(data))


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
    answer = step.answer
    why = Unreadable("")
    for meant in _readings(step, text):
        data = answer.read(meant)
        if not isinstance(data, Unreadable):
            return _answer(step, question, answer.shown(meant, data), data, answer.flags(data))
        why = data
    raise InvalidInput(_reason(step, text, why), field=field)


def _readings(step: Step, text: str) -> Iterator[str]:
    """What the text can mean: the form, if there is one and it is filled in; else what it would
    mean from a model.

    Then what else people mean, in case that cannot be read: a text for the one field that must be
    filled in, and letters in one line for a list of them.
    """
    form, filled = step.answer.form, _filled(step, text)
    yield text if filled is None else step.answer.written(filled)
    given = _given(form, text) if form else None
    if form is None or given is None:
        return
    for one in (given, _apart(form, given)):
        filled_so = filled_in(form, one)
        if not isinstance(filled_so, Unreadable):
            yield step.answer.written(filled_so)


def _given(form: Form, text: str) -> dict[str, Any] | None:
    """What is meant for each field; a bare text is for the one that must be filled in."""
    found = read_object(text)
    if not isinstance(found, Unreadable):
        return found
    needed = [field["name"] for field in form["fields"] if field["required"]]
    return {needed[0]: text} if len(needed) == 1 else None


def _apart(form: Form, given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields, with lists that were written in one line taken apart."""
    lists = [field["name"] for field in form["fields"] if field["kind"] == "list"]
    return {
        name: _listed(value) if name in lists and isinstance(value, str) else value
        for name, value in given.items()
    }


def _listed(text: str) -> list[str]:
    """`B, A`, `B A`, `B > A` and `Proposal B, Proposal A` are two entries each."""
    letters = _BETWEEN_LETTERS.split(text.strip())
    return letters if all(len(one) == 1 for one in letters) else _BETWEEN_TEXTS.split(text)


def _filled(step: Step, text: str) -> dict[str, Any] | None:
    """The fields of the form, if there is one and it is filled in."""
    if step.answer.form is None:
        return None
    found = read_object(text)
    filled = found if isinstance(found, Unreadable) else filled_in(step.answer.form, found)
    return None if isinstance(filled, Unreadable) else filled


def _reason(step: Step, text: str, data: Unreadable) -> str:
    form = step.answer.form
    if form is None:
        return data.reason
    given = _given(form, text)
    if given is None:
        names = [field["name"] for field in form["fields"] if field["required"]]
        return f"fill in {', '.join(names or (field['name'] for field in form['fields']))}"
    filled = filled_in(form, given)
    return filled.reason if isinstance(filled, Unreadable) else data.reason


def _passed(step: Step, question: e.QuestionOpened, *flags: str) -> e.TurnRecorded:
    data = step.answer.fallback(flags[0] if flags else PASSED)
    return _answer(step, question, "", data, (PASSED, *flags))


def _answer(
    step: Step,
    question: e.QuestionOpened,
    content: str,
    data: dict[str, Any] | None,
    flags: tuple[str, ...],
) -> e.TurnRecorded:
    return recorded(
        step,
        visibility=step.answer.visibility(data) or step.visibility,
        content=content,
        data=data,
        prompt=question.text,
        flags=flags,
    )


# --- what people do unasked -----------------------------------------------------------------------


def allowed(state: DebateState, events: tuple[e.AnyEvent, ...]) -> tuple[e.AnyEvent, ...]:
    """The events, if each is allowed after the ones before. Raises Refused if status or format do
    not allow one of them."""
    rules = format_named(state.config.format)
    status = state.status
    for event in events:
        if type(event) not in LIFECYCLE[status]:
            message = f"that is not possible while the debate is {state.status}"
            raise Refused(message)
        status = LIFECYCLE[status][type(event)]
        with on_demand(rules):
            reason = rules.refusal(state, event)
        if reason:
            raise Refused(reason)
    return events


def said(state: DebateState, participant: str, content: str) -> Sequence[e.AnyEvent]:
    """Somebody speaks without having been asked. In a conversation `content` may be empty,
    which lets the others go on."""
    is_open_ended = format_named(state.config.format).is_open_ended
    if not content and not is_open_ended:
        raise InvalidInput("the message is empty; write something", field="content")
    if participant != USER and not _is_human(state, participant):
        message = f"{participant!r} is not a person who takes part"
        raise InvalidInput(message, field="participant")
    goes_on = is_open_ended and state.status in GOES_ON
    before = (e.DebateResumed(),) if goes_on else ()
    return (*before, e.MessageSaid(participant=participant, content=content))


def opened(state: DebateState, elsewhere: Sequence[str]) -> e.AnyEvent:
    """The event that opens the cards. `elsewhere` are the debates because of which something may be
    hidden here."""
    is_own = veil_of(state).is_drawn
    if elsewhere and not is_own:
        message = f"what is hidden here is hidden for debate {elsewhere[0]}: open the cards there"
        raise Refused(message)
    if state.has_open_cards:
        raise Refused("the cards are open already")
    if not state.status.is_terminal and not is_own:
        raise Refused("nothing is hidden in this debate, so there are no cards to open")
    return e.CardsOpened()


def renamed(state: DebateState, title: str) -> e.AnyEvent | None:
    """The event that gives the debate this title, or None if it has it already."""
    return None if title == state.title else e.DebateRenamed(title=title)


def toggled(state: DebateState, seq: int, *, included: bool) -> e.AnyEvent | None:
    """The event that puts the turn recorded by event `seq` into prompts, or keeps it out of them;
    None if that is so already."""
    turn = turn_of(state, seq)
    if state.status.is_terminal:
        message = f"cannot include or exclude turns of a debate that is {state.status}"
        raise Refused(message)
    if turn.included is included and not turn.is_pending:
        return None
    return e.TurnIncluded(turn=seq) if included else e.TurnExcluded(turn=seq)


def turn_of(state: DebateState, seq: int) -> Turn:
    """The turn that event `seq` recorded. Raises NotFound."""
    turn = state.turn_at(seq)
    if turn is None:
        message = f"there is no turn {seq}"
        raise NotFound(message)
    return turn


def _is_human(state: DebateState, participant: str) -> bool:
    found = state.participants.get(participant)
    return found is not None and found.is_human
