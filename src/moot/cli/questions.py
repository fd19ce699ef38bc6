"""The questions of a debate to a person: found, listed, asked at the terminal, answered."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from rich.text import Text

from moot.cli.advice import Told, told
from moot.cli.lines import Interrupted, Lines, Prompt, paragraph
from moot.cli.view.console import clean, new_console, one_line
from moot.cli.view.json_lines import as_line, whole
from moot.cli.view.live import LiveView
from moot.cli.view.transcript import TranscriptPrinter
from moot.engine.clock import SystemClock
from moot.engine.people import Given
from moot.engine.service import Service
from moot.errors import InvalidInput, NotFound, Refused
from moot.protocol.answers import Unreadable
from moot.protocol.events import QuestionOpened, Recorded, TurnRecorded
from moot.protocol.forms import Field, Form, filled_in, is_asked
from moot.protocol.headings import heading
from moot.protocol.occasions import TEXT
from moot.protocol.quoting import block
from moot.protocol.state import DebateState
from moot.protocol.words import EXPIRED, USER, StepKind, Visibility
from moot.wiring import System


class Found(msgspec.Struct, frozen=True):
    """A debate, the question that is meant, and the answer if that is what was given."""

    debate_id: str
    question: QuestionOpened | None
    text: str | None


async def resolve(system: System, prefix: str, wanted: str | None, text: str | None) -> Found:
    """Which question is meant; None if none was named and there is not exactly one.

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
    """What the options say; None if it has to be typed. Raises InvalidInput if they disagree."""
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
    """Nobody passes by mistake: an empty file, a variable that was not set."""
    if not text.strip():
        message = "the answer is empty; to answer nothing, say so with --pass"
        raise InvalidInput(message, field="answer")
    return text.strip()


def _fields(question: QuestionOpened, pairs: Sequence[str]) -> dict[str, str]:
    if question.form is None:
        raise InvalidInput("this question has no form; answer with a text", field="--field")
    filled: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            message = f"{pair!r} is not NAME=VALUE"
            raise InvalidInput(message, field="--field")
        filled[name.strip()] = value
    return filled


async def give_answer(system: System, found: Found, given: Given) -> Told:
    """Raises NotFound, Refused or InvalidInput, having changed nothing."""
    if found.question is None:
        raise NotFound("there is no open question")
    service, key = system.service, found.question.question_id
    given = shaped(found.question, given) if isinstance(given, str) else given
    return await told(system, await service.answer(found.debate_id, key, given))


