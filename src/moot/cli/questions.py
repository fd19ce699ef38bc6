"""The questions that a debate asks people: found, listed and answered by commands.

A form is filled in at the terminal field by field: what is asked, typed and refused is here, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from moot.cli.advice import Told, told
from moot.cli.lines import Lines, paragraph
from moot.cli.view.console import clean, local_time, new_console, one_line
from moot.cli.view.json_lines import as_line, whole
from moot.cli.view.transcript import TranscriptPrinter
from moot.engine.people import Given
from moot.errors import InvalidInput, NotFound, Refused
from moot.protocol.answers import Unreadable
from moot.protocol.events import QuestionOpened
from moot.protocol.forms import Field, Form, filled_in, is_asked
from moot.protocol.occasions import TEXT, heading
from moot.protocol.state import DebateState
from moot.protocol.words import USER, StepKind
from moot.wiring import System

_SCORE = re.compile(r"(\d{1,2})(?:[\s:,.;-]+(.*))?", re.DOTALL)

PASS = "/pass"  # noqa: S105 - a word to type, not a secret


EMPTY = "-"
"""What to type to clear a field that was filled in before and may be left empty."""

WRITTEN = ("long_text", "list")
"""The kinds of fields that may have several lines."""


NOTHING_ASKED = (
    "nothing is asked now, so your answer was not recorded: the question may have been answered "
    "elsewhere, or its time was up; `moot show` tells"
)


class Found(msgspec.Struct, frozen=True):
    """A debate, the question that is meant, and the answer, if one was given."""

    debate_id: str
    question: QuestionOpened | None
    text: str | None


async def resolve(system: System, prefix: str, wanted: str | None, text: str | None) -> Found:
    """The question that is meant; None if none was named, unless exactly one is open.

    Raises NotFound, Refused or InvalidInput for a name that fits no question.
    """
    debate_id = await system.service.find(prefix)
    state = await system.service.state(debate_id)
    if wanted is None:
        only = list(state.questions.values()) if len(state.questions) == 1 else []
        return Found(debate_id, only[0] if only else None, None)
    if text is None and (only_one := only_question(state, wanted)):
        return Found(debate_id, only_one, wanted)
    return Found(debate_id, open_question(state, wanted), text)


def checked(
    question: QuestionOpened, text: str | None, *, passes: bool, fields: Sequence[str]
) -> Given | None:
    """The answer that the options give; None if it has to be typed. Raises InvalidInput if they
    disagree."""
    if passes:
        if fields or text is not None:
            raise InvalidInput("cannot be used together with an answer", field="--pass")
        return ""
    if fields:
        if text is not None:
            raise InvalidInput("cannot be used together with a text", field="--field")
        return _fields(question, fields)
    return None if text in (None, "-") else shaped(question, not_blank(text or ""))


def not_blank(text: str) -> str:
    """The text, stripped. Raises InvalidInput if it is blank: nobody is to pass by mistake, with
    an empty file or a variable that was not set."""
    if not text.strip():
        message = "the answer is empty; to give no answer, use --pass"
        raise InvalidInput(message, field="answer")
    return text.strip()


def _fields(question: QuestionOpened, pairs: Sequence[str]) -> dict[str, str | list[str]]:
    """The value of each field. A field that is a list can be given several times."""
    if question.form is None:
        raise InvalidInput("this question has no form; answer it with a text", field="--field")
    lists = {one["name"] for one in question.form["fields"] if one["kind"] == "list"}
    filled: dict[str, list[str]] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            message = f"{pair!r} must be NAME=VALUE"
            raise InvalidInput(message, field="--field")
        filled.setdefault(name.strip(), []).append(value)
    return {
        name: values if name in lists and len(values) > 1 else values[-1]
        for name, values in filled.items()
    }


async def give_answer(system: System, found: Found, given: Given) -> Told:
    """Give the answer. Raises NotFound, Refused or InvalidInput, having changed nothing."""
    if found.question is None:
        raise NotFound("there is no open question")
    service, key = system.service, found.question.question_id
    given = shaped(found.question, given) if isinstance(given, str) else given
    return await told(system, await service.answer(found.debate_id, key, given))


def open_question(state: DebateState, wanted: str) -> QuestionOpened:
    """The open question whose id is, or begins with, `wanted`."""
    if wanted in state.questions:
        return state.questions[wanted]
    found = [one for key, one in state.questions.items() if wanted and key.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        keys = ", ".join(one.question_id for one in found)
        message = f"{wanted!r} could be {keys}; give more characters of it"
        raise InvalidInput(message, field="question")
    if wanted in state.turns:
        message = f"{wanted!r} has already been answered; nothing was changed"
        raise Refused(message)
    if state.status.is_terminal:
        message = f"the debate is over ({state.status}), so nothing can be answered any more"
        raise Refused(message)
    if not state.questions and not _looks_like_an_id(wanted):
        raise NotFound(NOTHING_ASKED)
    open_ones = ", ".join(state.questions) or "none"
    message = f"there is no open question {one_line(wanted)!r}; open now: {open_ones}"
    raise NotFound(message)


def _looks_like_an_id(text: str) -> bool:
    return "/" in text and not any(letter.isspace() for letter in text)


def only_question(state: DebateState, given: str) -> QuestionOpened | None:
    """The only open question, if `given` can be nothing but its answer.

    Text that only looks like an id is a mistake, or names a question that was answered already: it
    is never taken for an answer.
    """
    if len(state.questions) != 1 or not given.strip() or _looks_like_an_id(given):
        return None
    (only,) = state.questions.values()
    return None if only.question_id.startswith(given) else only


def print_questions(debate_id: str, state: DebateState, *, as_json: bool) -> None:
    if as_json:
        for question in state.questions.values():
            print(as_line(whole(question)))
        return
    printer = TranscriptPrinter(new_console(), state)
    if not state.questions:
        printer.say(f"{debate_id} is {state.status}; it has no open questions")
    for question in state.questions.values():
        printer.say(clean(addressed(question, state)))
        printer.quote(clean(question.text))
        for line in details(question):
            printer.note(line)
        printer.blank()
        print(f"moot answer {debate_id} {question.question_id} {_how(question)}")
        printer.blank()


def addressed(question: QuestionOpened, state: DebateState) -> str:
    """What is asked, in one line: whose turn it is, if they have a chair, and the question's id."""
    name = state.label_of(question.participant)
    whose = "" if question.participant == USER else f"{name}: "
    return f"{whose}{heading(question, state)} ({question.question_id})"


