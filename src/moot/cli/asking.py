"""Asks the person at the terminal, while the rest of the debate may go on behind the prompt."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys

from rich.text import Text

from moot.cli.filling import PASS, fill_in
from moot.cli.view.console import clean
from moot.cli.view.live import LiveView
from moot.engine.clock import SystemClock
from moot.engine.people import Given
from moot.engine.service import Service
from moot.errors import InvalidInput, NotFound, Refused
from moot.protocol.events import QuestionOpened, Recorded, TurnRecorded
from moot.protocol.vocabulary import KINDS
from moot.protocol.words import StepKind

_READ_BYTES = 65_536
PROMPT = "> "
_SCORE = re.compile(r"(\d{1,2})(?:[\s:,.;-]+(.*))?", re.DOTALL)


class Asker:
    """Asks one question at a time: the one the view cannot go on without."""

    def __init__(self, service: Service, debate_id: str, view: LiveView) -> None:
        self._service = service
        self._debate_id = debate_id
        self._view = view
        self._asking: asyncio.Task[bool] | None = None
        self._asked = ""
        self._is_answering = False
        self._lines = Lines(sys.stdin.fileno())

    def look(self) -> None:
        """Ask what has to be asked now, if it has not been asked."""
        question = self._view.question
        if question is None or question.question_id == self._asked:
            return
        if self._asking is None or self._asking.done():
            self._asked = question.question_id
            self._asking = asyncio.create_task(self._ask(question))

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
            await self._withdraw("an answer was given elsewhere" if moved_on.result() else "")
        else:
            await self._withdraw("the time to answer is up")
        return True

    async def _time_up(self) -> None:
        """Return once somebody's time to answer is up: whoever runs the debate records it."""
        wake_at = self._view.state.wake_at
        if wake_at is None:
            await asyncio.Event().wait()
        else:
            await SystemClock().until(wake_at)

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
        print()  # the cursor stands behind the prompt
        if why:
            self._view.printer.note(why)

    @property
    def is_asking(self) -> bool:
        return self._asking is not None and not self._asking.done()

    async def close(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.gather(self._asking, return_exceptions=True)

    async def _ask(self, question: QuestionOpened) -> bool:
        self._is_answering = False
        self._show(question)
        while True:
            given = await self._typed(question)
            if given is None:
                return False
            self._is_answering = True
            try:
                await self._service.answer(self._debate_id, question.question_id, given)
            except InvalidInput as error:
                self._is_answering = False
                self._view.printer.note(f"that will not do: {error.message}; please try again")
            except (NotFound, Refused) as error:
                self._view.printer.note(str(error))
                return False
            else:
                self._view.printer.blank()
                return True

    async def _typed(self, question: QuestionOpened) -> Given | None:
        if question.form is not None:
            return await fill_in(question.form, self._lines, self._view.printer.note)
        text = await self._lines.paragraph()
        return "" if text is not None and text.strip() == PASS else text

    def _heading(self, question: QuestionOpened) -> Text:
        """Who wants to know, or whose turn it is."""
        people = self._view.printer.people
        who = question.asker or question.participant
        does = KINDS[question.kind].does
        what = "asks you" if question.asker else f"{does}: it is your turn"
        return Text().append(people.name(who), style=people.style(who)).append(f" {what}", "bold")

    def _show(self, question: QuestionOpened) -> None:
        printer = self._view.printer
        printer.print(self._heading(question))
        printer.quote(clean(question.text))
        if question.expires_at is not None:
            printer.note(f"until {question.expires_at:%Y-%m-%d %H:%M:%S} UTC")
        passing = f"{PASS} passes; " if question.may_pass else ""
        ending = "" if question.form is not None else "end with an empty line; "
        printer.note(f"{ending}{passing}Ctrl-D on an empty line leaves it for later")


def shaped(question: QuestionOpened, text: str) -> str:
    """What a person wrote, as the step wants it: `7, because ...` is a score with its reason."""
    found = _SCORE.fullmatch(text.strip()) if question.kind is StepKind.SCORE else None
    if found is None:
        return text
    return json.dumps({"score": int(found[1]), "reasoning": found[2] or ""}, ensure_ascii=False)


class Lines:
    """Lines of a terminal, read without a thread, so that waiting for them can be cancelled."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    async def paragraph(self, *, may_be_empty: bool = False) -> str | None:
        """Everything up to an empty line or Ctrl-D; None for Ctrl-D before anything was written."""
        lines: list[str] = []
        while True:
            line = await self.line()
            if line is None:
                return "\n".join(lines) if lines else None
            if line.strip():
                lines.append(line.rstrip("\n"))
                if len(lines) == 1 and line.strip() == PASS:
                    return PASS
            elif lines or may_be_empty:
                return "\n".join(lines)

    async def line(self) -> str | None:
        """One line, or None for Ctrl-D."""
        sys.stdout.write(PROMPT)
        sys.stdout.flush()
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        loop.add_reader(self._fd, _resolve, ready)
        try:
            await ready
        finally:
            loop.remove_reader(self._fd)
        # The terminal hands over whole lines, one per read.
        read = os.read(self._fd, _READ_BYTES)
        return read.decode("utf-8", "replace") if read else None


def _resolve(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)
