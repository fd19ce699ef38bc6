"""The turns of one debate that models are writing just now, for those who watch.

Text is gathered, so that a model that writes a word at a time does not cost a send per word and
viewer. Whoever comes in the middle of a turn gets what was sent of it so far.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import msgspec

from moot.engine import failpoints
from moot.engine.feed import Live, StepBegan, StepHeld, TextVoided, TextWritten
from moot.protocol.steps import Step

MAX_KEPT = 200_000
"""Characters of an unfinished turn that are kept for viewers who come later."""


class Draft(msgspec.Struct):
    """All that was written of a turn so far, and the end of it that was not sent yet."""

    step: Step
    sent: str = ""
    unsent: list[str] = []
    size: int = 0
    held: StepHeld | None = None


class Writing:
    """`tell` shows something to every viewer that wants text; `pause_s` says how long to gather."""

    def __init__(self, tell: Callable[[Live], None], pause_s: Callable[[], float]) -> None:
        self._tell = tell
        self._pause_s = pause_s
        self._drafts: dict[str, Draft] = {}
        self._timer: asyncio.TimerHandle | None = None

    def __bool__(self) -> bool:
        return bool(self._drafts)

    @contextmanager
    def of(self, step: Step) -> Iterator[None]:
        """Tell viewers that a model is being asked, those too that come while it is."""
        self.begin(step)
        try:
            yield
        finally:
            # Before the turn itself: who has read the turn needs no more of its text.
            self.end(step)

    def begin(self, step: Step) -> None:
        self._drafts[step.key] = Draft(step)
        self._tell(StepBegan(step))

    def end(self, step: Step) -> None:
        draft = self._drafts.pop(step.key, None)
        if draft is not None:
            self._send(draft)

    def write(self, step: Step, text: str) -> None:
        failpoints.reach("mid_stream")
        draft = self._drafts.get(step.key)
        if draft is None or draft.size >= MAX_KEPT:
            return
        draft.unsent.append(text)
        draft.size += len(text)
        if self._timer is None:
            self._send_all()

    def hold(self, step: Step, provider: str, now: datetime, left_s: float) -> None:
        """It is not being asked yet, and not expected to be before so many seconds have passed."""
        draft = self._drafts.get(step.key)
        if draft is not None:
            since = draft.held.since if draft.held else now
            draft.held = StepHeld(step, provider, since, now + timedelta(seconds=left_s))
            self._tell(draft.held)

    def go_on(self, step: Step) -> None:
        """It is being asked now, if it was held back before."""
        draft = self._drafts.get(step.key)
        if draft is not None and draft.held is not None:
            draft.held = None
            self._tell(StepBegan(step))

    def void(self, step: Step) -> None:
        """What was written of this turn so far does not count."""
        if step.key in self._drafts:
            self._drafts[step.key] = Draft(step)
        self._tell(TextVoided(step))

    def give_up(self) -> None:
        """Nobody works on it any more: what was being written will not become a turn."""
        self._drafts.clear()

    def so_far(self) -> Iterator[Live]:
        """What somebody who comes now has missed; the rest is still to be sent, to all alike."""
        for draft in self._drafts.values():
            yield draft.held or StepBegan(draft.step)
            if draft.sent:
                yield TextWritten(draft.step, draft.sent)

    def flush(self) -> None:
        """Send what is there without gathering more."""
        for draft in self._drafts.values():
            self._send(draft)

    def _send_all(self) -> None:
        self._timer = None
        waiting = [draft for draft in self._drafts.values() if draft.unsent]
        for draft in waiting:
            self._send(draft)
        if waiting:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._pause_s(), self._send_all)

    def _send(self, draft: Draft) -> None:
        if draft.unsent:
            text = "".join(draft.unsent)
            draft.unsent.clear()
            draft.sent += text
            self._tell(TextWritten(draft.step, text))
