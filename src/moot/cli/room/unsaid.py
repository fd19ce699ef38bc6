"""What is not said yet: what a member is writing, and what was typed while one was speaking.

Models write labels, lines for others and SKIP, none of which are recorded. Whoever watches is shown
no text that would be taken back a moment later: text is held until it is known what it is.

What a person types in auto mode is said as soon as the member has finished. Auto mode is stopped
for it, as by Ctrl-C, but between two speakers; saying it lets the room go on. If anything that a
person has typed is lost, they are told so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from moot.cli.view.console import one_line
from moot.protocol import events as e
from moot.protocol.formats.room.floor import floor_of
from moot.protocol.formats.room.rules import SpokenOrSkipped
from moot.protocol.parsing import words
from moot.protocol.speech import LONGEST_TITLE, beside_skip, is_excuse, tidy
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.words import Pacing, Status

AROUND_LABEL = 12
"""How many characters can stand around a name and a title at the start of a line: `**[ | ]:** `."""
LEAST_NEWS = 40
PART_OF_NEWS = 50
"""A long text is looked at again once it has grown by a fiftieth: each look reads all of it."""

NEXT = "sent when they finish (Ctrl-C: now): "


class Speaking:
    """The growing text of one step."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self._text = ""
        self._looked_at = 0
        self._certain = ""

    def take(self, text: str, state: DebateState) -> str:
        """What may be shown of the text now, from its beginning; it only ever grows at the end."""
        self._text += text
        news = len(self._text) - self._looked_at
        if news >= max(LEAST_NEWS, len(self._text) // PART_OF_NEWS) or "\n" in text:
            self._looked_at = len(self._text)
            found = self._found(state)
            self._certain = found if found.startswith(self._certain) else self._certain
        return self._certain

    def _found(self, state: DebateState) -> str:
        speaker = state.participants.get(self.step.participant)
        if speaker is None or self._may_be_echo():
            return ""
        roster = state.participants.values()
        longest = max(len(one.label) for one in roster) + AROUND_LABEL
        before, _, line = self._text.rpartition("\n")
        if line.lstrip(" *_").startswith("["):  # with a title that the model makes up
            whole = len(line.partition("]")[0]) + AROUND_LABEL
            longest = max(longest, min(whole, longest + LONGEST_TITLE))
        text = self._text if len(line) > longest else before
        said = beside_skip(tidy(text, speaker, roster, self.step.kind).text.rstrip())
        # After so little text, a line SKIP that may still follow would take it back.
        return "" if is_excuse(said) else said

    def _may_be_echo(self) -> bool:
        """Whether the text may become an echo of what the member was asked or has just heard, which
        counts as nothing said."""
        answer = self.step.answer
        if not isinstance(answer, SpokenOrSkipped):
            return False
        *said, _ = words(self._text) or ("",)  # the last word may not be whole
        heard = (words(answer.asked), words(answer.heard))
        return any([*one[: len(said)]] == said for one in heard if len(said) < len(one) + 1)


class Unsaid:
    def __init__(
        self,
        state: DebateState,
        *,
        say: Callable[[str], Coroutine[Any, Any, None]],
        stop: Callable[[], Coroutine[Any, Any, bool]],
    ) -> None:
        self.text = ""
        self._state = state
        self._say = say
        self._stop = stop
        self._doing: asyncio.Task[Any] | None = None

    def must_wait(self, text: str) -> bool:
        """Whether `text` is a message, and members are taking turns by themselves just now."""
        floor = floor_of(self._state)
        is_auto = self._state.pacing is Pacing.AUTO and self._state.status is Status.RUNNING
        return is_auto and not text.startswith("/") and floor.is_busy(self._state)

    def keep(self, text: str, *, is_quiet: bool) -> None:
        """Keep the text until whoever speaks has finished; `is_quiet` says that nobody does."""
        self.text = "\n".join(filter(None, (self.text, text)))
        if self.text and is_quiet:
            self._doing = asyncio.create_task(self._stop())

    def mind(self, event: e.AnyEvent, *, is_quiet: bool) -> None:
        """Take note of an event: it may be the one that the text was waiting for."""
        if not self.text:
            return
        if not self._state.status.is_active:
            text, self.text = self.text, ""
            self._doing = asyncio.create_task(self._say(text))
        elif is_quiet and isinstance(event, e.TurnRecorded | e.StepFailed):
            self._doing = asyncio.create_task(self._stop())

    def told(self, width: int) -> str:
        """A line that says when the text will be sent."""
        return NEXT + one_line(self.text, max(1, width - len(NEXT)))
