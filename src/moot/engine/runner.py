"""Runs one debate for as long as it has something to run, under one lease.

Fold the log, ask the format, run what has no turn yet, append, again. Recovery, resume, retry and
two workers racing are all this same loop. Three rules keep the promises:

1. No step begins before everything that led to it is committed.
2. A result stays in `_results` until the append that carries it has succeeded.
3. After any failed append the state in memory is worth nothing: it is folded anew from the log.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from moot.engine import failpoints
from moot.engine.clock import Clock
from moot.engine.company import Seat
from moot.engine.feed import Feed
from moot.engine.files import NO_FILES, Files
from moot.engine.people import asked, expired, is_due
from moot.engine.performer import Performer, Work
from moot.errors import Conflict, IllegalEvent, LeaseLost, MootError, StoreUnavailable
from moot.protocol import events as e
from moot.protocol.deciding import cursor_at, decide, look_ahead, open_steps, settle
from moot.protocol.folding import fold
from moot.protocol.lifecycle import COMMANDS, PEOPLE
from moot.protocol.limits import time_is_up
from moot.protocol.machine import Format
from moot.protocol.registry import format_named
from moot.protocol.row import Cursor, DebateRow
from moot.protocol.state import DebateState
from moot.protocol.steps import Finish, Idle, Run, Step
from moot.protocol.words import Status
from moot.store.port import Lease, Store
from moot.store.rows import is_progress
from moot.telemetry.port import Trail

log = logging.getLogger(__name__)

STORE_PAUSE_S = (0.1, 0.5, 1.0, 2.0, 5.0)
"""Pauses while the store is unavailable; the last one repeats."""

FRESH = (
    e.DebateStarted,
    e.DebateResumed,
    e.DebateRetried,
    e.EndRequested,
    e.MessageSaid,
    e.StepRetried,
    *PEOPLE,
)
"""After one of these, or a person's turn, no worker has been at it yet: nothing to recover from."""


ON_THE_WAY = (e.AttemptFailed, e.ToolUsed)
"""What a step tells of before it has come to its end."""


class Result(msgspec.Struct):
    """Something a step has to tell, and who waits for it to be in the log.

    `tried` is as what, and where, it was to be appended: the answer to COMMIT may have been lost.
    """

    event: e.TurnRecorded | e.StepFailed | e.AttemptFailed | e.ToolUsed
    step_key: str
    recorded: asyncio.Future[None] | None = None
    tried: list[e.Recorded] = []
    is_in_log: bool = False

    def look_for(self, records: Sequence[e.Recorded]) -> None:
        """Find out whether it is in the log after all."""
        self.is_in_log |= any(
            one.seq <= len(records) and _is_same(records[one.seq - 1], one) for one in self.tried
        )


class Flight(msgspec.Struct, frozen=True):
    """A step that is being performed."""

    step: Step
    task: asyncio.Task[None]


