"""One debate of a program: run it, read it, take part in it, take copies of it.

What may not be shown to whoever looks is taken out here, on the way from the service to the caller.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any

import msgspec

from moot.definitions.casting import seat
from moot.engine.feed import Item, TextWritten
from moot.engine.hearings import with_debate
from moot.engine.people import Given
from moot.engine.service import Service
from moot.errors import Canceled, Failed, InvalidInput, Stopped, Unfinished, WaitingForPeople
from moot.export import render
from moot.library.seating import one_of
from moot.protocol.events import Recorded, TurnRecorded
from moot.protocol.formats.room import acts
from moot.protocol.log import fold
from moot.protocol.outcomes import Certificate, Outcome, Verdict, certificate_in
from moot.protocol.state import DebateState
from moot.protocol.values import Participant, Persona
from moot.protocol.visibility import Veil, through
from moot.protocol.words import USER, Pacing, Role, Stance, Status
from moot.staging import ModelChoice, Rematch, changes, rematch

Veiled = Callable[[Service, str], Awaitable[Veil]]
"""What may not be shown of a debate now, to whoever looks at it."""


async def _for_everybody(service: Service, debate_id: str) -> Veil:
    """What any of the people who take part may not know: the view that HTTP gives."""
    return (await service.veil(debate_id))[0]


async def _for_one(participant: str, service: Service, debate_id: str) -> Veil:
    return (await service.veil(debate_id, who=participant))[0]


async def _for_nobody(service: Service, debate_id: str) -> Veil:
    del service, debate_id
    return Veil()


class Debate:
    """One debate. `state` is what could be seen at the last `refresh`, or at the end of the last
    run that was not left early.

    One program may run a debate while others read it: everything is in the database.
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
        """The question or claim that is debated."""
        return self.state.config.topic

    @property
    def title(self) -> str:
        """The title it was given; empty if it has none."""
        return self.state.title

    @property
    def status(self) -> Status:
        """created, running, waiting, stopping, stopped, failed, completed or canceled."""
        return self.state.status

    @property
    def outcome(self) -> Outcome | None:
        """What the debate ended with: a Verdict, a Summary, a Solution or, for a hearing, a
        Certificate.

        None until it is over, and None if there was no judge and no moderator.
        """
        return self.state.outcome

    @property
    def winner(self) -> str | None:
        """The winner's name; None if there is none."""
        return self.outcome.winner if isinstance(self.outcome, Verdict) else None

    @property
    def scores(self) -> dict[str, int | float] | None:
        """The judge's scores by name; None if there are none, or they could not be read."""
        return self.outcome.scores if isinstance(self.outcome, Verdict) else None

    @property
    def cost_usd(self) -> float | None:
        """What all calls so far have cost; None if the price of a model is not known."""
        return self.state.usage.cost_usd

    @property
    def turns(self) -> list[TurnRecorded]:
        """All turns in reading order, private ones included; some may be `hidden`."""
        return [turn.said for turn in self.state.transcript()]

    async def refresh(self) -> DebateState:
        """Read the log again and return the new state."""
        self.state = await _seen(self._service, self.id, self._veiled)
        return self.state

    async def seen_by(self, participant: str) -> Debate:
        """The same debate as this participant, who must be a person, may see it.

        Raises InvalidInput if there is no such participant, or it is not a person.
        """
        found = (await self._service.state(self.id)).participants.get(participant)
        if found is None or not found.is_human:
            message = f"{participant!r} is no person who takes part"
            raise InvalidInput(message, field="participant")
        return await opened(self._service, self.id, partial(_for_one, participant))

    async def unveiled(self) -> Debate:
        """The same debate with nothing hidden. Do not show it to anyone who takes part."""
        return await opened(self._service, self.id, _for_nobody)

    # --- running ---

    async def finish(self) -> Outcome | None:
        """Run the debate from where it stands to its end, and return its outcome.

        Returns None if there is no judge and no moderator. A debate that failed is tried again, and
        one that was stopped goes on. If it cannot finish, raises Failed, WaitingForPeople, Stopped
        or Canceled, each with what to do about it, or Busy if another process is running it.
        """
        while True:
            async with aclosing(self.stream()) as items:
                async for _ in items:
                    pass
            # It is running if somebody answered just when nothing else was left to do.
            if self.status is not Status.RUNNING:
                break
        if self.status is not Status.COMPLETED:
            raise _unfinished(self.id, self.state)
        return self.outcome

    async def run(self) -> AsyncGenerator[TurnRecorded, None]:
        """Run the debate from where it stands, and yield each turn once, as it is recorded.

        Ends when the debate is over, has stopped or failed, or waits for people. You may leave the
        loop at any time and run it again, even at once: calls in progress are finished and kept,
        no new ones begin until then, and the next run goes on after the last turn you were given.
        Cancelling cuts off the calls in progress. If you leave early, call
        `await debate.refresh()` to see what has been recorded since; at the end of the loop this is
        done for you.
        """
        async with aclosing(self.stream()) as items:
            async for item in items:
                if isinstance(item, Recorded) and isinstance(item.event, TurnRecorded):
                    yield item.event

    async def stream(self, *, text: bool = False) -> AsyncGenerator[Item, None]:
        """Like `run`, but yields every event and, with `text=True`, pieces of turns as they are
        written.

        A turn that is hidden when it arrives can be found in `turns` once it may be seen.
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
        """Answer for a person: with a text, with the fields of the question's form, or with `""`
        to pass.

        The open questions are in `state.questions`. Raises NotFound for a question that is not
        open, InvalidInput if the answer does not fit it, and Refused if it was answered already.
        """
        await self._service.answer(self.id, question_id, given)

    async def say(self, content: str) -> None:
        """Say something without being asked. Raises Refused if the format does not allow it."""
        await self._service.say(self.id, content)

    async def reveal(self) -> None:
        """Play with open cards: show people who take part what would be hidden from them."""
        await self._service.reveal(self.id)

    async def command(self, name: str) -> None:
        """Give a command: start, stop, resume, end, cancel or retry.

        `stop` lets calls in progress finish; `cancel` does not, and cannot be undone. Raises
        Refused if the debate's status does not allow it; then nothing has changed.
        """
        row = await self._service.command(self.id, name)
        if row.status is Status.STOPPING:
            await self._service.settle(self.id)
        await self.refresh()

    async def rename(self, title: str) -> None:
        """Give the debate a title, which is shown instead of its topic. A blank one removes it."""
        await self._service.rename(self.id, title)
        await self.refresh()

    # --- rooms ---

    async def pace(self, pacing: Pacing | str) -> None:
        """Set a room's pacing: in `auto` members take turns, in `manual` you `choose` answers."""
        await self._do(acts.paced(one_of(Pacing, pacing, "pacing")))

    async def choose(self, turns: Sequence[int]) -> None:
        """Include these pending answers, given by `seq`. The others are kept, but excluded."""
        await self._do(acts.settled(turns))

    async def include(self, turn: int, included: bool = True) -> None:
        """Include a turn, given by `seq`, in later prompts, or leave it out."""
        await self._service.include(self.id, turn, included=included)
        await self.refresh()

    async def join(self, newcomer: Participant | Persona) -> None:
        """Let somebody join the room."""
        if isinstance(newcomer, Persona):
            newcomer = seat([(newcomer, Role.MEMBER, Stance.NONE)])[0]
        await self._service.join(self.id, msgspec.structs.replace(newcomer, id=""))
        await self.refresh()

    async def leave(self, participant: str) -> None:
        """Let a participant, given by id, leave. What they said stays."""
        await self._do(acts.left(participant))

    async def mute(self, participant: str, muted: bool = True) -> None:
        """Mute a participant, given by id, or unmute them. Whoever is muted gets no turn."""
        await self._do(acts.muted(participant, is_muted=muted))

    async def change(self, **settings: Any) -> None:
        """Change settings from now on. Raises Refused for those that cannot change once a debate
        exists, and InvalidInput for a value that is not allowed."""
        await self._service.change(self.id, settings)
        await self.refresh()

    async def _do(self, make: acts.Make) -> None:
        await self._service.act(self.id, make)
        await self.refresh()

    # --- copies, and the end of it ---

    async def fork(
        self,
        *,
        at: int | None = None,
        models: Mapping[str, str] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Debate:
        """Fork the debate: create a new one that shares the log up to event `at`, or all of it.

        From there on it uses other `models`, given by participant (an id, a name, or a role, which
        means the first who has it), and other `settings`. This debate does not change. Raises
        NoModel, and InvalidInput if there is no such event or participant or if a change
        contradicts what is shared.
        """
        log = await self._service.log(self.id)
        wanted = changes(log, at, ModelChoice(single=models or {}), settings or {})
        made = await self._service.fork(self.id, at, wanted)
        return await opened(self._service, made, self._veiled)

    async def rematch(
        self,
        *,
        swap: bool = False,
        model: str | None = None,
        judge_model: str | None = None,
        models: Mapping[str, str] | None = None,
        seed: int | None = None,
    ) -> Debate:
        """Create a new debate like this one, from the beginning; with `swap`, on swapped sides.

        `model` is used for everyone who is not a person, `judge_model` for judges and moderators,
        and `models` by participant, as in `fork`. With the same `seed` as this debate, the same
        side opens. Raises Refused if there are no sides to swap, InvalidInput or NoModel.
        """
        choice = ModelChoice(
            everyone=model or "", judges=judge_model or "", single=dict(models or {})
        )
        config = (await self._service.state(self.id)).config
        wanted = Rematch(swap=swap, models=choice, seed=seed)
        new = rematch(config, self.id, await self._service.files(self.id), wanted)
        return await opened(self._service, await self._service.create(new))

    async def label(self, winner: str, *, by: str = USER, note: str = "") -> None:
        """Say who really made the better case: the name of a side, `pro`, `con` or `tie`.

        Labels are kept beside the debate and tell whether judges are right. Labelling again
        replaces what the same person said. Raises Refused if the debate is not over or there is
        nothing to choose between, and InvalidInput for a winner that is none of these.
        """
        await self._service.labels.give(self.id, winner, by=by, note=note)

    async def labels(self) -> dict[str, str]:
        """What each person said about who made the better case, by the name of the person: the id
        of a side, or `tie`."""
        return {one.by: one.winner for one in await self._service.labels.of(self.id)}

    async def certificate(self) -> Certificate | None:
        """What the newest bench that has finished its hearing said about this debate, or else what
        the debate's own bench said; None if there is neither. See `Moot.judge`."""
        told = await self._service.certificate(self.id)
        return told or with_debate(self.id, certificate_in(self.outcome))

    async def export(self, kind: str = "md") -> str:
        """Export the debate: as md, html, json or csv, its outcome alone (`answer`), a document of
        its format (for councils, `report` and `decision-record`), or its whole `log`, which
        `import_log` reads elsewhere.

        Contains what everyone may see now. Raises InvalidInput for an unknown kind, and Refused for
        the answer while there is none, or for the log while part of it is hidden from somebody who
        takes part.
        """
        log, sources = await self._service.log_and_sources(self.id)
        files = await self._service.files(self.id)
        told = await self._service.certificate(self.id)
        return await asyncio.to_thread(
            render, log, kind, sources, debate_id=self.id, files=files, certificate=told
        )

    async def delete(self) -> None:
        """Delete the debate for good. Raises Refused while it is running: stop it first."""
        await self._service.delete(self.id)


def _unfinished(debate_id: str, state: DebateState) -> Unfinished:
    """The error that says what keeps the debate from its end, and what to do about it."""
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
