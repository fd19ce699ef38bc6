"""How often one client may do something that costs money, and how many may watch at once."""

from __future__ import annotations

import math
from collections import OrderedDict, deque
from collections.abc import Callable

WINDOW_S = 60.0
MOST_CLIENTS = 10_000


class RateLimit:
    """Allows each client `per_minute` requests in any minute. `clock` is monotonic seconds."""

    def __init__(self, per_minute: int, clock: Callable[[], float]) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._seen: OrderedDict[str, deque[float]] = OrderedDict()

    def wait_s(self, client: str) -> int:
        """0 if the client may go on, and that is counted; else in how many seconds it may."""
        now = self._clock()
        times = self._seen.setdefault(client, deque())
        self._seen.move_to_end(client)
        while len(self._seen) > MOST_CLIENTS:
            self._seen.popitem(last=False)
        while times and times[0] <= now - WINDOW_S:
            times.popleft()
        if len(times) >= self._per_minute:
            return max(1, math.ceil(times[0] + WINDOW_S - now))
        times.append(now)
        return 0


class Places:
    """How many streams are open, and how many may be."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.taken = 0

    @property
    def is_full(self) -> bool:
        return self.taken >= self.most
