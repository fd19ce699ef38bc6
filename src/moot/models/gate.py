"""The doors through which all calls to a provider go, whichever debate makes them.

A provider has one gate. It bounds the calls in flight, and when the provider asks for a pause it
holds everybody back, so that a thousand debates do not find out about one rate limit a thousand
times. Behind it each model has a lane, which learns how many calls at once the provider takes.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from types import TracebackType

Clock = Callable[[], float]
"""Seconds that only ever go forward."""
Sleep = Callable[[float], Awaitable[None]]

LEAST_WINDOW = 0.01
"""Below one, calls are made one at a time, with pauses between them."""
NEAR, BEYOND = 0.95, 1.05
"""Shares of the window that was refused last: where growing becomes careful, and where it was
plainly too careful."""
CAREFUL_PER_S, BOLD_PER_S = 0.01, 0.2
"""Growth while calls go well, as a share of the window: near what was refused, and beyond it."""
MOST_AT_ONCE = 0.25
"""Growth by one call, where calls are far apart."""
HOLDS_TO_REST = 10
"""For so many times the pause that was asked for, no more is dared than what went well: a window
that is probed all the time spends its time in pauses."""
LATENESS_S = 0.03
LONGEST_GAP_S = 30.0
"""Between two calls of a lane, however narrow it is."""
SHORTEST_PERIOD_S, LONGEST_PERIOD_S = 1.0, 2.0
"""What rates are counted over. Not less than a second: no provider limits calls by less. Not much
more, so that the time in which the window grew does not count."""
FIRST_BLOCK_S, LONGEST_BLOCK_S = 0.5, 30.0
SMOOTHING = 0.1


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
        self._lanes: dict[str, Lane] = {}

    def lane(self, model: str) -> Lane:
        """The one lane of that model."""
        if model not in self._lanes:
            self._lanes[model] = Lane(self, self._most, clock=self._clock, sleep=self._sleep)
        return self._lanes[model]

    def hold(self, seconds: float) -> None:
        """Let nobody in for so long from now. Never shortens a pause that was asked for before."""
        self._held_until = max(self._held_until, self._clock() + seconds)

    @property
    def held_for_s(self) -> float:
        """How much longer everybody is held back; 0 when the gate is open."""
        return max(0.0, self._held_until - self._clock())

    async def __aenter__(self) -> None:
        while True:
            await self._wait_until_open()
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

    async def _wait_until_open(self) -> None:
        while pause_s := self.held_for_s:
            await self._sleep(pause_s)


class Lane:
    """The calls to one model: `enter`, make the call, tell how it went, `leave`.

    `window` is how many calls may be under way. It is all that the gate allows until a call is
    refused for the rate of calls. Then it halves, and grows while it goes well: by one per call
    back to near what was refused, carefully there, and more boldly beyond it. While it is narrower
    than the gate, calls begin one after the other, as far apart as they last divided by the window.
    So it can be less than one, where even one call after the other would be too many.
    """

    def __init__(self, gate: Gate, most: int, *, clock: Clock, sleep: Sleep) -> None:
        self.window = self._most = self._refused_window = float(most)
        self._gate = gate
        self._clock = clock
        self._sleep = sleep
        self._in_flight = 0
        self._call_s = 0.0
        self._next_at = 0.0
        # Only what began after the last refusal that counted tells whether enough was done.
        self._judged_at = float("-inf")
        self._is_proven = True
        self._rate = 0.0
        self._answered = 0
        self._counts_since = self._clock()
        self._rests_until = 0.0
        self._blocks = 0
        # Who is first in line waits for time or a slot; all others wait for who is first.
        self._has_first = False
        self._line: deque[asyncio.Future[None]] = deque()
        self._slot: asyncio.Future[None] | None = None

    async def enter(self, *, is_again: bool = False) -> float:
        """Return when a call may be made; the time. Who was turned away before stands first."""
        if self._has_first or not self._has_slot or self._pause_s() > 0:
            await self._stand_in_line(is_again=is_again)
        now = self._clock()
        if not self._in_flight and not self._has_first:
            self._rate, self._answered = 0.0, 0
            self._counts_since = max(now, self._counts_since)
        self._in_flight += 1
        if self.window < self._most:
            # Timers ring late. What that costs is made up for, or it would add up.
            self._next_at = max(now - LATENESS_S, self._next_at) + self._gap_s
        return now

    def leave(self) -> None:
        """The call is over, however it went."""
        self._in_flight -= 1
        if self._slot is not None and not self._slot.done():
            self._slot.set_result(None)

    # --- how it went, told before leaving ---

    def went_well(self, began: float) -> None:
        now = self._clock()
        spent_s = now - began
        # One call that hung must not slow down all that follow.
        known_s = self._call_s
        self._call_s += SMOOTHING * (min(spent_s, 2 * known_s) - known_s) if known_s else spent_s
        self._answered += 1
        if now - self._counts_since > max(LONGEST_PERIOD_S, 2 * self._call_s):
            self._rate = self._answered / (now - self._counts_since)
            self._answered, self._counts_since = 0, now
        if self.window < self._most and began >= self._judged_at:
            self._is_proven, self._blocks = True, 0
            if self._has_first:  # otherwise the window was not what bounded it
                self._grow(now)

    def refused(self, began: float, pause_s: float = 0.0) -> None:
        """The provider said: too many calls. `pause_s` is how long it wants to be left alone."""
        if began < self._judged_at:
            return
        now, block_s = self._clock(), 0.0
        if self._is_proven:
            self._refused_window = self._used(now)
            self.window = max(self._refused_window / 2, LEAST_WINDOW)
            self._is_proven = False
        else:
            # Nothing got through since: that says "not yet", and nothing about how many.
            block_s = min(FIRST_BLOCK_S * 2.0 ** min(self._blocks, 64), LONGEST_BLOCK_S)
            self._blocks += 1
            self._next_at = max(self._next_at, now + block_s)
        self._judged_at = now
        self._rate, self._answered = 0.0, 0
        self._counts_since = now + max(pause_s, block_s)
        self._rests_until = now + HOLDS_TO_REST * pause_s

    def _used(self, now: float) -> float:
        """How wide the lane has been of late: no wider than what got through it. Where calls are
        quick, that is far less than were under way when one was refused."""
        through = self._answered + self._in_flight
        rate = max(self._rate, through / max(now - self._counts_since, SHORTEST_PERIOD_S))
        used = min(self.window, self._in_flight)
        return min(used, rate * self._call_s) if self._call_s else used

    def _grow(self, now: float) -> None:
        window, refused = self.window, self._refused_window
        if window < NEAR * refused:
            window = min(window + min(1.0, window), NEAR * refused)
        elif window > BEYOND * refused:
            window += window * min(BOLD_PER_S * self._gap_s, MOST_AT_ONCE)
        elif now >= self._rests_until:
            window += window * min(CAREFUL_PER_S * self._gap_s, MOST_AT_ONCE)
        self.window = min(window, self._most)

    @property
    def blocked_for_s(self) -> float:
        """How much longer nobody is to try, because nothing got through; 0 if something did."""
        return max(0.0, self._next_at - self._clock()) if self._blocks else 0.0

    @property
    def expected_s(self) -> float:
        """How long who comes now is expected to wait, because calls were refused or a pause was
        asked for; 0 if nothing of that holds anybody back."""
        pause_s = max(0.0, self._pause_s())
        if self.window >= self._most:
            return pause_s
        return pause_s + len(self._line) * self._gap_s

    # --- the line ---

    @property
    def _has_slot(self) -> bool:
        # While nothing gets through, one at a time finds out whether it does again.
        return self._in_flight < (1 if self._blocks else max(1.0, self.window))

    @property
    def _gap_s(self) -> float:
        return min(self._call_s / self.window, LONGEST_GAP_S)

    def _pause_s(self) -> float:
        own_s = self._next_at - self._clock() if self.window < self._most else 0.0
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
