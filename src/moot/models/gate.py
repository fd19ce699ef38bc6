"""The doors through which all calls to a provider go, whichever debate makes them.

A provider has one gate. It bounds the calls in flight, and when the provider asks for a pause it
holds everybody back, so that a thousand debates do not find out about one rate limit a thousand
times. Behind it each model has a throttle, which learns how many calls at once the provider takes.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from types import TracebackType
from weakref import WeakValueDictionary

Clock = Callable[[], float]
"""Seconds that only ever go forward."""
Sleep = Callable[[float], Awaitable[None]]

LEAST_PACE = 1 / 30
"""The slowest pace: a call every thirty seconds finds out whether more is possible again."""
NEAR, BEYOND = 0.95, 1.05
"""Shares of the pace that the provider took when it refused a call. Growth is careful from the
first on; beyond the second, there was plainly no need for that."""
RAMP = 0.1
"""Growth with each call that goes well, as a share of the pace, until near what was refused."""
CAREFUL_PER_S, BOLD_PER_S = 0.01, 0.2
"""Growth in a second in which calls go well: near the refused pace, and beyond it."""
MOST_AT_ONCE = 0.25
"""The most growth by one call, where calls are far apart."""
HOLDS_TO_REST = 10
"""For this many times the pause that was asked for, nothing beyond what went well is tried: a pace
that is probed all the time spends its time in pauses."""
LATENESS_S = 0.03
PERIOD_S = 1.0
"""The period over which calls are counted: no provider limits them by a shorter one."""
FEW, LONG_AGO_S = 4, 10.0
"""A refusal after so few calls in a second says little about how many are allowed, unless there was
another one not long ago."""
FIRST_BLOCK_S, LONGEST_BLOCK_S = 0.5, 30.0


class Gate:
    """`async with gate:` is one call in flight. Not bound to an event loop until it has to wait."""

    def __init__(
        self, max_concurrent: int, *, clock: Clock = time.monotonic, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._slots = asyncio.Semaphore(max_concurrent)
        self._most = max_concurrent
        self._clock = clock
        self._sleep = sleep
        self._held_until = 0.0
        # A throttle lives as long as somebody calls its model: clients may name any model.
        self._throttles: WeakValueDictionary[str, Throttle] = WeakValueDictionary()

    def throttle(self, model: str) -> Throttle:
        """The one throttle of that model."""
        throttle = self._throttles.get(model)
        if throttle is None:
            throttle = Throttle(self, self._most, clock=self._clock, sleep=self._sleep)
            self._throttles[model] = throttle
        return throttle

    def hold(self, seconds: float) -> None:
        """Let nobody in for `seconds` from now. Never shortens a pause asked for before."""
        self._held_until = max(self._held_until, self._clock() + seconds)

    @property
    def held_for_s(self) -> float:
        """How much longer everybody is held back; 0 when the gate is open."""
        if not self._held_until:  # nobody ever asked for a pause
            return 0.0
        return max(0.0, self._held_until - self._clock())

    async def __aenter__(self) -> None:
        while True:
            while pause_s := self.held_for_s:
                await self._sleep(pause_s)
            await self._slots.acquire()
            # The pause may have been asked for while we stood in line for a slot.
            if not self.held_for_s:
                return
            self._slots.release()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._slots.release()


class Throttle:
    """The calls to one model: `enter`, make the call, tell how it went, `leave`.

    `pace` is how many calls may begin in a second: any number, until a call is refused for the rate
    of calls. Then it is half of what the provider took in the last second, and grows while calls go
    well: quickly back to near the refused pace, carefully there, and more boldly beyond it. Calls
    begin one after the other, evenly: what is allowed in a second is never sent all at once. A
    limit on concurrent calls is met in the same way, for it amounts to a pace too.
    """

    def __init__(self, gate: Gate, most: int, *, clock: Clock, sleep: Sleep) -> None:
        self.pace = self._refused_pace = float("inf")
        self._is_paced = False
        self._most = most
        self._gate = gate
        self._clock = clock
        self._sleep = sleep
        self._in_flight = 0
        self._next_at = 0.0
        # When the calls of the last second began, without those that were refused.
        self._taken: deque[float] = deque()
        # Only calls begun after the last refusal that counted show whether the pace is low enough.
        self._judged_at = float("-inf")
        self._is_proven = True
        self._least_taken = 1
        self._rests_until = 0.0
        self._blocks = 0
        # The first in line waits for time or a slot; all others wait for the first.
        self._has_first = False
        self._line: deque[asyncio.Future[None]] = deque()
        self._slot: asyncio.Future[None] | None = None

    async def enter(self, *, is_again: bool = False) -> float:
        """Wait until a call may be made; the time then. One that was refused before goes first."""
        if self._has_first or not self._has_slot or self._pause_s() > 0:
            await self._stand_in_line(is_again=is_again)
        now = self._clock()
        self._in_flight += 1
        self._forget(now)
        self._taken.append(now)
        if self._is_paced:
            # Timers fire late. The delay is made up for, or delays would add up.
            self._next_at = max(now - LATENESS_S, self._next_at) + 1 / self.pace
        return now

    def leave(self) -> None:
        """The call is over, however it went."""
        self._in_flight -= 1
        if self._slot is not None and not self._slot.done():
            self._slot.set_result(None)

    # --- how it went, told before leaving ---

    def went_well(self, began: float) -> None:
        if self._is_paced and began >= self._judged_at:
            self._is_proven, self._blocks = True, 0
            if self._has_first:  # otherwise the pace was not the limit
                self._grow(self._clock())

    def refused(self, began: float, pause_s: float = 0.0) -> None:
        """The provider said: too many calls. `pause_s` is how long it wants to be left alone."""
        now, block_s = self._clock(), 0.0
        self._not_taken(began)
        if began < self._judged_at:
            if not self._is_proven:  # another call that was under way: fewer were taken
                self._slow_down(now)
            return
        if self._is_proven:
            self._is_proven = False
            self._least_taken = FEW if now - self._judged_at > LONG_AGO_S else 1
            self._refused_pace = self.pace  # less than a call a second cannot be counted
            self._slow_down(now)
        else:
            # Nothing got through since: that says "not yet", and nothing about how many may.
            block_s = min(FIRST_BLOCK_S * 2.0 ** min(self._blocks, 64), LONGEST_BLOCK_S)
            self._blocks += 1
            self._next_at = max(self._next_at, now + block_s)
        self._judged_at = now
        self._rests_until = now + HOLDS_TO_REST * pause_s

    def _slow_down(self, now: float) -> None:
        self._forget(now)
        taken = max(self._least_taken, len(self._taken))
        self._refused_pace = min(self._refused_pace, taken / PERIOD_S)
        self._is_paced = True
        self.pace = max(self._refused_pace / 2, LEAST_PACE)

    def _not_taken(self, began: float) -> None:
        if began in self._taken:
            self._taken.remove(began)

    def _forget(self, now: float) -> None:
        while self._taken and self._taken[0] <= now - PERIOD_S:
            self._taken.popleft()

    def _grow(self, now: float) -> None:
        pace, refused = self.pace, self._refused_pace
        if pace < NEAR * refused:
            self.pace = min(pace * (1 + RAMP), NEAR * refused)
        elif pace > BEYOND * refused:
            self.pace += pace * min(BOLD_PER_S / pace, MOST_AT_ONCE)
        elif now >= self._rests_until:
            self.pace += pace * min(CAREFUL_PER_S / pace, MOST_AT_ONCE)

    @property
    def blocked_for_s(self) -> float:
        """How much longer nobody is to try, because nothing got through; 0 if something did."""
        return max(0.0, self._next_at - self._clock()) if self._blocks else 0.0

    @property
    def expected_s(self) -> float:
        """How long a call that comes now is expected to wait, because calls were refused or a pause
        was asked for; 0 if neither holds anybody back."""
        pause_s = max(0.0, self._pause_s())
        return pause_s + len(self._line) / self.pace if self._is_paced else pause_s

    # --- the line ---

    @property
    def _has_slot(self) -> bool:
        # While nothing gets through, one call at a time finds out whether anything does again.
        return self._in_flight < (1 if self._blocks else self._most)

    def _pause_s(self) -> float:
        own_s = self._next_at - self._clock() if self._is_paced else 0.0
        return max(own_s, self._gate.held_for_s)

    async def _stand_in_line(self, *, is_again: bool) -> None:
        if self._has_first:
            await self._wait_for_first_place(is_again=is_again)
        self._has_first = True
        try:
            await self._wait_for_opening()
        finally:
            self._pass_on()

    async def _wait_for_first_place(self, *, is_again: bool) -> None:
        turn = asyncio.get_running_loop().create_future()
        if is_again:
            self._line.appendleft(turn)
        else:
            self._line.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was our turn already
                self._pass_on()
            raise

    async def _wait_for_opening(self) -> None:
        while True:
            pause_s = self._pause_s()
            if pause_s > 0:
                await self._sleep(pause_s)
            elif self._has_slot:
                return
            else:
                self._slot = asyncio.get_running_loop().create_future()
                await self._slot

    def _pass_on(self) -> None:
        while self._line:
            turn = self._line.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._has_first = False
