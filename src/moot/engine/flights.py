"""The steps of one debate that are being performed, each in a task of its own.

A step is in flight from when it is begun until what became of it is in the log, or nobody wants it
any more. What it has to tell goes to `tell`, as results; nothing here writes to the store.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable

import msgspec

from moot.cancellation import ENDINGS, is_from_inside
from moot.engine.clock import Clock
from moot.engine.performer import Performer
from moot.engine.work import Phase, Result, Work, broken
from moot.errors import MootError, mistake
from moot.protocol import events as e
from moot.protocol.steps import Step

log = logging.getLogger(__name__)


class Flight(msgspec.Struct, frozen=True):
    """A step that is being performed."""

    work: Work
    task: asyncio.Task[None]


class Flights:
    def __init__(self, performer: Performer, clock: Clock, tell: Callable[[Result], None]) -> None:
        self._performer = performer
        self._clock = clock
        self._tell = tell
        self._flights: dict[str, Flight] = {}
        # Keys of the steps whose result is in the state in memory, but not yet in the log.
        self._landed: set[str] = set()
        # Tasks that were cancelled take a moment to end, and nobody may leave before they have.
        self._alive: set[asyncio.Task[None]] = set()

    def __bool__(self) -> bool:
        return bool(self._flights)

    def __contains__(self, key: str) -> bool:
        return key in self._flights

    @property
    def in_the_air(self) -> set[str]:
        """The keys of the steps whose result has not been taken in."""
        return self._flights.keys() - self._landed

    @property
    def being_answered(self) -> tuple[Step, ...]:
        """The steps that a model is at work on, though it may have to be called once more. The
        others only wait, for a time or a provider, and nothing is lost if they are dropped."""
        return self._in(Phase.CALLING, Phase.HOLDING, Phase.TOLD)

    @property
    def under_way(self) -> tuple[Step, ...]:
        """The steps with a call that has begun, until what came of it is known here."""
        return self._in(Phase.CALLING, Phase.HOLDING)

    @property
    def in_hand(self) -> tuple[Step, ...]:
        """The steps whose reply has come and would be lost if they were dropped now."""
        return self._in(Phase.HOLDING)

    def _in(self, *phases: Phase) -> tuple[Step, ...]:
        flights = self._flights.items()
        return tuple(
            one.work.step
            for key, one in flights
            if one.work.phase in phases and key not in self._landed
        )

    def start(self, work: Work) -> None:
        task = asyncio.create_task(self._perform(work))
        self._flights[work.step.key] = Flight(work, task)
        self._alive.add(task)
        task.add_done_callback(self._alive.discard)

    def land(self, key: str) -> None:
        """Note that the step's result is taken in, and about to be committed."""
        self._landed.add(key)

    def forget_landed(self) -> None:
        """Forget the landed steps: all that was taken in is committed."""
        for key in self._landed:
            self._flights.pop(key, None)
        self._landed.clear()

    def undo_landings(self) -> None:
        """Put the landed steps back in the air: nothing was committed after all."""
        self._landed.clear()

    def drop_all_but(self, wanted: Collection[str]) -> None:
        self._cancel([key for key in self._flights if key not in wanted])

    async def drop_all(self) -> None:
        """Cancel everything and wait until nothing is left of it."""
        self._cancel(list(self._flights))
        # Not a task group: that would wrap the store's errors, and none of ours may raise.
        await asyncio.gather(*self._alive, return_exceptions=True)

    def _cancel(self, keys: Iterable[str]) -> None:
        for key in keys:
            flight = self._flights.pop(key, None)
            if flight is not None:
                flight.task.cancel()

    # --- in the task of a step ---

    async def _perform(self, work: Work) -> None:
        step, task = work.step, asyncio.current_task()
        try:
            await self._wait_for(step)
            event = await self._performer.perform(work, self._report)
        except MootError as error:
            event = broken(step, mistake(error), len(work.failed))
            event = msgspec.structs.replace(event, code=error.code)
        # SystemExit is a format's mistake, too: nobody who wants to end the process does it here.
        except (Exception, SystemExit, *ENDINGS) as error:
            if isinstance(error, ENDINGS) and not is_from_inside(task):
                raise
            log.exception("step broke", extra={"debate": work.live.id, "step": step.key})
            # The error itself is in the log of the process only: it may quote a header with a key.
            message = f"internal error: {type(error).__name__}"
            event = broken(step, message, len(work.failed))
        # Before anything else: whoever waits for the step would wait for ever.
        self._tell(Result(event, step.key))
        _log_step(work, event)

    async def _wait_for(self, step: Step) -> None:
        """Return when the step may begin."""
        if step.not_before is not None:
            left_s = (step.not_before - self._clock.now()).total_seconds()
            longest_s = left_s if step.pause_s is None else step.pause_s
            # Computed once: setting the clock meanwhile makes the wait neither longer nor shorter.
            await self._clock.sleep(max(0.0, min(left_s, longest_s)))

    async def _report(self, *events: e.AttemptFailed | e.ToolUsed) -> None:
        """Returns when all of them are in the log, in one append."""
        recorded = asyncio.get_running_loop().create_future()
        for event in events:
            key = event.used_by if isinstance(event, e.ToolUsed) else event.attempt_of
            self._tell(Result(event, key, recorded))
        await recorded


def _log_step(work: Work, event: e.TurnRecorded | e.StepFailed) -> None:
    if not log.isEnabledFor(logging.INFO):
        return
    is_turn = isinstance(event, e.TurnRecorded)
    log.info(
        "step performed" if is_turn else "step failed",
        extra={
            "debate": work.live.id,
            "stage": work.step.stage,
            "round": work.step.round,
            "participant": work.step.participant,
            "step": work.step.key,
            "attempt": event.attempts,
            "duration_ms": event.duration_ms if isinstance(event, e.TurnRecorded) else None,
            "tokens": event.usage.output_tokens if isinstance(event, e.TurnRecorded) else None,
        },
    )
