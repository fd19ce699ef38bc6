"""Which debates perform steps in this process at the same time.

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
ROOM = {2: 100, 3: 10}
"""Suspects that are tried beside one another, by deaths. A single death may be bad luck."""


class Company:
    """For one event loop."""

    def __init__(self) -> None:
        self._seats: set[Seat] = set()
        # Who is alone, or will be once all others have done what they are doing.
        self._loner: Seat | None = None
        self._change = asyncio.Event()

    async def join(self, deaths: int) -> Seat:
        """A seat, once there is room for a debate that so many workers in a row have died of."""
        seat = Seat(self, deaths)
        try:
            while not self._has_room(seat):
                self._change.clear()
                await self._change.wait()
        except BaseException:
            seat.leave()
            raise
        self._seats.add(seat)
        return seat

    def _has_room(self, seat: Seat) -> bool:
        if seat.deaths >= ALONE_FROM and self._loner is None:
            self._loner = seat
        if self._loner is not None:
            return self._loner is seat and not any(one.is_busy for one in self._seats)
        if seat.deaths not in ROOM:
            return True
        suspects = [one.deaths for one in self._seats if one.deaths in ROOM]
        return len(suspects) < min(ROOM[deaths] for deaths in (seat.deaths, *suspects))

    def admits(self, seat: Seat) -> bool:
        """Whether it may begin one more step."""
        return self._loner is None or self._loner is seat

    def look(self) -> None:
        """Have those who wait look again."""
        self._change.set()

    def end_solitude(self, seat: Seat) -> None:
        if self._loner is seat:
            self._loner = None
            for other in self._seats:
                other.wake()
        self.look()

    def remove(self, seat: Seat) -> None:
        self._seats.discard(seat)
        self.end_solitude(seat)


class Seat:
    """One debate's place. `wake` is called when it may begin steps again."""

    def __init__(self, company: Company, deaths: int) -> None:
        self._company = company
        self.deaths = deaths
        self.is_busy = True
        self.wake: Callable[[], None] = lambda: None

    @property
    def may_start(self) -> bool:
        return self._company.admits(self)

    def note(self, *, is_busy: bool) -> None:
        """Whether steps are under way."""
        if is_busy is not self.is_busy:
            self.is_busy = is_busy
            self._company.look()

    def clear(self) -> None:
        """It got further: no suspect any more."""
        if self.deaths:
            self.deaths = 0
            self._company.end_solitude(self)

    def leave(self) -> None:
        self._company.remove(self)
