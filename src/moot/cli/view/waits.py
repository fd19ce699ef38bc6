"""What a terminal says while nothing is being written: in the line below a live debate, who is at
work; of providers that are waited for, why, since when, and when it goes on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.control import Control
from rich.segment import ControlType

from moot.cli.view.console import clean, clock, duration
from moot.engine.feed import StepHeld
from moot.protocol.events import Recorded, TurnRecorded
from moot.protocol.timeline import Wait

WORTH_TELLING_S = 5.0
"""How long a wait must have lasted before people at a terminal, who saw the status line all the
while, are told that the provider answers again."""
REMIND_AFTER_S = 30.0
"""How long after it was reported a wait is reported again, where there is no status line."""
_NUMBERS = re.compile(r"\d+")

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
PLAIN_FRAMES = "|/-\\"


def waiting(wait: Wait, now: datetime) -> str:
    """Why a provider is waited for, since when, and when it is tried next."""
    told = f"{clean(wait.reason)}; {_since(wait.since)}, {_next_try(wait, now)}"
    return f"{told}; {hint}" if (hint := _hint(wait)) else told


def waiting_briefly(wait: Wait, now: datetime, width: int) -> str:
    """The same in one line of that width; the reason is shortened last."""
    return _fitted(clean(wait.reason), _since(wait.since), _next_try(wait, now), width)


def held_briefly(held: StepHeld, now: datetime, width: int) -> str:
    """Says that a rate limit holds a call back, and when it is expected to go on."""
    return _fitted(clean(held.reason), _since(held.since), _goes_on(held, now), width)


def _hint(wait: Wait) -> str:
    """How to start the server, if it is one on this machine that does not answer."""
    from moot.models.registry import START

    provider = _provider(wait)
    if wait.code != "model_unavailable" or provider not in START:
        return ""
    return f"{START[provider]}, or stop the debate with Ctrl-C"


def _since(moment: datetime) -> str:
    return f"waiting since {clock(moment)}"


def _next_try(wait: Wait, now: datetime) -> str:
    left_s = round((wait.next_try_at - now).total_seconds())
    return f"next try in {_whole(left_s)}" if left_s > 0 else "trying again now"


def _goes_on(held: StepHeld, now: datetime) -> str:
    left_s = round((held.until - now).total_seconds())
    return f"continues in about {_whole(left_s)}" if left_s > 0 else "continues now"


def _whole(seconds: float) -> str:
    return duration(seconds).replace(".0", "")


def _fitted(reason: str, since: str, then: str, width: int) -> str:
    for line in (f"{reason}; {since}, {then}", f"{reason}; {then}"):
        if cell_len(line) <= width:
            return line
    room = width - cell_len(f"…; {then}")
    return f"{set_cell_size(reason, room).rstrip()}…; {then}" if room > 0 else reason


class Told:
    """Which waits have been reported, and when: each reason once, however many tries there are.

    Where no status line shows that a wait goes on, it is reported again once in a while.
    """

    def __init__(self, *, has_status_line: bool) -> None:
        self._reasons: dict[tuple[str, ...], datetime] = {}
        self._has_status_line = has_status_line
        self._least_s = WORTH_TELLING_S if has_status_line else 0.0

    def is_news(self, wait: Wait, now: datetime) -> bool:
        """Whether to report the wait. Other numbers (times, ids, counts) make no new reason."""
        reason = _provider(wait), wait.code, _NUMBERS.sub("0", wait.error)
        told_at = self._reasons.get(reason)
        if told_at is not None:
            since_s = (now - told_at).total_seconds()
            if self._has_status_line or since_s < REMIND_AFTER_S:
                return False
        self._reasons[reason] = now
        return True

    def over(self, before: Mapping[str, Wait], after: Mapping[str, Wait], record: Recorded) -> str:
        """What to say when an event has ended all waits; nothing if the wait was short."""
        if not before or after:
            return ""
        self._reasons.clear()
        said = record.event
        wait = before.get(said.step_key) if isinstance(said, TurnRecorded) else None
        waited_s = (record.at - wait.since).total_seconds() if wait else 0.0
        if wait is None or waited_s < self._least_s:
            return ""
        return f"{_provider(wait)} answers again, after {duration(waited_s)}"


def _provider(wait: Wait) -> str:
    return wait.model.partition(":")[0] or "the provider"


class StatusLine:
    """One line below the transcript, always the last thing drawn; never drawn unless `is_live`."""

    def __init__(self, console: Console, *, is_live: bool) -> None:
        self._console = console
        self._is_live = is_live
        self._is_drawn = False
        self._tick = 0
        self.hint = ""
        is_unicode = console.encoding.lower().startswith("utf")
        self._frames = FRAMES if is_unicode else PLAIN_FRAMES

    @property
    def room(self) -> int:
        """How wide a text may be."""
        return max(1, self._console.width - 1 - len("  ⠋ "))

    def draw(self, text: str) -> None:
        """Show `text`, with the spinner moved one step; an empty text clears the line."""
        if not self._is_live:
            return
        self.clear()
        if text:
            self._tick += 1
            frame = self._frames[self._tick % len(self._frames)]
            room = max(1, self._console.width - 1)
            line = f"  {frame} {text}"
            if self.hint and len(line) + len(self.hint) + 3 <= room:
                line = f"{line} · {self.hint}"
            self._console.out(
                set_cell_size(line, min(len(line), room)), style="dim", end="", highlight=False
            )
            self._is_drawn = True

    def clear(self) -> None:
        if self._is_drawn:
            self._console.control(
                Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2))
            )
            self._is_drawn = False
