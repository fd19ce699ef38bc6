"""A room held in this terminal: runs it, shows it, and carries out what is typed.

Three things go on at once: the room is run whenever it has something to run (unless another process
does that), everything that is recorded is shown, and lines are read.
"""

from __future__ import annotations

import asyncio
import math
import signal
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from moot.cli.exit_codes import ExitCode
from moot.cli.interrupts import on_signals
from moot.cli.lines import Interrupted, open_lines
from moot.cli.room.commands import completions, find_command
from moot.cli.room.unsaid import Speaking, Unsaid
from moot.cli.view.console import new_console, stalled
from moot.cli.view.room import Screen, advice, held_back, why_paused
from moot.cli.view.waits import Told, held_briefly, waiting, waiting_briefly
from moot.engine.feed import Item, Stalled, StepBegan, StepHeld, TextVoided, TextWritten
from moot.engine.service import Service
from moot.errors import Busy, MootError, Refused
from moot.protocol import events as e
from moot.protocol.formats.room.acts import Make
from moot.protocol.formats.room.floor import floor_of
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.words import Pacing, Status, Visibility
from moot.wiring import System

LATEST = 20
"""How many turns are shown of a room that somebody comes back to."""
AGAIN_S = 1.0
PATIENCE_S = 10.0


async def hold(system: System, debate_id: str) -> ExitCode:
    """Hold the room until the person leaves, or it is closed."""
    service = system.service
    if (await service.state(debate_id)).status is Status.CREATED:
        await service.command(debate_id, "start")
    state = await service.state(debate_id)
    settings = system.settings
    session = Session(service, debate_id, state, settings.personas_path, settings.grace_seconds)
    return await session.hold()