def open_question(state: DebateState, wanted: str) -> QuestionOpened:
    """The one whose id is, or begins with, `wanted`."""
    if wanted in state.questions:
        return state.questions[wanted]
    found = [one for key, one in state.questions.items() if wanted and key.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        keys = ", ".join(one.question_id for one in found)
        message = f"{wanted!r} could be {keys}"
        raise InvalidInput(message, field="question")
    if wanted in state.turns:
        message = f"{wanted!r} has been answered already; nothing was changed"
        raise Refused(message)
    open_ones = ", ".join(state.questions) or "none"
    message = f"there is no open question {one_line(wanted)!r}; open now: {open_ones}"
    raise NotFound(message)


def only_question(state: DebateState, given: str) -> QuestionOpened | None:
    """The only open one, if `given` can be nothing but its answer.

    What looks like an id and is not is a mistake, or was answered already: it is never an answer.
    """
    looks_like_an_id = "/" in given and not any(letter.isspace() for letter in given)
    if len(state.questions) != 1 or not given.strip() or looks_like_an_id:
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
        printer.say(f"{debate_id} is {state.status} and asks nobody anything")
    for question in state.questions.values():
        printer.say(clean(addressed(question, state)))
        printer.quote(clean(question.text))
        for line in details(question):
            printer.note(line)
        printer.blank()
        print(f"moot answer {debate_id} {question.question_id} {_how(question)}")
        printer.blank()


def addressed(question: QuestionOpened, state: DebateState) -> str:
    """What is asked in one line, whose turn it is if they have a chair, and how it is answered."""
    name = state.label_of(question.participant)
    whose = "" if question.participant == USER else f"{name}: "
    return f"{whose}{heading(question, state)} ({question.question_id})"


def details(question: QuestionOpened) -> list[str]:
    """The fields of the form, and until when it can be answered."""
    lines = [label(field) for field in (question.form or {}).get("fields", ())]
    if question.expires_at is not None:
        lines.append(f"until {question.expires_at:%Y-%m-%d %H:%M:%S} UTC")
    if not question.may_pass:
        lines.append("this one cannot be passed")
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


# --- a form, field by field -----------------------------------------------------------------------


PASS = "/pass"  # noqa: S105 - a word to type, not a secret


EMPTY = "-"
"""Takes back what was typed before into a field that may be left empty."""

WRITTEN = ("long_text", "list")
"""Fields that may have several lines."""


async def fill_in(
    form: Form,
    lines: Lines,
    say: Callable[[str], None],
    *,
    before: Mapping[str, Any] | None = None,
) -> Mapping[str, Any] | str | None:
    """What was typed into each field; `""` if they pass, None if they leave it for later.

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
                empties = "" if field["required"] else f" ({EMPTY} empties it)"
                say(f"an empty line keeps{empties}: {one_line(_as_text(kept))}")
            typed = await _typed(field, lines, may_be_empty=kept is not None)
            if typed is None or _is_pass(typed):
                return None if typed is None else ""
            if kept is not None and not field["required"] and typed.strip() == EMPTY:
                break
            given = kept if kept is not None and not typed.strip() else _chosen(field, typed)
            read = filled_in({"fields": [field]}, {name: given})
            if not isinstance(read, Unreadable):
                values |= read
                break
            say(f"that will not do: {read.reason.replace(name, field['label'], 1)}")
    return values


def will_not_do(error: InvalidInput, given: Given) -> str:
    """That an answer was refused, before it is asked for again."""
    next_ = "what you have typed is kept" if isinstance(given, Mapping) else "please try again"
    return f"that will not do: {error.message}; {next_}"


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
        return await paragraph(lines, may_be_empty=may_be_empty, is_whole=_is_pass)
    return await lines.line()


def _is_pass(text: str) -> bool:
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
    hints += [] if field["required"] else ["may be left empty"]
    return f" ({'; '.join(hints)})" if hints else ""


# --- asked while the debate goes on ---------------------------------------------------------------


_BREAK = "\n\n"
_SCORE = re.compile(r"(\d{1,2})(?:[\s:,.;-]+(.*))?", re.DOTALL)


ELSEWHERE, TIME_UP = "an answer was given elsewhere", "the time to answer is up"


class Asker:
    """Asks one question at a time: the one the view cannot go on without."""

    def __init__(
        self, service: Service, debate_id: str, view: LiveView, on_interrupt: Callable[[], None]
    ) -> None:
        self._on_interrupt = on_interrupt
        self._service = service
        self._debate_id = debate_id
        self._view = view
        self._asking: asyncio.Task[bool] | None = None
        self._asked = ""
        self._is_answering = False
        self._prompt = Prompt()

    def look(self) -> None:
        """Ask what has to be asked now, if it has not been asked."""
        question = self._view.question
        if question is None or question.question_id == self._asked:
            return
        if self._asking is None or self._asking.done():
            self._asked = question.question_id
            self._asking = asyncio.create_task(self._ask(question))

    async def settle(self) -> None:
        """Take a question back that was settled elsewhere while the debate went on."""
        state, asked = self._view.state, self._asked
        is_asking = self._asking is not None and not self._asking.done()
        if not is_asking or self._is_answering or asked in state.questions:
            return
        turn = state.turns.get(asked)
        why = ELSEWHERE if turn is not None else ""
        await self._withdraw(TIME_UP if turn and EXPIRED in turn.said.flags else why)

    async def answered(self, interrupted: asyncio.Event) -> bool:
        """Wait for the open question, or until something happens to the debate elsewhere.

        False if the person left the question open, or interrupted.
        """
        self.look()
        if self._asking is None:
            return False
        stopped = asyncio.create_task(interrupted.wait())
        moved_on = asyncio.create_task(self._moved_on())
        time_up = asyncio.create_task(self._time_up())
        others = (stopped, moved_on, time_up)
        try:
            done_, _ = await asyncio.wait(
                {self._asking, *others}, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            for other in others:
                other.cancel()
            await asyncio.gather(*others, return_exceptions=True)
        if self._asking in done_:
            was_answered, self._asking = self._asking.result(), None
            return was_answered
        if interrupted.is_set() or stopped in done_:
            return False
        if moved_on in done_:
            await self._withdraw(ELSEWHERE if moved_on.result() else "")
        else:
            await self._withdraw(TIME_UP)
        return True

    async def _time_up(self) -> None:
        """Return once somebody's time to answer is up: whoever runs the debate records it."""
        wake_at = self._view.state.wake_at
        if wake_at is None:
            await asyncio.Event().wait()
        else:
            clock = SystemClock()
            while clock.now() < wake_at:
                await clock.until(wake_at)

    async def _moved_on(self) -> bool:
        """Return once somebody else has changed the debate, and whether by an answer."""
        async for item in self._service.follow(self._debate_id, after=self._view.state.seq):
            if isinstance(item, Recorded) and not self._is_answering:
                return isinstance(item.event, TurnRecorded)
        return False

    async def _withdraw(self, why: str) -> None:
        """Take the question back; whatever is asked next is asked anew."""
        await self.close()
        self._asking, self._asked = None, ""
        if why:
            self._view.printer.note(why)

    def above(self, how: Callable[[], None]) -> None:
        """Print something without spoiling the prompt, if there is one just now."""
        self._prompt.above(how)

    async def close(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.gather(self._asking, return_exceptions=True)

    async def _ask(self, question: QuestionOpened) -> bool:
        self._is_answering = False
        self._show(question)
        given: Given | None = None
        while True:
            given = await self._typed(question, given)
            if given is None:
                return False
            self._is_answering = True
            try:
                await self._service.answer(self._debate_id, question.question_id, given)
            except InvalidInput as error:
                self._is_answering = False
                self._view.printer.note(will_not_do(error, given))
            except (NotFound, Refused) as error:
                self._view.printer.note(str(error))
                return False
            else:
                self._view.printer.blank()
                return True

    async def _typed(self, question: QuestionOpened, before: Given | None) -> Given | None:
        self._view.is_asking = True
        try:
            if question.form is not None and not is_speech(question):
                return await fill_in(
                    question.form,
                    self._prompt,
                    self._view.printer.note,
                    before=before if isinstance(before, Mapping) else None,
                )
            text = await paragraph(self._prompt, is_whole=_is_pass)
            return "" if text is not None and _is_pass(text) else text
        except Interrupted:
            self._on_interrupt()
            # The debate is being stopped: nothing is asked until whoever holds it closes us.
            return await asyncio.Future()
        finally:
            self._view.is_asking = False

    def _heading(self, question: QuestionOpened) -> Text:
        """Whose turn it is, and what they are asked."""
        people, who = self._view.printer.people, question.participant
        what = Text(clean(heading(question, self._view.state)), "bold")
        if who == USER:
            return what
        return Text().append(people.name(who), style=people.style(who)).append(": ").append(what)

    def _show(self, question: QuestionOpened) -> None:
        printer = self._view.printer
        printer.print(self._heading(question))
        printer.quote(clean(unrepeated(question, self._view.state, self._view.began_at)))
        if question.expires_at is not None:
            printer.note(f"until {question.expires_at:%Y-%m-%d %H:%M:%S} UTC")
        printer.note(how_to_answer(question))


def unrepeated(question: QuestionOpened, state: DebateState, began_at: int) -> str:
    """What is asked, without the words of whoever spoke last if they stand right above it."""
    said = (turn for turn in state.newest_first() if turn.said.visibility is Visibility.PUBLIC)
    last = next(said, None)
    if last is None or last.seq <= began_at or last.said.participant == question.participant:
        return question.text
    before, words, after = question.text.partition(f"\n\n{block(last.said.content)}\n\n")
    # The line before them says whose they are.
    return f"{before.rpartition(_BREAK)[0]}{_BREAK}{after}" if words else question.text


def how_to_answer(question: QuestionOpened) -> str:
    """What to type besides the answer."""
    fields = (question.form or {}).get("fields", ())
    ending = ""
    if is_speech(question):
        ending = "end with an empty line; "
    elif any(one["kind"] in WRITTEN for one in fields):
        ending = "an empty line ends what you write; "
    passing = f"{PASS} passes; " if question.may_pass else ""
    return f"{ending}{passing}Ctrl-D on an empty line leaves it for later"


def is_speech(question: QuestionOpened) -> bool:
    """Whether it can be answered with nothing but words."""
    fields = (question.form or {}).get("fields", ())
    return question.form is None or [one["name"] for one in fields if one["required"]] == [TEXT]


def shaped(question: QuestionOpened, text: str) -> str:
    """What a person wrote, as the step wants it: `7, because ...` is a score with its reason."""
    found = _SCORE.fullmatch(text.strip()) if question.kind is StepKind.SCORE else None
    if found is None:
        return text
    return json.dumps({"score": int(found[1]), "reasoning": found[2] or ""}, ensure_ascii=False)
