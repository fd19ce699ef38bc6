"""Runs one debate for as long as it has something to run, under one lease.

Take in results, decide, commit, start what is wanted, again. Recovery, resume, retry and two
workers racing are all this same loop. It works on a copy of the debate's state, in which events are
tried before they are committed. Three rules keep the promises:

1. No step begins before everything that led to it is committed.
2. A result stays in `_results` until the append that carries it has succeeded.
3. After any failed append the copy is worth nothing: a new one is made of what is in the log.
4. A mistake that nobody expected fails the debate, and not before what was paid for is recorded.

What decides is `moot.protocol.deciding`; what performs is `flights`. This module brings the two
together with the log, where commands and answers of people arrive at any instant.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from moot.engine import failpoints
from moot.engine.clock import JUMP_S, Alarm, Clock
from moot.engine.files import NO_FILES, Files
from moot.engine.flights import Flights
from moot.engine.live import LiveDebate
from moot.engine.people import asked, expired, is_due
from moot.engine.performer import Performer
from moot.engine.work import Result, as_dropped, as_spoilt, broken, first_tried
from moot.errors import (
    Conflict,
    IllegalEvent,
    LeaseLost,
    NotFound,
    StoreError,
    StoreUnavailable,
    mistake,
)
from moot.protocol import events as e
from moot.protocol.deciding import (
    INTERNAL,
    Ending,
    Left,
    cursor_at,
    decide,
    look_ahead,
    most_steps,
    open_steps,
    settle,
)
from moot.protocol.lifecycle import FRESH, is_persons
from moot.protocol.limits import time_is_up
from moot.protocol.registry import format_named
from moot.protocol.row import Cursor, DebateRow
from moot.protocol.state import DebateState
from moot.protocol.steps import Broken, Finish, Run, Step
from moot.protocol.words import Status
from moot.store.port import Lease, Store
from moot.store.rows import is_progress

log = logging.getLogger(__name__)

STORE_PAUSE_S = (0.1, 0.5, 1.0, 2.0, 5.0)
"""Pauses while the store is unavailable; the last one repeats."""
MOST_MISTAKES = 2
"""How often what was paid for is tried to be recorded after a mistake: first as it is, then as the
mere reply."""
CONFLICTS_AT_ONCE = 20
"""How often an append is tried again without a pause because the log has grown meanwhile."""


class Runner:
    def __init__(
        self,
        *,
        lease: Lease,
        live: LiveDebate,
        store: Store,
        performer: Performer,
        clock: Clock,
    ) -> None:
        self.debate_id = lease.debate_id
        self._lease = lease
        self._live = live
        self._store = store
        self._performer = performer
        self._clock = clock
        # The debate's state (a copy of our own, from `_load` on), and the events that were applied
        # to that copy and are not committed yet.
        self._state = live.state
        self._batch: list[e.Recorded] = []
        self._form = format_named(self._state.config.format)
        # What was decided last: the steps that are wanted, and where that puts the debate.
        self._steps: tuple[Step, ...] = ()
        self._cursor = Cursor()
        self._results: list[Result] = []
        self._flights = Flights(performer, clock, self._put)
        self._files = NO_FILES
        self._trace = performer.tracing.debate(self.debate_id, live.stage, live.seq)
        self._traced = live.seq
        # Set when there is something to look at: results, what people did, the time.
        self._news = asyncio.Event()
        self._has_foreign_news = False
        self._is_hurried = self._is_draining = self._stays = False
        self.on_progress: Callable[[], None] | None = None
        """Called when something that gets the debate further is in the log."""
        self._is_take_over = False
        # What a pass has died of: from then on nothing is begun, and the debate is to fail.
        self._mistake: Exception | None = None
        self._mistakes = 0
        self._begun: set[str] = set()
        self._most = most_steps(self._form, self._state.config)
        self._alarm = Alarm(clock, self._news.set)
        # How long the debate had been running when this run began, and when that was.
        self._ran_s, self._ran_at = 0.0, clock.monotonic()

    async def run(self) -> DebateState:
        """Go on until the debate is over, stopped, failed, waits for people, or is drained."""
        # First, so that nothing falls between reading the log and hearing of news.
        self._live.on_news = self.poke
        try:
            await self._begin()
            while await self._settle():
                self._start()
                self._set_alarm()
                await self._news.wait()
        finally:
            self._live.on_news = None
            self._live.stall("")
            self._alarm.set(None)
            await self._flights.drop_all()
        return self._state

    @property
    def is_waiting(self) -> bool:
        """Whether a step waits for a provider that failed, or turned it away."""
        return bool(self._state.waits)

    def poke(self) -> None:
        """Have a look at the log: somebody else has appended to it."""
        self._has_foreign_news = True
        self._news.set()

    def drain(self, *, is_stopped_next: bool = False) -> None:
        """Begin no more calls, and leave the debate as it stands when those under way are over;
        or, with `is_stopped_next`, stay, because somebody will stop it then."""
        self._is_draining, self._stays = True, is_stopped_next
        self._news.set()

    def keep(self) -> None:
        """Go on as if there had been no `drain`, unless the run has come to its end by now."""
        self._is_draining = self._stays = False
        self._news.set()

    def hurry(self) -> None:
        """Abort the calls under way of a debate that is stopping or left, instead of waiting."""
        self._is_hurried = True
        self._news.set()

    @property
    def calls(self) -> int:
        """How many calls are under way."""
        return len(self._flights.under_way)

    # --- taking the debate up ---

    async def _begin(self) -> None:
        """Read what is new, put the row right, and note if somebody else was at work before."""
        await self._load()
        last = self._live.last.event
        attachments = self._state.config.attachments
        if attachments:
            self._files = Files(attachments, await self._store.files(self.debate_id))
        cached = await self._repair_row()
        self._recover(last)
        # Not up to now: nobody was at work while the debate waited for a worker.
        self._ran_s = self._state.timeline.runtime_s(self._state.updated_at)
        self._ran_at = self._clock.monotonic()
        await self._repair_cursor(cached)

    async def _repair_row(self) -> DebateRow:
        """The row, put right: one that does not end where the log does would refuse all appends."""
        cached = await self._store.summary(self.debate_id)
        if cached.seq != self._state.seq:
            cached = self._state.summary(self.debate_id, cached.cursor)
            await self._store.repair(cached)
        return cached

    def _recover(self, last: e.AnyEvent) -> None:
        """Note in the log if somebody else was at work before: the time between does not count."""
        is_answer = isinstance(last, e.TurnRecorded) and not last.model
        if self._state.status.is_active and not is_answer and not isinstance(last, FRESH):
            self._is_take_over = True
            self._apply(e.DebateRecovered())

    async def _repair_cursor(self, cached: DebateRow) -> None:
        """Seed 003, "Cursor reconciliation from turns": the log wins, before the first call."""
        if self._batch:
            return  # the first append writes the whole summary anyway
        self._decide()
        if not self._batch:
            computed = self._state.summary(self.debate_id, self._cursor)
            if computed != cached:
                await self._store.repair(computed)

    # --- the log ---

    async def _load(self) -> None:
        """Make a new copy of what is committed; what was only tried is forgotten (rule 3)."""
        tried = first_tried(self._results)
        after = self._traced if tried is None else min(self._traced, tried - 1)
        await self._live.catch_up()
        records = await self._live.events(after=after)
        while after + len(records) < self._live.seq:  # it grew while the rest was being read
            records = await self._live.events(after=after)
        # No await from here on: copy and records must be of one moment.
        self._state = self._live.state.copy()
        self._batch.clear()
        self._flights.undo_landings()
        by_number = {record.seq: record for record in records}
        for result in self._results:
            result.look_for(by_number)
        self._tell_trace(records)
        if self._is_take_over and self._state.status.is_active:
            self._apply(e.DebateRecovered())

    async def _learn_news(self) -> None:
        """Take in what people have appended. Raises LeaseLost if another worker has
        appended, too."""
        self._has_foreign_news = False
        if self._batch:
            # Others may have written where our own events, not yet in the log, wanted to go.
            await self._load()
        for record in await self._live.events(after=self._state.seq):
            if not is_persons(record.event):
                # The fence guards the log; this guards the purse, which no append protects.
                message = f"debate {self.debate_id} is being run by another worker"
                raise LeaseLost(message)
            self._state.apply(record)
            self._tell_trace([record])
        self._decide(may_conclude=False)
        self._drop_unwanted()

    def _tell_trace(self, records: list[e.Recorded]) -> None:
        self._trace.recorded(records, self._state)
        self._traced = max(self._traced, self._state.seq - len(self._batch))

    def _apply(self, event: e.AnyEvent) -> e.Recorded:
        record = e.Recorded(self._state.seq + 1, self._clock.now(), event)
        self._state.apply(record)
        self._batch.append(record)
        return record

    async def _commit(self) -> None:
        batch = list(self._batch)
        row = self._state.summary(self.debate_id, self._cursor)
        failpoints.reach("before_commit")
        await self._live.append(batch, row, fence=self._lease.fence)
        self._batch.clear()
        self._is_take_over = False
        if self.on_progress is not None and is_progress(batch):
            self.on_progress()
        self._tell_trace(batch)

    # --- one pass ---

    async def _settle(self) -> bool:
        """Take in all results, decide, commit. False when there is nothing more to run."""
        failures = conflicts = 0
        while True:
            try:
                await self._take_in()
                break
            except Conflict as error:
                conflicts += 1
                if conflicts > CONFLICTS_AT_ONCE:
                    extra = {"debate": self.debate_id, "error": str(error)}
                    log.warning("append refused again and again", extra=extra)
                    await self._clock.sleep(_pause_s(conflicts - CONFLICTS_AT_ONCE))
                await self._reload()
            except StoreUnavailable as error:
                log.warning(
                    "store unavailable", extra={"debate": self.debate_id, "error": str(error)}
                )
                self._live.stall(str(error))
                await self._clock.sleep(_pause_s(failures))
                failures += 1
                await self._reload()
            except (StoreError, NotFound):
                raise
            except Exception as error:
                self._mistakes += 1
                if self._mistakes > MOST_MISTAKES:
                    raise
                log.exception("run broke", extra={"debate": self.debate_id})
                self._mistake = self._mistake or error
                for result in self._results:
                    result.spoil(is_certain=self._mistakes == MOST_MISTAKES)
                await self._reload()
        self._live.stall("")
        has_work = self._stays or bool(self._flights or self._steps)
        return self._state.status.is_active and has_work

    def _mind_clock(self) -> None:
        """Record a jump of the clock: what passed by the time of day only is no running time."""
        if not self._state.status.is_active:
            return
        ran_s = self._ran_s + self._clock.monotonic() - self._ran_at
        if abs(self._state.timeline.runtime_s(self._clock.now()) - ran_s) >= JUMP_S:
            self._apply(e.ClockJumped(ran_s=round(ran_s, 3)))

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
        self._flights.forget_landed()
        self._drop_unwanted()
        for result in results:
            self._results.remove(result)
            result.through()

    async def _reload(self) -> None:
        failures = 0
        while True:
            try:
                await self._load()
                await self._live.row()  # one that is wrong would refuse every append
                await self._check_lease()
            except StoreUnavailable:
                await self._clock.sleep(_pause_s(failures))
                failures += 1
            else:
                # What is wanted now may not be what was wanted when the results were bought.
                self._decide(may_conclude=False)
                self._drop_unwanted()
                return

    async def _check_lease(self) -> None:
        """Raise LeaseLost if another worker has the lease: there may be nothing to append that
        would be refused, only calls to pay for."""
        holder = await self._store.holder(self.debate_id)
        if holder is not None and holder.id != self._lease.worker_id:
            message = f"debate {self.debate_id} was taken over while the store was away"
            raise LeaseLost(message)

    def _accept(self, result: Result) -> None:
        event = result.event
        if result.is_last:
            self._flights.land(result.step_key)
        if not self._state.status.is_active or result.is_in_log:
            return
        if isinstance(event, e.TurnRecorded):
            if result.is_spoilt:
                event = as_spoilt(event)
            elif not any(step.key == event.step_key for step in self._steps):
                event = as_dropped(event)
        result.tried.append(self._apply(event))

    def _stop_if_through(self) -> None:
        """Stop if nothing is waited for. Only once results are taken in: what was paid for is kept,
        whenever the stop came."""
        if self._state.status is Status.STOPPING and not self._let_finish:
            if self._mistake is None:
                look_ahead(self._form, self._state, self._apply, self._clock.now)
            self._mind_clock()
            self._apply(e.DebateStopped())

    @property
    def _let_finish(self) -> tuple[Step, ...]:
        """The steps in flight that are waited for, now that nothing else is to begin."""
        is_at_once = self._state.status is Status.STOPPING and self._form.is_open_ended
        if self._is_hurried or is_at_once:
            return self._flights.in_hand
        return self._flights.under_way if self._is_draining else self._flights.being_answered

    # --- deciding ---

    def _decide(self, *, may_conclude: bool = True) -> None:
        """Apply whatever follows from the state, and note which steps are wanted now.

        `may_conclude` is False while there are results to take in: once a debate is over, or waits,
        nothing can be recorded any more, and the results were paid for.
        """
        self._mind_clock()
        state, form, now = self._state, self._form, self._clock.now
        if state.status is Status.WAITING and is_due(state, now()):
            self._pass_for_the_late(open_steps(form, state, now()) or ())
        if state.status is not Status.RUNNING:
            self._cursor = cursor_at(form, state, now())
            # While stopping, what a model is at work on is still wanted; otherwise nothing is.
            self._steps = self._let_finish if state.status is Status.STOPPING else ()
            return
        self._steps = ()
        left = self._settled()
        while isinstance(left, Run) and self._pass_for_the_late(left.steps):
            left = self._settled()
        self._obey(left, may_conclude=may_conclude)

    def _settled(self) -> Left:
        """What is left to be done once everything is applied that follows by itself."""
        if self._mistake is not None:
            return Broken(self._mistake)
        left = settle(self._form, self._state, self._apply, self._clock.now)
        if isinstance(left, Run) and len(self._begun) > self._most:
            message = f"it asks for step after step, and is through with {len(self._begun)}"
            return Broken(IllegalEvent(message))
        return left

    def _obey(self, left: Left, *, may_conclude: bool) -> None:
        state = self._state
        if state.status is not Status.RUNNING or (isinstance(left, Finish) and not may_conclude):
            return
        decision = decide(state, left, self._flights.in_the_air)
        try:
            questions = [asked(state, step, self._clock.now()) for step in decision.ask]
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - the format's own words
            self._obey(Broken(error), may_conclude=may_conclude)
            return
        self._cursor, wanted = decision.cursor, decision.run
        if isinstance(left, Broken):
            # The replies under way are paid for: they are recorded before it is told.
            wanted = self._flights.being_answered
            may_conclude = may_conclude and not wanted
        if self._is_draining:
            finishing = {step.key for step in self._let_finish}
            wanted = tuple(step for step in wanted if step.key in finishing)
        self._steps = wanted
        for key in decision.withdraw:
            self._apply(e.QuestionClosed(question_id=key))
        for question in questions:
            self._apply(question)
        if decision.ending is not None and may_conclude:
            self._apply(self._told(decision.ending, left))

    def _told(self, ending: Ending, left: Left) -> Ending:
        """The ending, after it was told in the log of the process if it is a mistake."""
        if self._mistake is not None:  # told when it was met; perhaps the format is not to blame
            return e.DebateFailed(error=f"internal error: {mistake(self._mistake)}", code=INTERNAL)
        if isinstance(left, Broken):
            log.error("format broke", extra={"debate": self.debate_id}, exc_info=left.error)
        return ending

    def _pass_for_the_late(self, steps: tuple[Step, ...]) -> bool:
        """Record that those whose time is up have passed; True if there were any."""
        if not self._state.questions:
            return False
        turns = expired(self._state, steps, self._clock.now())
        for turn in turns:
            self._apply(turn)
        return bool(turns)

    # --- performing ---

    def _start(self) -> None:
        if self._state.status is Status.RUNNING and not self._is_draining:
            for step in self._steps:
                if step.key not in self._flights:
                    self._start_one(step)

    def _start_one(self, step: Step) -> None:
        self._begun.add(step.key)
        try:
            work = self._performer.prepare(self._live, self._state, step, self._files)
        except (Exception, asyncio.CancelledError) as error:
            # Nothing was awaited: whatever it is comes from its prompts, the format's own.
            # Others may be under way, and are paid for.
            log.exception("step broke", extra={"debate": self.debate_id, "step": step.key})
            message = f"it could not be asked for: {mistake(error)}"
            self._put(Result(broken(step, message), step.key))
        else:
            self._flights.start(work)

    def _put(self, result: Result) -> None:
        self._results.append(result)
        self._news.set()

    def _drop_unwanted(self) -> None:
        """Abort what nobody wants any more.

        A task that has delivered its turn is through; its result is judged on its own. One that has
        only told of a failed try, or of a tool, is not: it would go on to buy the next call.
        """
        delivered = {result.step_key for result in self._results if result.is_last}
        self._flights.drop_all_but(delivered | {step.key for step in self._steps})

    def _set_alarm(self) -> None:
        """Look again when the debate's time is up, or somebody's time to answer, even if nothing
        else happens by then."""
        times = (time_is_up(self._state), self._state.wake_at)
        self._alarm.set(min((time for time in times if time is not None), default=None))


def _pause_s(failures: int) -> float:
    return STORE_PAUSE_S[min(failures, len(STORE_PAUSE_S) - 1)]
