"""A form filled in at the terminal, field by field: what is asked, typed and refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from moot.cli.lines import Lines, paragraph
from moot.cli.view.console import local_time, one_line
from moot.engine.people import Given
from moot.errors import InvalidInput
from moot.protocol.answers import Unreadable
from moot.protocol.events import QuestionOpened
from moot.protocol.forms import Field, Form, filled_in, is_asked
from moot.protocol.occasions import TEXT

PASS = "/pass"  # noqa: S105 - a word to type, not a secret


EMPTY = "-"
"""What to type to clear a field that was filled in before and may be left empty."""

WRITTEN = ("long_text", "list")
"""The kinds of fields that may have several lines."""


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