class Runner:
    def __init__(
        self,
        *,
        lease: Lease,
        seat: Seat,
        store: Store,
        performer: Performer,
        feed: Feed,
        clock: Clock,
    ) -> None:
        self.debate_id = lease.debate_id
        self._lease = lease
        self._seat = seat
        self._store = store
        self._performer = performer
        self._feed = feed
        self._clock = clock
        self._state: DebateState
        self._form: Format
        self._batch: list[e.Recorded] = []
        self._steps: tuple[Step, ...] = ()
        self._cursor = Cursor()
        self._flights: dict[str, Flight] = {}
        # Flights whose result is in the state in memory and not yet in the log.
        self._landed: set[str] = set()
        self._alive: set[asyncio.Task[None]] = set()
        self._results: list[Result] = []
        self._news = asyncio.Event()
        seat.wake = self._news.set
        self._files = NO_FILES
        self._trail: Trail | None = None
        self._has_foreign_news = False
        self._is_hurried = False
        self._is_take_over = False
        self._alarm: asyncio.Task[None] | None = None
        self._alarm_at: datetime | None = None

    async def run(self) -> DebateState:
        """Go on until the debate is over, stopped, failed, or waits for people."""
        last = await self._load()
        attachments = self._state.config.attachments
        if attachments:
            self._files = Files(attachments, await self._store.files(self.debate_id))
        cached = await self._repair_row()
        self._recover(last)
        await self._repair_cursor(cached)
        try:
            while await self._settle():
                self._start()
                self._set_alarm()
                await self._news.wait()
        finally:
            if self._alarm is not None:
                self._alarm.cancel()
            self._cancel(self._flights)
            # Not a task group: that would wrap the store's errors, and none of ours may raise.
            await asyncio.gather(*self._alive, return_exceptions=True)
        return self._state

    def poke(self) -> None:
        """Somebody else has appended to the log: look."""
        self._has_foreign_news = True
        self._news.set()

    def hurry(self) -> None:
        """Abort what is in flight if the debate is stopping, instead of waiting for it."""
        self._is_hurried = True
        self._news.set()

    # --- the log ---

    async def _load(self) -> e.Recorded:
        """Fold the whole log; its last event is returned."""
        records = await self._store.read(self.debate_id)
        self._state = fold(records)
        self._form = format_named(self._state.config.format)
        self._batch.clear()
        self._landed.clear()
        for result in self._results:
            result.look_for(records)
        if self._trail is None:
            self._trail = self._performer.tracing.debate(self.debate_id, records)
        self._trail.recorded(records, self._state)
        if self._is_take_over and self._state.status.is_active:
            self._apply(e.DebateRecovered())
        return records[-1]

    def _recover(self, last: e.Recorded) -> None:
        """Note in the log that somebody else had been at work, if so: that time does not count."""
        if not self._state.status.is_active:
            return
        is_answer = isinstance(last.event, e.TurnRecorded) and not last.event.model
        if not is_answer and not isinstance(last.event, FRESH):
            self._is_take_over = True
            self._apply(e.DebateRecovered())

    async def _repair_row(self) -> DebateRow:
        """A row that does not end where the log ends would refuse every append."""
        cached = await self._store.summary(self.debate_id)
        if cached.seq != self._state.seq:
            cached = self._state.summary(self.debate_id, cached.cursor)
            await self._store.repair(cached)
        return cached

    async def _repair_cursor(self, cached: DebateRow) -> None:
        """Seed 003, "Cursor reconciliation from turns": the log wins, before the first call."""
        state = self._state
        if self._batch:
            return  # the first append writes the whole summary anyway
        self._decide()
        if not self._batch:
            computed = state.summary(self.debate_id, self._cursor)
            if computed != cached:
                await self._store.repair(computed)

    async def _catch_up(self) -> None:
        """Fold what people have appended. Raises LeaseLost if another worker has, too."""
        self._has_foreign_news = False
        for record in await self._store.read(self.debate_id, after=self._state.seq):
            if not _is_persons(record.event):
                # The fence guards the log; this guards the purse, which no append protects.
                message = f"debate {self.debate_id} is being run by another worker"
                raise LeaseLost(message)
            self._state.apply(record)
            self._trace(record)

    def _trace(self, *records: e.Recorded) -> None:
        if self._trail is not None:
            self._trail.recorded(records, self._state)

    def _apply(self, event: e.AnyEvent) -> e.Recorded:
        record = e.Recorded(self._state.seq + 1, self._clock.now(), event)
        self._state.apply(record)
        self._batch.append(record)
        return record

    # --- deciding ---

    async def _settle(self) -> bool:
        """Take in all results, decide, commit. False when there is nothing more to run."""
        failures = 0
        while True:
            try:
                await self._take_in()
                break
            except Conflict:
                await self._reload()
            except StoreUnavailable as error:
                pause_s = STORE_PAUSE_S[min(failures, len(STORE_PAUSE_S) - 1)]
                failures += 1
                log.warning(
                    "store unavailable", extra={"debate": self.debate_id, "error": str(error)}
                )
                await self._clock.sleep(pause_s)
                await self._reload()
        return self._state.status.is_active and bool(self._flights or self._steps)

    async def _reload(self) -> None:
        failures = 0
        while True:
            try:
                await self._load()
                await self._check_lease()
            except StoreUnavailable:
                await self._clock.sleep(STORE_PAUSE_S[min(failures, len(STORE_PAUSE_S) - 1)])
                failures += 1
            else:
                # What is wanted now may not be what was wanted when the results were bought.
                self._decide(may_conclude=False)
                self._drop_unwanted()
                return

    async def _check_lease(self) -> None:
        """Raise LeaseLost if another has it: there may be nothing to append, only to buy."""
        holder = await self._store.holder(self.debate_id)
        if holder is not None and holder.id != self._lease.worker_id:
            message = f"debate {self.debate_id} was taken over while the store was away"
            raise LeaseLost(message)

    async def _take_in(self) -> None:
        # First, so that whoever pokes while the news is being read is heard.
        self._news.clear()
        if self._has_foreign_news:
            await self._learn_news()
        results = list(self._results)
        for result in results:
            self._accept(result)
        self._stop_if_through()
        self._decide()
        if self._batch:
            await self._commit()
        self._forget_landed()
        self._drop_unwanted()
        for result in results:
            self._results.remove(result)
            if result.recorded is not None and not result.recorded.done():
                result.recorded.set_result(None)

    async def _learn_news(self) -> None:
        if self._batch:
            # Others may have written where our own events, not yet in the log, wanted to go.
            await self._load()
        await self._catch_up()
        self._decide(may_conclude=False)
        self._drop_unwanted()

    async def _commit(self) -> None:
        batch = tuple(self._batch)
        summary = self._state.summary(self.debate_id, self._cursor)
        failpoints.reach("before_commit")
        await self._store.append(batch, summary, fence=self._lease.fence)
        failpoints.reach("committed_before_publish")
        self._batch.clear()
        self._is_take_over = False
        if is_progress(batch):
            self._seat.clear()
        self._feed.publish(self.debate_id, batch)
        self._trace(*batch)

    def _accept(self, result: Result) -> None:
        event = result.event
        if not isinstance(event, ON_THE_WAY):
            self._landed.add(result.step_key)
        if not self._state.status.is_active or result.is_in_log:
            return
        if isinstance(event, e.TurnRecorded) and not any(
            s.key == event.step_key for s in self._steps
        ):
            # It came too late to be said, but it was paid for.
            event = _as_dropped(event)
        result.tried.append(self._apply(event))

    def _stop_if_through(self) -> None:
        """Only once results are taken in: what was paid for is kept, whenever the stop came."""
        is_at_once = self._is_hurried or self._form.is_open_ended
        if self._state.status is Status.STOPPING and (is_at_once or not self._in_flight()):
            look_ahead(self._form, self._state, self._apply, self._clock.now)
            self._apply(e.DebateStopped())

    def _decide(self, *, may_conclude: bool = True) -> None:
        """Apply whatever follows from the state, and note which steps are wanted now.

        Not `may_conclude` while there are results to take in: once a debate is over, or waits,
        nothing can be recorded any more, and they were paid for.
        """
        state, form, now = self._state, self._form, self._clock.now
        if state.status is Status.WAITING and is_due(state, now()):
            self._pass_for_the_late(open_steps(form, state, now()) or ())
        if state.status is not Status.RUNNING:
            self._cursor = cursor_at(form, state, now())
            # While stopping, what is in flight is still wanted; otherwise nothing is.
            self._steps = tuple(self._in_flight()) if state.status is Status.STOPPING else ()
            return
        self._steps = ()
        try:
            left = settle(form, state, self._apply, now)
            while isinstance(left, Run) and self._pass_for_the_late(left.steps):
                left = settle(form, state, self._apply, now)
        except IllegalEvent as error:
            self._apply(e.DebateFailed(error=str(error), code="internal"))
        else:
            self._obey(left, may_conclude=may_conclude)

    def _obey(self, left: Run | Idle | Finish, *, may_conclude: bool) -> None:
        state = self._state
        if state.status is not Status.RUNNING or (isinstance(left, Finish) and not may_conclude):
            return
        decision = decide(state, left, {step.key for step in self._in_flight()})
        self._cursor, self._steps = decision.cursor, decision.run
        for key in decision.withdraw:
            self._apply(e.QuestionClosed(question_id=key))
        for step in decision.ask:
            self._apply(asked(state, step, self._clock.now()))
        if decision.ending is not None and may_conclude:
            self._apply(decision.ending)

    def _pass_for_the_late(self, steps: tuple[Step, ...]) -> bool:
        """Record that those whose time is up have passed; whether there were any."""
        turns = expired(self._state, steps, self._clock.now())
        for turn in turns:
            self._apply(turn)
        return bool(turns)

    # --- performing ---

    def _in_flight(self) -> list[Step]:
        return [one.step for key, one in self._flights.items() if key not in self._landed]

    def _forget_landed(self) -> None:
        for key in self._landed:
            self._flights.pop(key, None)
        self._landed.clear()

    def _start(self) -> None:
        may_start = self._seat.may_start and self._state.status is Status.RUNNING
        for step in self._steps:
            if may_start and step.key not in self._flights:
                work = self._performer.prepare(self.debate_id, self._state, step, self._files)
                task = asyncio.create_task(self._perform(work))
                self._flights[step.key] = Flight(step, task)
                self._alive.add(task)
                task.add_done_callback(self._alive.discard)
        self._seat.note(is_busy=bool(self._flights))

    async def _perform(self, work: Work) -> None:
        step = work.step
        if step.not_before is not None:
            delay = (step.not_before - self._clock.now()).total_seconds()
            await self._clock.sleep(max(0.0, delay))
        try:
            event = await self._performer.perform(work, self._report)
        except MootError as error:
            event = e.StepFailed(
                failed_key=step.key, code=error.code, error=str(error), attempts=len(work.failed)
            )
        except Exception as error:
            log.exception("step broke", extra={"debate": self.debate_id, "step": step.key})
            event = e.StepFailed(
                failed_key=step.key,
                code="internal",
                error=f"internal error: {type(error).__name__}",
                attempts=len(work.failed),
            )
        _log_step(self.debate_id, work, event)
        self._put(Result(event, step.key))

    async def _report(self, *events: e.AttemptFailed | e.ToolUsed) -> None:
        """Returns when all of them are in the log, in one append."""
        recorded = asyncio.get_running_loop().create_future()
        for event in events:
            key = event.used_by if isinstance(event, e.ToolUsed) else event.attempt_of
            self._put(Result(event, key, recorded))
        await recorded

    def _set_alarm(self) -> None:
        """Have a look when time is up, the debate's or somebody's to answer in, though nothing else
        may happen by then."""
        times = (time_is_up(self._state), self._state.wake_at)
        due = min((time for time in times if time is not None), default=None)
        if due != self._alarm_at:
            if self._alarm is not None:
                self._alarm.cancel()
            self._alarm = asyncio.create_task(self._ring(due)) if due is not None else None
            self._alarm_at = due

    async def _ring(self, due: datetime) -> None:
        await self._clock.until(due)
        self._news.set()

    def _put(self, result: Result) -> None:
        self._results.append(result)
        self._news.set()

    def _drop_unwanted(self) -> None:
        wanted = {step.key for step in self._steps}
        unwanted = [key for key in self._flights if key not in wanted]
        # A task that has delivered its turn is through; its result is judged on its own. One that
        # has only told of a failed try, or of a tool, is not: it would go on to buy the next.
        delivered = {
            result.step_key for result in self._results if not isinstance(result.event, ON_THE_WAY)
        }
        self._cancel([key for key in unwanted if key not in delivered])

    def _cancel(self, keys: Iterable[str]) -> None:
        for key in list(keys):
            flight = self._flights.pop(key, None)
            if flight is not None:
                flight.task.cancel()