def details(question: QuestionOpened) -> list[str]:
    """The fields of the form, until when it can be answered, and whether it has to be."""
    lines = [label(field) for field in (question.form or {}).get("fields", ())]
    if question.expires_at is not None:
        lines.append(until(question.expires_at))
    if not question.may_pass:
        lines.append("this question needs an answer")
    return lines


def _how(question: QuestionOpened) -> str:
    if is_speech(question):
        return "TEXT"
    fields = (question.form or {}).get("fields", ())
    needs_one = not any(field["required"] for field in fields)
    return " ".join(
        f"--field {one['name']}=..."
        if one["required"] or needs_one
        else f"[--field {one['name']}=...]"
        for one in fields
    )


def shaped(question: QuestionOpened, text: str) -> str:
    """What a person wrote, as the step wants it: `7, because ...` is a score with its reason."""
    found = _SCORE.fullmatch(text.strip()) if question.kind is StepKind.SCORE else None
    if found is None:
        return text
    return json.dumps({"score": int(found[1]), "reasoning": found[2] or ""}, ensure_ascii=False)


async def fill_in(
    form: Form,
    lines: Lines,
    say: Callable[[str], None],
    *,
    before: Mapping[str, Any] | None = None,
) -> Mapping[str, Any] | str | None:
    """What was typed into each field; `""` if the person passes, None to leave the form for later.

    Each field is checked as soon as it is typed, and only that one is asked again. `before` is what
    was typed into a form that was refused as a whole: an empty line keeps it, and `-` empties it.
    """
    values: dict[str, Any] = {}
    for field in form["fields"]:
        if field.get("aside") or not is_asked(field, values):
            continue
        name, kept = field["name"], (before or {}).get(field["name"])
        while True:
            say(f"{label(field)}:")
            if kept is not None:
                empties = "" if field["required"] else f"; {EMPTY} clears it"
                say(f"Enter keeps what you typed{empties}: {one_line(_as_text(kept))}")
            typed = await _typed(field, lines, may_be_empty=kept is not None)
            if typed is None or is_pass(typed):
                return None if typed is None else ""
            if kept is not None and not field["required"] and typed.strip() == EMPTY:
                break
            given = kept if kept is not None and not typed.strip() else _chosen(field, typed)
            read = filled_in({"fields": [field]}, {name: given})
            if not isinstance(read, Unreadable):
                values |= read
                break
            say(f"please try again: {read.reason.replace(name, field['label'], 1)}")
    return values


