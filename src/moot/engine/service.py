"""The only door that the command line, HTTP and libraries use; what it can read is in `reads`.

Commands append what somebody asked for and return; the worker does the rest. Every command is
refused or carried out as a whole, by the lifecycle table.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from moot.engine.attaching import freeze
from moot.engine.beside_the_log import Labels, Links, Questions
from moot.engine.clock import Clock
from moot.engine.creation import MAX_TEXT, MAX_TITLE, NewDebate, changing, configure, joining
from moot.engine.feed import Item
from moot.engine.forecast import Pace, unheld_budget
from moot.engine.forking import Changes, forked_log
from moot.engine.hearings import Judges
from moot.engine.importing import Imported, read_log
from moot.engine.live import AT_ONCE, Make, as_events, too_busy
from moot.engine.live_debates import LiveDebates
from moot.engine.looking import opening
from moot.engine.people import (
    Given,
    allowed,
    answered,
    cleaned,
    is_due,
    opened,
    renamed,
    said,
    toggled,
    turn_of,
)
from moot.engine.plays import Plays
from moot.engine.reads import Reads, shown_row
from moot.engine.worker import Worker
from moot.errors import Busy, Conflict, InvalidInput, NoModel, Refused
from moot.ids import new_id
from moot.models.port import Models
from moot.protocol import events as e
from moot.protocol.deciding import cursor_at
from moot.protocol.lifecycle import event_for
from moot.protocol.log import begin, fold
from moot.protocol.registry import format_named
from moot.protocol.row import Cursor, DebateRow
from moot.protocol.state import DebateState, Turn
from moot.protocol.values import Config, ForkPoint, Participant
from moot.protocol.vocabulary import BUDGET_NOT_HELD, FILES_LEFT_OUT
from moot.protocol.words import HUMAN, USER, Status
from moot.store.port import Store

NO_CHANGES = Changes()
NO_FORK = (
    "a hearing or an exam cannot be forked: its ballots would be chosen by hand; ask again instead"
)


class Service(Reads):
    """`on_active` is told of every debate that has something to run; `defaults` are settings of
    debates that do not set them."""

    def __init__(  # noqa: PLR0913 - the parts it stands in front of, each by name
        self,
        *,
        store: Store,
        live: LiveDebates,
        models: Models,
        clock: Clock,
        worker: Worker | None,
        version: str,
        defaults: Mapping[str, Any] = MappingProxyType({}),
        on_active: Callable[[str], None] = lambda _debate_id: None,
    ) -> None:
        super().__init__(store, live)
        self.defaults = defaults
        self.links = Links(store, clock)
        self.labels = Labels(store, live, clock)
        self.asked = Questions(store, clock)
        self.judges = Judges(store)
        self._models = models
        self._clock = clock
        self._worker = worker
        self._version = version
        self._on_active = on_active
        self._plays = Plays(self.run, worker)
        self.pace = Pace(store, clock)

    # --- commands ---

    async def create(
        self, new: NewDebate, *, start: bool = False, debate_id: str | None = None
    ) -> str:
        """Write down a new debate and return its id. Raises InvalidInput, NotFound or NoModel.

        `debate_id` is for callers that must be able to create it a second time without creating
        two; raises Conflict if it exists.
        """
        config, files, unheld = await self._planned(new)
        now = self._clock.now()
        events: list[e.AnyEvent] = [e.DebateCreated(config=config)]
        events += opening(format_named(config.format), config)
        if unheld:
            events.append(e.NoticePosted(code=BUDGET_NOT_HELD, text=unheld))
        if new.left_out:
            events.append(e.NoticePosted(code=FILES_LEFT_OUT, text=new.left_out))
        if start:
            events.append(e.DebateStarted())
        records = [e.Recorded(seq, now, event) for seq, event in enumerate(events, 1)]
        debate_id = debate_id or new_id()
        await self._store.create(records, fold(records).summary(debate_id, Cursor()), files=files)
        self._live.created(debate_id, records)
        if start:
            self._on_active(debate_id)
        return debate_id

    async def plan(self, new: NewDebate) -> Config:
        """The debate as `create` would write it down. Creates nothing, and raises what `create`
        would."""
        config, _, _ = await self._planned(new)
        opening(format_named(config.format), config)
        return config

    async def _planned(self, new: NewDebate) -> tuple[Config, Mapping[str, str], str]:
        """The configuration, the texts of the files, and why a cap on money cannot be held."""
        frozen = freeze(new.files, allows_secrets=new.allows_secrets)
        config = configure(
            new,
            self._models,
            version=self._version,
            attachments=frozen.attachments,
            defaults=self.defaults,
        )
        return config, frozen.texts, await self._unheld(config)

    async def fork(
        self,
        debate_id: str,
        at: int | None = None,
        changes: Changes = NO_CHANGES,
        *,
        fork_id: str | None = None,
    ) -> str:
        """A new debate that shares the log up to event `at`, by default all of it; its id.

        The source is not changed, and may be running. Raises NotFound, NoModel, and InvalidInput if
        there is no such event or a change contradicts what is shared. `fork_id` as in `create`.
        """
        log = await self.log(debate_id)
        now = self._clock.now()
        first = begin(log[0]).config
        if first.hears is not None or first.exam is not None:
            raise Refused(NO_FORK)
        source = first.forked_from
        point = ForkPoint(
            debate=debate_id,
            at=len(log) if at is None else at,
            earlier=(source.debate, *source.earlier) if source else (),
        )
        records = forked_log(log, point, changes, now=now, version=self._version)
        for model in changes.models.values():
            if model != HUMAN:
                self._models.get(model)
        state = fold(records)
        self._check_models(state)
        await self._unheld(state.config)
        fork_id = fork_id or new_id()
        cursor = cursor_at(format_named(state.config.format), state, now)
        await self._store.create(records, state.summary(fork_id, cursor))
        self._live.created(fork_id, records)
        return fork_id

    async def read_import(self, data: bytes) -> Imported:
        """What is in a file that was exported as a log elsewhere. Raises InvalidInput."""
        return await asyncio.to_thread(read_log, data, self._clock.now())

    async def take_in(self, imported: Imported, kind: str, *, debate_id: str | None = None) -> str:
        """Keep a debate that was held elsewhere, as one that is over; its id.

        All of it is written down at once, with `kind` in its configuration: `sample` or `file`.
        `debate_id` as in `create`. Nothing of it counts as done or spent by this process.
        """
        records = imported.named(kind)
        debate_id = debate_id or new_id()
        summary = fold(records).summary(debate_id, Cursor())
        await self._store.create(records, summary, files=imported.texts)
        self._live.created(debate_id, records)
        return debate_id

    def _check_models(self, state: DebateState) -> None:
        """Refuse a fork of an imported debate in which somebody has a model that is not available
        here: it could never go on."""
        if state.config.origin is None or not state.config.origin.is_import:
            return
        for one in state.participants.values():
            try:
                _ = one.is_human or self._models.get(one.model)
            except NoModel:
                message = (
                    f"{one.name} used {one.model}, which is not available here; "
                    "give everybody in the fork a model"
                )
                raise Refused(message) from None

    async def _unheld(self, config: Config) -> str:
        """Why the cap on money cannot be held; "" if it can. Raises InvalidInput if it is to be
        strict, before anything is spent."""
        if config.settings.get("max_cost_usd") is None:
            return ""  # as in most debates: no price is looked up, and no thread needed for it
        unheld = await asyncio.to_thread(unheld_budget, config, self._models)
        if unheld and config.settings.get("strict_budget"):
            raise InvalidInput(unheld, field="settings.strict_budget")
        return unheld

    async def include(self, debate_id: str, turn: int, *, included: bool) -> Turn:
        """Let all later prompts, or none of them, have the turn that event `turn` recorded.

        Records nothing if that is so already. Raises NotFound, or Refused if the debate is over.
        """
        async with self._live.open(debate_id) as live:
            await live.change(lambda state: toggled(state, turn, included=included))
            return turn_of(live.state, turn)

    async def command(self, debate_id: str, name: str) -> DebateRow:
        """start, stop, resume, end, cancel or retry. Raises Refused, having changed nothing."""
        return await self._append(debate_id, lambda state: event_for(name, state.status))

    async def say(self, debate_id: str, content: str, *, participant: str = USER) -> DebateRow:
        """Somebody speaks without having been asked. Raises Refused where that is not possible."""
        content = cleaned(content, field="content", most=MAX_TEXT)

        return await self.act(debate_id, lambda state: said(state, participant, content))

    async def join(self, debate_id: str, new: Participant) -> DebateRow:
        """Somebody joins, with a model as at creation. Raises InvalidInput, NoModel or Refused."""
        return await self.act(
            debate_id,
            lambda state: e.ParticipantJoined(participant=joining(new, state, self._models)),
        )

    async def change(self, debate_id: str, changes: Mapping[str, Any]) -> DebateRow:
        """Give settings other values from now on. Raises InvalidInput or Refused."""
        return await self.act(debate_id, lambda state: changing(changes, state))

    async def rename(self, debate_id: str, title: str) -> DebateRow:
        """Give a debate a title, in one line, whatever its status; a blank one removes the title.

        Records nothing if the debate has that title already. Raises InvalidInput if it is too long.
        """
        wanted = " ".join(cleaned(title, field="title", most=MAX_TITLE).split())
        return await self.act(debate_id, lambda state: renamed(state, wanted))

    async def act(self, debate_id: str, make: Make) -> DebateRow:
        """Append what a person did. Raises Refused if the status or the format does not allow it.

        All of it is appended or, if one thing is refused, nothing.
        """

        return await self._append(debate_id, lambda state: allowed(state, as_events(make(state))))

    async def reveal(self, debate_id: str) -> DebateRow:
        """Play with open cards: people who take part are shown what their chairs may not know.

        Raises Refused, having changed nothing, where nothing is withheld because they take part.
        """
        elsewhere = [*await self._live.veiled_sources((await self.state(debate_id)).config)]
        return await self.act(debate_id, lambda state: opened(state, elsewhere))

    async def delete(self, debate_id: str) -> None:
        """Remove a debate that nobody is running. Raises Refused or NotFound."""
        for _ in range(AT_ONCE):
            async with self._live.open(debate_id) as live:
                if live.status.is_active:
                    message = f"cannot delete a debate that is {live.status}; stop it first"
                    raise Refused(message)
                seq = (await live.row()).seq
            with suppress(Conflict):  # it was resumed meanwhile
                await self._store.delete(debate_id, seq=seq)
                self._live.drop(debate_id)
                return
        raise too_busy(debate_id)

    async def answer(self, debate_id: str, question_id: str, given: Given) -> DebateRow:
        """A person's turn: a text, the fields of a form, or nothing, which passes.

        Raises NotFound for a question that is not open, InvalidInput if it is not what was asked
        for, Refused if it was answered already or the debate does not take answers now.
        """
        try:
            return await self.answer_all(debate_id, {question_id: given})
        except InvalidInput as error:
            raise InvalidInput(error.message, field="answer") from None

    async def answer_all(self, debate_id: str, given: Mapping[str, Given]) -> DebateRow:
        """`answer` for several questions at once: all of them or, if one will not do, none."""
        return await self._append(
            debate_id, lambda state: answered(state, given, self._clock.now())
        )

    async def _append(self, debate_id: str, make: Make) -> DebateRow:
        async with self._live.open(debate_id) as live:
            row = await live.change(make)
        if row.status.is_active:
            self._on_active(debate_id)
        return await shown_row(row, self._live)

    # --- running ---

    async def run(self, debate_id: str) -> DebateState:
        """Start a debate, or go on with it from wherever it stands, and run it in this process.

        Returns when it is over, stopped, failed, or waits for people. A debate that is over, or
        waits, is returned as it is. Raises Busy if another living worker has it.
        """
        if self._worker is None:
            raise Refused("this process has no worker")
        state = await self.state(debate_id)
        while command := GO_ON.get(state.status):
            with suppress(Refused):  # somebody else may have been quicker
                await self.command(debate_id, command)
            state = await self.state(debate_id)
        is_late = state.status is Status.WAITING and is_due(state, self._clock.now())
        needs_work = state.status.is_active or is_late
        return await self._worker.advance(debate_id) if needs_work else state

    async def settle(self, debate_id: str) -> None:
        """Record the stop of a debate that is stopping, unless a worker runs it and will do so."""
        if self._worker is not None:
            with suppress(Busy):
                await self._worker.advance(debate_id)

    async def play(
        self, debate_id: str, *, after: int | None = None, text: bool = False
    ) -> AsyncGenerator[Item, None]:
        """`run` and `watch` in one: every event after `after`, by default those of this run only,
        and live text if asked for.

        Raises what `run` raises. Several may play a debate at once: it is run once. Those who leave
        the iteration early may come back at any time; see `plays` for what becomes of the run.
        """
        async with self._live.open(debate_id) as live:
            seq, goes_on = live.state.seq, live.status in GO_ON
        after = seq if after is None else after
        async with (
            self.following(debate_id, text=text) as viewer,
            self._plays.joined(debate_id, goes_on=goes_on) as running,
        ):
            running.add_done_callback(lambda _: viewer.close())
            async for item in viewer.items(after=after):
                yield item
            await asyncio.wait([running])
            if running.cancelled():
                message = f"debate {debate_id} was let go: this process is closing"
                raise Busy(message)
            running.result()

    async def close(self) -> None:
        """End what is being played in this process, and wait until it has ended."""
        await self._plays.close()

    async def drain(self, grace_s: float) -> None:
        """Begin no more calls in this process, and let those under way finish; see `Worker`."""
        if self._worker is not None:
            await self._worker.drain(grace_s)

    def pause(self, debate_id: str) -> None:
        """Begin no more calls of a debate that will be stopped when those under way are over."""
        if self._worker is not None:
            self._worker.pause(debate_id)

    def calls(self, debate_id: str) -> int:
        """How many calls of that debate are under way in this process."""
        return self._worker.calls_of(debate_id) if self._worker is not None else 0

    def hurry(self, debate_id: str) -> None:
        """Abort the calls in flight of a debate that is stopping."""
        if self._worker is not None:
            self._worker.hurry(debate_id)


GO_ON = {
    Status.CREATED: "start",
    Status.STOPPED: "resume",
    Status.STOPPING: "resume",
    Status.FAILED: "retry",
}
"""The command with which a debate goes on from a status that it does not leave by itself."""