def _is_same(one: e.Recorded, other: e.Recorded) -> bool:
    return one.at == other.at and e.encode(one.event) == e.encode(other.event)


def _is_persons(event: e.AnyEvent) -> bool:
    """Whether it can be appended by somebody who does not hold the lease."""
    if isinstance(event, e.TurnRecorded):
        return not event.model
    return isinstance(event, (*COMMANDS.values(), *PEOPLE, e.MessageSaid, e.StepRetried))


def _as_dropped(turn: e.TurnRecorded) -> e.AttemptFailed:
    return e.AttemptFailed(
        attempt_of=turn.step_key,
        attempt=turn.attempts,
        code="dropped",
        error="the debate had moved on when the reply came",
        model=turn.model,
        usage=turn.usage,
        duration_ms=turn.duration_ms,
        reply=turn.content,
    )


def _log_step(debate_id: str, work: Work, event: e.TurnRecorded | e.StepFailed) -> None:
    is_turn = isinstance(event, e.TurnRecorded)
    log.info(
        "step performed" if is_turn else "step failed",
        extra={
            "debate": debate_id,
            "stage": work.step.stage,
            "round": work.step.round,
            "participant": work.step.participant,
            "step": work.step.key,
            "attempt": event.attempts,
            "duration_ms": event.duration_ms if isinstance(event, e.TurnRecorded) else None,
            "tokens": event.usage.output_tokens if isinstance(event, e.TurnRecorded) else None,
        },
    )
