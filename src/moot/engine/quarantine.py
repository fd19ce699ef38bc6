"""Which debates perform steps in this process at the same time, after workers have died.

A debate that kills its worker takes innocent ones with it, and nobody can tell which one it was. So
those that were there when workers died are tried in ever smaller groups: whatever gets any further
is cleared. The last try that a debate is given it is given alone, with no other debate's step under
way in the process, so that only the one that kills can die the last death.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

MOST_DEATHS = 5
"""Workers in a row that may die of a debate (RELIABILITY.md, section 3)."""
ALONE_FROM = MOST_DEATHS - 1
GROUPS = {2: 100, 3: 10}
"""Suspects that are tried beside one another, by deaths. A single death may be bad luck."""


class Quarantine:
    """For one event loop."""

    def __init__(self) -> None:
        self._stays: set[Stay] = set()
        # Who is alone, or will be once all others have done what they are doing.
        self._isolated: Stay | None = None
        self._change = asyncio.Event()

    async def admit(self, deaths: int) -> Stay:
        """A stay, once there is room for a debate that so many workers in a row have died of."""
        stay = Stay(self, deaths)
        try:
            while not self._has_room(stay):
                self._change.clear()
                await self._change.wait()
        except BaseException:
            stay.leave()
            raise
        self._stays.add(stay)
        return stay

    def _has_room(self, stay: Stay) -> bool:
        if stay.deaths >= ALONE_FROM and self._isolated is None:
            self._isolated = stay
        if self._isolated is not None:
            return self._isolated is stay and not any(one.is_busy for one in self._stays)
        if stay.deaths not in GROUPS:
            return True
        suspects = [one.deaths for one in self._stays if one.deaths in GROUPS]
        return len(suspects) < min(GROUPS[deaths] for deaths in (stay.deaths, *suspects))

    def allows(self, stay: Stay) -> bool:
        """Whether it may begin one more step."""
        return self._isolated is None or self._isolated is stay

    def look(self) -> None:
        """Have those who wait look again."""
        self._change.set()

    def end_isolation(self, stay: Stay) -> None:
        if self._isolated is stay:
            self._isolated = None
            for other in self._stays:
                other.wake()
        self.look()

    def remove(self, stay: Stay) -> None:
        self._stays.discard(stay)
        self.end_isolation(stay)


class Stay:
    """One debate while it is run here. `wake` is called when it may begin steps again."""

    def __init__(self, quarantine: Quarantine, deaths: int) -> None:
        self._quarantine = quarantine
        self.deaths = deaths
        self.is_busy = True
        self.wake: Callable[[], None] = lambda: None

    @property
    def may_start(self) -> bool:
        return self._quarantine.allows(self)

    def note(self, *, is_busy: bool) -> None:
        """Whether steps are under way."""
        if is_busy is not self.is_busy:
            self.is_busy = is_busy
            self._quarantine.look()

    def clear(self) -> None:
        """It got further: no suspect any more."""
        if self.deaths:
            self.deaths = 0
            self._quarantine.end_isolation(self)

    def leave(self) -> None:
        self._quarantine.remove(self)
