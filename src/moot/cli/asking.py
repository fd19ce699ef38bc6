"""Asks the person at the terminal, if they take part, while the debate goes on.

One question at a time, and never one that has been settled elsewhere in the meantime.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from rich.text import Text

from moot.cli.lines import Interrupted, Prompt, paragraph
from moot.cli.questions import fill_in, how_to_answer, is_pass, is_speech, until, will_not_do
from moot.cli.view.console import clean
from moot.cli.view.live import LiveView
from moot.engine.clock import SystemClock
from moot.engine.people import Given
from moot.engine.service import Service
from moot.errors import InvalidInput, NotFound, Refused
from moot.protocol.events import QuestionOpened, Recorded, TurnRecorded
from moot.protocol.occasions import heading
from moot.protocol.quoting import block
from moot.protocol.state import DebateState
from moot.protocol.words import EXPIRED, USER, Visibility

_BREAK = "\n\n"


ELSEWHERE, TIME_UP = "this was answered elsewhere", "the time to answer is over"


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
        """Ask the question that is due now, unless it has been asked."""
        question = self._view.question
        if question is None or question.question_id == self._asked:
            return
        if self._asking is None or self._asking.done():
            self._asked = question.question_id
            self._asking = asyncio.create_task(self._ask(question))

    async def settle(self) -> None:
        """Take back a question that was settled elsewhere while the debate went on."""
        state, asked = self._view.state, self._asked
        is_asking = self._asking is not None and not self._asking.done()
        if not is_asking or self._is_answering or asked in state.questions:
            return
        turn = state.turns.get(asked)
        why = ELSEWHERE if turn is not None else ""
        await self._withdraw(TIME_UP if turn and EXPIRED in turn.said.flags else why)

    async def answered(self, interrupted: asyncio.Event) -> bool:
        """Wait until the open question is answered, or something happens to the debate elsewhere.

        False if the person left the question open, or interrupted the debate.
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
        """Return once somebody else has changed the debate: True if they did so by an answer."""
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
            text = await paragraph(self._prompt, is_whole=is_pass)
            return "" if text is not None and is_pass(text) else text
        except Interrupted:
            self._on_interrupt()
            # The debate is being stopped: nothing is asked until this asker is closed.
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
            printer.note(until(question.expires_at))
        printer.note(how_to_answer(question))


def unrepeated(question: QuestionOpened, state: DebateState, began_at: int) -> str:
    """What is asked, without the words of whoever spoke last if they stand right above it."""
    said = (turn for turn in state.newest_first() if turn.said.visibility is Visibility.PUBLIC)
    last = next(said, None)
    if last is None or last.seq <= began_at or last.said.participant == question.participant:
        return question.text
    before, words, after = question.text.partition(f"\n\n{block(last.said.content)}\n\n")
    # The paragraph before the words says whose they are, and goes with them.
    return f"{before.rpartition(_BREAK)[0]}{_BREAK}{after}" if words else question.text