class Session:
    def __init__(
        self,
        service: Service,
        debate_id: str,
        state: DebateState,
        personas_path: Path,
        grace_s: float,
    ) -> None:
        self.service = service
        self.id = debate_id
        self.state = state
        self.personas_path = personas_path
        self.screen = Screen(new_console(), state)
        self._lines = open_lines(lambda text: completions(self.state, text), self._toolbar)
        self._wake = asyncio.Event()
        self._changed = asyncio.Event()
        self._streamed: str | None = None
        self._thinking: dict[str, str] = {}
        self._limited: dict[str, StepHeld] = {}
        self._told = Told(has_status_line=False)
        self._held: dict[str, Speaking] = {}
        self._written = ""
        self._typed = ""
        self._unsaid = Unsaid(state, say=self._speak, stop=self._interrupt)
        self._grace_s = grace_s
        self._stopping: asyncio.Task[bool] | None = None
        self._draining: asyncio.Task[None] | None = None
        self._is_leaving = False
        self._is_driven_here = False

    async def hold(self) -> ExitCode:
        self._mind_signals()
        with self._lines.printing():
            self._show_past()
            tasks = [asyncio.create_task(self._drive()), asyncio.create_task(self._follow())]
            try:
                await self._read()
            finally:
                await self._close()
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        if self._unsaid.text:
            self.screen.say(f"not sent, because you left: {self._unsaid.text}")
        self.screen.say(self._ending())
        return ExitCode.COMPLETED

    def _mind_signals(self) -> None:
        """SIGTERM, and Ctrl-C between two prompts or in a script; at a prompt, Ctrl-C is a key."""
        on_signals(self._signalled, signal.SIGINT)
        on_signals(self._terminated, signal.SIGTERM)

    def _signalled(self) -> None:
        if self._lines.is_script:
            self._leave()
        else:
            self._stopping = asyncio.create_task(self._interrupt())

    def _terminated(self) -> None:
        """Let whoever is speaking finish, if that takes no longer than the grace; a second SIGTERM
        waits for nobody."""
        if self._draining is None:
            self._draining = asyncio.create_task(self._drain())
        else:
            self._leave()

    async def _drain(self) -> None:
        self.service.pause(self.id)
        if self.service.calls(self.id):
            self.screen.say(f"leaving; waiting up to {self._grace_s:g} s for whoever is speaking")
        with suppress(TimeoutError):
            async with asyncio.timeout(0.8 * self._grace_s):
                while self.service.calls(self.id):
                    self._changed.clear()
                    await self._changed.wait()
        self._leave()

    def _leave(self) -> None:
        self._is_leaving = True
        self._changed.set()

    def leave(self) -> None:
        self._is_leaving = True

    async def act(self, make: Make) -> None:
        await self.service.act(self.id, make)

    async def change(self, settings: Mapping[str, Any]) -> bool:
        """Change these settings; False if they have these values already."""
        before = self.state.seq
        return (await self.service.change(self.id, settings)).seq > before

    # --- running and showing ---

    async def _drive(self) -> None:
        """Run the room whenever it has something to run and nobody else does."""
        while True:
            self._wake.clear()
            if self.state.status.is_active:
                try:
                    self._is_driven_here = True
                    await self.service.run(self.id)
                except Busy:  # another process runs it: its events come all the same
                    await asyncio.sleep(AGAIN_S)
                    continue
                except MootError as error:
                    self.screen.refuse(str(error))
                    await asyncio.sleep(AGAIN_S)
                finally:
                    self._is_driven_here = False
            await self._wake.wait()

    async def _follow(self) -> None:
        async for item in self.service.follow(self.id, after=self.state.seq, text=True):
            self._take(item)
            self._changed.set()
        self._leave()

    def _take(self, item: Item) -> None:
        match item:
            case e.Recorded():
                waits = dict(self.state.waits)
                self.state.apply(item)
                self._recorded(item)
                self._unsaid.mind(item.event, is_quiet=not self._thinking)
                self._tell_wait(item.event)
                if over := self._told.over(waits, self.state.waits, item):
                    self.screen.say(over)
                if self.state.status.is_active:
                    self._wake.set()
                else:
                    self._thinking.clear()
                    self._limited.clear()
                    self._held.clear()
            case StepBegan(step):
                self._thinking[step.key] = self.state.label_of(step.participant)
                self._limited.pop(step.key, None)
            case StepHeld(step):
                self._limited[step.key] = item
            case TextWritten(step, text):
                if step.visibility is Visibility.PUBLIC and not step.is_pending:
                    self._stream(step, text)
            case TextVoided(step):
                self._held.pop(step.key, None)
                self._cut_short(step.key, "(starts again)")
            case Stalled(reason):
                self.screen.say(stalled(reason))

    def _stream(self, step: Step, text: str) -> None:
        """Show the text as it is written, if no other member's is being shown."""
        said = self._held.setdefault(step.key, Speaking(step)).take(text, self.state)
        if said and self._streamed is None:
            self._streamed, self._written = step.key, ""
            self.screen.begin(step.participant)
        if self._streamed == step.key:
            self.screen.write(said[len(self._written) :])
            self._written = said

    def _cut_short(self, key: str, note: str) -> None:
        if self._streamed == key:
            self._streamed = None
            self.screen.end(note)

    def _recorded(self, record: e.Recorded) -> None:
        match record.event:
            case e.TurnRecorded(step_key=key) as said:
                self._thinking.pop(key, None)
                self._limited.pop(key, None)
                self._held.pop(key, None)
                self._show(record.seq, said)
            case e.StepFailed(failed_key=key):
                self._thinking.pop(key, None)
                self._limited.pop(key, None)
                self._cut_short(key, "(broken off)")
            case e.NoticePosted(code=code, text=text) as notice:
                self.screen.notice(code, text + advice(self.state, notice))
            case e.DebateStopped():
                self._cut_short(self._streamed or "", "(stopped)")
                if not self._unsaid.text:
                    self.screen.say("stopped; press Enter to continue, or say something")
            case e.DebateFailed(error=error):
                self.screen.refuse(error)
            case e.QuestionOpened(participant=one):
                self.screen.say(f"it is {self.state.label_of(one)}'s turn: type the answer")
            case e.DebateSuspended() if floor_of(self.state).pending:
                self.screen.say("choose answers with /pick and numbers, names, all or none")
            case e.MessageSaid() if self._lines.is_script or not self._is_mine(record):
                self._show(record.seq, None)
            case _:
                pass

    def _tell_wait(self, event: e.AnyEvent) -> None:
        """Say that a provider is waited for, and why, but not again with every try."""
        wait = (
            self.state.waits.get(event.attempt_of) if isinstance(event, e.AttemptFailed) else None
        )
        if wait is not None and self._told.is_news(wait, self.state.updated_at):
            self.screen.say(waiting(wait, datetime.now(UTC)))

    def _is_mine(self, record: e.Recorded) -> bool:
        """Whether the message was typed here, where it can still be read."""
        event = record.event
        return isinstance(event, e.MessageSaid) and event.content == self._typed

    def _show(self, seq: int, said: e.TurnRecorded | None) -> None:
        turn = self.state.turn_at(seq)
        if turn is None or turn.said.visibility is Visibility.PRIVATE:
            return
        if said is not None and self._streamed == said.step_key:
            self._streamed = None
            if said.content.startswith(self._written):
                self.screen.write(said.content[len(self._written) :])
                self.screen.end(f"#{seq}", said.flags)
                return
            self.screen.end("(the final text follows)")
        if not turn.is_silent:
            self.screen.turn(turn)

    def _show_past(self) -> None:
        self.screen.header(self.id)
        turns = [turn for turn in self.state.transcript() if not turn.is_silent]
        public = [turn for turn in turns if turn.said.visibility is Visibility.PUBLIC]
        if len(public) > LATEST:
            self.screen.say(
                f"... {len(public) - LATEST} earlier turns; read them with: moot show {self.id}"
            )
        for turn in public[-LATEST:]:
            self.screen.turn(turn)
        for notice in () if public else self.state.notices:
            self.screen.posted(notice.event)
        if not self._lines.is_script:
            self.screen.say("Say something, or type /help.")

    # --- reading ---

    async def _read(self) -> None:
        warned = False
        while not self._is_leaving:
            if self._lines.is_script:
                await self._at_rest()
            try:
                line = await self._next_line()
            except Interrupted:
                if warned:
                    return
                warned = not await self._interrupt()
                continue
            warned = False
            if line is None:
                break
            await self._carry_out(line)
        if self._lines.is_script and not self._is_leaving:
            await self._at_rest()

    async def _next_line(self) -> str | None:
        """The next line; None at the end, and when the room is closed from elsewhere meanwhile."""
        reading = asyncio.create_task(self._lines.line())
        while not reading.done() and not self._is_leaving:
            self._changed.clear()
            changing = asyncio.create_task(self._changed.wait())
            await asyncio.wait({reading, changing}, return_when=asyncio.FIRST_COMPLETED)
            changing.cancel()
        if reading.done():
            return reading.result()
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        return None

    async def _interrupt(self) -> bool:
        """Ctrl-C: halt whoever speaks. False if nobody does."""
        if not self.state.status.is_active:
            self.screen.say("press Ctrl-C again, or type /quit, to leave the room")
            return False
        with suppress(Refused):
            await self.service.command(self.id, "stop")
        return True

    async def _carry_out(self, line: str) -> None:
        text = line.strip()
        if self._lines.is_script or not self._unsaid.must_wait(text):
            await self._speak(text)
        else:
            is_quiet = self._is_driven_here and not self._thinking
            self._unsaid.keep(text, is_quiet=is_quiet)

    async def _speak(self, text: str) -> None:
        """Say the text or, if it is a command, carry it out."""
        self._typed = text
        if not self._lines.is_script:
            self.screen.typed(text)
        try:
            if text.startswith("/"):
                word, _, rest = text[1:].partition(" ")
                await find_command(word).run(self, rest)
            else:
                await self._say(text)
        except MootError as error:
            self.screen.refuse(str(error))

    async def _say(self, text: str) -> None:
        """Say it as a message, or as the answer to what a person in the room is asked."""
        if self.state.questions and self.state.status is Status.WAITING:
            await self.service.answer(self.id, next(iter(self.state.questions)), text)
        else:
            await self.service.say(self.id, text)

    async def _at_rest(self) -> None:
        """Return when everything that was asked for is done and shown."""
        while not self._is_leaving:
            self._changed.clear()
            summary = await self.service.summary(self.id)
            if not summary.status.is_active and self.state.seq >= summary.seq:
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), AGAIN_S)

    # --- leaving ---

    async def _close(self) -> None:
        """What this process runs is stopped; what another one runs goes on."""
        if not self._is_driven_here or not self.state.status.is_active:
            return
        with suppress(MootError, TimeoutError):
            await self.service.command(self.id, "stop")
            async with asyncio.timeout(PATIENCE_S):
                while self._is_driven_here and self.state.status.is_active:
                    self._changed.clear()
                    await self._changed.wait()

    def _ending(self) -> str:
        if self.state.status.is_terminal:
            return f"the room is closed; see it with: moot show {self.id}"
        return f"come back with: moot room {self.id}"

    # --- how it stands ---

    def _toolbar(self) -> str:
        if self._unsaid.text:
            return self._unsaid.told(self.screen.width)
        parts = [str(self.state.pacing)]
        if self.state.status is Status.RUNNING:
            parts += self._going_on()
        else:
            parts.append(str(self.state.status))
            paused = why_paused(self.state, datetime.now(UTC))
            parts.append(f"paused: {paused}" if paused else "")
            pending = len(floor_of(self.state).pending)
            parts.append(f"{pending} pending" if pending else "")
        return " · ".join(part for part in parts if part)

    def _going_on(self) -> list[str]:
        floor = floor_of(self.state)
        wait_s = 0.0
        if floor.ready_at and self.state.pacing is Pacing.AUTO:
            left_s = (floor.ready_at - datetime.now(UTC)).total_seconds()
            wait_s = min(left_s, floor.settings.response_delay)
        if wait_s > 0:
            return [f"Next response in {math.ceil(wait_s)}s"]
        now, width = datetime.now(UTC), self.screen.width - len("manual · ")
        if held := held_back(self.state, now):
            return [held]
        if self._limited:
            return [held_briefly(next(iter(self._limited.values())), now, width)]
        if self.state.waits:
            return [waiting_briefly(next(iter(self.state.waits.values())), now, width)]
        names = list(self._thinking.values())
        return [f"[{name}] thinking..." for name in names[:3]]
