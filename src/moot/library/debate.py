"""One debate of a program: run it, read it, take part in it, take copies of it.

What may not be shown to whoever looks is taken out here, on the way from the service to the caller.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any

from moot.engine.feed import Item, TextWritten
from moot.engine.people import Given
from moot.engine.service import Service
from moot.errors import Canceled, Failed, InvalidInput, Stopped, Unfinished, WaitingForPeople
from moot.export import render
from moot.protocol.events import Recorded, TurnRecorded
from moot.protocol.folding import fold
from moot.protocol.outcomes import Outcome, Verdict
from moot.protocol.state import DebateState
from moot.protocol.visibility import Veil, through
from moot.protocol.words import Status
from moot.staging import ModelChoice, changes

Veiled = Callable[[Service, str], Awaitable[Veil]]
"""What may not be shown of a debate now, to whoever looks at it."""


async def _for_everybody(service: Service, debate_id: str) -> Veil:
    """What somebody who takes part may not know: the view that HTTP gives."""
    return (await service.veil(debate_id))[0]


async def _for_one(participant: str, service: Service, debate_id: str) -> Veil:
    return (await service.veil(debate_id, who=participant))[0]


async def _for_nobody(service: Service, debate_id: str) -> Veil:
    del service, debate_id
    return Veil()


class Debate:
    """One debate, by its `id`. `state` is as of the last refresh, or of the last run that was not
    left before its end, as far as it may be seen.

    A debate may be run by one program and read by others; what it has come to is in the database.
    """

    def __init__(
        self, service: Service, debate_id: str, state: DebateState, veiled: Veiled = _for_everybody
    ) -> None:
        self._service = service
        self._veiled = veiled
        self._given = state.seq
        self.id = debate_id
        self.state = state

    def __repr__(self) -> str:
        return f"<Debate {self.id} {self.status}: {self.topic!r}>"

    # --- what it is, and what it has come to ---

    @property
    def topic(self) -> str:
        """What is debated."""
        return self.state.config.topic

    @property
    def status(self) -> Status:
        """created, running, waiting, stopping, stopped, failed, completed or canceled."""
        return self.state.status

    @property
    def outcome(self) -> Outcome | None:
        """What the debate ended with: a Verdict, a Summary or a Solution.

        None while it is not over, or if nobody was to decide or to sum up.
        """
        return self.state.outcome

    @property
    def verdict(self) -> Outcome | None:
        """The same as `outcome`."""
        return self.outcome

    @property
    def winner(self) -> str | None:
        """The name of who won; None if nobody has, or nobody was to win."""
        return self.outcome.winner if isinstance(self.outcome, Verdict) else None

    @property
    def scores(self) -> dict[str, int | float] | None:
        """The judge's scores by name; None if there are none that could be read."""
        return self.outcome.scores if isinstance(self.outcome, Verdict) else None

    @property
    def cost_usd(self) -> float | None:
        """What all calls so far have cost; None if somebody's price is not known."""
        return self.state.usage.cost_usd

    @property
    def turns(self) -> list[TurnRecorded]:
        """All turns, private ones too, in the order people read them; some may be `hidden`."""
        return [turn.said for turn in self.state.transcript()]

    async def refresh(self) -> DebateState:
        """Read the log again."""
        self.state = await _seen(self._service, self.id, self._veiled)
        return self.state

    async def seen_by(self, participant: str) -> Debate:
        """The same debate as the person in that chair may see it, whoever else takes part.

        Raises InvalidInput if there is no such participant, or it is no person.
        """
        found = (await self._service.state(self.id)).participants.get(participant)
        if found is None or not found.is_human:
            message = f"{participant!r} is no person who takes part"
            raise InvalidInput(message, field="participant")
        return await opened(self._service, self.id, partial(_for_one, participant))

    async def unveiled(self) -> Debate:
        """The same debate with everything in it. Show it to nobody who takes part."""
        return await opened(self._service, self.id, _for_nobody)

    # --- running ---

    async def finish(self) -> Outcome | None:
        """Run it from wherever it stands to its end, and return its outcome.

        Returns None if nobody was to decide or to sum up. A debate that had failed is tried again,
        one that was stopped goes on. Raises what keeps it from its end: Failed, WaitingForPeople,
        Stopped or Canceled, each with what to do; and Busy if another process runs it.
        """
        while True:
            async with aclosing(self.stream()) as items:
                async for _ in items:
                    pass
            # It runs if somebody answered in the moment in which nothing else was left to do.
            if self.status is not Status.RUNNING:
                break
        if self.status is not Status.COMPLETED:
            raise _unfinished(self.id, self.state)
        return self.outcome

    async def run(self) -> AsyncGenerator[TurnRecorded, None]:
        """Run it from wherever it stands, and give every turn once, as it is recorded.

        Ends when the debate is over, stopped, failed, or waits for people. It may be left at any
        time, and begun again at any time, also at once: calls under way are finished and kept, no
        others begin until then, and the next run goes on after the last turn that this one gave.
        To be cancelled cuts the calls under way. Who leaves early sees what has been recorded after
        `await debate.refresh()`; at the end that has been done.
        """
        async with aclosing(self.stream()) as items:
            async for item in items:
                if isinstance(item, Recorded) and isinstance(item.event, TurnRecorded):
                    yield item.event

    async def stream(self, *, text: bool = False) -> AsyncGenerator[Item, None]:
        """`run`, but with every event, and with `text` also the pieces of turns being written.

        What is hidden when it comes is in `turns` as soon as it may be seen, at the end or when
        somebody has answered.
        """
        veil = await self._veiled(self._service, self.id)
        playing = self._service.play(self.id, after=self._given, text=text)
        async with aclosing(playing) as items:
            async for item in items:
                if isinstance(item, Recorded):
                    veil = await self._veiled(self._service, self.id)
                    self._given = max(self._given, item.seq)
                    yield veil.seen(item)
                elif not (isinstance(item, TextWritten) and veil.hides(item.step)):
                    yield item
        await self.refresh()

    # --- taking part, and deciding about it ---

    async def answer(self, question_id: str, given: Given) -> None:
        """A person's turn: a text, the fields of the question's form, or `""` to pass.

        The open questions are in `state.questions`. Raises NotFound for one that is not open,
        InvalidInput if this is not what was asked for, Refused if it was answered already.
        """
        await self._service.answer(self.id, question_id, given)

    async def say(self, content: str) -> None:
        """Speak without having been asked, where the format takes that; else raises Refused."""
        await self._service.say(self.id, content)

    async def reveal(self) -> None:
        """Play with open cards: people who take part are shown what their chairs may not know."""
        await self._service.reveal(self.id)

    async def command(self, name: str) -> None:
        """start, stop, resume, end, cancel or retry. Raises Refused, having changed nothing.

        `stop` lets the calls under way finish, `cancel` does not, and is for good.
        """
        row = await self._service.command(self.id, name)
        if row.status is Status.STOPPING:
            await self._service.settle(self.id)
        await self.refresh()

    # --- copies, and the end of it ---

    async def fork(
        self,
        *,
        at: int | None = None,
        models: Mapping[str, str] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Debate:
        """A new debate that shares the log up to event `at`, by default all of it.

        From there on it has other `models`, by participant (an id, a name or a role, of which the
        first who has it is meant), and other `settings`. This debate is not changed. Raises
        InvalidInput if there is no such event or participant, or if a change contradicts what is
        shared, and NoModel.
        """
        log = await self._service.log(self.id)
        wanted = changes(log, at, ModelChoice(single=models or {}), settings or {})
        made = await self._service.fork(self.id, at, wanted)
        return await opened(self._service, made, self._veiled)

    async def export(self, kind: str = "md") -> str:
        """The debate as a document: md, html, json, csv, and what its format has of its own; or
        its whole log, which `moot import` takes in elsewhere.

        Shows what everybody may see now. Raises InvalidInput for a kind that there is not, and
        Refused for the log while somebody who takes part may not know all of it.
        """
        log, sources = await self._service.log_and_sources(self.id)
        files = await self._service.files(self.id)
        return await asyncio.to_thread(render, log, kind, sources, debate_id=self.id, files=files)

    async def delete(self) -> None:
        """Remove it for good. Raises Refused while it is running: stop or cancel it first."""
        await self._service.delete(self.id)


def _unfinished(debate_id: str, state: DebateState) -> Unfinished:
    """What keeps a debate from its end, and what to do about it."""
    name = f"debate {debate_id}"
    match state.status:
        case Status.FAILED:
            failure = state.failure
            why, reason = (failure.error, failure.code) if failure else ("", "")
            message = f"{name} failed: {why}; once that is mended, finish() tries again"
            return Failed(message, debate_id=debate_id, reason=reason)
        case Status.WAITING:
            asked = tuple(state.questions)
            to_do = f"answer() {', '.join(asked)}" if asked else "say() something, or `end` it"
            message = f"{name} waits for people: {to_do}, then finish() goes on"
            return WaitingForPeople(message, debate_id=debate_id, questions=asked)
        case Status.CANCELED:
            message = f"{name} was canceled, and cannot go on; fork() it to go on from there"
            return Canceled(message, debate_id=debate_id)
        case _:
            return Stopped(f"{name} was stopped; finish() goes on with it", debate_id=debate_id)


async def opened(service: Service, debate_id: str, veiled: Veiled = _for_everybody) -> Debate:
    """The debate as it stands. Raises NotFound."""
    return Debate(service, debate_id, await _seen(service, debate_id, veiled), veiled)


async def _seen(service: Service, debate_id: str, veiled: Veiled) -> DebateState:
    veil = await veiled(service, debate_id)
    if not veil.is_drawn:
        return await service.state(debate_id)
    log = await service.log(debate_id)
    return through(veil, log, fold(log)).state