def will_not_do(error: InvalidInput, given: Given) -> str:
    """The sentence that says why an answer was refused, before it is asked for again."""
    kept = "; what you typed is kept" if isinstance(given, Mapping) else ""
    return f"please try again: {error.message}{kept}"


def _as_text(value: object) -> str:
    match value:
        case list():
            return "; ".join(map(str, value))
        case bool():
            return "yes" if value else "no"
        case _:
            return str(value)


async def _typed(field: Field, lines: Lines, *, may_be_empty: bool) -> str | None:
    if field["kind"] in WRITTEN:
        may_be_empty = may_be_empty or not field["required"]
        return await paragraph(lines, may_be_empty=may_be_empty, is_whole=is_pass)
    return await lines.line()


def is_pass(text: str) -> bool:
    """Whether they typed that they give no answer."""
    return text.strip() == PASS


def _chosen(field: Field, typed: str) -> str:
    """The value of the choice whose number was typed."""
    if field["kind"] != "choice" or not typed.strip().isdecimal():
        return typed
    number = int(typed)
    options = field["choices"]
    return str(options[number - 1]["value"]) if 1 <= number <= len(options) else typed


def label(field: Field) -> str:
    """What the field is for, and what may go into it."""
    return f"{field['label']}{_hint(field)}"


def _hint(field: Field) -> str:
    match field["kind"]:
        case "choice":
            options = enumerate(field["choices"], 1)
            hint = ", ".join(f"{number} {one['label']}" for number, one in options)
        case "number" if "minimum" in field and "maximum" in field:
            hint = f"{field['minimum']} to {field['maximum']}"
        case "bool":
            hint = "yes or no"
        case "list":
            hint = "one per line"
        case _:
            hint = ""
    hints = [hint] if hint else []
    hints += [] if field["required"] else ["optional"]
    return f" ({'; '.join(hints)})" if hints else ""


def how_to_answer(question: QuestionOpened) -> str:
    """How to end the answer, to give none, or to leave the question for later."""
    fields = (question.form or {}).get("fields", ())
    ending = ""
    if is_speech(question):
        ending = "finish with an empty line; "
    elif any(one["kind"] in WRITTEN for one in fields):
        ending = "finish each text with an empty line; "
    passing = f"{PASS} gives no answer; " if question.may_pass else ""
    return f"{ending}{passing}Ctrl-D on an empty line leaves it for later"


def until(expires_at: datetime) -> str:
    """The words that say until when a question can be answered."""
    return f"answer by {local_time(expires_at)}"


def is_speech(question: QuestionOpened) -> bool:
    """Whether the question can be answered with plain text alone."""
    fields = (question.form or {}).get("fields", ())
    return question.form is None or [one["name"] for one in fields if one["required"]] == [TEXT]
